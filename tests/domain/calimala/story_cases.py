"""What the tests of Calimala's story begin with."""

from typing import Any

import pytest

from domain.calimala import GAME
from domain.calimala.state import State
from domain.story import Sentence

NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve")


def told(state: State, event: Any) -> Sentence:
    """Return the sentence of an event; the state is the one before it."""
    return GAME.story(state, event, NAMES[: len(state.players)])


def heading(sentence: Sentence) -> str:
    """Return the title of what an event begins, which must be there, and its part."""
    assert sentence.heading is not None
    return f"{sentence.heading.part.value}: {sentence.heading.title}"


def case(name: str, event: Any, text: str, *rules: str) -> Any:
    """Return a parameter: an event, its sentence, and the rules that decided."""
    return pytest.param(event, text, rules, id=name)
