"""Calimala's part in the laws of games: conserved pieces, and spellings of commands."""

from dataclasses import replace
from typing import Any

from domain.calimala.agenda import Exchange, Promotion
from domain.calimala.commands import Perform, PlayCard
from domain.calimala.components import (
    ARTWORK_SLOTS,
    CAPACITY,
    CITY_ROOM,
    FULL_STACK,
    ROW_SLOTS,
    SHIPS,
    WORKSHOPS,
    Category,
    Street,
)
from domain.calimala.events import SeatLeftEmpty
from domain.calimala.state import Player, State
from domain.game import Message
from tests.domain.calimala.table import table

SLOTS = [*[CITY_ROOM] * 6, *ROW_SLOTS, *ARTWORK_SLOTS]


def conserved(state: State) -> dict[str, Any]:
    """Count every cube, card and slot, and check that all fits in its place.

    Discs are not among them, for they may leave the game.
    """
    return {
        "cubes": _cubes(state),
        "cards": _cards(state),
        "slots": _slots(state) == SLOTS,
        "players": all(_fits(player) for player in state.players),
        "stacks": _stacks_fit(state),
        "dealt": [len(player.dealt) for player in state.players],
        "drafted": all(map(_holds_what_everybody_saw, state.players)),
        "scoring cards differ": _differ(state),
    }


def _heaps(state: State) -> list[tuple[int, ...]]:
    """Return all cubes on the board: heaps of cubes by seat."""
    return [*state.cloth, *state.contributed, *state.artworks]


def _cubes(state: State) -> list[int]:
    """Return the number of each player's cubes in all places."""
    heaps = _heaps(state)
    cubes = []
    for seat, player in enumerate(state.players):
        own = player.reserve + sum(player.stock) + sum(player.cloth)
        on_board = sum(heap[seat] for heap in heaps)
        cubes.append(own + on_board)
    return cubes


def _cards(state: State) -> list[int]:
    """Return the number of cards of each action."""
    hands = [player.hand for player in state.players]
    piles = [state.deck, state.discards, state.open_cards, *hands]
    return [sum(counts) for counts in zip(*piles, strict=True)]


def _slots(state: State) -> list[int]:
    """Return the number of slots in each place, taken or free."""
    counts = [sum(heap) for heap in _heaps(state)]
    free = [*state.city_room, *state.row_room, *state.artwork_room]
    return [used + spare for used, spare in zip(counts, free, strict=True)]


def _fits(player: Player) -> bool:
    """Return True if none of the player's counts is negative or above its limit (C9)."""
    heaps = (*player.stock, *player.cloth)
    cubes_fit = all(0 <= cubes <= CAPACITY for cubes in heaps)
    engines_fit = player.ships <= SHIPS and len(player.cloth) <= WORKSHOPS
    return cubes_fit and engines_fit and player.reserve >= 0 and min(player.hand) >= 0


def _holds_what_everybody_saw(player: Player) -> bool:
    """Return True if an openly taken card is in the hand until a card like it is played (C13)."""
    return player.drafted is None or player.hand[player.drafted] > 0


def _differ(state: State) -> bool:
    """Return True if no scoring card was dealt twice, and each kept one to its own seat (C12)."""
    cards = [card for player in state.players for card in player.dealt]
    kept_their_own = all(player.kept in (None, *player.dealt) for player in state.players)
    return kept_their_own and len(set(cards)) == len(cards)


def _stacks_fit(state: State) -> bool:
    """Return True if streets have at most three discs, four during activations (C14, C16)."""
    awaiting = [item.street for item in state.agenda if isinstance(item, Promotion)]
    for street, stack in enumerate(state.streets):
        most = FULL_STACK + 1 if street in awaiting else FULL_STACK
        if len(stack) > most:
            return False
    return True


def discs(state: State) -> int:
    """Return the discs in reserves, on streets and in the council, a lifted white one included."""
    reserves = sum(player.discs + player.whites for player in state.players)
    placed = sum(len(stack) for stack in state.streets)
    seated = sum(seat >= 0 for seat in state.council_seats)
    lifted = sum(isinstance(item, Exchange) for item in state.agenda)
    return reserves + placed + seated + lifted


def spelled(command: Any) -> Any:
    """Cities may be named in any order. Moves are listed with sorted cities (C27, C28)."""
    if isinstance(command, Perform | PlayCard) and command.cities is not None:
        in_order = tuple(sorted(command.cities))
        return replace(command, cities=in_order)
    return command


def unlisted(_state: State, _command: Any) -> bool:
    """Every legal command is listed."""
    return False


def rare_moments() -> list[tuple[State, Message]]:
    """A player without any disc must exchange a white one, so a council seat stays empty (C34)."""
    state = table()
    state.agenda.append(Exchange(1, Street.S03))
    return [(state, SeatLeftEmpty(Category.LISBON))]
