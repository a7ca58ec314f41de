"""The port `lifecycle`: matches are deleted and archived, and the journal has generations."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from service.journal.errors import ChainBroken, Conflict, Deleted
from service.journal.memory import memory_journal
from service.journal.port import Journal
from service.journal.values import (
    VISIBILITIES,
    Generation,
    GoneBack,
    Last,
    Marker,
    Metadata,
    Tombstone,
    Whole,
)
from tests.service.journal.entries import (
    LATE,
    PARTITIONS,
    commit,
    entry,
    everything,
    grow,
    listed,
)

# ---- deleted matches -----------------------------------------------------------------------------

STONE = Tombstone(7_000, "the command line | 1")
ANOTHER_STONE = Tombstone(8_000, "eve")


@pytest.mark.parametrize("imported", [0, 4_000], ids=["played", "imported"])
def test_a_deleted_match_is_gone_from_everywhere(journal: Journal, imported: int) -> None:
    """The tombstone and its lines in the feed are all that is left. Others are left alone."""
    commit(journal, "n", work="bots")
    before = everything(journal, "m", feed=0)

    grow(journal, "m", 3, work="house", status="open", imported=imported)
    journal.metadata.put("m", {"a": "1"})
    journal.metadata.put_snapshot("m", b"state")
    assert listed(journal, "open", "calimala") == ["m"]
    journal.lifecycle.delete("m", STONE)

    assert everything(journal, "m", feed=0) == before
    assert journal.metadata.dump("m") == Metadata(None, {}, {}, STONE)
    assert journal.index.idle(LATE, 9) == ["n"]
    assert journal.metadata.snapshot("m") is None


@pytest.mark.parametrize("visibility", ["", *VISIBILITIES])
def test_a_tombstone_holds_when_by_whom_and_whether_it_was_public(
    journal: Journal, visibility: str
) -> None:
    stone = replace(STONE, visibility=visibility)
    grow(journal, "m", 2)
    journal.lifecycle.delete("m", stone)

    assert journal.lifecycle.deleted("m") == stone
    assert journal.lifecycle.deleted("n") is None


# Each with the refusal that it meets.
AFTER_DELETION: dict[str, tuple[Callable[[Journal], object], type[Exception]]] = {
    "begun": (lambda journal: journal.events.append(entry(command_id="c")), Deleted),
    "restored": (lambda journal: journal.events.restore([entry(), entry(version=2)]), Deleted),
    "next-commit": (lambda journal: journal.events.append(entry(version=3)), Conflict),
    "metadata": (lambda journal: journal.metadata.put("m", {"a": "1"}), Conflict),
    "deleted": (lambda journal: journal.lifecycle.delete("m", ANOTHER_STONE), Deleted),
}


@pytest.mark.parametrize(("change", "refusal"), AFTER_DELETION.values(), ids=AFTER_DELETION)
def test_a_deleted_match_is_not_begun_changed_or_deleted_again(
    journal: Journal, change: Callable[[Journal], object], refusal: type[Exception]
) -> None:
    """A late change is refused as one of an unknown match. Its id is never used again."""
    grow(journal, "m", 2)
    journal.lifecycle.delete("m", STONE)

    with pytest.raises(refusal) as refused:
        change(journal)
    if isinstance(refused.value, Conflict):
        assert refused.value.version == 0

    journal.metadata.put_snapshot("m", b"late")
    assert journal.metadata.dump("m") == Metadata(None, {}, {}, STONE)
    assert journal.metadata.snapshot("m") is None
    assert journal.events.commit_count() == 2


def test_a_tombstone_of_a_match_deleted_elsewhere_is_put_once(journal: Journal) -> None:
    """It keeps the id from being used. The match is named among all, so copies have it, too."""
    assert journal.lifecycle.put_tombstone("m", STONE)
    assert not journal.lifecycle.put_tombstone("m", ANOTHER_STONE)

    assert journal.lifecycle.deleted("m") == STONE
    assert list(journal.events.matches()) == ["m"]
    assert journal.events.commit_count() == 1
    with pytest.raises(Deleted):
        journal.events.append(entry())


# ---- archived matches ----------------------------------------------------------------------------

MARKER = Marker(sha256="ab" * 32, size=900, commits=3, stored=4_000, at=7_000)
LAST = Last(hash="h3", ids=1)


@pytest.fixture(params=["memory", "redis", "cluster"])
def plain_journal(request: pytest.FixtureRequest) -> Journal:
    """Each store in turn, empty. The commits here are no match that an archive could hold."""
    if request.param == "memory":
        return memory_journal(PARTITIONS)
    opened: Journal = request.getfixturevalue(f"{request.param}_journal")
    return opened


def end(plain_journal: Journal, match: str = "m", **given: Any) -> list[bytes]:
    """Append three commits, the last of which ends the match; return their bytes."""
    first = commit(plain_journal, match, command_id="c", fingerprint="f", metadata={"a": "1"})
    second = commit(plain_journal, match, 2, thought=b'{"version":2}')
    third = commit(plain_journal, match, 3, **{"status": "finished", **given})
    return [first.commit_bytes, second.commit_bytes, third.commit_bytes]


@pytest.fixture
def archived(plain_journal: Journal) -> Journal:
    """A journal in which the commits of the match "m" have left."""
    end(plain_journal)
    plain_journal.metadata.put_snapshot("m", b"state")
    plain_journal.lifecycle.archive("m", MARKER, LAST)
    return plain_journal


def test_an_archived_match_leaves_head_metadata_listing_and_feed(plain_journal: Journal) -> None:
    """Commits, command ids, thoughts, snapshot and look are gone: they take the room.

    A marker tells of it. When the match comes back, all is as before, and it may leave again.
    """
    commits = end(plain_journal)
    plain_journal.metadata.put_snapshot("m", b"state")
    before = everything(plain_journal, "m")
    metadata = plain_journal.metadata.dump("m")

    plain_journal.lifecycle.archive("m", MARKER, LAST)

    assert everything(plain_journal, "m") == [[], *before[1:]]
    assert plain_journal.metadata.dump("m") == replace(metadata, ids={}, thoughts=[])
    assert plain_journal.metadata.snapshot("m") is None
    assert plain_journal.index.idle(LATE, 9) == []
    assert plain_journal.lifecycle.archived("m") == MARKER
    assert list(plain_journal.events.matches()) == ["m"]

    plain_journal.lifecycle.unarchive("m", MARKER, Whole(commits, metadata.ids, metadata.thoughts))

    assert everything(plain_journal, "m") == before
    assert plain_journal.metadata.dump("m") == metadata
    assert plain_journal.lifecycle.archived("m") is None
    plain_journal.lifecycle.archive("m", MARKER, LAST)


# How the match ends, and with which marker and last commit it is to leave.
UNFIT: dict[str, tuple[dict[str, Any], Marker, Last]] = {
    "running": ({"status": "running"}, MARKER, LAST),
    "not-revealed": ({"work": "house"}, MARKER, LAST),
    "other-hash": ({"hash": "h4"}, MARKER, LAST),
    "fewer-commits-packed": ({}, replace(MARKER, commits=2), LAST),
    "fewer-ids-packed": ({}, MARKER, Last("h3", ids=0)),
}


@pytest.mark.parametrize(("given", "marker", "last"), UNFIT.values(), ids=UNFIT)
def test_only_what_has_ended_and_was_packed_whole_is_archived(
    plain_journal: Journal, given: dict[str, Any], marker: Marker, last: Last
) -> None:
    """Otherwise a commit or a command id would be lost. Nothing is changed then."""
    end(plain_journal, **given)
    before = everything(plain_journal, "m")

    with pytest.raises(Conflict) as refused:
        plain_journal.lifecycle.archive("m", marker, last)

    assert refused.value.version == 3
    assert everything(plain_journal, "m") == before
    assert plain_journal.lifecycle.archived("m") is None


def test_an_unknown_match_is_not_archived(plain_journal: Journal) -> None:
    with pytest.raises(Conflict) as refused:
        plain_journal.lifecycle.archive("m", MARKER, LAST)
    assert refused.value.version == 0
    assert plain_journal.lifecycle.archived("m") is None


OTHER_MARKER = replace(MARKER, sha256="cd" * 32)
AFTER_ARCHIVING: dict[str, Callable[[Journal], object]] = {
    "first-commit": lambda journal: journal.events.append(entry()),
    "next-commit": lambda journal: journal.events.append(entry(version=4)),
    "restored": lambda journal: journal.events.restore([entry(), entry(version=2)]),
    "archived-as-packed": lambda journal: journal.lifecycle.archive("m", OTHER_MARKER, LAST),
    "archived-as-it-is": lambda journal: journal.lifecycle.archive(
        "m", replace(OTHER_MARKER, commits=0), Last("h3", ids=0)
    ),
    "another-marker": lambda journal: journal.lifecycle.unarchive(
        "m", replace(MARKER, at=1), Whole([b"c"], {})
    ),
}


@pytest.mark.parametrize("change", AFTER_ARCHIVING.values(), ids=AFTER_ARCHIVING)
def test_an_archived_match_takes_no_commit_and_no_other_marker(
    archived: Journal, change: Callable[[Journal], object]
) -> None:
    """Who believes that it goes on, or is not there, is refused. It has room for no snapshot."""
    before = everything(archived, "m")

    with pytest.raises((Conflict, ChainBroken)):
        change(archived)

    archived.metadata.put_snapshot("m", b"late")
    assert archived.metadata.snapshot("m") is None
    assert everything(archived, "m") == before
    assert archived.lifecycle.archived("m") == MARKER


def test_a_match_that_was_not_archived_does_not_come_back(archived: Journal) -> None:
    with pytest.raises(Conflict):
        archived.lifecycle.unarchive("n", MARKER, Whole([b"c"], {}))
    assert archived.events.read("n") == []


def test_names_and_tokens_of_an_archived_match_may_change(archived: Journal) -> None:
    """A name can be erased after the end (M13)."""
    assert archived.metadata.put("m", {"a": None, "b": "2"})
    assert archived.metadata.fields("m") == {"b": "2"}


def test_an_archived_match_is_deleted_like_any_other(archived: Journal) -> None:
    """The answer is its marker, since its file must be removed."""
    assert archived.lifecycle.delete("m", STONE) == MARKER

    assert archived.lifecycle.deleted("m") == STONE
    assert archived.lifecycle.archived("m") is None
    assert list(archived.lifecycle.all_archived()) == []
    assert archived.events.head("m") is None


def test_all_archived_matches_are_named(plain_journal: Journal) -> None:
    """Those of all partitions, with their markers, and no other."""
    grow(plain_journal, "alive", 2)
    names = {f"m{number}" for number in range(20)}
    for name in names:
        end(plain_journal, name)
        plain_journal.lifecycle.archive(name, MARKER, LAST)

    assert dict(plain_journal.lifecycle.all_archived()) == dict.fromkeys(names, MARKER)


# ---- generations ---------------------------------------------------------------------------------

LOST = GoneBack(had=9, noted=1_000, has=4, noticed=2_000)
FIRST = Generation(id="one", since=1_000)
SECOND = Generation(id="two", since=2_000, superseded=("one", "other"), gone_back=LOST)


def test_a_generation_takes_the_place_of_the_one_before(journal: Journal) -> None:
    """With all that it says. At first there is none."""
    commit(journal)
    assert journal.lifecycle.generation() is None

    assert journal.lifecycle.replace_generation(None, FIRST)
    assert journal.lifecycle.generation() == FIRST
    assert journal.lifecycle.replace_generation(FIRST, SECOND)
    assert journal.lifecycle.generation() == SECOND


@pytest.mark.parametrize("old", [None, SECOND, replace(FIRST, gone_back=LOST)])
def test_a_generation_is_written_once(journal: Journal, old: Generation | None) -> None:
    """Who knows another one than there is changes nothing."""
    journal.lifecycle.replace_generation(None, FIRST)

    assert not journal.lifecycle.replace_generation(old, SECOND)
    assert journal.lifecycle.generation() == FIRST
