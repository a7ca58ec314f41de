"""Who may see what: the state as JSON values (C43).

Views are made often, so the names on the wire are looked up in lists that are made once.
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
    """An open item of the agenda."""

    type: Annotated[
        Task,
        "Kind of the item. The house sets up (opening). All keep a scoring card (keeping). "
        "A seat takes an action card (drafting), places a disc (turn) "
        "or carries out actions (activation). "
        "The bottom disc of a street goes to the council (promotion). "
        "A disc is given for a white one (exchange). "
        "The house settles a tile (scoring), or the rest in the end (final_scoring).",
    ]
    seat: NotRequired[
        Annotated[int, "Seat to act. Left out if the house, or every seat, is to act."]
    ]
    street: NotRequired[
        Annotated[StreetName, "Street of an activation, promotion or exchange. Left out otherwise."]
    ]
    left: NotRequired[
        Annotated[
            dict[ActionName, int],
            "Remaining uses of each of the street's two actions. Only in an activation (C17, C18).",
        ]
    ]
    duty_unmet: NotRequired[
        Annotated[
            bool,
            "True for the placed disc until one of its actions is carried out (C15). Only in an "
            "activation.",
        ]
    ]


class CityView(TypedDict):
    """A city and its cloth (C7)."""

    cloth: Annotated[list[int], "Cloth there, by seat."]
    room: Annotated[int, Between(0, box.CITY_ROOM), "Amount of cloth that it still takes."]


class CubesView(TypedDict):
    """The slots for one sort of cubes at a building (C8)."""

    cubes: Annotated[list[int], "Cubes there, by seat."]
    room: Annotated[int, Between(0, max(box.ARTWORK_SLOTS)), "Number of free slots."]


class BuildingView(TypedDict):
    """A building and its cubes. Palazzo Vecchio takes artworks only (C8)."""

    artwork: Annotated[CubesView, "Its artworks (C25)."]
    wood: NotRequired[Annotated[CubesView, "Its wood (C29). Left out at Palazzo Vecchio."]]
    brick: NotRequired[Annotated[CubesView, "Its brick (C29). Left out at Palazzo Vecchio."]]
    marble: NotRequired[Annotated[CubesView, "Its marble (C29). Left out at Palazzo Vecchio."]]


class PlayerView(TypedDict):
    """Public belongings of one player (C9, C10)."""

    points: Annotated[int, "Points so far."]
    coloured_discs: Annotated[int, "Number of coloured discs left to place."]
    white_discs: Annotated[int, "Number of white discs left to place."]
    reserve: Annotated[int, Between(0, box.CUBES), "Number of cubes in the reserve."]
    wood: Annotated[int, Between(0, box.CAPACITY), "Number of cubes in the wood warehouse."]
    brick: Annotated[int, Between(0, box.CAPACITY), "Number of cubes in the brick warehouse."]
    marble: Annotated[int, Between(0, box.CAPACITY), "Number of cubes in the marble warehouse."]
    workshops: Annotated[list[int], Between(1, box.WORKSHOPS), "Cloth in each workshop."]
    ships: Annotated[int, Between(0, box.SHIPS), "Number of ships."]
    trade_houses: Annotated[list[CityName], "Cities with a trade house of this player."]
    hand_size: Annotated[int, "Number of action cards in hand. The cards are secret."]


class KnownPlayer(TypedDict):
    """Public facts about one player's hand."""

    drafted_card: Annotated[
        ActionName | None,
        "Action card that was taken openly and is still in the hand. "
        "Null before one is taken, and once a card of its action was played (C13).",
    ]


class Known(TypedDict):
    """Public facts that no view shows."""

    players: Annotated[list[KnownPlayer], "Public facts about each player, by seat."]


class OwnView(TypedDict):
    """The part of a view that only the player may see (C43)."""

    hand: Annotated[
        dict[ActionName, int], "Number of cards by action. Actions without cards are left out."
    ]
    scoring_cards_dealt: Annotated[
        list[CategoryName],
        "Dealt final scoring cards, the kept one among them (C12).",
    ]
    scoring_card_kept: Annotated[
        CategoryName | None, "Kept final scoring card. Null before one is kept (C12)."
    ]


