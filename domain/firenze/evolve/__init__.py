"""What changes: one function an event, no rules. Each changes the state in place."""

from collections.abc import Callable
from typing import Any

from domain.firenze.events import EVENTS
from domain.firenze.evolve import event_cards, personnel, row, towers, turns
from domain.firenze.state import State
from domain.kit.dispatch import one_for_each

_CHANGES: dict[type, Callable[[State, Any], None]] = one_for_each(
    EVENTS,
    {
        **turns.CHANGES,
        **row.CHANGES,
        **towers.CHANGES,
        **personnel.CHANGES,
        **event_cards.CHANGES,
    },
)


def evolve(state: State, event: Any) -> None:
    """Apply an event to the state in place."""
    _CHANGES[type(event)](state, event)
