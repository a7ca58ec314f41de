"""What the greedy bot thinks a card is worth to the seat that takes it, in points."""

from domain.firenze.components import CELEBRATION_POINTS, HEIGHTS, KINDS, LOWEST, Card, Kind
from domain.firenze.event_cards import FIRE_BRICKS, FOR_ALL, due_from
from domain.firenze.outlook import BRICK
from domain.firenze.state import Player, State, owes_bell_tower, sealed_by

LEVEL = 0.9
PERSONNEL_VALUE = {
    Card.ALCHEMIST: 0.9,
    Card.ARCHITECT: 1.1,
    Card.MASON: 1.0,
    Card.PATRICIAN: 0.8,
    Card.PRINCESS: 0.6,
    Card.SABOTEUR: 0.8,
    Card.SMUGGLER: 0.9,
    Card.WHOLESALER: 0.1,
}
BUILDING_VALUE = {Card.WORKSHOP: 3.0, Card.WAREHOUSE: 1.5, Card.BRIDGE: 1.0}
EXPECTED_SMALL = 1.5
CAMPANILE_HARM = -1.0


def card_value(state: State, seat: int, card: Card) -> float:
    """Return what taking the card is worth beside its bricks."""
    player, kind = state.players[seat], KINDS[card]
    if kind is Kind.EVENT:
        return -harm(state, seat, card) + (BRICK if player.cards[Card.PATRICIAN] else 0)
    if kind is Kind.PERSONNEL:
        return 0.0 if player.cards[card] > 1 else PERSONNEL_VALUE[card]
    if kind is Kind.BUILDING:
        return 0.0 if player.cards[card] else BUILDING_VALUE[card] * _future(state)
    if kind is Kind.CHURCH:
        return (
            CAMPANILE_HARM if card is Card.CAMPANILE and not owes_bell_tower(state, seat) else 0.0
        )
    if card is Card.MONUMENT:
        return _monument(state, seat)
    if card is Card.RECOGNITION:
        small = sum(index % len(HEIGHTS) <= 1 for index in sealed_by(state, seat))
        return small + EXPECTED_SMALL * _future(state)
    return float(CELEBRATION_POINTS[card])


def _future(state: State) -> float:
    """Return how much of the match lies ahead, 1 to 0: the fewest seals that anybody has left."""
    return min(1.0, min(player.seals for player in state.players) / (LOWEST + 1))


def _monument(state: State, seat: int) -> float:
    """+3 to whoever has the tallest tower (F36)."""
    heights = [
        max([tower.height for tower in player.towers], default=0) for player in state.players
    ]
    tallest = max(heights)
    if heights.count(tallest) > 1:
        return 0.0
    points = float(CELEBRATION_POINTS[Card.MONUMENT])
    return points if heights[seat] == tallest else -points / (len(heights) - 1)


def harm(state: State, seat: int, card: Card) -> float:
    """Return what an event costs the seat, less what it costs the others on average (F32, F33)."""
    if card in FOR_ALL:
        losses = [_loss(state, other, card) for other in range(len(state.players))]
        own = losses.pop(seat)
        return own - sum(losses) / len(losses)
    player = state.players[seat]
    if card is Card.STOREHOUSE_FIRE:
        return BRICK * min(FIRE_BRICKS, sum(player.storehouse))
    if card is Card.RENAISSANCE or not player.towers:
        return 0.0
    return LEVEL * (1 if card is Card.BOTCH else min(tower.height for tower in player.towers))


def _loss(state: State, seat: int, card: Card) -> float:
    due = due_from(state, seat, card)
    return BRICK * due.bricks + LEVEL * _levels(state.players[seat], due.lost)


def _levels(player: Player, lost: tuple[int, ...]) -> int:
    return sum(tower.height for tower in player.towers if tower.id in lost)


def keep_value(player: Player, card: Card) -> float:
    """Return what keeping a Personnel or Building card is worth when cards must go (F24)."""
    if KINDS[card] is Kind.BUILDING:
        return BUILDING_VALUE[card]
    return PERSONNEL_VALUE[card] / player.cards[card]