class View(TypedDict):
    """A match of Calimala as a seat, or the public, sees it. All is public but `own` (C43)."""

    actors: Annotated[
        list[int],
        "The seats that may act now. [] at the end. [-1] is the house, in this view alone: the "
        "digest of the view binds its form.",
    ]
    agenda: Annotated[list[AgendaItemView], "Open items, the next one first."]
    grid: Annotated[list[ActionName], "Action of each of the nine cells, row by row (C3)."]
    streets: Annotated[
        dict[StreetName, Annotated[list[Disc], Between(0, box.FULL_STACK + 1)]],
        EVERY_NAME,
        'Discs on each street from the bottom up: the seat of a coloured one, or "white" (C14).',
    ]
    council: Annotated[list[CategoryName], "Scoring tiles in the order of scoring (C11)."]
    council_seats: Annotated[
        list[int | None], "Seat at each tile so far, in council order. Null: nobody (C31, C34)."
    ]
    tiles_scored: Annotated[int, Between(0, len(box.TILES)), "Number of scored tiles."]
    palazzo_patrons: Annotated[
        list[int], "Seat that gave each artwork at Palazzo Vecchio, in order (C37)."
    ]
    cities: Annotated[dict[CityName, CityView], EVERY_NAME, "Cities and their cloth."]
    buildings: Annotated[dict[BuildingName, BuildingView], EVERY_NAME, "Buildings and their cubes."]
    open_cards: Annotated[list[ActionName], "Action cards that can be taken in the draft (C13)."]
    deck_size: Annotated[int, "Number of action cards in the deck."]
    discards: Annotated[
        dict[ActionName, int],
        "Number of cards on the discard pile by action. Actions without cards are left out.",
    ]
    face_up_card: Annotated[
        CategoryName | None, "Final scoring card that lies face up. Null: none (C12)."
    ]
    final_cards: Annotated[
        list[CategoryName] | None,
        "Kept final scoring card of each seat. Null until revealed (C41).",
    ]
    final_cards_scored: Annotated[int, "Number of scored final scoring cards."]
    players: Annotated[list[PlayerView], "Public belongings of each player, by seat."]
    ranks: Annotated[list[int] | None, "Rank of each seat, 1 the best. Null until the end (C42)."]
    own: NotRequired[
        Annotated[OwnView, "The part that the seat alone sees. Left out for the public."]
    ]


# ---- how it is made ------------------------------------------------------------------------------


_ACTION = wire_names(box.ACTIONS)
_CITY = wire_names(box.CITIES)
_BUILDING = wire_names(box.BUILDINGS)
_STREET = wire_names(box.STREETS)
_TRADE_CITY = wire_names(box.TRADE_CITIES)
_CATEGORY = wire_names(box.CATEGORIES)

# Equal streets and buildings of different views are made once and shared. So nobody may change a
# view.
_KEPT = 256

_Heaps = tuple[tuple[int, ...], ...]
_Rooms = tuple[int, ...]

_DISC: dict[int, Disc] = {box.WHITE: "white", **{seat: seat for seat in range(max(box.SEATS))}}


