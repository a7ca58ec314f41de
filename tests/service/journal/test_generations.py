"""What every journal promises about its generation and the ends of its feeds."""

from dataclasses import replace
from typing import Any

import pytest

from service.journal.port import Journal
from service.journal.values import Generation, GoneBack
from tests.service.journal.entries import FEED, commit, grow

LOST = GoneBack(had=9, noted=1_000, has=4, noticed=2_000)
FIRST = Generation(id="one", since=1_000)
SECOND = Generation(id="two", since=2_000, superseded=("one", "other"), gone_back=LOST)


def test_a_journal_has_no_generation_at_first(journal: Journal) -> None:
    """Neither an empty one nor one of an earlier release."""
    commit(journal)
    assert journal.lifecycle.generation() is None


def test_a_generation_takes_the_place_of_the_one_before(journal: Journal) -> None:
    """With all that it says."""
    assert journal.lifecycle.replace_generation(None, FIRST)
    assert journal.lifecycle.generation() == FIRST

    assert journal.lifecycle.replace_generation(FIRST, SECOND)
    assert journal.lifecycle.generation() == SECOND


@pytest.mark.parametrize("old", [None, SECOND, replace(FIRST, gone_back=LOST)])
def test_a_generation_is_written_once(journal: Journal, old: Generation | None) -> None:
    """Whoever knows another one than there is changes nothing."""
    journal.lifecycle.replace_generation(None, FIRST)

    assert not journal.lifecycle.replace_generation(old, SECOND)
    assert journal.lifecycle.generation() == FIRST


def test_an_empty_journal_has_no_ends(journal: Journal) -> None:
    """No feed has a line, and a line that was noted is missing."""
    ends = journal.events.feed_ends({FEED: ("1", "m", 1)})
    assert ends.last == {}
    assert ends.missing == {FEED}


def test_the_ends_are_the_last_lines_of_the_feeds(journal: Journal) -> None:
    """Of each partition that has any, as the feed tells them."""
    for number in range(5):
        grow(journal, f"m{number}", 3)
    grow(journal, "m", 2)

    ends = journal.events.feed_ends({})

    assert ends.missing == frozenset()
    for partition in range(16):
        lines = journal.events.feed(partition, "", 100)
        assert ends.last.get(partition) == (lines[-1] if lines else None)


def test_lines_that_were_noted_are_found(journal: Journal) -> None:
    """Whether they are still the last or not."""
    grow(journal, "m", 2)
    commit(journal, "m0")
    noted = journal.events.feed_ends({}).last
    commit(journal, "m", 3)

    assert journal.events.feed_ends(noted).missing == frozenset()


def test_a_noted_line_that_is_another_is_missing(journal: Journal) -> None:
    """By its match or by its version."""
    grow(journal, "m", 2)
    entry_id, _, _ = journal.events.feed_ends({}).last[FEED]

    for line in ((entry_id, "m", 3), (entry_id, "other", 2)):
        assert journal.events.feed_ends({FEED: line}).missing == {FEED}


def test_a_noted_line_beyond_the_end_is_missing(journal: Journal) -> None:
    """The feed does not go so far."""
    grow(journal, "m", 2)
    before = journal.events.feed_ends({}).last
    entry_id, _, _ = before[FEED]
    beyond = (str(int(entry_id.split("-")[0]) + 1), "m", 3)

    assert journal.events.feed_ends({FEED: beyond}).missing == {FEED}


def test_a_full_server_takes_a_generation(own_journal: Journal, spoiler: Any) -> None:
    """That the journal has gone back must be said there as well."""
    commit(own_journal)
    spoiler.config_set("maxmemory", 1)

    assert own_journal.lifecycle.replace_generation(None, FIRST)
    assert own_journal.lifecycle.generation() == FIRST
