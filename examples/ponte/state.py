"""The state of a match of Ponte: the yard, the rows, the players and the agenda."""

from dataclasses import dataclass

from domain.game import Setup
from examples.ponte.agenda import Item, Opening
from examples.ponte.components import BANKS, COPIES, HEIGHTS


@dataclass(slots=True)
class Player:
    """What one player has; hand: how many stones of each height, by `index_of`."""

    hand: list[int]
    points: int = 0

    def copy(self) -> "Player":
        """Return an independent copy."""
        return Player(self.hand[:], self.points)


@dataclass(slots=True)
class State:
    """The whole of a match.

    hand_size: how many stones each seat is dealt (P4). yard: how many stones of each height.
    rows: the stones of each Bank's row, the last one at its end. ranks: of each seat, empty until
    the end. agenda: the last item is the next.
    """

    hand_size: int
    players: list[Player]
    yard: list[int]
    rows: list[list[int]]
    ranks: list[int]
    agenda: list[Item]

    def copy(self) -> "State":
        """Return an independent copy; the items of the agenda never change, so they are shared."""
        return State(
            hand_size=self.hand_size,
            players=[player.copy() for player in self.players],
            yard=self.yard[:],
            rows=[row[:] for row in self.rows],
            ranks=self.ranks[:],
            agenda=self.agenda[:],
        )


def initial(setup: Setup) -> State:
    """Return the table before the house has drawn anything."""
    return State(
        hand_size=setup.options["hand"],
        players=[Player(no_stones()) for _ in range(setup.seats)],
        yard=[COPIES] * len(HEIGHTS),
        rows=[[] for _ in BANKS],
        ranks=[],
        agenda=[Opening()],
    )


def no_stones() -> list[int]:
    """Return the counts of an empty pile."""
    return [0] * len(HEIGHTS)


def index_of(stone: int) -> int:
    """Return where the stones of this height are counted in a pile."""
    return stone - HEIGHTS[0]


def stones_in(pile: list[int]) -> list[int]:
    """Return the heights of which there is a stone in the pile, in rising order."""
    return [height for height, count in zip(HEIGHTS, pile, strict=True) if count]
