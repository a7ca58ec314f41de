"""What every journal promises about what bots have thought: it lies beside the commits."""

import pytest

from service.journal.errors import Conflict
from service.journal.port import Journal
from service.journal.values import MOST_THOUGHTS, Tombstone
from tests.service.journal.entries import commit, entry

FIRST = b'{"version":1,"best":[{"win_chance":0.417}]}'
THIRD = b'{"version":3}'


def test_a_thought_is_kept_with_its_commit(journal: Journal) -> None:
    """Commits without one leave none; of an unknown match there is none."""
    commit(journal, thought=FIRST)
    commit(journal, version=2)
    commit(journal, version=3, thought=THIRD)

    assert journal.metadata.thoughts("m") == [FIRST, THIRD]
    assert journal.metadata.dump("m").thoughts == [FIRST, THIRD]
    assert journal.metadata.thoughts("n") == []
    assert journal.metadata.dump("n").thoughts == []


def test_a_line_ends_at_its_line_feed_alone(journal: Journal) -> None:
    """JSON may have any other white space between its values, as one from a backup might."""
    thought = b'{"version":1,\r"best":\t[]}'
    commit(journal, thought=thought)

    assert journal.metadata.thoughts("m") == [thought]


def test_a_thought_changes_nothing_else(journal: Journal) -> None:
    """The commit, the head and the metadata are those of a match in which nobody has thought."""
    thought_of = commit(journal, thought=FIRST)

    assert journal.events.read("m") == [entry().commit_bytes]
    assert journal.events.head("m") == thought_of.head
    assert journal.metadata.fields("m") == {}


def test_a_commit_that_is_refused_leaves_no_thought(journal: Journal) -> None:
    """There is a thought only where there is its move: both are written at once, or neither."""
    commit(journal, thought=FIRST)

    with pytest.raises(Conflict):
        commit(journal, version=3, thought=THIRD)
    assert journal.metadata.thoughts("m") == [FIRST]


def test_a_commit_that_is_repeated_leaves_one_thought(journal: Journal) -> None:
    """The first of two appends of a command has kept it."""
    commit(journal, thought=FIRST, command_id="c", fingerprint="f")
    commit(journal, version=2, thought=THIRD, command_id="c", fingerprint="f")

    assert journal.metadata.thoughts("m") == [FIRST]


def test_thoughts_take_bounded_room(journal: Journal) -> None:
    """What would be too much is not kept, and its move is made all the same."""
    half = b"a" * (MOST_THOUGHTS // 2 - 1)
    commit(journal, thought=half)
    commit(journal, version=2, thought=half)
    commit(journal, version=3, thought=b"b")

    assert journal.metadata.thoughts("m") == [half, half]
    assert len(journal.events.read("m")) == 3


def test_thoughts_are_restored_with_their_commits(journal: Journal) -> None:
    """As a backup puts them back."""
    journal.events.restore(
        [entry(thought=FIRST), entry(version=2), entry(version=3, thought=THIRD)]
    )

    assert journal.metadata.thoughts("m") == [FIRST, THIRD]


def test_thoughts_are_deleted_with_their_match(journal: Journal) -> None:
    """Nothing is left of them."""
    commit(journal, thought=FIRST)
    journal.lifecycle.delete("m", Tombstone(1, "eve"))

    assert journal.metadata.thoughts("m") == []
    assert journal.metadata.dump("m").thoughts == []
