"""The port `metadata`: what is kept of a match beside its commits.

That each commit sets and deletes its fields is proven in test_model.py.
"""

import pytest

from service.journal.errors import Conflict
from service.journal.port import Journal
from service.journal.values import MOST_THOUGHTS, Metadata, Tombstone
from tests.service.journal.entries import commit, entry, grow

STONE = Tombstone(7_000, "the command line | 1")

# ---- fields --------------------------------------------------------------------------------------


def test_metadata_changes_outside_a_commit(journal: Journal) -> None:
    """`put` sets and deletes fields and makes no commit. To set none is no error."""
    commit(journal, metadata={"a": "1", "b": "2"})

    changes = {"a": None, "c": "à", "empty": ""}
    journal.metadata.put("m", changes)
    journal.metadata.put("m", {})

    assert journal.metadata.fields("m") == {
        "b": "2",
        "c": "à",
        "empty": "",
    }
    assert journal.metadata.field("m", "empty") == ""
    assert len(journal.events.read("m")) == 1


PRECONDITIONS = {
    "holds": (("a", "1"), True),
    "another-value": (("a", "0"), False),
    "no-such-field": (("x", ""), False),
}


@pytest.mark.parametrize(("precondition", "is_put"), PRECONDITIONS.values(), ids=PRECONDITIONS)
def test_metadata_is_changed_while_a_field_holds_what_was_read(
    journal: Journal, precondition: tuple[str, str], is_put: bool
) -> None:
    """Otherwise another was faster. The change may be of the same field."""
    commit(journal, metadata={"a": "1"})

    assert journal.metadata.put("m", {"a": "2"}, precondition) is is_put
    assert journal.metadata.fields("m") == {"a": "2" if is_put else "1"}


def test_nothing_is_put_beside_an_unknown_match(journal: Journal) -> None:
    with pytest.raises(Conflict) as refused:
        journal.metadata.put("m", {"a": "1"})
    assert refused.value.version == 0
    assert journal.metadata.fields("m") == {}


def test_a_snapshot_is_the_last_one_stored(journal: Journal) -> None:
    """Of its match alone. None is kept of a match that is not there, so none is left behind."""
    journal.metadata.put_snapshot("m", b"early")
    grow(journal, "m", 1)
    assert journal.metadata.snapshot("m") is None

    journal.metadata.put_snapshot("m", b"first")
    journal.metadata.put_snapshot("m", b"\x00\xff")

    assert journal.metadata.snapshot("m") == b"\x00\xff"
    assert journal.metadata.snapshot("n") is None


# ---- thoughts ------------------------------------------------------------------------------------

# A line ends at its line feed alone: JSON may have other white space between its values.
FIRST = b'{"version":1,\r"best":\t[{"win_chance":0.417}]}'
THIRD = b'{"version":3}'


def test_a_thought_is_kept_with_its_commit(journal: Journal) -> None:
    """It changes nothing else of the match, and is deleted with it."""
    first = commit(journal, thought=FIRST)
    second = commit(journal, version=2)
    third = commit(journal, version=3, thought=THIRD)

    assert journal.metadata.thoughts("m") == [FIRST, THIRD]
    assert journal.metadata.thoughts("n") == []
    assert journal.metadata.dump("m") == Metadata(
        head=third.head,
        ids={},
        fields={},
        tombstone=None,
        thoughts=[FIRST, THIRD],
    )
    assert journal.events.read("m") == [
        first.commit_bytes,
        second.commit_bytes,
        third.commit_bytes,
    ]

    journal.lifecycle.delete("m", STONE)
    assert journal.metadata.thoughts("m") == []


def test_a_commit_that_is_not_made_leaves_no_thought(journal: Journal) -> None:
    """There is a thought only where there is its move: both are written at once, or neither."""
    commit(journal, thought=FIRST, command_id="c", fingerprint="f")

    with pytest.raises(Conflict):
        commit(journal, version=3, thought=THIRD)
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
    entries = [entry(thought=FIRST), entry(version=2), entry(version=3, thought=THIRD)]
    journal.events.restore(entries)

    assert journal.metadata.thoughts("m") == [FIRST, THIRD]


# ---- all at once ---------------------------------------------------------------------------------


def test_a_dump_holds_head_command_ids_and_metadata(journal: Journal) -> None:
    """Command ids with the version they made and their fingerprint."""
    commit(
        journal,
        command_id="seat:0:key",
        fingerprint="f:1",
        metadata={"token": "hash", "é": "ü"},
    )
    commit(journal, version=2)
    last = commit(journal, version=3, command_id="house", fingerprint="f3")

    assert journal.metadata.dump("m") == Metadata(
        head=last.head,
        ids={"seat:0:key": (1, "f:1"), "house": (3, "f3")},
        fields={"token": "hash", "é": "ü"},
        tombstone=None,
    )


def test_a_dump_of_a_deleted_match_is_its_tombstone(journal: Journal) -> None:
    grow(journal, "m", 3)
    journal.lifecycle.delete("m", STONE)

    assert journal.metadata.dump("m") == Metadata(head=None, ids={}, fields={}, tombstone=STONE)
    assert journal.metadata.dump("n") == Metadata(head=None, ids={}, fields={}, tombstone=None)
