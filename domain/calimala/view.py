"""Who may see what: the state as JSON values (C43).

A view is made after every commit, for every seat that looks; so the names on the wire are looked up
in lists that are made once.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress

from domain.calimala.agenda import Activation, Item
from domain.calimala.components import (
    ACTIONS,
    BUILDINGS,
    CATEGORIES,
    CITIES,
    ENDS,
    ROWS_OF_BUILDING,
    SEATS,
    STREETS,
    TRADE_CITIES,
    WHITE,
    Action,
    Category,
)
from domain.calimala.moves import actors
from domain.calimala.state import Player, State, kept_cards
from domain.calimala.view_types import (
    ActionName,
    AgendaItemView,
    BuildingName,
    BuildingView,
    CategoryName,
    CityName,
    CityView,
    CubesView,
    Disc,
    Known,
    OwnView,
    PlayerView,
    StreetName,
    View,
)
from domain.kit.naming import counts_by_name, wire_names

_ACTION = wire_names(ACTIONS)
_CITY = wire_names(CITIES)
_BUILDING = wire_names(BUILDINGS)
_STREET = wire_names(STREETS)
_TRADE_CITY = wire_names(TRADE_CITIES)
_CATEGORY = wire_names(CATEGORIES)

# Streets and buildings are a third of the time that a view takes, and nine views in ten say of them
# what the one before has said. So equal ones are made once and shared: nobody may change a view.
# A part has about 5 kB in memory.
_KEPT = 256

_Heaps = tuple[tuple[int, ...], ...]
_Rooms = tuple[int, ...]

_DISC: dict[int, Disc] = {WHITE: "white", **{seat: seat for seat in range(max(SEATS))}}


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
    cells = ENDS[activation.street]
    names = [_ACTION[state.grid[cell]] for cell in cells]
    return dict(zip(names, activation.left, strict=True))


def _grid(state: State) -> list[ActionName]:
    return [_ACTION[action] for action in state.grid]


def _council_seats(state: State) -> list[int | None]:
    """Return who sits at each tile scored so far; None where nobody does (C34)."""
    return [None if seat == WHITE else seat for seat in state.council_seats]


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
    for building, rows in enumerate(ROWS_OF_BUILDING):
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


def _action(card: Action | None) -> ActionName | None:
    return None if card is None else _ACTION[card]


def _category(card: Category | None) -> CategoryName | None:
    return None if card is None else _CATEGORY[card]


def _categories(cards: Sequence[Category]) -> list[CategoryName]:
    return [_CATEGORY[card] for card in cards]