def view(state: State, seat: int | None) -> View:
    """Return the view of a seat. None: of the public."""
    result: View = {
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
        result["own"] = _own(state.players[seat])
    return result


def known(state: State) -> Known:
    """Return the openly taken cards that are still in hands (C13)."""
    return {"players": [{"drafted_card": _action(player.drafted)} for player in state.players]}


# ---- the table -----------------------------------------------------------------------------------


def _agenda(state: State) -> list[AgendaItemView]:
    return [_item(state, item) for item in reversed(state.agenda)]


def _item(state: State, item: Item) -> AgendaItemView:
    result: AgendaItemView = {"type": item.tag}
    if hasattr(item, "seat"):
        result["seat"] = item.seat
    if hasattr(item, "street"):
        result["street"] = _STREET[item.street]

    if type(item) is Activation:
        result["left"] = _left(state, item)
        result["duty_unmet"] = item.duty
    return result


def _left(state: State, activation: Activation) -> dict[ActionName, int]:
    cells = box.ENDS[activation.street]
    names = [_ACTION[state.grid[cell]] for cell in cells]
    return dict(zip(names, activation.left, strict=True))


def _grid(state: State) -> list[ActionName]:
    return [_ACTION[action] for action in state.grid]


def _council_seats(state: State) -> list[int | None]:
    """Return the seats of the council so far in the order of tiles, None for an empty one (C34)."""
    return [None if seat == box.WHITE else seat for seat in state.council_seats]


def _streets(state: State) -> dict[StreetName, list[Disc]]:
    return _streets_of(tuple(state.streets))


@lru_cache(maxsize=_KEPT)
def _streets_of(streets: _Heaps) -> dict[StreetName, list[Disc]]:
    by_street = {}
    for name, discs in zip(_STREET, streets, strict=True):
        by_street[name] = [_DISC[disc] for disc in discs]
    return by_street


def _cities(state: State) -> dict[CityName, CityView]:
    heaps = zip(_CITY, state.cloth, state.city_room, strict=True)
    return {name: {"cloth": list(cubes), "room": room} for name, cubes, room in heaps}


def _buildings(state: State) -> dict[BuildingName, BuildingView]:
    """Return the cubes and the room at each building. Palazzo Vecchio has no rows (C8)."""
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
    by_building: dict[BuildingName, BuildingView] = {}
    at_buildings = _heaps(artworks, artwork_room)
    for name, artwork in zip(_BUILDING, at_buildings, strict=True):
        by_building[name] = {"artwork": artwork}

    heaps = _heaps(contributed, row_room)
    for building, rows in enumerate(box.ROWS_OF_BUILDING):
        wood, brick, marble = heaps[rows]
        name = _BUILDING[building]

        at_building = by_building[name]
        at_building["wood"] = wood
        at_building["brick"] = brick
        at_building["marble"] = marble

    return by_building


def _heaps(cubes: _Heaps, room: _Rooms) -> list[CubesView]:
    heaps = zip(cubes, room, strict=True)
    return [{"cubes": list(by_seat), "room": free} for by_seat, free in heaps]


def _open_cards(state: State) -> list[ActionName]:
    """Return the cards for the draft, one of each action at the most (C13)."""
    return list(compress(_ACTION, state.open_cards))


def _kept_cards(state: State) -> list[CategoryName] | None:
    """Return the kept scoring cards by seat, None before they are revealed (C41)."""
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
    """Return the part of the view for the player alone (C43)."""
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


# ---- hidden facts, drawn anew (C43) --------------------------------------------------------------


def imagine(state: State, seat: int, chance: Chance) -> State:
    """Return a copy with all facts hidden from the seat drawn anew.

    These are the hands of others, the deck, and the scoring cards that the seat has not seen.
    """
    copy = state.copy()
    _redraw_hands(copy, seat, chance)
    if any(player.dealt for player in copy.players):
        _redeal_scoring_cards(copy, seat, chance)
    return copy


def _others(state: State, seat: int) -> list[Player]:
    return [player for other, player in enumerate(state.players) if other != seat]


def _redraw_hands(state: State, seat: int, chance: Chance) -> None:
    """Deal the hands of others anew, each of its size, from the cards hidden from the seat.

    An openly taken card stays in its hand (C13).
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
    """Return the publicly known cards of a hand, by Action."""
    counts = [0] * len(ACTIONS)
    if player.drafted is not None:
        counts[player.drafted] = 1
    return counts


def _one_by_one(counts: list[int]) -> list[int]:
    """Return a list with the Action of each card."""
    cards = []
    for action, count in enumerate(counts):
        cards += [action] * count
    return cards


def _redeal_scoring_cards(state: State, seat: int, chance: Chance) -> None:
    """Deal the scoring cards of the other seats anew from those hidden from the seat.

    Kept cards are known once they are revealed. The other dealt cards never become known.
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
    """Take cards from the top of the pile, and return `size` cards.

    A revealed card is the first of these cards, and does not come from the pile.
    """
    dealt = [] if revealed_card is None else [revealed_card]
    while len(dealt) < size:
        dealt.append(pile.pop())
    return tuple(dealt)
