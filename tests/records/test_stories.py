"""The stories of golden records: whatever a match was told as, it is told as for ever."""

import pytest

from domain.games import GAMES
from tests.records import tell


@pytest.mark.parametrize("name", tell.STORIES)
def test_a_golden_record_is_told_in_the_same_words(name: str) -> None:
    """A sentence that changes on purpose is written with `python -m tests.records.tell`."""
    assert tell.story(name) == tell.path_of(name).read_text(encoding="utf-8")


def test_there_are_stories_of_every_game_and_no_others() -> None:
    """Each file is the story of a record that is named."""
    told = {name.partition("/")[0] for name in tell.STORIES}
    files = set(tell.HOME.iterdir())

    assert told == GAMES.keys()
    assert files == {tell.path_of(name) for name in tell.STORIES}
