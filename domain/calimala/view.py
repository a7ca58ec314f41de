"""Who may see what: the state as JSON values, and the state with all that is hidden drawn anew (C43)."""

from typing import Any

from domain.calimala.agenda import Activation, Item
from domain.calimala.components import (
    ACTIONS,
    BUILDINGS,
    CATEGORIES,
    CITIES,
    ENDS,
    FINAL_CARDS,
    RESOURCES,
    STREETS,
    TRADE_CITIES,
    WHITE,
)
from domain.calimala.moves import actors
from domain.calimala.state import Player, State
from domain.chance import Chance, pick, shuffled

_ACTION = [action.wire for action in ACTIONS]
_RESOURCE = [resource.wire for resource in RESOURCES]
_CITY = [city.wire for city in CITIES]
_BUILDING = [building.wire for building in BUILDINGS]
_STREET = [street.wire for street in STREETS]
_TRADE_CITY = [city.wire for city in TRADE_CITIES]
_CATEGORY = [category.wire for category in CATEGORIES]


def view(state: State, seat: int | None) -> dict[str, Any]:
    """Return what the seat (None: the public) may see.

    Stacks run from the bottom up and hold seats or "white"; the agenda runs from what is resolved next to what comes
    last; seats in the council are null where nobody sits; lists of cubes are by seat.
    """
    result = {
        "actors": list(actors(state)),
        "agenda": [_item(state, item) for item in reversed(state.agenda)],
        **_city(state),
        **_council(state),
        **_deliveries(state),
        **_cards_shown(state),
        "players": [_player(player) for player in state.players],
        "ranks": state.ranks[:] or None,
    }
    if seat is not None:
        result["own"] = _own(state.players[seat])
    return result


def _city(state: State) -> dict[str, Any]:
    return {
        "grid": [_ACTION[action] for action in state.grid],
        "streets": {
            name: ["white" if disc == WHITE else disc for disc in stack]
            for name, stack in zip(_STREET, state.streets, strict=True)
        },
    }


def _council(state: State) -> dict[str, Any]:
    return {
        "council": [_CATEGORY[tile] for tile in state.council],
        "council_seats": [None if seat == WHITE else seat for seat in state.council_seats],
        "tiles_scored": state.scored,
        "palazzo_patrons": state.patrons[:],
    }


def _deliveries(state: State) -> dict[str, Any]:
    heaps = zip(_CITY, state.cloth, state.city_room, strict=True)
    return {
        "cities": {name: {"cloth": cubes[:], "room": room} for name, cubes, room in heaps},
        "buildings": {name: _building(state, building) for building, name in enumerate(_BUILDING)},
    }


def _cards_shown(state: State) -> dict[str, Any]:
    """The kept scoring cards are shown once revealed (C41)."""
    kept = [_CATEGORY[player.kept] for player in state.players if player.kept is not None] if state.revealed else None
    return {
        "open_cards": [name for name, count in zip(_ACTION, state.open_cards, strict=True) if count],
        "deck_size": sum(state.deck),
        "discards": _cards(state.discards),
        "face_up_card": None if state.face_up is None else _CATEGORY[state.face_up],
        "final_cards": kept,
        "final_cards_scored": state.finals,
    }


def _item(state: State, item: Item) -> dict[str, Any]:
    result: dict[str, Any] = {"type": item.tag}
    if hasattr(item, "seat"):
        result["seat"] = item.seat
    if hasattr(item, "street"):
        result["street"] = _STREET[item.street]
    if type(item) is Activation:
        one, other = ENDS[item.street]
        result["left"] = {_ACTION[state.grid[one]]: item.left[0], _ACTION[state.grid[other]]: item.left[1]}
        result["duty_unmet"] = item.duty
    return result


def _building(state: State, building: int) -> dict[str, Any]:
    result = {"artwork": {"cubes": state.artworks[building][:], "room": state.artwork_room[building]}}
    first = 3 * building
    for name, cubes, room in zip(_RESOURCE, state.contributed[first:], state.row_room[first : first + 3], strict=False):
        result[name] = {"cubes": cubes[:], "room": room}
    return result


def _player(player: Player) -> dict[str, Any]:
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
        "trade_houses": [name for name, house in zip(_TRADE_CITY, player.houses, strict=True) if house],
        "hand_size": sum(player.hand),
    }


def _own(player: Player) -> dict[str, Any]:
    """What only the player himself may see (C43)."""
    return {
        "hand": _cards(player.hand),
        "scoring_cards_dealt": [_CATEGORY[card] for card in player.dealt],
        "scoring_card_kept": None if player.kept is None else _CATEGORY[player.kept],
    }


def _cards(counts: list[int]) -> dict[str, int]:
    return {name: count for name, count in zip(_ACTION, counts, strict=True) if count}


def imagine(state: State, seat: int, chance: Chance) -> State:
    """Return a copy in which other hands, the deck and unseen scoring cards are drawn anew, as the seat may think."""
    copy = state.copy()
    _redraw_hands(copy, seat, chance)
    if any(player.dealt for player in copy.players):
        _redeal_scoring_cards(copy, seat, chance)
    return copy


def _redraw_hands(state: State, seat: int, chance: Chance) -> None:
    """Deal the other hands anew, each of the same size, from the cards that the seat cannot see."""
    others = [player for other, player in enumerate(state.players) if other != seat]
    unseen = [sum(cards) for cards in zip(state.deck, *(player.hand for player in others), strict=True)]
    for player in others:
        hand = [0] * len(unseen)
        for _ in range(sum(player.hand)):
            card = pick(chance, unseen)
            unseen[card] -= 1
            hand[card] += 1
        player.hand = hand
    state.deck = unseen


def _redeal_scoring_cards(state: State, seat: int, chance: Chance) -> None:
    """Deal the other scoring cards anew from those that the seat cannot see; revealed ones are known."""
    known = {state.face_up, *state.players[seat].dealt}
    others = [player for other, player in enumerate(state.players) if other != seat]
    if state.revealed:
        known.update(player.kept for player in others)
    unseen = shuffled(chance, [card for card in FINAL_CARDS if card not in known])
    for player in others:
        size = len(player.dealt)
        if state.revealed and player.kept is not None:
            player.dealt = [player.kept, *(unseen.pop() for _ in range(size - 1))]
            continue
        player.dealt = [unseen.pop() for _ in range(size)]
        if player.kept is not None:
            player.kept = player.dealt[0]
