"""The greedy bot: it weighs each choice by what the best building of the turn would leave behind (outlook.py)."""

from collections.abc import Callable, Iterator

from domain.chance import Chance
from domain.firenze import commands as cmd
from domain.firenze.appraisal import card_value, harm, keep_value
from domain.firenze.build import discount
from domain.firenze.components import COLOURS, Card, Colour, Step
from domain.firenze.moves import Move, endings, exchanges, fulfilments, legal_moves
from domain.firenze.outlook import ARCHITECT, BELL, BRICK, Outlook, look, turn_value, worth
from domain.firenze.payment import automatic
from domain.firenze.personnel import STEPS, rivals
from domain.firenze.play import exchange_price
from domain.firenze.state import State, Tower, built_colours, find_tower
from domain.wire import HOUSE

SABOTAGE_HEIGHT = 4  # a lower tower is not worth the Saboteur
PRINCESS_GAIN = 1.0
MASON_GAIN = 1.0
SWAP_GAIN = 0.8
EXCHANGE_GAIN = 0.3
HARM = 1.0


def advise(state: State, seat: int, _chance: Chance) -> Move:
    """Return the greedy move of a seat (or the house), which must be an actor."""
    if seat == HOUSE:
        return legal_moves(state, seat)[0]
    return _ADVICE[state.agenda[-1].step](state, seat)


# ---- choose ----------------------------------------------------------------------------------------------------------


def _choose(state: State, seat: int) -> Move:
    """Throw away a bad card, then take the best one, for free where that helps."""
    early = _bad_luck(state, seat)
    if early is not None:
        return early
    outlook = look(state, seat)
    paid, slot = _best_slot(state, outlook, free=Card.PRINCESS in state.played)
    if may_play(state, seat, Card.PRINCESS):
        free, _ = _best_slot(state, outlook, free=True)
        if free - paid > PRINCESS_GAIN:
            return cmd.PlayPersonnel(seat, Card.PRINCESS)
    return cmd.TakeCard(seat, slot)


def _bad_luck(state: State, seat: int) -> Move | None:
    """A Patrician gets rid of the worst Celebration (F31)."""
    bad = [card for card in (Card.SCANDAL, Card.DISGRACE) if state.players[seat].cards[card]]
    if bad and may_play(state, seat, Card.PATRICIAN):
        return cmd.PlayPersonnel(seat, Card.PATRICIAN, discard=bad[0])
    return None


def _best_slot(state: State, outlook: Outlook, *, free: bool) -> tuple[float, int]:
    """Return the best card to take and its value: its bricks, its worth, what it costs (F14)."""
    player = state.players[outlook.seat]
    building = built_colours(player)
    best = (float("-inf"), 0)
    for slot, offer in enumerate(state.row):
        price = 0 if free else slot
        if price > sum(player.storehouse):
            break
        storehouse = [have + new for have, new in zip(player.storehouse, offer.bricks, strict=True)]
        for colour in automatic(price, player.storehouse, building):
            storehouse[colour] -= 1
        value = turn_value(state, outlook, storehouse) + card_value(state, outlook.seat, offer.card)
        best = max(best, (value, -slot))
    return best[0], -best[1]


def may_play(state: State, seat: int, card: Card) -> bool:
    """A card in the hand, in its phase, none of its name played this turn (F26)."""
    held = state.players[seat].cards[card]
    return held > 0 and card not in state.played and state.agenda[-1].step in STEPS[card]


# ---- build -----------------------------------------------------------------------------------------------------------


def _build(state: State, seat: int) -> Move:
    """Play a Mason or swap bricks where that helps, then build what the plan says."""
    player, outlook = state.players[seat], look(state, seat)
    off = discount(state, seat)
    value, pieces = outlook.plan(player.towers, player.storehouse, off)
    if (
        may_play(state, seat, Card.MASON)
        and turn_value(state, outlook, player.storehouse, 3) - value > MASON_GAIN
    ):
        return cmd.PlayPersonnel(seat, Card.MASON)
    better = _swap(state, outlook, value)
    if better is not None:
        return better
    left = player.storehouse[:]
    lay = []
    for number, colour, bricks in pieces:
        count = min(bricks, left[colour])
        left[colour] -= count
        if count:
            lay.append(cmd.Lay(COLOURS[colour], count, number if number >= 0 else None))
    return cmd.Build(seat, tuple(lay))


def _swap(state: State, outlook: Outlook, value: float) -> Move | None:
    """Return the best of exchange, Alchemist and Smuggler, if it helps enough (F18, F27, F30)."""
    seat = outlook.seat
    building = built_colours(state.players[seat])
    best: tuple[float, Move | None] = (value, None)
    for move, price, take, threshold in _offers(state, seat):
        storehouse = state.players[seat].storehouse[:]
        pool = [
            0 if colour is take else have for colour, have in zip(COLOURS, storehouse, strict=True)
        ]
        given = automatic(price, storehouse if isinstance(move, cmd.Exchange) else pool, building)
        if len(given) < price:
            continue
        for colour in given:
            storehouse[colour] -= 1
        storehouse[take] += 1
        gain = turn_value(state, outlook, storehouse) - threshold
        if gain > best[0]:
            best = (gain, move)
    return best[1]


