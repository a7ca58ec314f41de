"""A restored backup equals its journal, and a damaged backup is refused."""

import gzip
import io
import tarfile
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from service.matches import records
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import PIECE
from service.ops.backup import file_format, restore
from service.ops.backup.file_format import MANIFEST, BadBackup
from service.ops.backup.restore import Restored
from service.record.commit import parse_commit
from service.store.journal.memory import memory_journal
from service.store.journal.ports import Journal
from service.store.journal.values import Entry, Head, Metadata, Tombstone
from tests.service.matches.conftest import context_over, humans, play_on
from tests.service.ops.backup.conftest import back_up, quiet

LATE = 10**15
LISTINGS = [("", ""), ("open", ""), ("running", ""), ("ended", "calimala"), ("", "firenze")]


def contents_of(journal: Journal) -> dict[str, object]:
    """Return the content of a journal, independent of its partitions."""
    matches = sorted(journal.events.matches())
    idle = [match for match in journal.index.idle(LATE, 99) if is_on(journal, match)]
    commits = [journal.events.read(match) for match in matches]
    metadata = [journal.metadata.dump(match) for match in matches]
    listings = [journal.index.listing(status, None, 99, game) for status, game in LISTINGS]

    return {
        "matches": matches,
        "commits": commits,
        "metadata": metadata,
        "pending": {waiting.match for waiting in journal.pending.due(0, 99)},
        "idle": set(idle),
        "listings": listings,
    }


def is_on(journal: Journal, match: str) -> bool:
    """Return True if a match is in the lobby or running."""
    head = journal.events.head(match)
    return head is not None and head.status in ("open", "running")


def heads_of(journal: Journal) -> dict[str, Head]:
    """Return the heads of all present matches."""
    heads = {}
    for match in journal.events.matches():
        head = journal.events.head(match)
        if head is not None:
            heads[match] = head
    return heads


def put_back(target: Journal, path: Path) -> restore.Restored:
    """Check a backup and restore it into an empty journal."""
    reader = restore.check(path, quiet)
    return restore.restore(target, reader, quiet, merge=False)


def test_a_restored_journal_tells_the_same(full: Context, target: Journal, tmp_path: Path) -> None:
    """The restored journal has the same commits, metadata, tombstones and lists.

    Thousands of metadata fields of a match do not exceed the arguments of a script.
    """
    path = tmp_path / "backup"
    heads = heads_of(full.journal)
    match = min(heads, key=lambda name: heads[name].version)
    full.journal.metadata.put(match, {f"name:{number}": str(number) for number in range(2_000)})

    manifest = back_up(full.journal, path)
    assert manifest.matches == 5
    assert manifest.deleted == 1

    restored = put_back(target, path)
    assert restored == Restored(restored=5, deleted=1, present=0, differing=[])
    assert contents_of(target) == contents_of(full.journal)


