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
    Tombstone,
    Whole,
)
from tests.service.journal.entries import (
    FEED,
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


# ---- archived matches ----------------------------------------------------------------------------


MARKER = Marker(sha256="ab" * 32, size=900, commits=3, stored=4_000, at=7_000)
LAST = Last(hash="h3", ids=1)
LATER_STONE = Tombstone(8_000, "eve")


@pytest.fixture(params=["memory", "redis", "cluster"])
def plain_journal(request: pytest.FixtureRequest) -> Journal:
    """Each store in turn, empty; the commits here are no match that an archive could hold."""
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


def test_what_is_known_of_an_archived_match_without_its_commits_stays(
    plain_journal: Journal,
) -> None:
    """Head, metadata, listing and feed are as before; a marker tells of it."""
    end(plain_journal)
    before = everything(plain_journal, "m")
    plain_journal.lifecycle.archive("m", MARKER, LAST)

    assert everything(plain_journal, "m")[1:] == before[1:]
    assert plain_journal.lifecycle.archived("m") == MARKER
    assert list(plain_journal.lifecycle.all_archived()) == [("m", MARKER)]
    assert list(plain_journal.events.matches()) == ["m"]


def test_commits_ids_snapshot_and_look_of_an_archived_match_are_gone(archived: Journal) -> None:
    """They are what takes the room."""
    assert archived.events.read("m") == []
    assert archived.events.tail("m", 1, "a") == ([], "1", archived.events.head("m"))
    assert archived.events.version_made("m", "c", "f") is None
    assert archived.metadata.dump("m").ids == {}
    assert archived.metadata.dump("m").thoughts == []
    assert archived.metadata.thoughts("m") == []
    assert archived.metadata.snapshot("m") is None
    assert archived.index.idle(LATE, 9) == []


UNFIT: dict[str, dict[str, Any]] = {
    "running": {"status": "running"},
    "not-revealed": {"work": "house"},
    "other-hash": {"hash": "h4"},
}


@pytest.mark.parametrize("given", UNFIT.values(), ids=UNFIT)
def test_what_may_go_on_or_is_another_match_is_not_archived(
    plain_journal: Journal, given: dict[str, Any]
) -> None:
    """Nothing is changed then."""
    end(plain_journal, **given)
    before = everything(plain_journal, "m")

    with pytest.raises(Conflict) as refused:
        plain_journal.lifecycle.archive("m", MARKER, LAST)

    assert refused.value.version == 3
    assert everything(plain_journal, "m") == before
    assert plain_journal.lifecycle.archived("m") is None


@pytest.mark.parametrize(
    ("marker", "last"),
    [(replace(MARKER, commits=2), LAST), (MARKER, Last("h3", ids=0))],
    ids=["fewer-commits", "fewer-ids"],
)
def test_only_what_was_packed_whole_is_archived(
    plain_journal: Journal, marker: Marker, last: Last
) -> None:
    """A commit or a command id that was not packed would be lost."""
    commits = end(plain_journal)

    with pytest.raises(Conflict):
        plain_journal.lifecycle.archive("m", marker, last)
    assert plain_journal.events.read("m") == commits


def test_an_unknown_match_is_not_archived(plain_journal: Journal) -> None:
    """There is nothing to keep a marker for."""
    with pytest.raises(Conflict) as refused:
        plain_journal.lifecycle.archive("m", MARKER, LAST)
    assert refused.value.version == 0
    assert plain_journal.lifecycle.archived("m") is None


@pytest.mark.parametrize(
    ("commits", "ids"), [(3, 1), (0, 0)], ids=["what-was-packed", "what-is-left-here"]
)
def test_a_match_is_archived_once(archived: Journal, commits: int, ids: int) -> None:
    """The first marker stays: it names what was packed."""
    second = replace(MARKER, sha256="cd" * 32, commits=commits)
    with pytest.raises(Conflict) as refused:
        archived.lifecycle.archive("m", second, Last(LAST.hash, ids))

    assert refused.value.version == 3
    assert archived.lifecycle.archived("m") == MARKER


LATE_COMMITS: dict[str, Callable[[Journal], object]] = {
    "first": lambda plain_journal: plain_journal.events.append(entry()),
    "next": lambda plain_journal: plain_journal.events.append(entry(version=4)),
    "whole": lambda plain_journal: plain_journal.events.restore([entry(), entry(version=2)]),
}


@pytest.mark.parametrize("change", LATE_COMMITS.values(), ids=LATE_COMMITS)
def test_an_archived_match_takes_no_commit(
    archived: Journal, change: Callable[[Journal], object]
) -> None:
    """Whoever believes that it goes on, or is not there, is refused."""
    before = everything(archived, "m")

    with pytest.raises((Conflict, ChainBroken)):
        change(archived)

    assert everything(archived, "m") == before
    assert archived.lifecycle.archived("m") == MARKER


def test_a_late_snapshot_of_an_archived_match_is_not_kept(archived: Journal) -> None:
    """It would take room again."""
    archived.metadata.put_snapshot("m", b"late")
    assert archived.metadata.snapshot("m") is None


def test_names_and_tokens_of_an_archived_match_may_change(archived: Journal) -> None:
    """A name can be erased after the end (M13)."""
    assert archived.metadata.put("m", {"a": None, "b": "2"})
    assert archived.metadata.fields("m") == {"b": "2"}


def test_an_archived_match_comes_back_as_it_was(plain_journal: Journal) -> None:
    """Commits, command ids and thoughts are those of before, and the marker is gone."""
    commits = end(plain_journal)
    before = everything(plain_journal, "m")
    metadata = plain_journal.metadata.dump("m")
    plain_journal.lifecycle.archive("m", MARKER, LAST)

    plain_journal.lifecycle.unarchive("m", MARKER, Whole(commits, metadata.ids, metadata.thoughts))

    assert everything(plain_journal, "m") == before
    assert plain_journal.metadata.dump("m") == metadata
    assert plain_journal.metadata.thoughts("m") == [b'{"version":2}']
    assert plain_journal.lifecycle.archived("m") is None
    assert plain_journal.events.tail("m", 2, "a").commits == commits[2:]
    plain_journal.lifecycle.archive("m", MARKER, LAST)


@pytest.mark.parametrize("match", ["m", "n"])
def test_only_a_match_with_just_this_marker_comes_back(archived: Journal, match: str) -> None:
    """Commits of something else would be put into its stream."""
    with pytest.raises(Conflict):
        archived.lifecycle.unarchive(match, replace(MARKER, at=1), Whole([b"c"], {}))
    assert archived.lifecycle.archived("m") == MARKER
    assert archived.events.read(match) == []


def test_an_archived_match_is_deleted_like_any_other(archived: Journal) -> None:
    """The tombstone alone is left; the marker goes with the head."""
    assert archived.lifecycle.delete("m", LATER_STONE) == MARKER, (
        "whoever has its file must remove it"
    )

    assert archived.lifecycle.deleted("m") == LATER_STONE
    assert archived.lifecycle.archived("m") is None
    assert list(archived.lifecycle.all_archived()) == []
    assert archived.events.head("m") is None


def test_every_archived_match_is_told(plain_journal: Journal) -> None:
    """Those of all partitions, and no other."""
    grow(plain_journal, "alive", 2)
    names = {f"m{number}" for number in range(20)}
    for name in names:
        end(plain_journal, name)
        plain_journal.lifecycle.archive(name, MARKER, LAST)

    assert sorted(name for name, _ in plain_journal.lifecycle.all_archived()) == sorted(names)


# ---- generations ---------------------------------------------------------------------------------


LOST = GoneBack(had=9, noted=1_000, has=4, noticed=2_000)
FIRST = Generation(id="one", since=1_000)
SECOND = Generation(id="two", since=2_000, superseded=("one", "other"), gone_back=LOST)


def test_a_journal_has_no_generation_at_first(journal: Journal) -> None:
    """Neither an empty one nor one of an earlier release."""
    commit(journal)
    assert journal.lifecycle.generation() is None


def test_a_generation_takes_the_place_of_the_one_before(journal: Journal) -> None:
    """With all that it says."""
    assert journal.lifecycle.replace_generation(None, FIRST)
    assert journal.lifecycle.generation() == FIRST

    assert journal.lifecycle.replace_generation(FIRST, SECOND)
    assert journal.lifecycle.generation() == SECOND


@pytest.mark.parametrize("old", [None, SECOND, replace(FIRST, gone_back=LOST)])
def test_a_generation_is_written_once(journal: Journal, old: Generation | None) -> None:
    """Whoever knows another one than there is changes nothing."""
    journal.lifecycle.replace_generation(None, FIRST)

    assert not journal.lifecycle.replace_generation(old, SECOND)
    assert journal.lifecycle.generation() == FIRST


def test_an_empty_journal_has_no_ends(journal: Journal) -> None:
    """No feed has a line, and a line that was noted is missing."""
    ends = journal.events.feed_ends({FEED: ("1", "m", 1)})
    assert ends.last == {}
    assert ends.missing == {FEED}


def test_the_ends_are_the_last_lines_of_the_feeds(journal: Journal) -> None:
    """Of each partition that has any, as the feed tells them."""
    for number in range(5):
        grow(journal, f"m{number}", 3)
    grow(journal, "m", 2)

    ends = journal.events.feed_ends({})

    assert ends.missing == frozenset()
    for partition in range(16):
        lines = journal.events.feed(partition, "", 100)
        assert ends.last.get(partition) == (lines[-1] if lines else None)


def test_lines_that_were_noted_are_found(journal: Journal) -> None:
    """Whether they are still the last or not."""
    grow(journal, "m", 2)
    commit(journal, "m0")
    noted = journal.events.feed_ends({}).last
    commit(journal, "m", 3)

    assert journal.events.feed_ends(noted).missing == frozenset()


def test_a_noted_line_that_is_another_is_missing(journal: Journal) -> None:
    """By its match or by its version."""
    grow(journal, "m", 2)
    entry_id, _, _ = journal.events.feed_ends({}).last[FEED]

    for line in ((entry_id, "m", 3), (entry_id, "other", 2)):
        assert journal.events.feed_ends({FEED: line}).missing == {FEED}


def test_a_noted_line_beyond_the_end_is_missing(journal: Journal) -> None:
    """The feed does not go so far."""
    grow(journal, "m", 2)
    before = journal.events.feed_ends({}).last
    entry_id, _, _ = before[FEED]
    beyond = (str(int(entry_id.split("-")[0]) + 1), "m", 3)

    assert journal.events.feed_ends({FEED: beyond}).missing == {FEED}


def test_a_full_server_takes_a_generation(own_journal: Journal, spoiler: Any) -> None:
    """That the journal has gone back must be said there as well."""
    commit(own_journal)
    spoiler.config_set("maxmemory", 1)

    assert own_journal.lifecycle.replace_generation(None, FIRST)
    assert own_journal.lifecycle.generation() == FIRST
