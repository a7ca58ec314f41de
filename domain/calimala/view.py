"""Who may see what: the state as JSON values (C43).

A view is made after every commit, for every seat that looks; so the names on the wire are looked up
in lists that are made once.
"""

from domain.calimala.agenda import Activation, Item
from domain.calimala.components import (
    ACTIONS,
    BUILDINGS,
    BUILDINGS_UNDER_CONSTRUCTION,
    CATEGORIES,
    CITIES,
    ROWS_OF_BUILDING,
    STREETS,
    TRADE_CITIES,
    WHITE,
    Category,
)
from domain.calimala.moves import actors
from domain.calimala.scoring import kept_cards
from domain.calimala.state import Player, State, street_actions
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
        "palazzo_patrons": state.patrons[:],
        "cities": _cities(state),
        "buildings": _buildings(state),
        "open_cards": _open_cards(state),
        "deck_size": sum(state.deck),
        "discards": _cards(state.discards),
        "face_up_card": _category(state.face_up),
        "final_cards": _kept_cards(state),
        "final_cards_scored": state.finals,
        "players": [_player(player) for player in state.players],
        "ranks": state.ranks[:] or None,
    }
    if seat is not None:
        shown["own"] = _own(state.players[seat])
    return shown


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
    actions = street_actions(state, activation.street)
    names = [_ACTION[action] for action in actions]
    return dict(zip(names, activation.left, strict=True))


def _grid(state: State) -> list[ActionName]:
    return [_ACTION[action] for action in state.grid]


def _council_seats(state: State) -> list[int | None]:
    """Return who sits at each tile scored so far; None where nobody does (C34)."""
    return [None if seat == WHITE else seat for seat in state.council_seats]


def _streets(state: State) -> dict[StreetName, list[Disc]]:
    stacks = zip(_STREET, state.streets, strict=True)
    return {name: _stack(discs) for name, discs in stacks}


def _stack(discs: list[int]) -> list[Disc]:
    return ["white" if disc == WHITE else disc for disc in discs]


def _cities(state: State) -> dict[CityName, CityView]:
    heaps = zip(_CITY, state.cloth, state.city_room, strict=True)
    return {name: {"cloth": cubes[:], "room": room} for name, cubes, room in heaps}


def _buildings(state: State) -> dict[BuildingName, BuildingView]:
    return {name: _building(state, building) for building, name in enumerate(_BUILDING)}


def _building(state: State, building: int) -> BuildingView:
    artworks = state.artworks[building]
    shown: BuildingView = {"artwork": _heap(artworks, state.artwork_room[building])}
    if building >= len(BUILDINGS_UNDER_CONSTRUCTION):
        return shown

    rows = ROWS_OF_BUILDING[building]
    heaps = state.contributed[rows]
    wood, brick, marble = map(_heap, heaps, state.row_room[rows])
    shown["wood"] = wood
    shown["brick"] = brick
    shown["marble"] = marble
    return shown


def _heap(cubes: list[int], room: int) -> CubesView:
    return {"cubes": cubes[:], "room": room}


def _open_cards(state: State) -> list[ActionName]:
    """Return the cards that can be taken in the draft, one of each action at the most (C13)."""
    return [name for name, count in zip(_ACTION, state.open_cards, strict=True) if count]


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
        "workshops": player.cloth[:],
        "ships": player.ships,
        "trade_houses": _trade_houses(player),
        "hand_size": sum(player.hand),
    }


def _trade_houses(player: Player) -> list[CityName]:
    return [name for name, built in zip(_TRADE_CITY, player.houses, strict=True) if built]


def _own(player: Player) -> OwnView:
    """Return what only the player may see (C43)."""
    return {
        "hand": _cards(player.hand),
        "scoring_cards_dealt": _categories(player.dealt),
        "scoring_card_kept": _category(player.kept),
    }


def _cards(counts: list[int]) -> dict[ActionName, int]:
    return counts_by_name(_ACTION, counts)


def _category(card: Category | None) -> CategoryName | None:
    return None if card is None else _CATEGORY[card]


def _categories(cards: list[Category]) -> list[CategoryName]:
    return [_CATEGORY[card] for card in cards]
