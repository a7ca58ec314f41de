"""What every journal promises about reading commits, heads and snapshots."""

from typing import Any

import pytest

from service.journal.port import Journal
from service.journal.values import Head, Tail
from tests.service.journal.entries import commit, entry, grow


@pytest.mark.parametrize(
    ("after", "limit", "versions"),
    [
        pytest.param(0, None, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], id="all"),
        pytest.param(3, 2, [4, 5], id="page"),
        pytest.param(9, 5, [10, 11, 12], id="last-page"),
        pytest.param(12, None, [], id="at-the-end"),
        pytest.param(99, 1, [], id="beyond-the-end"),
    ],
)
def test_read_pages(journal: Journal, after: int, limit: int | None, versions: list[int]) -> None:
    """`read` gives the commits after a version, no more than the limit."""
    commits = grow(journal, "m", 12)
    assert journal.events.read("m", after, limit) == [commits[version - 1] for version in versions]


def test_a_tail_is_read_with_one_field_of_the_metadata(journal: Journal) -> None:
    """`tail` gives the commits after a version, one field and the head."""
    commit(journal, metadata={"seat": "ada"})
    last = commit(journal, version=2)

    tail = journal.events.tail("m", 1, "seat")

    assert tail == Tail(commits=[last.commit_bytes], value="ada", head=last.head)


def test_a_tail_may_be_empty(journal: Journal) -> None:
    """At the head there are no commits, and None stands for a field that is not there."""
    grow(journal, "m", 2)

    tail = journal.events.tail("m", 2, "other")

    assert tail.commits == []
    assert tail.value is None
    assert tail.head == entry(version=2).head


def test_a_tail_is_no_longer_than_its_limit(journal: Journal) -> None:
    """A long match is read in pieces; the head tells that there is more."""
    _first, second, third, _fourth, _fifth = grow(journal, "m", 5)

    tail = journal.events.tail("m", 1, "seat", 2)

    assert tail.commits == [second, third]
    assert tail.value is None
    assert tail.head == entry(version=5).head


UNKNOWN: dict[str, tuple[Any, Any]] = {
    "read": (lambda journal: journal.events.read("m"), []),
    "tail": (lambda journal: journal.events.tail("m", 0, "seat"), Tail([], None, None)),
    "head": (lambda journal: journal.events.head("m"), None),
    "field": (lambda journal: journal.metadata.field("m", "seat"), None),
    "fields": (lambda journal: journal.metadata.fields("m"), {}),
    "version_made": (lambda journal: journal.events.version_made("m", "c", "f"), None),
    "snapshot": (lambda journal: journal.metadata.snapshot("m"), None),
}


@pytest.mark.parametrize(("ask", "answer"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_unknown_match_is_empty(journal: Journal, ask: Any, answer: Any) -> None:
    """Nothing is known of a match before its first commit."""
    assert ask(journal) == answer


def test_the_head_is_that_of_the_last_commit(journal: Journal) -> None:
    """Every field of a head comes back as it was given."""
    grow(journal, "m", 1)
    last = Head(
        version=2,
        hash="h2",
        status="finished",
        work="bots",
        waiting=(1, 3),
        game="firenze",
        visibility="private",
        created=1_000,
        updated=9_007_199_254_740_991,
    )
    commit(journal, version=2, head=last)

    assert journal.events.head("m") == last


def test_a_head_may_wait_for_nobody(journal: Journal) -> None:
    """A head without waiting seats comes back without any."""
    new = commit(journal, waiting=())
    assert journal.events.heads(["m"]) == [new.head]


def test_heads_answers_in_the_order_asked(journal: Journal) -> None:
    """Heads of many matches come in the order of the question, None for an unknown match."""
    first = commit(journal, "a")
    commit(journal, "b")
    third = commit(journal, "c", game="firenze")

    heads = journal.events.heads(["c", "x", "a"])

    assert heads == [third.head, None, first.head]


def test_heads_of_no_match_are_none(journal: Journal) -> None:
    """Whoever has an empty page need not take care."""
    assert journal.events.heads([]) == []


def test_an_unknown_status_is_refused() -> None:
    """A head cannot have a status that no listing knows."""
    with pytest.raises(ValueError, match="must be one of open, running, finished, aborted"):
        entry(status="paused")


def test_a_snapshot_is_the_last_one_stored(journal: Journal) -> None:
    """A snapshot replaces the one before; it belongs to its match."""
    grow(journal, "m", 1)
    journal.metadata.put_snapshot("m", b"first")
    journal.metadata.put_snapshot("m", b"\x00\xff")

    assert journal.metadata.snapshot("m") == b"\x00\xff"
    assert journal.metadata.snapshot("n") is None


def test_a_snapshot_of_no_match_is_not_kept(journal: Journal) -> None:
    """A process that stores one late leaves nothing behind of a match that is gone."""
    journal.metadata.put_snapshot("m", b"late")
    grow(journal, "m", 1)

    assert journal.metadata.snapshot("m") is None
