"""What the laws of stories are tested with: names, and what a sentence is made of."""

import re
from collections.abc import Iterator
from typing import Any

from domain.game import Game, Message, Setup
from domain.story import Part, Sentence
from tests.domain import refusals
from tests.domain.laws import hooks, walk

NAMES = ("Ada", "Bot 1", "Seat 2", "Dan", "Bot 4")

# A number behind a name would be read into it.
NUMBER_BEHIND_NAME = re.compile(r"(?:Bot|Seat) \d -?\d")

# No name on the wire, no value of Python's, no space too many, and a full stop at each end.
ONE_SENTENCE = r"[A-Z](?: ?[^\s.]+)*\."
SENTENCES = re.compile(rf"{ONE_SENTENCE}(?: {ONE_SENTENCE})*")
NOT_ENGLISH = re.compile(r"_|\bNone\b|\bTrue\b|\bFalse\b|[\[\]{}<>]| ,| ;| :")
TITLE = re.compile(r"[A-Z](?: ?[^\s.]+)*")


def check(sentence: Sentence, page: str) -> None:
    """Fail unless a sentence is plain English; page: the rulebook whose rules it names."""
    text = sentence.text
    assert SENTENCES.fullmatch(text), text
    assert not NOT_ENGLISH.search(text), text
    assert not NUMBER_BEHIND_NAME.search(text), text
    assert set(sentence.rules) <= refusals.rules(page), sentence

    heading = sentence.heading
    if heading is not None:
        assert heading.part in Part
        assert TITLE.fullmatch(heading.title), heading
        assert not NOT_ENGLISH.search(heading.title), heading


def moments(game: Game[Any], setup: Setup, seed: int) -> Iterator[tuple[Any, Message]]:
    """Yield each event of a random match, and the state before it, to be read at once."""
    for step in walk(game, setup, seed):
        for event in step.events:
            yield step.before, event
            game.evolve(step.before, event)


def rare_moments(game: Game[Any]) -> list[tuple[Any, Message]]:
    """Return the events that random matches hardly ever show, as the game's own part says."""
    own = hooks(game)
    found: list[tuple[Any, Message]] = own.rare_moments() if hasattr(own, "rare_moments") else []
    return found
