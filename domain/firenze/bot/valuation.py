"""What the greedy bot thinks things are worth, in points: commissions, towers, bricks in store."""

from dataclasses import dataclass, field

from domain.firenze.bot.weights import PACE, Luck, Weights
from domain.firenze.cards import Card
from domain.firenze.commissions import (
    level_points,
    open_heights,
    owes_bell_tower,
    privilege_points,
)
from domain.firenze.components import (
    BELL_TOWER_HEIGHT,
    COLOURS,
    LAST_SEAL_POINTS,
    LOWEST,
    WHITE,
    commission_index,
    commissions_of,
)
from domain.firenze.state import State

LEAST_HOARD = 2  # bricks of a colour that promise anything by themselves
CHEAP_SLOTS = 4  # the slots that are counted on
BELL_TOWER_BRICKS = 2 * PACE  # all other towers wait two turns for the bell tower


def worth(state: State, seat: int, colour: int, height: int, weights: Weights) -> float:
    """Return what fulfilling this open commission now would bring (F21-F23, F37, F39-F41)."""
    points = _points(state, seat, colour, height)
    return points + _seal(state, seat, weights) + _majority_share(state, seat, colour, weights)


def _points(state: State, seat: int, colour: int, height: int) -> int:
    """Return the points of a commission, which are scored at once or surely in the end."""
    player = state.players[seat]
    points = (
        state.worth[commission_index(colour, height)]
        + level_points(state, height)
        + privilege_points(state, height)
    )
    if player.seals == 1 and state.end_seat < 0:
        points += LAST_SEAL_POINTS
    if height <= LOWEST + 1:
        points += player.cards[Card.RECOGNITION]
    return points


def _seal(state: State, seat: int, weights: Weights) -> float:
    """Return what it counts to place a seal, beside its points."""
    unused = min(state.players[seat].seals, len(weights.seals))
    return weights.seals[unused - 1]


def _majority_share(state: State, seat: int, colour: int, weights: Weights) -> float:
    """Return what one more seal on a colour brings of its bonus.

    A majority that is more than one seal away hardly matters (F41).
    """
    owners = state.seals[commissions_of(colour)]
    counts = [owners.count(other) for other in range(len(state.players))]
    contest = 1.0 if max(counts) - counts[seat] <= 1 else weights.far_behind
    return weights.majority * state.board.majority[colour] * contest


@dataclass(slots=True)
class Outlook:
    """One seat's prospects, worked out once a decision.

    weights: by which they are worked out.
    open: by colour, the worth of each open height.
    luck: by colour, how likely a turn brings a brick of it.
    owes: whether the bell tower comes first (F38).
    last_turn: whether nothing comes after this turn.
    architect: whether the seat may still play one this turn.
    known_gains: what `planning` has worked out; the same sites come up for every card of the row,
    and without this table a thought takes a third longer.
    """

    seat: int
    weights: Weights
    open: list[dict[int, float]]
    luck: list[float]
    owes: bool
    last_turn: bool
    architect: bool
    known_gains: dict[tuple[int, int, int, int], list[float]] = field(default_factory=dict)

    def tower(self, colour: int, height: int, supply: int) -> float:
        """Return what a tower of this height is worth after building.

        supply: how many bricks of its colour are left in store.
        """
        return max(self.now(colour, height), self.later(colour, height, supply))

    def now(self, colour: int, height: int) -> float:
        """Return what delivering the tower this turn brings, 0 when it fits nothing."""
        if self.owes:
            delivered = colour == WHITE and height == BELL_TOWER_HEIGHT
            return self.weights.bell if delivered else 0.0

        heights = self.open[colour]
        value = heights.get(height, 0.0)
        if self.architect:
            higher = heights.get(height + 1, 0.0) - self.weights.architect
            lower = heights.get(height - 1, 0.0) - self.weights.architect
            value = max(value, higher, lower)
        return value

    def later(self, colour: int, height: int, supply: int) -> float:
        """Return the best commission above, less for waiting and for every brick that is missing.

        A tower without a brick in store may not be raised next turn, and is lost then (F20): that
        takes luck as well.
        """
        if self.last_turn:
            return 0.0

        weights = self.weights
        luck = self.luck[colour]
        best = 0.0
        for goal, value in self.open[colour].items():
            needed = goal - height
            if needed > 0:
                missing = max(0, needed - supply)
                promise = value * weights.waiting[needed] * luck**missing
                best = max(best, promise)

        if self.owes:
            bell = weights.bell if colour == WHITE and height < BELL_TOWER_HEIGHT else 0.0
            best = max(best * weights.waiting[BELL_TOWER_BRICKS], bell)
        return weights.faith * (best if supply else best * luck)

    def hoard(self, colour: int, supply: int) -> float:
        """Return what bricks of a colour promise of which no tower is begun."""
        if supply < LEAST_HOARD:
            return 0.0
        return self.weights.hoard * self.later(colour, 0, supply)


def look(state: State, seat: int, weights: Weights) -> Outlook:
    """Return the seat's prospects, by these weights."""
    open_worth = [_open_worth(state, seat, colour, weights) for colour in COLOURS]
    return Outlook(
        seat=seat,
        weights=weights,
        open=open_worth,
        luck=_luck(state, weights.luck),
        owes=owes_bell_tower(state, seat),
        last_turn=state.end_seat >= 0,
        architect=_may_hire(state, seat),
    )


def _may_hire(state: State, seat: int) -> bool:
    """Return whether the seat holds an Architect and has played none this turn (F28)."""
    held = state.players[seat].cards[Card.ARCHITECT]
    return held > 0 and Card.ARCHITECT not in state.played


def _open_worth(state: State, seat: int, colour: int, weights: Weights) -> dict[int, float]:
    """Return the worth of each open height of a colour; none without a seal (F21)."""
    if not state.players[seat].seals:
        return {}
    heights = open_heights(state, colour)
    if not heights:
        return {}
    seal = _seal(state, seat, weights)
    share = _majority_share(state, seat, colour, weights)
    return {height: _points(state, seat, colour, height) + seal + share for height in heights}


def _luck(state: State, by: Luck) -> list[float]:
    """Return roughly how likely a turn brings a brick of each colour.

    It grows with the bricks in the cheap slots, and with the part of the pouch.
    """
    in_pouch = max(1, sum(state.pouch))
    cheap = state.row[:CHEAP_SLOTS]

    lucks = []
    for colour in COLOURS:
        offered = max((slot.bricks[colour] for slot in cheap), default=0)
        share = state.pouch[colour] / in_pouch
        luck = by.least + by.a_brick * offered + by.pouch * share
        lucks.append(min(by.most, luck))
    return lucks
