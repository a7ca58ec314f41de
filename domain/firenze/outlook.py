"""What the greedy bot thinks things are worth, in points: commissions, half-built towers, bricks, a turn's building."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from domain.firenze.build import cost, discount
from domain.firenze.components import (
    BELL_TOWER,
    COLOURS,
    HEIGHTS,
    LAST_SEAL_POINTS,
    LOWEST,
    MOST_LAID,
    Card,
    Colour,
    commission,
)
from domain.firenze.fulfil import level_points, privilege_points
from domain.firenze.state import State, Tower, is_open, owes_bell_tower

BRICK = 0.6  # any brick in the storehouse
SEAL = 0.4  # a seal placed, beside its points: the end comes nearer
MAJORITY = 0.35  # of the bonus, for a seal on a colour where the seat is not far behind
ARCHITECT = 1.2  # what spending the Architect costs
BELL = 6.0  # the bell tower, which frees all other commissions
PACE = 2  # bricks a turn on one tower
PATIENCE = 0.85  # what is left of a value a turn later
FAITH = 0.7  # what is left of a tower's promise until it is kept
HOARD = 0.8  # what is left of it while no brick is laid
LEAST_HOARD = 2  # bricks of a colour that promise anything by themselves
CHEAP = 3  # the dearest slot that is counted on


def worth(state: State, seat: int, colour: int, height: int) -> float:
    """Return what fulfilling this open commission now would bring the seat (F21-F23, F37, F39-F41)."""
    player = state.players[seat]
    last = LAST_SEAL_POINTS if player.seals == 1 and state.end_seat < 0 else 0
    recognised = player.cards[Card.RECOGNITION] if height <= LOWEST + 1 else 0
    points = (
        state.worth[commission(colour, height)]
        + level_points(state, height)
        + privilege_points(state, height)
    )
    return (
        points
        + last
        + recognised
        + SEAL
        + MAJORITY * state.board.majority[colour] * _contest(state, seat, colour)
    )


def _contest(state: State, seat: int, colour: int) -> float:
    """A majority more than one seal away is hardly worth a thought (F41)."""
    column = state.seals[colour * len(HEIGHTS) : (colour + 1) * len(HEIGHTS)]
    counts = [column.count(other) for other in range(len(state.players))]
    return 1.0 if max(counts) - counts[seat] <= 1 else 0.3


@dataclass(slots=True)
class Outlook:
    """One seat's prospects, worked out once a decision: open[c] maps each open height of a colour to its worth."""

    seat: int
    open: list[dict[int, float]]
    luck: list[float]
    owes: bool
    last_turn: bool
    architect: bool

    def tower(self, colour: int, height: int, supply: int) -> float:
        """Return what a tower is worth that has this height after building, with so many bricks of it in store."""
        return max(self.now(colour, height), self.later(colour, height, supply))

    def now(self, colour: int, height: int) -> float:
        """Return what delivering the tower this turn brings, 0 when it fits nothing."""
        if self.owes:
            return BELL if colour == Colour.WHITE and height == BELL_TOWER else 0.0
        heights = self.open[colour]
        value = heights.get(height, 0.0)
        if self.architect:
            value = max(
                value,
                heights.get(height + 1, 0.0) - ARCHITECT,
                heights.get(height - 1, 0.0) - ARCHITECT,
            )
        return value

    def later(self, colour: int, height: int, supply: int) -> float:
        """Return the best commission above, less for the turns it takes and for every brick that is still missing.

        A tower without a brick in store may not be raised next turn and be lost (F20): that takes luck as well.
        """
        if self.last_turn:
            return 0.0
        luck, best = self.luck[colour], 0.0
        for goal, value in self.open[colour].items():
            if goal > height:
                need = goal - height
                best = max(
                    best, value * PATIENCE ** ceil(need / PACE) * luck ** max(0, need - supply)
                )
        if self.owes:
            best = max(
                best * PATIENCE**2, BELL if colour == Colour.WHITE and height < BELL_TOWER else 0.0
            )
        return FAITH * (best if supply else best * luck)

    def hoard(self, colour: int, supply: int) -> float:
        """Return what bricks of a colour promise of which no tower is begun."""
        return HOARD * self.later(colour, 0, supply) if supply >= LEAST_HOARD else 0.0

    def plan(
        self, towers: Sequence[Tower], storehouse: Sequence[int], off: int
    ) -> tuple[float, list["Piece"]]:
        """Return the best building of a turn and the value of all that is left after it.

        A knapsack over the towers and one new tower a colour: what so many bricks on each add, at most six in all.
        """
        bricks = sum(storehouse)
        best: list[tuple[float, list[Piece]] | None] = [(0.0, []), *[None] * MOST_LAID]
        for number, colour, height, most in _sites(towers, storehouse):
            supply = storehouse[colour]
            gains = [self.hoard(colour, supply) + BRICK * (height // 2)]
            gains += [
                self.tower(colour, height + count, supply - count) for count in range(1, most + 1)
            ]
            best = _extend(best, number, colour, gains)
        value, pieces = max(
            (
                (found[0] - BRICK * (count + cost(count, off)), found[1])
                for count, found in enumerate(best)
                if found is not None and count + cost(count, off) <= bricks
            ),
            key=lambda entry: entry[0],
        )
        return value + BRICK * bricks, pieces


Piece = tuple[int, int, int]


def _sites(towers: Sequence[Tower], storehouse: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """Return (number or -1, colour, height, most bricks) for each tower and each colour of which none stands."""
    sites: list[tuple[int, int, int, int]] = []
    for tower in towers:
        rivals = sum([other.colour is tower.colour for other in towers]) - 1
        sites.append(
            (
                tower.id,
                tower.colour,
                tower.height,
                min(MOST_LAID, max(0, storehouse[tower.colour] - rivals)),
            )
        )
    built = {tower.colour for tower in towers}
    sites += [
        (-1, c, 0, min(MOST_LAID, storehouse[c]))
        for c in COLOURS
        if storehouse[c] and c not in built
    ]
    return sites


Plans = list[tuple[float, list[Piece]] | None]


def _extend(best: Plans, number: int, colour: int, gains: list[float]) -> Plans:
    extended: Plans = [None] * len(best)
    for laid, found in enumerate(best):
        if found is None:
            continue
        for count, gain in enumerate(gains[: len(best) - laid]):
            other = extended[laid + count]
            if other is None or found[0] + gain > other[0]:
                extended[laid + count] = (
                    found[0] + gain,
                    [*found[1], (number, colour, count)] if count else found[1],
                )
    return extended


def look(state: State, seat: int) -> Outlook:
    """Return the seat's prospects."""
    player = state.players[seat]
    heights = HEIGHTS if player.seals else ()
    return Outlook(
        seat=seat,
        open=[
            {h: worth(state, seat, c, h) for h in heights if is_open(state, c, h)} for c in COLOURS
        ],
        luck=_luck(state),
        owes=owes_bell_tower(state, seat),
        last_turn=state.end_seat >= 0,
        architect=player.cards[Card.ARCHITECT] > 0 and Card.ARCHITECT not in state.played,
    )


def _luck(state: State) -> list[float]:
    """Return roughly how likely a turn brings a brick of each colour: what lies in cheap slots, and the pouch."""
    pouch = max(1, sum(state.pouch))
    row = state.row[: CHEAP + 1]
    return [
        min(
            0.9,
            0.3 + 0.15 * max((slot.bricks[c] for slot in row), default=0) + state.pouch[c] / pouch,
        )
        for c in COLOURS
    ]


def turn_value(
    state: State, outlook: Outlook, storehouse: Sequence[int], extra_discount: int = 0
) -> float:
    """Return what the best building of this turn leaves behind, out of such a storehouse."""
    off = discount(state, outlook.seat) + extra_discount
    return outlook.plan(state.players[outlook.seat].towers, storehouse, off)[0]
