"""What every journal promises about matches that may be idle."""

from service.journal.port import Journal
from tests.service.journal.entries import LATE, commit


def test_a_match_is_due_for_a_look_from_its_first_commit_on(journal: Journal) -> None:
    """It is told from the very millisecond on."""
    commit(journal, updated=3_000)

    assert journal.index.idle(2_999, 9) == []
    assert journal.index.idle(3_000, 9) == ["m"]


def test_the_longest_idle_come_first(journal: Journal) -> None:
    """As many as are asked for."""
    commit(journal, "a", updated=3_000)
    commit(journal, "b", updated=2_000, status="open")

    assert journal.index.idle(LATE, 9) == ["b", "a"]
    assert journal.index.idle(LATE, 1) == ["b"]


def test_a_later_commit_does_not_put_the_look_off(journal: Journal) -> None:
    """Only the first commit touches the idle index."""
    commit(journal, updated=3_000)
    commit(journal, version=2, updated=9_000)

    assert journal.index.idle(2_999, 9) == []
    assert journal.index.idle(3_000, 9) == ["m"]


def test_an_ended_match_is_never_looked_at(journal: Journal) -> None:
    """One that was imported whole has ended at its first commit."""
    commit(journal, status="finished")

    assert journal.index.idle(LATE, 9) == []


def test_a_look_is_put_off_or_made_the_last(journal: Journal) -> None:
    """`look_again` moves a match to another time, or out of the index."""
    for match in "abc":
        commit(journal, match, updated=1_000)

    journal.index.look_again({"a": 5_000, "b": None})
    journal.index.look_again({})

    assert journal.index.idle(4_999, 9) == ["c"]
    assert journal.index.idle(5_000, 9) == ["c", "a"]
