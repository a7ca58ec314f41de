"""What every journal promises to whoever copies it, and what it tells of itself."""

from service.journal.port import Journal
from service.journal.values import Metadata, Tombstone
from tests.service.journal.entries import commit, everything, grow

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


def test_an_unknown_match_has_no_metadata(journal: Journal) -> None:
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