def test_a_backup_under_load_holds_all_that_was_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backup during moves has every move made before it began, and each match verifies."""
    live = context_over(memory_journal())
    wishes = [OpenRequest("calimala", humans(3), seed=str(number)) for number in range(3)]
    matches = [open_new(live, wish) for wish in wishes]
    for opened in matches:
        play_on(live, opened, until=10)
    acknowledged = heads_of(live.journal)
    true_read = live.journal.events.read
    versions = count(11)

    def move_then_read(match: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        monkeypatch.setattr(live.journal.events, "read", true_read)
        version = next(versions)
        for opened in matches:
            play_on(live, opened, until=version)
        monkeypatch.setattr(live.journal.events, "read", move_then_read)
        return true_read(match, after, limit)

    monkeypatch.setattr(live.journal.events, "read", move_then_read)
    back_up(live.journal, tmp_path / "backup")
    assert next(versions) > 11, "moves were made while the backup was"

    restored = context_over(memory_journal())
    put_back(restored.journal, tmp_path / "backup")
    heads = heads_of(restored.journal)
    assert heads.keys() == acknowledged.keys()
    for match, head in heads.items():
        assert head.version >= acknowledged[match].version
        assert records.audit(restored, match).wrong is None


def test_a_match_deleted_while_it_is_copied_is_a_deleted_match(
    full: Context, target: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The backup has the tombstone of the match, and no part of its commits."""
    journal = full.journal
    heads = heads_of(journal)
    long_match = next(match for match, head in heads.items() if head.version > PIECE)
    tombstone = Tombstone(9, "meanwhile")
    true_read = journal.events.read

    def delete_then_read(match: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        if match == long_match and after:
            journal.lifecycle.delete(match, tombstone)
        return true_read(match, after, limit)

    monkeypatch.setattr(journal.events, "read", delete_then_read)
    manifest = back_up(journal, tmp_path / "backup")
    assert manifest.matches == 4
    assert manifest.deleted == 2

    put_back(target, tmp_path / "backup")
    assert target.metadata.dump(long_match) == Metadata(None, {}, {}, tombstone)


def test_parts_are_small(full: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part ends with the match that fills it, so neither side holds more in memory."""
    monkeypatch.setattr(file_format, "PART_BYTES", 1)
    manifest = back_up(full.journal, tmp_path / "backup", {"secret": b"s"})
    assert sorted(manifest.parts) == [
        "matches/000001.ndjson",
        "matches/000002.ndjson",
        "matches/000003.ndjson",
        "matches/000004.ndjson",
        "matches/000005.ndjson",
        "matches/000006.ndjson",
        "secret",
    ]

    target = memory_journal()
    put_back(target, tmp_path / "backup")
    assert contents_of(target) == contents_of(full.journal)


def test_a_merge_adds_missing_matches(full: Context, tmp_path: Path) -> None:
    """A merge names a match with fewer commits in the journal. It adds all missing ones, once."""
    source = full.journal
    heads = heads_of(source)
    behind = next(match for match, head in heads.items() if head.version > 1)
    missing = next(match for match in heads if match != behind)
    target = memory_journal()
    target.events.append(first_entry(source, behind))

    back_up(source, tmp_path / "backup")
    merged = merge(target, tmp_path / "backup")
    assert merged == Restored(restored=4, deleted=1, present=0, differing=[behind])
    assert target.events.read(missing) == source.events.read(missing)

    again = merge(target, tmp_path / "backup")
    assert again == Restored(restored=0, deleted=0, present=5, differing=[behind])


def merge(target: Journal, path: Path) -> Restored:
    """Check a backup, and add its content to a journal with other matches."""
    reader = restore.check(path, quiet)
    return restore.restore(target, reader, quiet, merge=True)


def first_entry(journal: Journal, match: str) -> Entry:
    """Return the entry to begin a match again with its first commit."""
    [commit_bytes] = journal.events.read(match, 0, 1)
    commit_hash = parse_commit(commit_bytes)["hash"]
    last_head = heads_of(journal)[match]
    return Entry(
        match=match,
        expected=0,
        prev="",
        commit_bytes=commit_bytes,
        head=replace(last_head, version=1, hash=commit_hash),
    )


def test_the_tar_can_be_read_without_this_program(full: Context, tmp_path: Path) -> None:
    """Any tar program lists the members. Their lines of JSON are the journal's own commits."""
    path = tmp_path / "backup"
    back_up(full.journal, path, {"secret": b"hush"})

    with tarfile.open(path) as archive:
        assert archive.getnames() == ["matches/000001.ndjson", "secret", MANIFEST]
        part = archive.extractfile("matches/000001.ndjson")
        assert part is not None
        lines = part.read().splitlines()

    commits: set[bytes] = set()
    for match in full.journal.events.matches():
        commits.update(full.journal.events.read(match))
    assert commits < set(lines)


# ---- damage: found before anything is written ----------------------------------------------------


def rewrite(path: Path, changed_name: str, change: "Damage") -> None:
    """Write a backup anew with one of its members changed.

    The manifest's own digests stay as they were.
    """
    contents = []
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None
            contents.append((member.name, file.read()))

    with tarfile.open(path, "w:gz") as archive:
        for name, content in contents:
            changed = change(content) if name == changed_name else content
            if changed is not None:
                member = tarfile.TarInfo(name)
                member.size = len(changed)
                archive.addfile(member, io.BytesIO(changed))


def without_last_line(content: bytes) -> bytes:
    """Return the lines of a content without the last one."""
    *lines, _last = content.splitlines(keepends=True)
    return b"".join(lines)


# Returns the damaged content of a member, None if the member is left out.
Damage = Callable[[bytes], bytes | None]

# The damaged member, the damage, and the message.
MATCHES = "matches/000001.ndjson"
DAMAGES: dict[str, tuple[str, Damage, str]] = {
    "a-changed-commit": (
        MATCHES,
        lambda content: content.replace(b'"actor":"seat:0"', b'"actor":"seat:1"'),
        "does not fit its hash",
    ),
    "a-lost-commit": (
        MATCHES,
        without_last_line,
        "not valid|not in canonical|fewer commits|incomplete|does not fit",
    ),
    "a-changed-field": (
        MATCHES,
        lambda content: content.replace(b'"token:', b'"taken:'),
        "does not fit the manifest",
    ),
    "no-matches": (MATCHES, lambda _: None, "does not fit the manifest"),
    "no-manifest": (MANIFEST, lambda _: None, "no manifest"),
    "another-layout": (
        MANIFEST,
        lambda content: content.replace(b'"layout": 1', b'"layout": 9'),
        "layout 9",
    ),
    "a-manifest-of-nonsense": (MANIFEST, lambda _: b"[]", "manifest cannot be read"),
}


@pytest.fixture
def backup(full: Context, tmp_path: Path) -> Path:
    """A backup of matches of every kind."""
    path = tmp_path / "backup"
    back_up(full.journal, path)
    return path


@pytest.mark.parametrize(("member", "change", "complaint"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_backup_is_refused(
    backup: Path, member: str, change: Damage, complaint: str
) -> None:
    rewrite(backup, member, change)

    with pytest.raises(BadBackup, match=complaint):
        restore.check(backup, quiet)


@pytest.mark.parametrize("length", [0, 1, 1000, -1000, -9])
def test_a_file_cut_short_is_refused(backup: Path, length: int) -> None:
    """A file that ends too early is not a backup."""
    backup.write_bytes(backup.read_bytes()[:length])

    with pytest.raises(BadBackup):
        restore.check(backup, quiet)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"text", id="text"),
        pytest.param(gzip.compress(b"text"), id="gzipped-text"),
        pytest.param(gzip.compress(b"\0" * 10_240), id="an-empty-tar"),
    ],
)
def test_a_file_that_is_no_backup_is_refused(tmp_path: Path, content: bytes) -> None:
    """A file of another kind is refused, even if it is gzipped."""
    path = tmp_path / "backup"
    path.write_bytes(content)

    with pytest.raises(BadBackup):
        restore.check(path, quiet)
