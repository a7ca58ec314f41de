"""What the greedy bot thinks things are worth, in points: commissions, towers, bricks in store."""

from dataclasses import dataclass, field
from math import ceil

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
    HIGHEST,
    LAST_SEAL_POINTS,
    LOWEST,
    WHITE,
    commission_index,
    commissions_of,
)
from domain.firenze.state import State

BRICK = 0.6  # any brick in the storehouse
SEAL = 0.4  # a seal placed, beside its points: the end comes nearer
MAJORITY = 0.35  # of the bonus, for a seal on a colour where the seat is not far behind
FAR_BEHIND = 0.3  # what is left of that where it is
ARCHITECT = 1.2  # what spending the Architect costs
BELL = 6.0  # the bell tower, which frees all other commissions
PACE = 2  # bricks a turn on one tower
PATIENCE = 0.85  # what is left of a value a turn later
FAITH = 0.7  # what is left of a tower's promise until it is kept
HOARD = 0.8  # what is left of it while no brick is laid
LEAST_HOARD = 2  # bricks of a colour that promise anything by themselves
CHEAP_SLOTS = 4  # the slots that are counted on
MOST_LUCK = 0.9
LEAST_LUCK = 0.3
LUCK_PER_BRICK = 0.15  # for each brick of the colour on the best of the cheap slots

# By bricks that are still needed: what is left of a value after the turns that laying them takes.
_WAITING = tuple(PATIENCE ** ceil(needed / PACE) for needed in range(HIGHEST + 1))


def worth(state: State, seat: int, colour: int, height: int) -> float:
    """Return what fulfilling this open commission now would bring (F21-F23, F37, F39-F41)."""
    return _worth(state, seat, colour, height, _majority_share(state, seat, colour))


def _worth(state: State, seat: int, colour: int, height: int, majority_share: float) -> float:
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

    return points + SEAL + majority_share


def _majority_share(state: State, seat: int, colour: int) -> float:
    """Return what one more seal on a colour brings of its bonus.

    A majority that is more than one seal away hardly matters (F41).
    """
    owners = state.seals[commissions_of(colour)]
    counts = [owners.count(other) for other in range(len(state.players))]
    contest = 1.0 if max(counts) - counts[seat] <= 1 else FAR_BEHIND
    return MAJORITY * state.board.majority[colour] * contest


@dataclass(slots=True)
class Outlook:
    """One seat's prospects, worked out once a decision.

    open: by colour, the worth of each open height.
    luck: by colour, how likely a turn brings a brick of it.
    owes: whether the bell tower comes first (F38).
    last_turn: whether nothing comes after this turn.
    architect: whether the seat may still play one this turn.
    known_gains: what `planning` has worked out; the same sites come up for every card of the row,
    and without this table a thought takes a third longer.
    """

    seat: int
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
            return BELL if delivered else 0.0

        heights = self.open[colour]
        value = heights.get(height, 0.0)
        if self.architect:
            higher = heights.get(height + 1, 0.0) - ARCHITECT
            lower = heights.get(height - 1, 0.0) - ARCHITECT
            value = max(value, higher, lower)
        return value

    def later(self, colour: int, height: int, supply: int) -> float:
        """Return the best commission above, less for waiting and for every brick that is missing.

        A tower without a brick in store may not be raised next turn, and is lost then (F20): that
        takes luck as well.
        """
        if self.last_turn:
            return 0.0

        luck = self.luck[colour]
        best = 0.0
        for goal, value in self.open[colour].items():
            needed = goal - height
            if needed > 0:
                missing = max(0, needed - supply)
                promise = value * _WAITING[needed] * luck**missing
                best = max(best, promise)

        if self.owes:
            bell = BELL if colour == WHITE and height < BELL_TOWER_HEIGHT else 0.0
            best = max(best * PATIENCE**2, bell)
        return FAITH * (best if supply else best * luck)

    def hoard(self, colour: int, supply: int) -> float:
        """Return what bricks of a colour promise of which no tower is begun."""
        if supply < LEAST_HOARD:
            return 0.0
        return HOARD * self.later(colour, 0, supply)


def look(state: State, seat: int) -> Outlook:
    """Return the seat's prospects."""
    open_worth = [_open_worth(state, seat, colour) for colour in COLOURS]
    return Outlook(
        seat=seat,
        open=open_worth,
        luck=_luck(state),
        owes=owes_bell_tower(state, seat),
        last_turn=state.end_seat >= 0,
        architect=_may_hire(state, seat),
    )


def _may_hire(state: State, seat: int) -> bool:
    """Return whether the seat holds an Architect and has played none this turn (F28)."""
    held = state.players[seat].cards[Card.ARCHITECT]
    return held > 0 and Card.ARCHITECT not in state.played


def _open_worth(state: State, seat: int, colour: int) -> dict[int, float]:
    """Return the worth of each open height of a colour; none without a seal (F21)."""
    if not state.players[seat].seals:
        return {}
    heights = open_heights(state, colour)
    if not heights:
        return {}
    share = _majority_share(state, seat, colour)
    return {height: _worth(state, seat, colour, height, share) for height in heights}


def _luck(state: State) -> list[float]:
    """Return roughly how likely a turn brings a brick of each colour.

    It grows with the bricks in the cheap slots, and with the part of the pouch.
    """
    in_pouch = max(1, sum(state.pouch))
    cheap = state.row[:CHEAP_SLOTS]

    lucks = []
    for colour in COLOURS:
        offered = max((slot.bricks[colour] for slot in cheap), default=0)
        share = state.pouch[colour] / in_pouch
        luck = LEAST_LUCK + LUCK_PER_BRICK * offered + share
        lucks.append(min(MOST_LUCK, luck))
    return lucks
