"""What every journal promises about matches that wait, and about those that may be idle."""

import pytest

from service.journal.port import Journal
from service.journal.values import Pending
from tests.service.journal.entries import LATE, commit


def test_a_match_is_pending_while_somebody_of_the_service_must_act(journal: Journal) -> None:
    """A commit puts its match in the pending index since its own time, or takes it out."""
    steps = [
        ("house", [Pending("m", 1_001)]),
        ("bots", [Pending("m", 1_002)]),
        ("", []),
        ("bots", [Pending("m", 1_004)]),
    ]

    for version, (work, pending) in enumerate(steps, 1):
        commit(journal, version=version, work=work)
        assert journal.pending(LATE, 10) == pending
        assert journal.pending_count() == len(pending)


@pytest.mark.parametrize(
    ("before", "limit", "matches"),
    [
        pytest.param(LATE, 99, "dacbe", id="oldest-first"),
        pytest.param(LATE, 2, "da", id="limit"),
        pytest.param(4_000, 99, "dac", id="before-leaves-out-its-own-time"),
        pytest.param(4_001, 99, "dacb", id="just-before"),
        pytest.param(1_000, 99, "", id="none-yet"),
    ],
)
def test_pending_gives_the_oldest(journal: Journal, before: int, limit: int, matches: str) -> None:
    """Matches come by the time they have waited since, whatever partition they lie in."""
    waiting_since = {"a": 2_000, "b": 4_000, "c": 3_000, "d": 1_000, "e": 5_000}
    for match, time in waiting_since.items():
        commit(journal, match, work="bots", updated=time)

    pending = journal.pending(before, limit)
    oldest_first = [waiting.match for waiting in pending]
    assert oldest_first == list(matches)


def test_all_that_waits_is_counted(journal: Journal) -> None:
    """However many a question is answered with."""
    for match in "abcde":
        commit(journal, match, work="bots")

    assert len(journal.pending(LATE, 2)) == 2
    assert journal.pending_count() == 5


def test_a_match_is_due_for_a_look_from_its_first_commit_on(journal: Journal) -> None:
    """It is told from the very millisecond on."""
    commit(journal, updated=3_000)

    assert journal.idle(2_999, 9) == []
    assert journal.idle(3_000, 9) == ["m"]


def test_the_longest_idle_come_first(journal: Journal) -> None:
    """As many as are asked for."""
    commit(journal, "a", updated=3_000)
    commit(journal, "b", updated=2_000, status="open")

    assert journal.idle(LATE, 9) == ["b", "a"]
    assert journal.idle(LATE, 1) == ["b"]


def test_a_later_commit_does_not_put_the_look_off(journal: Journal) -> None:
    """Only the first commit touches the idle index."""
    commit(journal, updated=3_000)
    commit(journal, version=2, updated=9_000)

    assert journal.idle(2_999, 9) == []
    assert journal.idle(3_000, 9) == ["m"]


def test_an_ended_match_is_never_looked_at(journal: Journal) -> None:
    """One that was imported whole has ended at its first commit."""
    commit(journal, status="finished")

    assert journal.idle(LATE, 9) == []


def test_a_look_is_put_off_or_made_the_last(journal: Journal) -> None:
    """`look_again` moves a match to another time, or out of the index."""
    for match in "abc":
        commit(journal, match, updated=1_000)

    journal.look_again({"a": 5_000, "b": None})
    journal.look_again({})

    assert journal.idle(4_999, 9) == ["c"]
    assert journal.idle(5_000, 9) == ["c", "a"]
