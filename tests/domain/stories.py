"""Helpers of the laws of stories: names, and parts of a sentence."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from domain.game import Game, Message, Setup
from domain.story import Part, Sentence
from tests.domain import refusals
from tests.domain.laws import hooks, walk

NAMES = ("Ada", "Bot 1", "Seat 2", "Dan", "Bot 4")
PEOPLE = ("Ada", "Bob", "Cleo", "Dan", "Eve")

# A number right after a name would seem to be a part of the name.
NUMBER_BEHIND_NAME = re.compile(r"(?:Bot|Seat) \d -?\d")

# No name on the wire, no value of Python's, no space too many, and a full stop at each end.
ONE_SENTENCE = r"[A-Z](?: ?[^\s.]+)*\."
SENTENCES = re.compile(rf"{ONE_SENTENCE}(?: {ONE_SENTENCE})*")
NOT_ENGLISH = re.compile(r"_|\bNone\b|\bTrue\b|\bFalse\b|[\[\]{}<>]| ,| ;| :")
TITLE = re.compile(r"[A-Z](?: ?[^\s.]+)*")


def check(sentence: Sentence, page: str) -> None:
    """Fail unless a sentence is plain English. page: the rulebook of its rules."""
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
    own_moments: list[tuple[Any, Message]] = (
        own.rare_moments() if hasattr(own, "rare_moments") else []
    )
    return own_moments


# ---- scenes: a few sentences, held against what somebody has read and approved -------------------


def sentence_of(game: Game[Any], state: Any, event: Any) -> Sentence:
    """Return the sentence of an event. The state stays as it is."""
    before = state.copy()
    sentence = game.story(state, event, PEOPLE[: len(state.players)])
    assert state == before
    return sentence


def in_lines(sentences: Sequence[Sentence]) -> str:
    """Return a line for each sentence, with the rules that it names, below its heading if any."""
    lines = []
    for sentence in sentences:
        if sentence.heading is not None:
            lines.append(f"-- {sentence.heading.part.value}: {sentence.heading.title}")
        lines.append(f"{sentence.text} [{', '.join(sentence.rules)}]")
    return "".join(f"{line}\n" for line in lines)


def approved(path: Path) -> dict[str, str]:
    """Return the approved scenes of a file by name."""
    text = path.read_text(encoding="utf-8")
    _, *parts = re.split(r"^== (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def approve(path: Path, scenes: Mapping[str, str]) -> None:
    """Write the scenes, so that somebody can read the changes."""
    parts = [f"== {name}\n{lines}" for name, lines in scenes.items()]
    path.write_text("".join(parts), encoding="utf-8")
