"""A match is archived once and whole, whatever happens meanwhile. Backups have it as before."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.matches.context import Context
from service.matches.repository import load
from service.ops.backup import restore
from service.store.archive import archive as archives, packing
from service.store.archive.archive import (
    Archive,
    ArchiveCheck,
    archive_match,
    check,
    due,
    unarchive_match,
)
from service.store.archive.journal import with_archive
from service.store.archive.places import PlaceError, open_place
from service.store.journal.errors import ArchiveDamaged, ArchiveUnavailable
from service.store.journal.memory import memory_journal
from service.store.journal.memory.lifecycle import MemoryLifecycle
from service.store.journal.values import Tombstone, Whole
from tests.service.ops.backup.conftest import back_up, quiet
from tests.service.store.archive.conftest import NOW, cold, files_of, without_archive
from tests.service.toy_matches import opened, play_on

STONE = Tombstone(1, "eve")


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    """Call a function between the packing of a match and its removal from the journal."""
    put = Archive.put

    def put_and_act(self: Archive, *arguments: Any) -> Any:
        marker = put(self, *arguments)
        monkeypatch.setattr(Archive, "put", put)
        act()
        return marker

    monkeypatch.setattr(Archive, "put", put_and_act)


def test_a_match_that_is_played_stays(ctx: Context, archive: Archive) -> None:
    """Neither a running match nor an unknown one is archived."""
    match = opened(ctx)
    play_on(ctx, match, until=4)

    assert archive_match(ctx.journal, archive, match.loaded.id, NOW) is None
    assert archive_match(ctx.journal, archive, "unknown", NOW) is None
    assert files_of(archive) == []
    assert list(due(ctx.journal, NOW)) == []


@pytest.mark.parametrize("release", ["this-release", "9.9"])
def test_two_processes_that_archive_a_match_leave_one_file(
    ctx: Context, archive: Archive, ended: str, monkeypatch: pytest.MonkeyPatch, release: str
) -> None:
    """Two processes of the same release write the same file.

    If their releases differ, the slower one removes its own. Either way the match can be read.
    """

    def archive_first() -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("service.store.archive.packing.version", lambda _name: release)
            assert archive_match(ctx.journal, archive, ended, NOW) is not None

    if release == "this-release":
        monkeypatch.setattr("service.store.archive.packing.version", lambda _name: release)
    meanwhile(monkeypatch, archive_first)

    assert archive_match(ctx.journal, archive, ended, NOW) is None
    assert len(files_of(archive)) == 1
    assert load(cold(ctx, archive), ended).match.revealed


def test_a_match_that_is_deleted_meanwhile_leaves_no_file(
    ctx: Context, archive: Archive, ended: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a match is deleted after its packing, its file is removed."""
    meanwhile(monkeypatch, lambda: ctx.journal.lifecycle.delete(ended, STONE))

    assert archive_match(ctx.journal, archive, ended, NOW) is None
    assert files_of(archive) == []


