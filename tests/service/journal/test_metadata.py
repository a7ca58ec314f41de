"""What every journal promises about the metadata of a match."""

import pytest

from service.journal.errors import Conflict
from service.journal.port import Journal
from tests.service.journal.entries import commit


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


def test_an_unknown_match_has_no_metadata(journal: Journal) -> None:
    """`put` leaves nothing behind for a match that does not exist."""
    with pytest.raises(Conflict) as refused:
        journal.metadata.put("m", {"a": "1"})
    assert refused.value.version == 0
    assert journal.metadata.fields("m") == {}
