"""Sentences: plain English, and one for every kind of event of every game."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from domain.game import Game, Setup
from domain.games import GAMES
from domain.story import counted, spoken, times, worded
from tests.domain.stories import NAMES, moments, rare_moments

# ---- plain English -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "word", "cards", "often"),
    [
        pytest.param(0, "no", "no cards", "not at all", id="none"),
        pytest.param(1, "one", "one card", "once", id="one"),
        pytest.param(2, "two", "two cards", "twice", id="two"),
        pytest.param(3, "three", "three cards", "three times", id="three"),
        pytest.param(12, "twelve", "twelve cards", "twelve times", id="last-word"),
        pytest.param(13, "13", "13 cards", "13 times", id="digits"),
    ],
)
def test_numbers_are_said(number: int, word: str, cards: str, often: str) -> None:
    """Small numbers are words, large ones digits."""
    assert spoken(number) == word
    assert counted(number, "card") == cards
    assert times(number) == often


# ---- every kind of event -------------------------------------------------------------------------


SEEDS = (1, 2)


def _told(game: Game[Any]) -> Iterator[tuple[str, str]]:
    """Yield the tag and the text of events of all kinds."""
    for seats, seed in product(game.seats, SEEDS):
        setup = Setup(seats, game.read_options({}))
        for state, event in moments(game, setup, seed):
            yield event.tag, game.story(state, event, NAMES[:seats]).text

    for state, event in rare_moments(game):
        yield event.tag, game.story(state, event, NAMES[: game.seats[0]]).text


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.key)
def test_every_kind_of_event_has_a_sentence_of_its_own(game: Game[Any]) -> None:
    """No text is told of two kinds, and none is only the kind's name on the wire."""
    texts_of: defaultdict[str, set[str]] = defaultdict(set)
    for tag, text in _told(game):
        texts_of[tag].add(text)

    assert texts_of.keys() == game.events.keys()
    assert sum(map(len, texts_of.values())) == len(set().union(*texts_of.values()))
    for tag, texts in texts_of.items():
        assert f"{worded(tag)}." not in [text.lower() for text in texts]
