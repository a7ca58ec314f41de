"""What each event changes (no rules: only what the event says happened)."""

from collections.abc import Callable
from typing import Any

from domain.kit import one_for_each
from examples.ponte import events
from examples.ponte.agenda import Turn
from examples.ponte.state import State, index_of


def evolve(state: State, event: Any) -> None:
    """Change the state in place as the event says."""
    _CHANGES[type(event)](state, event)


def _on_row_begun(state: State, event: events.RowBegun) -> None:
    if event.stone is not None:
        state.yard[index_of(event.stone)] -= 1
        state.rows[event.bank].append(event.stone)


def _on_stone_drawn(state: State, event: events.StoneDrawn) -> None:
    if event.stone is not None:
        kind = index_of(event.stone)
        state.yard[kind] -= 1
        state.players[event.seat].hand[kind] += 1


def _on_building_begun(state: State, _event: events.BuildingBegun) -> None:
    state.agenda[-1] = Turn(0)


def _on_stone_laid(state: State, event: events.StoneLaid) -> None:
    player = state.players[event.seat]
    player.hand[index_of(event.stone)] -= 1
    player.points += event.points
    state.rows[event.bank].append(event.stone)

    next_seat = (event.seat + 1) % len(state.players)
    state.agenda[-1] = Turn(next_seat)


def _on_bridge_finished(state: State, event: events.BridgeFinished) -> None:
    for player, points in zip(state.players, event.points, strict=True):
        player.points = points
    state.ranks = list(event.ranks)
    state.agenda.pop()


_CHANGES: dict[type, Callable[[State, Any], None]] = one_for_each(
    events.EVENTS,
    {
        events.RowBegun: _on_row_begun,
        events.StoneDrawn: _on_stone_drawn,
        events.BuildingBegun: _on_building_begun,
        events.StoneLaid: _on_stone_laid,
        events.BridgeFinished: _on_bridge_finished,
    },
)
