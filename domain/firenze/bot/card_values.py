"""What the greedy bot thinks a card is worth to the seat that takes it, in points."""

from domain.firenze.bot.weights import Weights
from domain.firenze.cards import CELEBRATION_POINTS, KIND_OF, Card, Kind
from domain.firenze.commissions import owes_bell_tower, sealed_by
from domain.firenze.components import is_small
from domain.firenze.dues import FOR_ALL, due_from
from domain.firenze.event_cards import FIRE_BRICKS
from domain.firenze.state import Player, State

LATE_SEALS = 4  # from so few unused seals on the match draws to its end


def card_value(state: State, seat: int, card: Card, weights: Weights) -> float:
    """Return what taking the card is worth beside its bricks."""
    held = state.players[seat].cards
    kind = KIND_OF[card]
    if kind is Kind.EVENT:
        protection = weights.brick if held[Card.PATRICIAN] else 0
        return -harm(state, seat, card, weights) + protection

    if kind is Kind.PERSONNEL:
        spare = held[card] > 1
        return 0.0 if spare else weights.cards[card]

    if kind is Kind.BUILDING:
        spare = held[card] > 0
        return 0.0 if spare else weights.cards[card] * future(state)

    if kind is Kind.CHURCH:
        binds = card is Card.CAMPANILE and not owes_bell_tower(state, seat)
        return -weights.campanile if binds else 0.0
    return _celebration_value(state, seat, card, weights.expected_small)


def _celebration_value(state: State, seat: int, card: Card, expected_small: float) -> float:
    """Return what a Celebration will bring at the end (F36, F39).

    expected_small: small commissions that are still to come, at the beginning.
    """
    if card is Card.MONUMENT:
        return _monument(state, seat)
    if card is Card.RECOGNITION:
        small = sum(is_small(commission) for commission in sealed_by(state, seat))
        return small + expected_small * future(state)
    return float(CELEBRATION_POINTS[card])


def future(state: State) -> float:
    """Return how much of the match lies ahead, 1 to 0, by the fewest seals of anybody."""
    fewest = min(player.seals for player in state.players)
    return min(1.0, fewest / LATE_SEALS)


def _monument(state: State, seat: int) -> float:
    """Return what letting the Monument go to the tallest tower is worth (F36)."""
    heights = [player.tallest for player in state.players]
    tallest = max(heights)
    if heights.count(tallest) > 1:
        return 0.0

    points = float(CELEBRATION_POINTS[Card.MONUMENT])
    if heights[seat] == tallest:
        return points
    others = len(heights) - 1
    return -points / others


def harm(state: State, seat: int, card: Card, weights: Weights) -> float:
    """Return what an event costs the seat, less what it costs the others on average (F32, F33)."""
    if card in FOR_ALL:
        seats = range(len(state.players))
        losses = [_loss(state, other, card, weights) for other in seats]
        own = losses.pop(seat)
        return own - sum(losses) / len(losses)

    player = state.players[seat]
    if card is Card.STOREHOUSE_FIRE:
        burnt = min(FIRE_BRICKS, sum(player.storehouse))
        return weights.brick * burnt

    if card is Card.RENAISSANCE or not player.towers:
        return 0.0
    if card is Card.BOTCH:
        return weights.level
    return weights.level * min(tower.height for tower in player.towers)


def _loss(state: State, seat: int, card: Card, weights: Weights) -> float:
    """Return what an event for all costs one seat: bricks, and levels of lost towers."""
    due = due_from(state, seat, card)
    towers = state.players[seat].towers
    levels = sum(tower.height for tower in towers if tower.id in due.lost)
    return weights.brick * due.bricks + weights.level * levels


def keep_value(player: Player, card: Card, weights: Weights) -> float:
    """Return what keeping a Personnel or Building card is worth when cards must go (F24)."""
    if KIND_OF[card] is Kind.BUILDING:
        return weights.cards[card]
    return weights.cards[card] / player.cards[card]
