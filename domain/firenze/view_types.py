"""What a view of Firenze holds: the JSON that a seat, or the public, is shown (F44)."""

from typing import Annotated, Literal, NotRequired, TypedDict

from domain.described import EVERY_NAME, Between
from domain.firenze.agenda import Step
from domain.firenze.cards import Card
from domain.firenze.components import HEIGHTS, HIGHEST, LOWEST, MOST_LAID, ROW_LENGTH, Colour

CardName = Annotated[str, Card]
ColourName = Annotated[str, Colour]
StepName = Annotated[str, Step]
Numeral = Literal["I", "II", "III", "IV"]
Bricks = dict[ColourName, int]
Seal = int | Literal["neutral"] | None


class ArchitectView(TypedDict):
    """An Architect that was played this turn and has not served yet (F28)."""

    tower: Annotated[int | None, "The number of the tower that it is bound to; null: to none."]
    by: Annotated[int | None, "How many levels it adds, 1 or -1; null: either."]


class DueView(TypedDict):
    """What an event takes from one seat (F33)."""

    seat: Annotated[int, "The seat."]
    bricks: Annotated[int, "How many bricks it must hand over."]
    paid: Annotated[bool, "Whether it has handed them over (F34)."]
    exact: Annotated[list[ColourName], "Their colours, one entry a brick; []: any colours."]
    lost: Annotated[list[int], "The numbers of the towers that it cannot pay for and loses."]


class SlotView(TypedDict):
    """A card in the row (F13)."""

    card: Annotated[CardName, "The card."]
    bricks: Annotated[Bricks, "The bricks on it by colour; none of a colour: left out."]


class CommissionsView(TypedDict):
    """The six commissions of one colour, of the heights 3 to 8 in order (F3)."""

    points: Annotated[
        list[int],
        Between(len(HEIGHTS), len(HEIGHTS)),
        "The points of each: as printed, or its balcony's (F10).",
    ]
    seals: Annotated[
        list[Seal],
        Between(len(HEIGHTS), len(HEIGHTS)),
        'What covers each: the seat whose seal it is, "neutral" (F11), or null for nothing (F21).',
    ]


class BalconyView(TypedDict):
    """A balcony tile on a commission (F10)."""

    numeral: Annotated[Numeral, "Its numeral; balconies are fulfilled in their order (F22)."]
    colour: Annotated[ColourName, "The colour of its commission."]
    height: Annotated[int, Between(LOWEST, HIGHEST), "The height of its commission."]
    points: Annotated[int, "Its points, which replace the printed ones."]
    open: Annotated[bool, "Whether it is the one that may be fulfilled next."]


class LevelTileView(TypedDict):
    """A level tile, for the first tower of its height (F5, F23)."""

    height: Annotated[int, Between(LOWEST, HIGHEST), "For which height it is."]
    points: Annotated[int, "Its points."]
    seat: Annotated[int | None, "The seat that has taken it; null: nobody has."]


class TowerView(TypedDict):
    """A tower on a seat's construction site."""

    tower: Annotated[int, "Its number, which no other tower of the seat ever has."]
    colour: Annotated[ColourName, "The colour of its bricks."]
    height: Annotated[int, "How many bricks high it is."]
    lost_unless_raised: Annotated[
        bool, "Whether it is torn down if its owner ends building now without raising it (F20)."
    ]


class PlayerView(TypedDict):
    """What lies before one player; all of it is public (F44)."""

    seat: Annotated[int, "The seat."]
    points: Annotated[int, "The points so far, which may be negative (F42)."]
    seals: Annotated[int, "How many seals are unused (F9)."]
    storehouse: Annotated[Bricks, "The bricks by colour; none of a colour: left out."]
    towers: Annotated[list[TowerView], "The towers, the oldest first."]
    hand: Annotated[list[CardName], "Personnel and Celebrations, one entry a card (F15)."]
    buildings: Annotated[list[CardName], "The Buildings that lie open (F15)."]
    bell_tower: Annotated[bool, "Whether three bricks went to the Campanile (F38)."]


class Buildable(TypedDict):
    """What a seat may build now: far more than is listed (F19)."""

    bricks: Annotated[Bricks, "The bricks at hand by colour; none of a colour: left out."]
    towers: Annotated[list[TowerView], "The towers that may be raised."]
    cost: Annotated[
        list[int],
        Between(MOST_LAID + 1, MOST_LAID + 1),
        "How many bricks are paid, after laying, for laying 0, 1, ... 6.",
    ]
    free: Annotated[int, Between(0, MOST_LAID), "How many bricks can be laid without paying any."]
    most: Annotated[int, Between(0, MOST_LAID), "How many bricks can be laid and paid for."]
    workshop: Annotated[bool, "Whether a Workshop makes it cheaper by 1."]
    mason: Annotated[bool, "Whether a Mason makes it cheaper by 3."]


class Beyond(TypedDict):
    """What is legal beyond the listed moves, by command."""

    build: NotRequired[
        Annotated[Buildable, "What may be built; left out when the seat may not build now."]
    ]


class Known(TypedDict):
    """What everybody knows who has followed the match, and no view shows."""

    deck_start_cards: Annotated[
        dict[CardName, int],
        "How many of each start card still lie on top of the deck; none: left out (F13).",
    ]


class View(TypedDict):
    """A match of Firenze as a seat, or the public, sees it; only future draws are hidden (F44)."""

    step: Annotated[StepName | None, "What is to be settled now; null: the match is over."]
    active: Annotated[int, "The seat whose turn it is; another may have to act within it."]
    turn: Annotated[int, "How many turns, of all seats, came before this one."]
    turn_limit: Annotated[int, "After how many turns of each seat the match ends (F45)."]
    end_seat: Annotated[int | None, "The seat that holds the end tile; null: nobody does (F40)."]
    exchanged: Annotated[bool, "Whether a brick was exchanged this turn (F18)."]
    played: Annotated[list[CardName], "The Personnel played this turn (F26)."]
    architect: Annotated[ArchitectView | None, "The Architect at work; null: there is none."]
    taken: Annotated[CardName | None, "The card that is taking effect; null: there is none."]
    taken_bricks: Annotated[
        Bricks, "The bricks that came with that card, by colour; none of a colour: left out."
    ]
    dues: Annotated[list[DueView], "What the event takes from each seat; []: no event does (F33)."]
    row: Annotated[
        list[SlotView], Between(0, ROW_LENGTH), "The cards that may be taken, slot 0 first (F13)."
    ]
    church: Annotated[list[CardName], "The cards on the church spaces (F15)."]
    commissions: Annotated[
        dict[ColourName, CommissionsView], EVERY_NAME, "The commissions of each colour (F3)."
    ]
    balconies: Annotated[list[BalconyView], "The balconies I to IV (F10)."]
    level_tiles: Annotated[list[LevelTileView], "The level tiles by height (F5)."]
    majority: Annotated[
        dict[ColourName, int], EVERY_NAME, "The points for most seals on each colour (F41)."
    ]
    pouch: Annotated[Bricks, "The bricks in the pouch by colour; none of a colour: left out."]
    deck: Annotated[int, "How many cards are in the deck."]
    discards: Annotated[
        dict[CardName, int], "How many of each card are on the discard pile; none: left out."
    ]
    players: Annotated[list[PlayerView], "What lies before each player, by seat."]
    ranks: Annotated[list[int], "The rank of each seat, 1 the best; [] until the end (F42)."]
    build: NotRequired[
        Annotated[Buildable, "What the seat may build; left out for whoever may not build now."]
    ]
