"""The greedy bot when building is over: deliver, play a card for a tower, end the turn."""

from domain.firenze.bot.card_values import keep_value
from domain.firenze.bot.valuation import Outlook, look, worth
from domain.firenze.bot.weights import Weights
from domain.firenze.cards import Card
from domain.firenze.commands import EndTurn, Fulfil, PlayPersonnel
from domain.firenze.moves import Move, endings, fulfilments
from domain.firenze.personnel import may_play
from domain.firenze.personnel_effects import rivals
from domain.firenze.state import State, Tower, find_tower

SABOTAGE_HEIGHT = 4  # a lower tower is not worth the Saboteur


def fulfil(state: State, seat: int, weights: Weights) -> Move:
    """Deliver what is worth more now than later.

    Else play the Architect or a Saboteur where that helps, or end the turn.
    """
    outlook = look(state, seat, weights)
    return (
        _deliver(state, outlook)
        or _hire(state, outlook)
        or _sabotage(state, seat)
        or _end_turn(state, seat, weights)
    )


def _deliver(state: State, outlook: Outlook) -> Move | None:
    """Return the best delivery that is worth more now than waiting."""
    player = state.players[outlook.seat]
    best_gain = 0.0
    best: Move | None = None

    for move in fulfilments(state, outlook.seat):
        tower = find_tower(player, move.tower)
        assert tower is not None
        value = _delivery_value(state, move, outlook.weights)
        gain = value + outlook.weights.delivering - _waiting_value(state, outlook, tower)
        if gain > best_gain:
            best_gain = gain
            best = move
    return best


def _delivery_value(state: State, move: Fulfil, weights: Weights) -> float:
    if move.campanile:
        return weights.bell
    assert move.colour is not None
    assert move.height is not None
    return worth(state, move.seat, move.colour, move.height, weights)


def _waiting_value(state: State, outlook: Outlook, tower: Tower) -> float:
    """Return what waiting with a tower promises."""
    supply = state.players[outlook.seat].storehouse[tower.colour]
    return outlook.later(tower.colour, tower.height, supply)


def _hire(state: State, outlook: Outlook) -> Move | None:
    """Play the Architect for a tower one level off, if that is worth the card (F28)."""
    seat = outlook.seat
    if outlook.owes or not may_play(state, seat, Card.ARCHITECT):
        return None

    for tower in state.players[seat].towers:
        open_heights = outlook.open[tower.colour]
        later = _waiting_value(state, outlook, tower)
        for by in (1, -1):
            now = open_heights.get(tower.height + by, 0.0) - outlook.weights.architect
            if now > later:
                return PlayPersonnel(
                    seat,
                    Card.ARCHITECT,
                    tower=tower.id,
                    by=by,
                )
    return None


def _sabotage(state: State, seat: int) -> Move | None:
    """Take a brick off the tallest tower of a rival, when it is high (F30)."""
    if not may_play(state, seat, Card.SABOTEUR):
        return None

    towers = [
        (tower.height, rival, tower.id)
        for rival in rivals(state, seat)
        for tower in state.players[rival].towers
    ]
    height, target, number = max(towers, default=(0, 0, 0))

    if height < SABOTAGE_HEIGHT:
        return None
    return PlayPersonnel(
        seat,
        Card.SABOTEUR,
        target=target,
        tower=number,
    )


def _end_turn(state: State, seat: int, weights: Weights) -> Move:
    """End the turn, discarding the cards that matter least (F24)."""
    player = state.players[seat]

    def lost_value(move: EndTurn) -> float:
        return sum(keep_value(player, card, weights) for card in move.cards or ())

    return min(endings(state, seat), key=lost_value)
