"""What a view of Ponte holds: the JSON that a seat, or the public, is shown (P11)."""

from typing import Annotated, Literal, NotRequired, TypedDict

from domain.json_types import EVERY_NAME, Between
from examples.ponte.components import COPIES, HEIGHTS, MOST_IN_HAND, Bank

BankName = Annotated[str, Bank]


class AgendaItemView(TypedDict):
    """One thing that is still to be settled, and by whom."""

    type: Annotated[
        Literal["opening", "turn"],
        "What it is: the house deals (opening); a seat lays a stone (turn).",
    ]
    seat: NotRequired[Annotated[int, "Whose it is; left out where it is the house's."]]


class PlayerView(TypedDict):
    """What is known to all of one player."""

    points: Annotated[int, "The points so far (P7)."]
    hand_size: Annotated[
        int, Between(0, MOST_IN_HAND), "How many stones are in the hand; which is secret."
    ]


class OwnView(TypedDict):
    """What only the player may see (P11)."""

    hand: Annotated[
        list[int], Between(0, MOST_IN_HAND), "The heights of the stones held, in rising order."
    ]


class View(TypedDict):
    """A match of Ponte as a seat, or the public, sees it; all is public but `own` (P11)."""

    actors: Annotated[
        list[int], "The seats that may act now; [-1]: the house; []: the game is over."
    ]
    agenda: Annotated[list[AgendaItemView], "What is to be settled, the next thing first."]
    rows: Annotated[
        dict[BankName, list[int]],
        EVERY_NAME,
        "The heights of the stones from each bank, the last one at the row's end (P3).",
    ]
    yard_size: Annotated[int, Between(0, len(HEIGHTS) * COPIES), "How many stones are in the yard."]
    players: Annotated[list[PlayerView], "What is known of each player, by seat."]
    ranks: Annotated[
        list[int] | None, "The rank of each seat, 1 the best; null until the end (P10)."
    ]
    own: NotRequired[Annotated[OwnView, "What the seat alone sees; left out for the public."]]
