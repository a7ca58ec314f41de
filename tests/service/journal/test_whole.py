"""What every journal promises to whoever copies, counts or rebuilds all of it."""

import pytest

from service.journal.errors import Deleted
from service.journal.port import Journal
from service.journal.values import STATUSES, Metadata, Tombstone
from tests.service.journal.entries import entry, everything, grow

STONE = Tombstone(7_000, "the command line | 1")


def test_all_matches_are_told_once(journal: Journal) -> None:
    """Public, private and deleted matches are told, each once, however many commits they have."""
    names = [f"m{number}" for number in range(30)]
    for number, name in enumerate(names):
        grow(journal, name, 1 + number % 3, visibility="public" if number % 2 else "private")
    journal.delete("m7", STONE)

    assert sorted(journal.matches()) == sorted(names)
    assert journal.commit_count() == sum(1 + number % 3 for number in range(30))


def test_a_feed_of_many_lines_is_read_to_its_end(journal: Journal) -> None:
    """A match that begins after the thousandth line of its partition's feed is told, too."""
    grow(journal, "a:1", 1_001)
    grow(journal, "a:1:b", 1)
    assert sorted(journal.matches()) == ["a:1", "a:1:b"]


def test_an_empty_journal_has_no_matches(journal: Journal) -> None:
    """Nothing is told of what was never begun."""
    assert list(journal.matches()) == []
    assert journal.commit_count() == 0
    assert journal.metadata("m") == Metadata(None, {}, {}, None)


def test_all_that_lies_beside_the_commits_is_told(journal: Journal) -> None:
    """Head, command ids with version and fingerprint, and sidecar come back; of a deleted match its tombstone."""
    journal.append(
        entry(command_id="seat:0:key", fingerprint="f:1", sidecar={"token": "hash", "é": "ü"})
    )
    journal.append(entry(version=2))
    journal.append(entry(version=3, command_id="house", fingerprint="f3"))
    found = journal.metadata("m")
    assert found == Metadata(
        journal.head("m"),
        {"seat:0:key": (1, "f:1"), "house": (3, "f3")},
        {"token": "hash", "é": "ü"},
        None,
    )

    journal.delete("m", STONE)
    assert journal.metadata("m") == Metadata(None, {}, {}, STONE)


def test_a_burial_keeps_an_id_from_being_used(journal: Journal) -> None:
    """A match that was deleted elsewhere is deleted here: its id is refused, and it is told among all."""
    assert journal.put_tombstone("m", STONE)
    assert journal.deleted("m") == STONE
    assert list(journal.matches()) == ["m"]
    with pytest.raises(Deleted):
        journal.append(entry())
    assert not journal.put_tombstone("m", Tombstone(1, "another"))
    assert journal.deleted("m") == STONE
    assert journal.commit_count() == 1


def test_no_living_match_is_buried(journal: Journal) -> None:
    """A match that is there stays as it is."""
    grow(journal, "m", 2)
    before = everything(journal, "m", 0)
    assert not journal.put_tombstone("m", STONE)
    assert everything(journal, "m", 0) == before
    assert journal.deleted("m") is None


def test_public_matches_are_counted_by_status(journal: Journal) -> None:
    """Each public match counts under its present status; private ones do not count."""
    assert journal.listed_counts() == dict.fromkeys(STATUSES, 0)
    for number, status in enumerate(
        ["open", "open", "running", "finished", "aborted", "finished", "finished"]
    ):
        journal.append(entry(f"m{number}", status=status))
    journal.append(entry("private", status="open", visibility="private"))
    journal.append(entry("m0", version=2, status="running"))
    assert journal.listed_counts() == {"open": 1, "running": 2, "finished": 3, "aborted": 1}


def test_memory_is_told_in_bytes(journal: Journal) -> None:
    """What is in use and its bound are numbers of bytes, none below zero."""
    used, bound = journal.memory()
    assert used >= 0
    assert bound >= 0
