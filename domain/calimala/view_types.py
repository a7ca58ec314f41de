"""What a view of Calimala holds: the JSON that a seat, or the public, is shown (C43)."""

from typing import Annotated, Literal, NotRequired, TypedDict

from domain.calimala.components import (
    ARTWORK_SLOTS,
    CAPACITY,
    CITY_ROOM,
    CUBES,
    FULL_STACK,
    SHIPS,
    TILES,
    WORKSHOPS,
    Action,
    Building,
    Category,
    City,
    Street,
)
from domain.described import EVERY_NAME, Between

ActionName = Annotated[str, Action]
CityName = Annotated[str, City]
BuildingName = Annotated[str, Building]
CategoryName = Annotated[str, Category]
StreetName = Annotated[str, Street]
Disc = int | Literal["white"]
Task = Literal[
    "opening",
    "keeping",
    "drafting",
    "turn",
    "activation",
    "promotion",
    "exchange",
    "scoring",
    "final_scoring",
]


class AgendaItemView(TypedDict):
    """One thing that is still to be settled, and by whom."""

    type: Annotated[
        Task,
        "What it is: the house sets up (opening); all keep a scoring card (keeping); "
        "a seat takes an action card (drafting), places a disc (turn) "
        "or carries out actions (activation); "
        "the bottom disc of a street goes to the council (promotion); "
        "a disc is given for a white one (exchange); "
        "the house settles a tile (scoring), or what is left in the end (final_scoring).",
    ]
    seat: NotRequired[
        Annotated[int, "Whose it is; left out where it is the house's or everybody's."]
    ]
    street: NotRequired[
        Annotated[StreetName, "Of which street; only in an activation, promotion or exchange."]
    ]
    left: NotRequired[
        Annotated[
            dict[ActionName, int],
            "How often each of the street's two actions remains; only in an activation (C17, C18).",
        ]
    ]
    duty_unmet: NotRequired[
        Annotated[
            bool,
            "Whether one of the actions must still be carried out (C15); only in an activation.",
        ]
    ]


class CityView(TypedDict):
    """A city and the cloth that was brought there (C7)."""

    cloth: Annotated[list[int], "The cloth of each seat there, by seat."]
    room: Annotated[int, Between(0, CITY_ROOM), "How much more cloth it takes."]


class CubesView(TypedDict):
    """The slots for one sort of cubes at a building (C8)."""

    cubes: Annotated[list[int], "The cubes of each seat there, by seat."]
    room: Annotated[int, Between(0, max(ARTWORK_SLOTS)), "How many slots are free."]


class BuildingView(TypedDict):
    """A building and what was given to it; Palazzo Vecchio takes artworks only (C8)."""

    artwork: Annotated[CubesView, "Its artworks (C25)."]
    wood: NotRequired[Annotated[CubesView, "Its wood (C29); left out at Palazzo Vecchio."]]
    brick: NotRequired[Annotated[CubesView, "Its brick (C29); left out at Palazzo Vecchio."]]
    marble: NotRequired[Annotated[CubesView, "Its marble (C29); left out at Palazzo Vecchio."]]


class PlayerView(TypedDict):
    """What lies openly before one player (C9, C10)."""

    points: Annotated[int, "The points so far."]
    coloured_discs: Annotated[int, "How many coloured discs are left to place."]
    white_discs: Annotated[int, "How many white discs are left to place."]
    reserve: Annotated[int, Between(0, CUBES), "How many cubes are in the reserve."]
    wood: Annotated[int, Between(0, CAPACITY), "How many cubes are in the wood warehouse."]
    brick: Annotated[int, Between(0, CAPACITY), "How many cubes are in the brick warehouse."]
    marble: Annotated[int, Between(0, CAPACITY), "How many cubes are in the marble warehouse."]
    workshops: Annotated[list[int], Between(1, WORKSHOPS), "The cloth in each workshop."]
    ships: Annotated[int, Between(0, SHIPS), "How many ships there are."]
    trade_houses: Annotated[list[CityName], "The cities with a trade house of this player."]
    hand_size: Annotated[int, "How many action cards are in the hand; which is secret."]


class KnownPlayer(TypedDict):
    """What everybody knows of one player's hand."""

    drafted_card: Annotated[
        ActionName | None,
        "The action card that was taken openly and is still in the hand; "
        "null before one is taken, and once a card of its action was played (C13).",
    ]


class Known(TypedDict):
    """What everybody knows who has followed the match, and no view shows."""

    players: Annotated[list[KnownPlayer], "What is known of each player, by seat."]


class OwnView(TypedDict):
    """What only the player may see (C43)."""

    hand: Annotated[dict[ActionName, int], "How many cards of each action; none: left out."]
    scoring_cards_dealt: Annotated[
        list[CategoryName],
        "The final scoring cards that were dealt, the kept one among them (C12).",
    ]
    scoring_card_kept: Annotated[
        CategoryName | None, "The final scoring card that was kept; null before one is (C12)."
    ]


class View(TypedDict):
    """A match of Calimala as a seat, or the public, sees it; all is public but `own` (C43)."""

    actors: Annotated[
        list[int], "The seats that may act now; [-1]: the house; []: the game is over."
    ]
    agenda: Annotated[list[AgendaItemView], "What is to be settled, the next thing first."]
    grid: Annotated[list[ActionName], "The action of each of the nine cells, row by row (C3)."]
    streets: Annotated[
        dict[StreetName, Annotated[list[Disc], Between(0, FULL_STACK + 1)]],
        EVERY_NAME,
        "The discs on each street from the bottom up: "
        'the seat of a coloured one, or "white" (C14).',
    ]
    council: Annotated[list[CategoryName], "The scoring tiles in the order of scoring (C11)."]
    council_seats: Annotated[
        list[int | None], "Who sits at each tile scored so far; null: nobody does (C31, C34)."
    ]
    tiles_scored: Annotated[int, Between(0, len(TILES)), "How many tiles were scored."]
    palazzo_patrons: Annotated[
        list[int], "The seat that gave each artwork at Palazzo Vecchio, in order (C37)."
    ]
    cities: Annotated[dict[CityName, CityView], EVERY_NAME, "The cities and the cloth there."]
    buildings: Annotated[
        dict[BuildingName, BuildingView], EVERY_NAME, "The buildings and what was given to them."
    ]
    open_cards: Annotated[
        list[ActionName], "The action cards that can be taken in the draft (C13)."
    ]
    deck_size: Annotated[int, "How many action cards are in the deck."]
    discards: Annotated[
        dict[ActionName, int],
        "How many cards of each action are on the discard pile; none: left out.",
    ]
    face_up_card: Annotated[
        CategoryName | None, "The final scoring card that lies face up; null where none does (C12)."
    ]
    final_cards: Annotated[
        list[CategoryName] | None,
        "The kept final scoring card of each seat; null until revealed (C41).",
    ]
    final_cards_scored: Annotated[int, "How many final scoring cards were scored."]
    players: Annotated[list[PlayerView], "What lies before each player, by seat."]
    ranks: Annotated[
        list[int] | None, "The rank of each seat, 1 the best; null until the end (C42)."
    ]
    own: NotRequired[Annotated[OwnView, "What the seat alone sees; left out for the public."]]
