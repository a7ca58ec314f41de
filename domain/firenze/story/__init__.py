"""What happened in Firenze, told in English, event by event."""

from collections.abc import Sequence
from typing import Any

from domain.firenze.events import EVENTS
from domain.firenze.state import State
from domain.firenze.story import event_cards, personnel, row, scoring, towers, turns
from domain.firenze.story.words import Teller
from domain.kit.dispatch import one_for_each
from domain.story import Sentence

_TELLERS: dict[type, Teller] = one_for_each(
    EVENTS,
    {
        **turns.TELLERS,
        **row.TELLERS,
        **towers.TELLERS,
        **personnel.TELLERS,
        **event_cards.TELLERS,
        **scoring.TELLERS,
    },
)


def tell(state: State, event: Any, names: Sequence[str]) -> Sentence:
    """Return an event in English.

    state: the match before the event. names: of the seats, by their numbers. Where a preview leaves
    out what chance decides, the sentence does not say it either.
    """
    return _TELLERS[type(event)](state, event, names)
