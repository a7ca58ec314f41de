"""What every journal promises about deleted matches and their tombstones."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from service.journal.errors import Conflict, Deleted
from service.journal.port import Journal
from service.journal.values import VISIBILITIES, Tombstone
from tests.service.journal.entries import LATE, commit, entry, everything, grow, listed

STONE = Tombstone(7_000, "the command line | 1")


@pytest.fixture
def deleted(journal: Journal) -> Journal:
    """A journal from which the match "m" was deleted."""
    grow(journal, "m", 2)
    journal.lifecycle.delete("m", STONE)
    return journal


def test_a_deleted_match_is_gone_from_everywhere(journal: Journal) -> None:
    """Nothing tells of it but the tombstone and its lines in the feed; others are left alone."""
    commit(journal, "n", work="bots")
    before = everything(journal, "m", feed=0)

    grow(journal, "m", 3, work="house", status="open")
    journal.metadata.put("m", {"a": "1"})
    journal.metadata.put_snapshot("m", b"state")
    journal.lifecycle.delete("m", STONE)

    assert everything(journal, "m", feed=0) == before
    assert journal.index.idle(LATE, 9) == ["n"]
    assert journal.metadata.snapshot("m") is None
    assert journal.events.version_made("m", "", "") is None
    assert listed(journal, "open", "calimala") == []
    assert listed(journal, "", "calimala") == ["n"]


@pytest.mark.parametrize("visibility", ["", *VISIBILITIES])
def test_a_tombstone_tells_all_that_was_noted(journal: Journal, visibility: str) -> None:
    """When and by whom, and whether the match was public; it stays of no other match."""
    stone = replace(STONE, visibility=visibility)
    grow(journal, "m", 2)
    journal.lifecycle.delete("m", stone)

    assert journal.lifecycle.deleted("m") == stone
    assert journal.lifecycle.deleted("n") is None


@pytest.mark.parametrize("game", ["", "calimala"])
@pytest.mark.parametrize("status", ["", "running"])
def test_an_imported_match_is_deleted_from_the_listings(
    journal: Journal, status: str, game: str
) -> None:
    """There it stands with the time of its import."""
    commit(journal, created=9_000, imported=4_000)
    assert listed(journal, status, game) == ["m"]

    journal.lifecycle.delete("m", STONE)
    assert listed(journal, status, game) == []


def test_a_deleted_match_is_not_begun_anew(deleted: Journal) -> None:
    """Its id is never used again."""
    with pytest.raises(Deleted):
        deleted.events.append(entry(command_id="c"))


def test_a_deleted_match_is_not_restored(deleted: Journal) -> None:
    """A whole record is refused like a first commit."""
    record = [entry(), entry(version=2)]

    with pytest.raises(Deleted):
        deleted.events.restore(record)


LATE_CHANGES: dict[str, Callable[[Journal], object]] = {
    "commit": lambda journal: journal.events.append(entry(version=3)),
    "metadata": lambda journal: journal.metadata.put("m", {"a": "1"}),
}


@pytest.mark.parametrize("change", LATE_CHANGES.values(), ids=LATE_CHANGES)
def test_a_deleted_match_does_not_change(
    deleted: Journal, change: Callable[[Journal], object]
) -> None:
    """A late change is refused as one of an unknown match, and leaves nothing behind."""
    with pytest.raises(Conflict) as refused:
        change(deleted)
    assert refused.value.version == 0
    assert deleted.events.head("m") is None
    assert deleted.metadata.fields("m") == {}


def test_a_late_snapshot_of_a_deleted_match_is_not_kept(deleted: Journal) -> None:
    """It would keep what was to be forgotten."""
    deleted.metadata.put_snapshot("m", b"late")
    assert deleted.metadata.snapshot("m") is None


def test_what_is_not_there_is_not_deleted(journal: Journal) -> None:
    """An unknown match leaves no tombstone."""
    with pytest.raises(Conflict):
        journal.lifecycle.delete("m", STONE)
    assert journal.lifecycle.deleted("m") is None


def test_a_deleted_match_keeps_its_first_tombstone(deleted: Journal) -> None:
    """It is not deleted again."""
    with pytest.raises(Deleted):
        deleted.lifecycle.delete("m", Tombstone(8_000, "eve"))
    assert deleted.lifecycle.deleted("m") == STONE


def test_a_tombstone_keeps_an_id_from_being_used(journal: Journal) -> None:
    """A match that was deleted elsewhere is deleted here."""
    assert journal.lifecycle.put_tombstone("m", STONE)
    assert journal.lifecycle.deleted("m") == STONE

    with pytest.raises(Deleted):
        journal.events.append(entry())


def test_a_match_with_nothing_but_a_tombstone_is_told_among_all(journal: Journal) -> None:
    """Whoever copies the journal copies the tombstone."""
    journal.lifecycle.put_tombstone("m", STONE)

    assert list(journal.events.matches()) == ["m"]
    assert journal.events.commit_count() == 1


def test_a_tombstone_is_put_once(journal: Journal) -> None:
    """The first one stays."""
    journal.lifecycle.put_tombstone("m", STONE)

    put_again = journal.lifecycle.put_tombstone("m", Tombstone(1, "another"))

    assert not put_again
    assert journal.lifecycle.deleted("m") == STONE
    assert journal.events.commit_count() == 1


def test_a_match_that_is_there_gets_no_tombstone(journal: Journal) -> None:
    """It stays as it is."""
    grow(journal, "m", 2)
    before = everything(journal, "m")

    put = journal.lifecycle.put_tombstone("m", STONE)

    assert not put
    assert everything(journal, "m") == before
    assert journal.lifecycle.deleted("m") is None
