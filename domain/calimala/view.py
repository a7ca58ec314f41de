"""Who may see what: the state as JSON values (C43)."""

from domain.calimala.agenda import Activation, Item
from domain.calimala.components import (
    ACTIONS,
    BUILDINGS,
    CATEGORIES,
    CITIES,
    ENDS,
    STREETS,
    TRADE_CITIES,
    WHITE,
    Building,
)
from domain.calimala.moves import actors
from domain.calimala.state import Player, State
from domain.calimala.view_types import (
    ActionName,
    AgendaItemView,
    BuildingView,
    CategoryName,
    CityName,
    CityView,
    CubesView,
    Disc,
    OwnView,
    PlayerView,
    StreetName,
    View,
)

_ACTION = [action.wire for action in ACTIONS]
_CITY = [city.wire for city in CITIES]
_BUILDING = [building.wire for building in BUILDINGS]
_STREET = [street.wire for street in STREETS]
_TRADE_CITY = [city.wire for city in TRADE_CITIES]
_CATEGORY = [category.wire for category in CATEGORIES]
PALAZZO_VECCHIO = Building.PALAZZO_VECCHIO


def view(state: State, seat: int | None) -> View:
    """Return what the seat (None: the public) may see."""
    shown: View = {
        "actors": list(actors(state)),
        "agenda": [_item(state, item) for item in reversed(state.agenda)],
        "grid": [_ACTION[action] for action in state.grid],
        "streets": _streets(state),
        "council": [_CATEGORY[tile] for tile in state.council],
        "council_seats": [None if sitting == WHITE else sitting for sitting in state.council_seats],
        "tiles_scored": state.scored,
        "palazzo_patrons": state.patrons[:],
        "cities": _cities(state),
        "buildings": {name: _building(state, place) for place, name in enumerate(_BUILDING)},
        "open_cards": [
            name for name, count in zip(_ACTION, state.open_cards, strict=True) if count
        ],
        "deck_size": sum(state.deck),
        "discards": _cards(state.discards),
        "face_up_card": None if state.face_up is None else _CATEGORY[state.face_up],
        "final_cards": _kept_cards(state),
        "final_cards_scored": state.finals,
        "players": [_player(player) for player in state.players],
        "ranks": state.ranks[:] or None,
    }
    if seat is not None:
        shown["own"] = _own(state.players[seat])
    return shown


def _streets(state: State) -> dict[StreetName, list[Disc]]:
    return {
        name: ["white" if disc == WHITE else disc for disc in stack]
        for name, stack in zip(_STREET, state.streets, strict=True)
    }


def _cities(state: State) -> dict[CityName, CityView]:
    heaps = zip(_CITY, state.cloth, state.city_room, strict=True)
    return {name: {"cloth": cubes[:], "room": room} for name, cubes, room in heaps}


def _kept_cards(state: State) -> list[CategoryName] | None:
    """Return the kept scoring cards by seat once they are revealed (C41)."""
    if not state.revealed:
        return None
    return [_CATEGORY[player.kept] for player in state.players if player.kept is not None]


def _item(state: State, item: Item) -> AgendaItemView:
    shown: AgendaItemView = {"type": item.tag}
    if hasattr(item, "seat"):
        shown["seat"] = item.seat
    if hasattr(item, "street"):
        shown["street"] = _STREET[item.street]
    if type(item) is Activation:
        one, other = ENDS[item.street]
        first, second = item.left
        shown["left"] = {_ACTION[state.grid[one]]: first, _ACTION[state.grid[other]]: second}
        shown["duty_unmet"] = item.duty
    return shown


def _building(state: State, place: int) -> BuildingView:
    shown: BuildingView = {"artwork": _heap(state.artworks[place], state.artwork_room[place])}
    if place < PALAZZO_VECCHIO:
        wood, brick, marble = range(3 * place, 3 * place + 3)
        shown["wood"] = _heap(state.contributed[wood], state.row_room[wood])
        shown["brick"] = _heap(state.contributed[brick], state.row_room[brick])
        shown["marble"] = _heap(state.contributed[marble], state.row_room[marble])
    return shown


def _heap(cubes: list[int], room: int) -> CubesView:
    return {"cubes": cubes[:], "room": room}


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
        "workshops": player.cloth[:],
        "ships": player.ships,
        "trade_houses": [
            name for name, house in zip(_TRADE_CITY, player.houses, strict=True) if house
        ],
        "hand_size": sum(player.hand),
    }


def _own(player: Player) -> OwnView:
    """Return what only the player may see (C43)."""
    return {
        "hand": _cards(player.hand),
        "scoring_cards_dealt": [_CATEGORY[card] for card in player.dealt],
        "scoring_card_kept": None if player.kept is None else _CATEGORY[player.kept],
    }


def _cards(counts: list[int]) -> dict[ActionName, int]:
    return {name: count for name, count in zip(_ACTION, counts, strict=True) if count}
