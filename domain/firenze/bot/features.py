"""What prospects are guessed from: what a seat owns and what it may still do, as numbers.

What towers promise is measured by the weights set by hand: the prospects are fitted to that.
"""

from collections.abc import Sequence

from domain.firenze.bot.card_values import future
from domain.firenze.bot.valuation import Outlook, look
from domain.firenze.bot.weights import BY_HAND
from domain.firenze.cards import BUILDINGS, CELEBRATION_POINTS, PERSONNEL, Card
from domain.firenze.commissions import sealed_by
from domain.firenze.components import (
    CARD_LIMIT,
    COLOURS,
    STOREHOUSE_LIMIT,
    commissions_of,
    is_small,
)
from domain.firenze.state import Player, State

_KEPT = (*PERSONNEL, *BUILDINGS)  # the cards that count by how much of the match lies ahead

NAMES = (
    "towers",
    "best tower",
    "hoarded bricks",
    *[f"{colour.wire} bricks" for colour in COLOURS],
    "bricks above the limit",
    *[card.wire for card in _KEPT],
    "cards at the limit",
    "seals",
    "seals squared",
    "fewest seals of the others",
    "these squared",
    "turns to wait",
    "last turns",
    "majorities",
    "majorities late",
    "shared majorities",
    "recognised commissions",
    "best open commissions",
    "owes the bell tower",
)
"""What each number of `features` says, in their order."""


def sure_points(player: Player) -> float:
    """Return the points that the seat has, those of its Celebration cards included (F39)."""
    celebrations = [points * player.cards[card] for card, points in CELEBRATION_POINTS.items()]
    return float(player.points + sum(celebrations))


def features(state: State, seat: int) -> list[float]:
    """Return the numbers of a seat, by NAMES, where a turn begins."""
    player = state.players[seat]
    outlook = look(state, seat, BY_HAND)
    ahead = future(state)
    fewest = min(other.seals for number, other in enumerate(state.players) if number != seat)
    led, shared = _majorities(state, seat)
    kept = [player.cards[card] for card in _KEPT]

    return [
        *_towers(player, outlook),
        *player.storehouse,
        max(0, sum(player.storehouse) - STOREHOUSE_LIMIT),
        *[count * ahead for count in kept],
        max(0, sum(kept) - CARD_LIMIT + 1),
        player.seals,
        player.seals**2,
        fewest,
        fewest**2,
        (seat - state.active) % len(state.players),
        1.0 if outlook.last_turn else 0.0,
        led,
        led * (1 - ahead),
        shared,
        _recognised(state, seat, ahead),
        _best_open(player, outlook),
        1.0 if outlook.owes else 0.0,
    ]


def _towers(player: Player, outlook: Outlook) -> tuple[float, float, float]:
    """Return what all towers are worth, the best of them, and bricks of which none is begun."""
    supply = player.storehouse
    towers = [
        outlook.tower(tower.colour, tower.height, supply[tower.colour]) for tower in player.towers
    ]
    built = {tower.colour for tower in player.towers}
    hoards = [outlook.hoard(colour, supply[colour]) for colour in COLOURS if colour not in built]
    return sum(towers), max(towers, default=0.0), sum(hoards)


def _majorities(state: State, seat: int) -> tuple[float, float]:
    """Return the bonuses of the colours in which the seat leads, and is tied for the lead (F41)."""
    led = 0.0
    shared = 0.0
    for colour, bonus in enumerate(state.board.majority):
        owners = state.seals[commissions_of(colour)]
        counts = [owners.count(owner) for owner in range(len(state.players))]
        own = counts.pop(seat)
        most = max(counts)
        if own > most:
            led += bonus
        elif own and own == most:
            shared += bonus
    return led, shared


def _recognised(state: State, seat: int, ahead: float) -> float:
    """Return the points that Recognition brings, those still to come included (F39)."""
    copies = state.players[seat].cards[Card.RECOGNITION]
    if not copies:
        return 0.0
    small = sum(is_small(commission) for commission in sealed_by(state, seat))
    return copies * (small + BY_HAND.expected_small * ahead)


def _best_open(player: Player, outlook: Outlook) -> float:
    """Return what the best open commissions are worth, one for each seal that is left."""
    worths: Sequence[float] = [worth for heights in outlook.open for worth in heights.values()]
    return sum(sorted(worths, reverse=True)[: player.seals])
