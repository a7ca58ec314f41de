"""Calimala's part in the laws of games: what is conserved, and how commands are spelled."""

from dataclasses import replace
from typing import Any

from domain.calimala.agenda import Exchange, Promotion
from domain.calimala.commands import Perform, PlayCard
from domain.calimala.components import ARTWORK_SLOTS, CITY_ROOM, ROW_SLOTS
from domain.calimala.state import State


def conserved(state: State) -> dict[str, Any]:
    """Count every cube, card and slot, wherever it is, and see that all fits where it lies (discs may leave)."""
    seats = range(len(state.players))
    heaps = (*state.cloth, *state.contributed, *state.artworks)
    hands = [player.hand for player in state.players]
    room = zip(heaps, (*state.city_room, *state.row_room, *state.artwork_room), strict=True)
    return {
        "cubes": [
            player.reserve
            + sum(player.stock)
            + sum(player.cloth)
            + sum(heap[seat] for heap in heaps)
            for seat, player in zip(seats, state.players, strict=True)
        ],
        "cards": [
            sum(cards)
            for cards in zip(state.deck, state.discards, state.open_cards, *hands, strict=True)
        ],
        "slots": [sum(cubes) + left for cubes, left in room]
        == [*[CITY_ROOM] * 6, *ROW_SLOTS, *ARTWORK_SLOTS],
        "capacity": all(
            0 <= cubes <= 4 for player in state.players for cubes in (*player.stock, *player.cloth)
        ),
        "engines": all(player.ships <= 3 and len(player.cloth) <= 3 for player in state.players),
        "stacks": _stacks_fit(state),
        "reserve": all(player.reserve >= 0 and min(player.hand) >= 0 for player in state.players),
    }


def _stacks_fit(state: State) -> bool:
    """At most three discs lie on a street; a fourth only while its activations last (C14, C16)."""
    awaiting = [item.street for item in state.agenda if isinstance(item, Promotion)]
    return all(len(stack) <= 3 + (street in awaiting) for street, stack in enumerate(state.streets))


def discs(state: State) -> int:
    """Return the discs in reserves, on streets and in the council, a lifted white one included."""
    held = sum(player.discs + player.whites for player in state.players)
    lifted = sum(isinstance(item, Exchange) for item in state.agenda)
    seated = sum(seat >= 0 for seat in state.council_seats)
    return held + sum(map(len, state.streets)) + seated + lifted


def spelled(command: Any) -> Any:
    """Cities may be named in any order; moves are listed with sorted ones (C27, C28)."""
    if isinstance(command, Perform | PlayCard) and command.cities is not None:
        return replace(command, cities=tuple(sorted(command.cities)))
    return command


def unlisted(_state: State, _command: Any) -> bool:
    """Every legal command is listed."""
    return False
