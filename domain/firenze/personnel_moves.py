"""The ways to play Personnel cards (F26-F31)."""

from collections.abc import Callable, Iterator
from typing import Any

from domain.firenze.cards import Card
from domain.firenze.commands import PlayPersonnel
from domain.firenze.components import COLOURS
from domain.firenze.personnel import playable
from domain.firenze.personnel_effects import patrician_discards, rivals, slots_with_bricks
from domain.firenze.state import State

# The fields of each way to play a card, beside seat and card.
Ways = Iterator[dict[str, Any]]


def personnel(state: State, seat: int) -> list[PlayPersonnel]:
    """Return every way to play a Personnel card of the hand now (F26)."""
    return [
        PlayPersonnel(seat, card, **fields)
        for card in playable(state, seat)
        for fields in ways_to_play(state, seat, card)
    ]


def ways_to_play(state: State, seat: int, card: Card) -> Ways:
    """Yield the fields of every way to play this card, none if it would have no effect (F26)."""
    return _WAYS[card](state, seat)


def _alchemist(state: State, seat: int) -> Ways:
    return _swaps(state.players[seat].storehouse, state.pouch)


def _smuggler(state: State, seat: int) -> Ways:
    own = state.players[seat].storehouse
    for target in rivals(state, seat):
        for swap in _swaps(own, state.players[target].storehouse):
            yield {"target": target, **swap}


def _swaps(own: list[int], theirs: list[int]) -> Ways:
    """Yield every swap of a brick for one of another colour."""
    for give in COLOURS:
        if not own[give]:
            continue
        for take in COLOURS:
            if theirs[take] and take is not give:
                yield {"give": give, "take": take}


def _saboteur(state: State, seat: int) -> Ways:
    for target in rivals(state, seat):
        for tower in state.players[target].towers:
            yield {"target": target, "tower": tower.id}


def _patrician(state: State, seat: int) -> Ways:
    for card in patrician_discards(state.players[seat]):
        yield {"discard": card}


def _wholesaler(state: State, _seat: int) -> Ways:
    for slot in slots_with_bricks(state):
        yield {"slot": slot}


def _architect(state: State, seat: int) -> Ways:
    """Bound to nothing, or to a tower and one level more or less (F28)."""
    towers = state.players[seat].towers
    if towers:
        yield {}
    for tower in towers:
        for by in (1, -1):
            yield {"tower": tower.id, "by": by}


def _without_fields(_state: State, _seat: int) -> Ways:
    yield {}


_WAYS: dict[Card, Callable[[State, int], Ways]] = {
    Card.ALCHEMIST: _alchemist,
    Card.ARCHITECT: _architect,
    Card.MASON: _without_fields,
    Card.PATRICIAN: _patrician,
    Card.PRINCESS: _without_fields,
    Card.SABOTEUR: _saboteur,
    Card.SMUGGLER: _smuggler,
    Card.WHOLESALER: _wholesaler,
}
