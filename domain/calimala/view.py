"""Who may see what: the state as JSON values (C43).

A view is made after every commit, for every seat that looks; so the names on the wire are looked up
in lists that are made once.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress
from typing import Annotated, Literal, NotRequired, TypedDict

from domain.calimala import components as box
from domain.calimala.agenda import Activation, Item
from domain.calimala.components import ACTIONS, FINAL_CARDS, Category
from domain.calimala.moves import actors
from domain.calimala.state import Player, State, kept_cards
from domain.chance import Chance, shuffled
from domain.json_types import EVERY_NAME, Between
from domain.kit import counts_by_name, wire_names

ActionName = Annotated[str, box.Action]
CityName = Annotated[str, box.City]
BuildingName = Annotated[str, box.Building]
CategoryName = Annotated[str, box.Category]
StreetName = Annotated[str, box.Street]
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
    room: Annotated[int, Between(0, box.CITY_ROOM), "How much more cloth it takes."]


class CubesView(TypedDict):
    """The slots for one sort of cubes at a building (C8)."""

    cubes: Annotated[list[int], "The cubes of each seat there, by seat."]
    room: Annotated[int, Between(0, max(box.ARTWORK_SLOTS)), "How many slots are free."]


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
    reserve: Annotated[int, Between(0, box.CUBES), "How many cubes are in the reserve."]
    wood: Annotated[int, Between(0, box.CAPACITY), "How many cubes are in the wood warehouse."]
    brick: Annotated[int, Between(0, box.CAPACITY), "How many cubes are in the brick warehouse."]
    marble: Annotated[int, Between(0, box.CAPACITY), "How many cubes are in the marble warehouse."]
    workshops: Annotated[list[int], Between(1, box.WORKSHOPS), "The cloth in each workshop."]
    ships: Annotated[int, Between(0, box.SHIPS), "How many ships there are."]
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
        dict[StreetName, Annotated[list[Disc], Between(0, box.FULL_STACK + 1)]],
        EVERY_NAME,
        "The discs on each street from the bottom up: "
        'the seat of a coloured one, or "white" (C14).',
    ]
    council: Annotated[list[CategoryName], "The scoring tiles in the order of scoring (C11)."]
    council_seats: Annotated[
        list[int | None], "Who sits at each tile scored so far; null: nobody does (C31, C34)."
    ]
    tiles_scored: Annotated[int, Between(0, len(box.TILES)), "How many tiles were scored."]
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


# ---- how it is made ------------------------------------------------------------------------------


_ACTION = wire_names(box.ACTIONS)
_CITY = wire_names(box.CITIES)
_BUILDING = wire_names(box.BUILDINGS)
_STREET = wire_names(box.STREETS)
_TRADE_CITY = wire_names(box.TRADE_CITIES)
_CATEGORY = wire_names(box.CATEGORIES)

# Streets and buildings are a third of the time that a view takes, and nine views in ten say of them
# what the one before has said. So equal ones are made once and shared: nobody may change a view.
# A part has about 5 kB in memory.
_KEPT = 256

_Heaps = tuple[tuple[int, ...], ...]
_Rooms = tuple[int, ...]

_DISC: dict[int, Disc] = {box.WHITE: "white", **{seat: seat for seat in range(max(box.SEATS))}}


def view(state: State, seat: int | None) -> View:
    """Return what the seat (None: the public) may see."""
    shown: View = {
        "actors": list(actors(state)),
        "agenda": _agenda(state),
        "grid": _grid(state),
        "streets": _streets(state),
        "council": _categories(state.council),
        "council_seats": _council_seats(state),
        "tiles_scored": state.scored,
        "palazzo_patrons": list(state.patrons),
        "cities": _cities(state),
        "buildings": _buildings(state),
        "open_cards": _open_cards(state),
        "deck_size": sum(state.deck),
        "discards": _cards(state.discards),
        "face_up_card": _category(state.face_up),
        "final_cards": _kept_cards(state),
        "final_cards_scored": state.finals,
        "players": [_player(player) for player in state.players],
        "ranks": list(state.ranks) or None,
    }
    if seat is not None:
        shown["own"] = _own(state.players[seat])
    return shown


def known(state: State) -> Known:
    """Return which cards in hands everybody has seen being taken (C13)."""
    return {"players": [{"drafted_card": _action(player.drafted)} for player in state.players]}


# ---- the table -----------------------------------------------------------------------------------


def _agenda(state: State) -> list[AgendaItemView]:
    return [_item(state, item) for item in reversed(state.agenda)]


def _item(state: State, item: Item) -> AgendaItemView:
    shown: AgendaItemView = {"type": item.tag}
    if hasattr(item, "seat"):
        shown["seat"] = item.seat
    if hasattr(item, "street"):
        shown["street"] = _STREET[item.street]

    if type(item) is Activation:
        shown["left"] = _left(state, item)
        shown["duty_unmet"] = item.duty
    return shown


def _left(state: State, activation: Activation) -> dict[ActionName, int]:
    cells = box.ENDS[activation.street]
    names = [_ACTION[state.grid[cell]] for cell in cells]
    return dict(zip(names, activation.left, strict=True))


def _grid(state: State) -> list[ActionName]:
    return [_ACTION[action] for action in state.grid]


def _council_seats(state: State) -> list[int | None]:
    """Return who sits at each tile scored so far; None where nobody does (C34)."""
    return [None if seat == box.WHITE else seat for seat in state.council_seats]


def _streets(state: State) -> dict[StreetName, list[Disc]]:
    return _streets_of(tuple(state.streets))


@lru_cache(maxsize=_KEPT)
def _streets_of(streets: _Heaps) -> dict[StreetName, list[Disc]]:
    shown = {}
    for name, discs in zip(_STREET, streets, strict=True):
        shown[name] = [_DISC[disc] for disc in discs]
    return shown


def _cities(state: State) -> dict[CityName, CityView]:
    heaps = zip(_CITY, state.cloth, state.city_room, strict=True)
    return {name: {"cloth": list(cubes), "room": room} for name, cubes, room in heaps}


def _buildings(state: State) -> dict[BuildingName, BuildingView]:
    """Return what lies at each building; only those under construction have rows (C8)."""
    return _buildings_of(
        tuple(state.artworks),
        tuple(state.artwork_room),
        tuple(state.contributed),
        tuple(state.row_room),
    )


@lru_cache(maxsize=_KEPT)
def _buildings_of(
    artworks: _Heaps, artwork_room: _Rooms, contributed: _Heaps, row_room: _Rooms
) -> dict[BuildingName, BuildingView]:
    shown: dict[BuildingName, BuildingView] = {}
    at_buildings = _heaps(artworks, artwork_room)
    for name, artwork in zip(_BUILDING, at_buildings, strict=True):
        shown[name] = {"artwork": artwork}

    heaps = _heaps(contributed, row_room)
    for building, rows in enumerate(box.ROWS_OF_BUILDING):
        wood, brick, marble = heaps[rows]
        name = _BUILDING[building]

        at_building = shown[name]
        at_building["wood"] = wood
        at_building["brick"] = brick
        at_building["marble"] = marble

    return shown


def _heaps(cubes: _Heaps, room: _Rooms) -> list[CubesView]:
    heaps = zip(cubes, room, strict=True)
    return [{"cubes": list(by_seat), "room": left} for by_seat, left in heaps]


def _open_cards(state: State) -> list[ActionName]:
    """Return the cards that can be taken in the draft, one of each action at the most (C13)."""
    return list(compress(_ACTION, state.open_cards))


def _kept_cards(state: State) -> list[CategoryName] | None:
    """Return the kept scoring cards by seat once they are revealed (C41)."""
    if not state.revealed:
        return None
    return _categories(kept_cards(state))


# ---- a player ------------------------------------------------------------------------------------


def _player(player: Player) -> PlayerView:
    wood, brick, marble = player.stock
    return {
        "points": player.points,
        "coloured_discs": player.discs,
        "white_discs": player.whites,
        "reserve": player.reserve,
        "wood": wood,
        "brick": brick,
        "marble": marble,
        "workshops": list(player.cloth),
        "ships": player.ships,
        "trade_houses": list(compress(_TRADE_CITY, player.houses)),
        "hand_size": sum(player.hand),
    }


def _own(player: Player) -> OwnView:
    """Return what only the player may see (C43)."""
    return {
        "hand": _cards(player.hand),
        "scoring_cards_dealt": _categories(player.dealt),
        "scoring_card_kept": _category(player.kept),
    }


def _cards(counts: list[int]) -> dict[ActionName, int]:
    return counts_by_name(_ACTION, counts)


def _action(card: box.Action | None) -> ActionName | None:
    return None if card is None else _ACTION[card]


def _category(card: box.Category | None) -> CategoryName | None:
    return None if card is None else _CATEGORY[card]


def _categories(cards: Sequence[box.Category]) -> list[CategoryName]:
    return [_CATEGORY[card] for card in cards]


# ---- what is hidden from a seat, drawn anew (C43) ------------------------------------------------


def imagine(state: State, seat: int, chance: Chance) -> State:
    """Return a copy in which all that the seat cannot see is drawn anew.

    These are the other hands, the deck and the unseen scoring cards.
    """
    copy = state.copy()
    _redraw_hands(copy, seat, chance)
    if any(player.dealt for player in copy.players):
        _redeal_scoring_cards(copy, seat, chance)
    return copy


def _others(state: State, seat: int) -> list[Player]:
    return [player for other, player in enumerate(state.players) if other != seat]


def _redraw_hands(state: State, seat: int, chance: Chance) -> None:
    """Deal the other hands anew, each of the same size, from the cards that the seat cannot see.

    A card that was drafted openly stays where everybody knows it to be (C13).
    """
    others = _others(state, seat)
    hands = [player.hand for player in others]
    unseen = list(map(sum, zip(state.deck, *hands, strict=True)))

    for player in others:
        if player.drafted is not None:
            unseen[player.drafted] -= 1

    pile = _one_by_one(unseen)
    for player, hand in zip(others, hands, strict=True):
        player.hand = _known_cards(player)
        for _ in range(sum(hand) - sum(player.hand)):
            place = chance.below(len(pile))
            card = pile.pop(place)
            unseen[card] -= 1
            player.hand[card] += 1
    state.deck = unseen


def _known_cards(player: Player) -> list[int]:
    """Return the cards of another hand that everybody knows, by Action."""
    known = [0] * len(ACTIONS)
    if player.drafted is not None:
        known[player.drafted] = 1
    return known


def _one_by_one(counts: list[int]) -> list[int]:
    """Return each of the cards by its Action; a draw from this list is quick."""
    cards = []
    for action, count in enumerate(counts):
        cards += [action] * count
    return cards


def _redeal_scoring_cards(state: State, seat: int, chance: Chance) -> None:
    """Deal the other scoring cards anew from those that the seat cannot see.

    Once revealed, the kept ones are known; the other dealt ones never are.
    """
    own_cards = state.players[seat].dealt
    known_cards = {state.face_up, *own_cards}
    if state.revealed:
        known_cards.update(kept_cards(state))

    unseen_cards = [card for card in FINAL_CARDS if card not in known_cards]
    pile = shuffled(chance, unseen_cards)

    for player in _others(state, seat):
        revealed_card = player.kept if state.revealed else None
        player.dealt = _dealt(pile, len(player.dealt), revealed_card)
        if player.kept is not None:
            player.kept = player.dealt[0]


def _dealt(pile: list[Category], size: int, revealed_card: Category | None) -> tuple[Category, ...]:
    """Return so many cards from the top of the pile, which loses them.

    A revealed card is the first of them, and does not come from the pile.
    """
    dealt = [] if revealed_card is None else [revealed_card]
    while len(dealt) < size:
        dealt.append(pile.pop())
    return tuple(dealt)