def test_a_match_that_leaves_while_it_is_deleted_leaves_no_file(
    ctx: Context, archive: Archive, ended: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deletion returns the marker of the match, so its file is removed."""
    delete = MemoryLifecycle.delete

    def leave_and_delete(self: MemoryLifecycle, *arguments: Any) -> Any:
        archive_match(ctx.journal, archive, ended, NOW)
        return delete(self, *arguments)

    monkeypatch.setattr(MemoryLifecycle, "delete", leave_and_delete)
    ctx.journal.lifecycle.delete(ended, STONE)

    assert ctx.journal.lifecycle.deleted(ended) is not None
    assert files_of(archive) == []


def test_a_match_that_unpacks_otherwise_stays_in_the_journal(
    ctx: Context, archive: Archive, ended: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The unpacked file is compared with the journal, byte for byte."""
    commits = ctx.journal.events.read(ended)
    pack = packing.pack

    def pack_others(match: str, whole: Whole) -> bytes:
        return pack(match, replace(whole, ids={**whole.ids, "another": (1, "")}))

    monkeypatch.setattr(archives, "pack", pack_others)

    with pytest.raises(ArchiveDamaged) as raised:
        archive_match(ctx.journal, archive, ended, NOW)
    [name] = archive.place.names()
    assert str(raised.value) == (
        f"match {ended} cannot be archived in {archive.place} as {name}: it unpacks to something "
        f"else. Check it with giornale verify {ended}. If it is right, report this error"
    )
    assert ctx.journal.lifecycle.archived(ended) is None
    assert ctx.journal.events.read(ended) == commits


def test_a_match_that_its_place_damaged_stays_in_the_journal(
    ctx: Context, archive: Archive, ended: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is read back before the match leaves the journal."""
    place = type(archive.place)
    write = place.write
    monkeypatch.setattr(place, "write", lambda self, name, content: write(self, name, content[:-1]))

    with pytest.raises(ArchiveDamaged) as raised:
        archive_match(ctx.journal, archive, ended, NOW)
    [name] = archive.place.names()
    assert str(raised.value) == (
        f"match {ended} cannot be archived in {archive.place} as {name}: it reads back otherwise "
        "than written. Check the storage"
    )
    assert ctx.journal.lifecycle.archived(ended) is None


def test_a_match_that_has_come_back_leaves_again(
    ctx: Context, archive: Archive, archived_id: str
) -> None:
    """A restored match that is archived again has the same file."""
    files = files_of(archive)
    assert unarchive_match(ctx.journal, archive, archived_id) is not None
    assert unarchive_match(ctx.journal, archive, archived_id) is None

    assert archive_match(ctx.journal, archive, archived_id, NOW) is not None
    assert files_of(archive) == files


def test_a_place_of_fsspec_serves_as_well(ctx: Context, ended: str, tmp_path: Path) -> None:
    """Matches in a place of fsspec, here in memory, can be read and are found right."""
    before = load(ctx, ended)
    object_store = open_place(f"memory://{tmp_path.name}")
    archive = Archive(object_store)
    inner = without_archive(ctx.journal)
    journal = with_archive(inner, archive)
    archive_match(journal, archive, ended, NOW)

    start = Context(journal, ctx.secret, ctx.clock, ctx.enqueue)  # it has nothing in memory
    assert load(start, ended) == before
    assert check(journal, archive, quiet) == ArchiveCheck(right=1, wrong=[], leftovers=[], spare=0)


def test_a_backup_of_archived_matches_is_the_backup_of_before(
    ctx: Context, archive: Archive, ended: str, tmp_path: Path
) -> None:
    """Backups before and after archiving are the same. A restored match may be archived again."""
    path = tmp_path / "backup"
    metadata = ctx.journal.metadata.dump(ended)
    commits = ctx.journal.events.read(ended)

    before = back_up(ctx.journal, path)
    archive_match(ctx.journal, archive, ended, NOW)
    after = back_up(ctx.journal, path)
    assert after == before

    target = memory_journal()
    backup = restore.check(path, quiet)
    restore.restore(target, backup, quiet, merge=False)
    assert target.metadata.dump(ended) == metadata
    assert target.events.read(ended) == commits
    assert archive_match(target, archive, ended, NOW) is not None


def test_a_backup_without_its_archive_is_none(
    ctx: Context,
    archive: Archive,
    archived_id: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An unreachable archive is assumed to come back, so no incomplete backup is written."""

    def be_away(*_: object) -> bytes:
        raise PlaceError("it is away")

    monkeypatch.setattr(archive.place, "read", be_away)
    path = tmp_path / "backup"

    with pytest.raises(ArchiveUnavailable, match=archived_id):
        back_up(cold(ctx, archive).journal, path)
    assert not path.exists()


def test_files_of_the_log_are_none_of_the_archives(archive: Archive, ctx: Context) -> None:
    """A check of the archive ignores files of the log in the same place."""
    archive.place.write("log/bundle/000.p/7", b"lines")
    archive.place.write("log/checkpoint/00000000000000000007", b"note")
    assert check(ctx.journal, archive, quiet) == ArchiveCheck()
