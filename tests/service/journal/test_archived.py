"""What every journal promises about matches whose commits have left for the archive."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from service.journal.errors import ChainBroken, Conflict
from service.journal.memory import memory_journal
from service.journal.port import Journal
from service.journal.values import Last, Marker, Tombstone, Whole
from tests.service.journal.entries import LATE, PARTITIONS, commit, entry, everything, grow

MARKER = Marker(sha256="ab" * 32, size=900, commits=3, stored=4_000, at=7_000)
LAST = Last(hash="h3", ids=1)
STONE = Tombstone(8_000, "eve")


@pytest.fixture(params=["memory", "redis", "cluster"])
def journal(request: pytest.FixtureRequest) -> Journal:
    """Each store in turn, empty; the commits here are no match that an archive could hold."""
    if request.param == "memory":
        return memory_journal(PARTITIONS)
    opened: Journal = request.getfixturevalue(f"{request.param}_journal")
    return opened


def end(journal: Journal, match: str = "m", **given: Any) -> list[bytes]:
    """Append three commits, the last of which ends the match; return their bytes."""
    first = commit(journal, match, command_id="c", fingerprint="f", metadata={"a": "1"})
    second = commit(journal, match, 2, thought=b'{"version":2}')
    third = commit(journal, match, 3, **{"status": "finished", **given})
    return [first.commit_bytes, second.commit_bytes, third.commit_bytes]


@pytest.fixture
def archived(journal: Journal) -> Journal:
    """A journal in which the commits of the match "m" have left."""
    end(journal)
    journal.metadata.put_snapshot("m", b"state")
    journal.lifecycle.archive("m", MARKER, LAST)
    return journal


def test_what_is_told_of_an_archived_match_without_its_commits_stays(journal: Journal) -> None:
    """Head, metadata, listing and feed are as before; a marker tells of it."""
    end(journal)
    before = everything(journal, "m")
    journal.lifecycle.archive("m", MARKER, LAST)

    assert everything(journal, "m")[1:] == before[1:]
    assert journal.lifecycle.archived("m") == MARKER
    assert list(journal.lifecycle.all_archived()) == [("m", MARKER)]
    assert list(journal.events.matches()) == ["m"]


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
    journal: Journal, given: dict[str, Any]
) -> None:
    """Nothing is changed then."""
    end(journal, **given)
    before = everything(journal, "m")

    with pytest.raises(Conflict) as refused:
        journal.lifecycle.archive("m", MARKER, LAST)

    assert refused.value.version == 3
    assert everything(journal, "m") == before
    assert journal.lifecycle.archived("m") is None


@pytest.mark.parametrize(
    ("marker", "last"),
    [(replace(MARKER, commits=2), LAST), (MARKER, Last("h3", ids=0))],
    ids=["fewer-commits", "fewer-ids"],
)
def test_only_what_was_packed_whole_is_archived(
    journal: Journal, marker: Marker, last: Last
) -> None:
    """A commit or a command id that was not packed would be lost."""
    commits = end(journal)

    with pytest.raises(Conflict):
        journal.lifecycle.archive("m", marker, last)
    assert journal.events.read("m") == commits


def test_an_unknown_match_is_not_archived(journal: Journal) -> None:
    """There is nothing to keep a marker for."""
    with pytest.raises(Conflict) as refused:
        journal.lifecycle.archive("m", MARKER, LAST)
    assert refused.value.version == 0
    assert journal.lifecycle.archived("m") is None


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
    "first": lambda journal: journal.events.append(entry()),
    "next": lambda journal: journal.events.append(entry(version=4)),
    "whole": lambda journal: journal.events.restore([entry(), entry(version=2)]),
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


def test_an_archived_match_comes_back_as_it_was(journal: Journal) -> None:
    """Commits, command ids and thoughts are those of before, and the marker is gone."""
    commits = end(journal)
    before = everything(journal, "m")
    metadata = journal.metadata.dump("m")
    journal.lifecycle.archive("m", MARKER, LAST)

    journal.lifecycle.unarchive("m", MARKER, Whole(commits, metadata.ids, metadata.thoughts))

    assert everything(journal, "m") == before
    assert journal.metadata.dump("m") == metadata
    assert journal.metadata.thoughts("m") == [b'{"version":2}']
    assert journal.lifecycle.archived("m") is None
    assert journal.events.tail("m", 2, "a").commits == commits[2:]
    journal.lifecycle.archive("m", MARKER, LAST)


@pytest.mark.parametrize("match", ["m", "n"])
def test_only_a_match_with_just_this_marker_comes_back(archived: Journal, match: str) -> None:
    """Commits of something else would be put into its stream."""
    with pytest.raises(Conflict):
        archived.lifecycle.unarchive(match, replace(MARKER, at=1), Whole([b"c"], {}))
    assert archived.lifecycle.archived("m") == MARKER
    assert archived.events.read(match) == []


def test_an_archived_match_is_deleted_like_any_other(archived: Journal) -> None:
    """The tombstone alone is left; the marker goes with the head."""
    assert archived.lifecycle.delete("m", STONE) == MARKER, "whoever has its file must remove it"

    assert archived.lifecycle.deleted("m") == STONE
    assert archived.lifecycle.archived("m") is None
    assert list(archived.lifecycle.all_archived()) == []
    assert archived.events.head("m") is None


def test_every_archived_match_is_told(journal: Journal) -> None:
    """Those of all partitions, and no other."""
    grow(journal, "alive", 2)
    names = {f"m{number}" for number in range(20)}
    for name in names:
        end(journal, name)
        journal.lifecycle.archive(name, MARKER, LAST)

    assert sorted(name for name, _ in journal.lifecycle.all_archived()) == sorted(names)
