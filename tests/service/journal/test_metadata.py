"""The port `metadata`: what is kept of a match beside its commits."""

import pytest

from service.journal.errors import Conflict
from service.journal.port import Journal
from service.journal.values import MOST_THOUGHTS, Metadata, Tombstone
from tests.service.journal.entries import commit, entry, everything, grow

# ---- fields --------------------------------------------------------------------------------------


def test_a_commit_changes_the_metadata(journal: Journal) -> None:
    """Fields are set and deleted with the commit; others stay."""
    commit(journal, metadata={"changed": "1", "deleted": "2", "kept": "3"})
    commit(journal, version=2, metadata={"changed": "4", "deleted": None})

    assert journal.metadata.fields("m") == {"changed": "4", "kept": "3"}
    assert journal.metadata.field("m", "changed") == "4"


def test_a_commit_may_delete_a_field_that_is_not_there(journal: Journal) -> None:
    """It is no error, and leaves nothing behind."""
    commit(journal, metadata={"a": "1"})
    commit(journal, version=2, metadata={"x": None})

    assert journal.metadata.fields("m") == {"a": "1"}


def test_a_field_may_hold_nothing(journal: Journal) -> None:
    """A field with an empty text is there until it is deleted."""
    commit(journal, metadata={"a": "1", "empty": ""})
    assert journal.metadata.field("m", "empty") == ""

    commit(journal, version=2, metadata={"empty": None})
    assert journal.metadata.fields("m") == {"a": "1"}


def test_metadata_changes_outside_a_commit(journal: Journal) -> None:
    """`put` sets and deletes fields and makes no commit."""
    commit(journal, metadata={"a": "1", "b": "2"})

    journal.metadata.put("m", {"a": None, "c": "à"})

    assert journal.metadata.fields("m") == {"b": "2", "c": "à"}
    assert len(journal.events.read("m")) == 1


def test_metadata_stays_when_nothing_is_put(journal: Journal) -> None:
    """To set no field is no error."""
    commit(journal, metadata={"a": "1"})

    journal.metadata.put("m", {})

    assert journal.metadata.fields("m") == {"a": "1"}


@pytest.mark.parametrize(
    "precondition", [("a", "0"), ("x", "")], ids=["another-value", "no-such-field"]
)
def test_metadata_is_not_changed_when_a_field_holds_something_else(
    journal: Journal, precondition: tuple[str, str]
) -> None:
    """Whoever has read a field and builds on it learns that another was faster."""
    commit(journal, metadata={"a": "1"})

    assert not journal.metadata.put("m", {"b": "2"}, precondition)
    assert journal.metadata.fields("m") == {"a": "1"}


def test_metadata_is_changed_when_a_field_still_holds_its_value(journal: Journal) -> None:
    """The condition holds until the change, which may be of the same field."""
    commit(journal, metadata={"a": "1"})

    assert journal.metadata.put("m", {"a": "2"}, ("a", "1"))
    assert journal.metadata.fields("m") == {"a": "2"}


def test_a_field_is_set_unless_it_is_there(journal: Journal) -> None:
    """`put_if_missing` never overwrites."""
    commit(journal, metadata={"a": "1"})

    journal.metadata.put_if_missing("m", "a", "2")
    journal.metadata.put_if_missing("m", "b", "3")

    assert journal.metadata.fields("m") == {"a": "1", "b": "3"}


def test_no_field_is_set_of_an_unknown_match(journal: Journal) -> None:
    """`put_if_missing` leaves nothing behind for no match."""
    journal.metadata.put_if_missing("x", "b", "3")

    assert journal.metadata.fields("x") == {}


def test_an_overview_is_the_head_and_some_fields(journal: Journal) -> None:
    """Each match is asked for its own fields; what is not there is left out."""
    first = commit(journal, "m", metadata={"a": "1", "b": "à"})
    second = commit(journal, "n", metadata={"a": "2"})

    overviews = journal.events.overviews(
        [
            ("n", ("a", "b")),
            ("x", ("a",)),
            ("m", ("b",)),
        ]
    )

    assert overviews == [
        (second.head, {"a": "2"}),
        (None, {}),
        (first.head, {"b": "à"}),
    ]


def test_an_overview_of_no_match_is_empty(journal: Journal) -> None:
    """Whoever has an empty page need not take care."""
    assert journal.events.overviews([]) == []


def test_nothing_is_put_beside_an_unknown_match(journal: Journal) -> None:
    """`put` leaves nothing behind for a match that does not exist."""
    with pytest.raises(Conflict) as refused:
        journal.metadata.put("m", {"a": "1"})
    assert refused.value.version == 0
    assert journal.metadata.fields("m") == {}


# ---- thoughts ------------------------------------------------------------------------------------


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


# ---- all at once ---------------------------------------------------------------------------------


STONE = Tombstone(7_000, "the command line | 1")


def test_the_metadata_of_a_match_are_told(journal: Journal) -> None:
    """Head, command ids with version and fingerprint, and metadata come back."""
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


def test_the_metadata_of_a_deleted_match_are_its_tombstone(journal: Journal) -> None:
    """Nothing else is there."""
    grow(journal, "m", 3)
    journal.lifecycle.delete("m", STONE)

    assert journal.metadata.dump("m") == Metadata(head=None, ids={}, fields={}, tombstone=STONE)


def test_a_dump_of_an_unknown_match_is_empty(journal: Journal) -> None:
    """There is no head and no tombstone."""
    assert journal.metadata.dump("m") == Metadata(head=None, ids={}, fields={}, tombstone=None)


def test_memory_is_told_in_bytes(journal: Journal) -> None:
    """What is in use and its bound are numbers of bytes, none below zero."""
    used, bound = journal.server.memory()

    assert used >= 0
    assert bound >= 0


def test_a_journal_of_this_release_lacks_nothing(journal: Journal) -> None:
    """An upgrade, twice, changes nothing that is told."""
    grow(journal, "m", 2)
    before = everything(journal, "m")
    journal.server.upgrade()

    assert journal.server.upgrade() == 0
    assert everything(journal, "m") == before


def test_a_healthy_journal_has_no_complaint(journal: Journal) -> None:
    """A store set up as it should be passes its own check and can be written."""
    journal.server.ping()
    assert journal.server.check() == []