def _offers(state: State, seat: int) -> Iterator[tuple[Move, int, Colour, float]]:
    """Yield each way to get one brick of a colour: the move, how many bricks it costs, the colour, the gain asked."""
    price = exchange_price(state.players[seat])
    for move in {
        move.take: move for move in exchanges(state, seat) if isinstance(move, cmd.Exchange)
    }.values():
        yield move, price, move.take, EXCHANGE_GAIN
    if may_play(state, seat, Card.ALCHEMIST):
        for colour in COLOURS:
            if state.pouch[colour]:
                yield cmd.PlayPersonnel(seat, Card.ALCHEMIST, take=colour), 1, colour, SWAP_GAIN
    if may_play(state, seat, Card.SMUGGLER):
        for colour in COLOURS:
            target = max(
                rivals(state, seat), key=lambda other: state.players[other].storehouse[colour]
            )
            if state.players[target].storehouse[colour]:
                yield (
                    cmd.PlayPersonnel(seat, Card.SMUGGLER, target=target, take=colour),
                    1,
                    colour,
                    SWAP_GAIN,
                )


# ---- fulfil and the end of the turn ----------------------------------------------------------------------------------


def _fulfil(state: State, seat: int) -> Move:
    """Deliver what is worth more now than later, with the Architect where it helps; a Saboteur strikes; end."""
    outlook = look(state, seat)
    best: tuple[float, Move | None] = (0.0, None)
    for move, value in _deliveries(state, outlook):
        tower = find_tower(state.players[seat], move.tower)
        assert tower is not None
        best = max(
            best,
            (value + BRICK - _later(state, outlook, tower), move),
            key=lambda option: option[0],
        )
    if best[1] is not None:
        return best[1]
    return _hire(state, outlook) or _sabotage(state, seat) or _end(state, seat)


def _later(state: State, outlook: Outlook, tower: Tower) -> float:
    """Return what waiting with a tower promises."""
    return outlook.later(
        tower.colour, tower.height, state.players[outlook.seat].storehouse[tower.colour]
    )


def _deliveries(state: State, outlook: Outlook) -> Iterator[tuple[cmd.Fulfil, float]]:
    for move in fulfilments(state, outlook.seat):
        if isinstance(move, cmd.Fulfil):
            value = (
                BELL
                if move.campanile
                else worth(state, outlook.seat, move.colour or 0, move.height or 0)
            )
            yield move, value


def _hire(state: State, outlook: Outlook) -> Move | None:
    """The Architect for a tower one level off, if that is worth the card (F28)."""
    player = state.players[outlook.seat]
    if outlook.owes or not may_play(state, outlook.seat, Card.ARCHITECT):
        return None
    for tower in player.towers:
        for by in (1, -1):
            now = outlook.open[tower.colour].get(tower.height + by, 0.0) - ARCHITECT
            if now > _later(state, outlook, tower):
                return cmd.PlayPersonnel(outlook.seat, Card.ARCHITECT, tower=tower.id, by=by)
    return None


def _sabotage(state: State, seat: int) -> Move | None:
    """One brick off the tallest tower of a rival, when it is high (F30)."""
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
    return cmd.PlayPersonnel(seat, Card.SABOTEUR, target=target, tower=number)


def _end(state: State, seat: int) -> Move:
    """End the turn, discarding the cards that matter least (F24)."""
    player = state.players[seat]

    def kept(move: Move) -> float:
        assert isinstance(move, cmd.EndTurn)
        return -sum(keep_value(player, card) for card in move.cards or ())

    return max(endings(state, seat), key=kept)


# ---- events ----------------------------------------------------------------------------------------------------------


def _answer(state: State, seat: int) -> Move:
    """Spend the Patrician on what hurts (F31)."""
    assert state.taken is not None
    return cmd.AnswerEvent(seat, harm(state, seat, state.taken) > HARM)


def _resolve(state: State, seat: int) -> Move:
    """Lose the tower that promises least (F32)."""
    if state.taken is Card.STOREHOUSE_FIRE:
        return cmd.ResolveEvent(seat)
    outlook, player = look(state, seat), state.players[seat]

    def promise(tower: Tower) -> float:
        return outlook.tower(tower.colour, tower.height, player.storehouse[tower.colour])

    return cmd.ResolveEvent(seat, tower=min(player.towers, key=promise).id)


_ADVICE: dict[Step, Callable[[State, int], Move]] = {
    Step.CHOOSE: _choose,
    Step.BUILD: _build,
    Step.FULFIL: _fulfil,
    Step.ANSWER: _answer,
    Step.RESOLVE: _resolve,
    Step.DISCARD: lambda _state, seat: cmd.Discard(seat),
}
