"""What changes when an event card strikes."""

from collections.abc import Callable
from typing import Any

from domain.firenze.agenda import Step, Task
from domain.firenze.events import DuePaid, DuesLaid, EventAnswered, PlayerAsked, TowerCollapsed
from domain.firenze.evolve.piles import move_bricks, remove_tower
from domain.firenze.state import State


def _player_asked(state: State, event: PlayerAsked) -> None:
    state.agenda.append(Task(event.step, event.seat))


def _event_answered(state: State, _event: EventAnswered) -> None:
    state.agenda.pop()


def _tower_collapsed(state: State, event: TowerCollapsed) -> None:
    remove_tower(state.players[event.seat], event.tower)
    state.pouch[event.colour] += event.bricks


def _dues_laid(state: State, event: DuesLaid) -> None:
    state.dues = event.dues
    # The first to pay is put onto the stack last.
    for due in reversed(event.dues):
        if due.bricks:
            state.agenda.append(Task(Step.DISCARD, due.seat))


def _due_paid(state: State, event: DuePaid) -> None:
    move_bricks(state.players[event.seat].storehouse, state.pouch, event.bricks)
    state.agenda.pop()


CHANGES: dict[type, Callable[[State, Any], None]] = {
    PlayerAsked: _player_asked,
    EventAnswered: _event_answered,
    TowerCollapsed: _tower_collapsed,
    DuesLaid: _dues_laid,
    DuePaid: _due_paid,
}
