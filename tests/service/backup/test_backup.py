"""A backup restored is the journal again: every index, every token, every key; and nothing wrong gets in."""

import gzip
import io
import stat
import tarfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from service.backup import reading, restoring, writing
from service.backup.form import MANIFEST, BadBackup
from service.backup.writing import write
from service.journal.memory import MemoryJournal
from service.journal.port import Beside, Entry, Journal, Tombstone
from service.journal.redis import open_journal
from service.matches import audits, house, playing
from service.matches.desk import Desk
from service.matches.loading import PIECE, load
from service.matches.opening import Opened, Wish, open_new
from service.process.valkey import Server
from tests.service.matches.conftest import bots, calimala, desk, humans, play_on, wakes

__all__ = ["calimala", "desk", "wakes"]  # the fixtures of the desk

LATE = 10**15
SPACE = [{"kind": "human"}, {"kind": "bot", "level": "random"}, {"kind": "open"}]


def quiet(_commits: int) -> None:
    """Show no progress."""


def clock() -> int:
    return 1_800_000_000_000


@pytest.fixture(params=["memory", "redis"])
def target(request: pytest.FixtureRequest) -> Iterator[Journal]:
    """An empty journal of each kind, with another number of partitions than the source."""
    if request.param == "memory":
        yield MemoryJournal(partitions=8)
        return
    journal = open_journal(request.getfixturevalue("redis_url"), 4)
    yield journal
    journal.close()


@pytest.fixture
def full(desk: Desk, calimala: Opened) -> Desk:
    """A desk with matches of many kinds: begun, in the lobby, of bots, ended, private, and a deleted one."""
    play_on(desk, calimala, until=6)
    open_new(desk, Wish("firenze", SPACE, seed="lobby"))
    open_new(desk, Wish("firenze", bots(3), seed="bots", visibility="private"))
    play_on(desk, open_new(desk, Wish("calimala", bots(3), seed="ended")))
    doomed = open_new(desk, Wish("calimala", humans(3), seed="doomed"))
    desk.journal.delete(doomed.loaded.id, Tombstone(5, "command line"))
    return desk


def told(journal: Journal) -> dict[str, object]:
    """Return all that a journal tells, whatever its partitions."""
    matches = sorted(journal.matches())
    listings = [("", ""), ("open", ""), ("running", ""), ("finished", "calimala"), ("", "firenze")]
    return {
        "matches": matches,
        "commits": [journal.read(match) for match in matches],
        "beside": [journal.beside(match) for match in matches],
        "pending": journal.pending(LATE, 99),
        "idle": sorted(
            set(journal.idle(LATE, 99)) & {match for match in matches if _on(journal, match)}
        ),
        "listings": [journal.listing(status, None, 99, game) for status, game in listings],
    }


def _on(journal: Journal, match: str) -> bool:
    head = journal.head(match)
    return head is not None and head.status in ("open", "running")


def rewrite(path: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    """Write a backup anew with its members changed (None: left out), the manifest's own digests as they were."""
    with tarfile.open(path) as archive:
        members = [(member.name, archive.extractfile(member)) for member in archive]
        contents = [(name, file.read()) for name, file in members if file is not None]
    with tarfile.open(path, "w:gz") as archive:
        for name, content in contents:
            changed = change(name, content)
            if changed is not None:
                member = tarfile.TarInfo(name)
                member.size = len(changed)
                archive.addfile(member, io.BytesIO(changed))


def test_a_restored_journal_tells_the_same(full: Desk, target: Journal, tmp_path: Path) -> None:
    """Commits, heads, command ids, side tables, tombstones and every index are as they were."""
    path = tmp_path / "backup"
    manifest = write(full.journal, path, {}, clock, quiet)
    assert (manifest.matches, manifest.deleted) == (4, 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

    reader = reading.check(path, quiet)
    done = restoring.restore(target, reader, quiet, merge=False)
    assert (done.restored, done.deleted, done.present, done.differing) == (4, 1, 0, [])
    assert told(target) == told(full.journal)


def test_a_backup_of_a_restored_journal_is_the_same(
    full: Desk, target: Journal, tmp_path: Path
) -> None:
    """Nothing is lost from one restore to the next, marks of deleted matches neither."""
    write(full.journal, tmp_path / "first", {}, clock, quiet)
    restoring.restore(target, reading.check(tmp_path / "first", quiet), quiet, merge=False)
    write(target, tmp_path / "second", {}, clock, quiet)

    again = MemoryJournal()
    restoring.restore(again, reading.check(tmp_path / "second", quiet), quiet, merge=False)
    assert told(again) == told(full.journal)


def test_imports_stay_imports(target: Journal, tmp_path: Path, full: Desk) -> None:
    """When a match was imported is kept, and lists order by it."""
    heads = {match: full.journal.head(match) for match in full.journal.matches()}
    match, head = next(
        (match, head) for match, head in heads.items() if head and head.status == "finished"
    )
    source = MemoryJournal()
    for number, data in enumerate(full.journal.read(match), 1):
        entry = orjson.loads(data)
        shown = replace(head, version=number, hash=entry["hash"], imported=77)
        source.append(Entry(match, number - 1, entry["commit"]["prev"], data, shown))

    write(source, tmp_path / "backup", {}, clock, quiet)
    restoring.restore(target, reading.check(tmp_path / "backup", quiet), quiet, merge=False)
    assert target.listing("", None, 9) == [(77, match)]


def test_a_large_side_table_is_restored(target: Journal, tmp_path: Path, full: Desk) -> None:
    """A side table of thousands of fields does not break the script's bound of arguments."""
    match = next(
        one
        for one in full.journal.matches()
        if full.journal.beside(one).ids or full.journal.head(one)
    )
    full.journal.put_aside(match, {f"name:{number}": str(number) for number in range(2_000)})
    write(full.journal, tmp_path / "backup", {}, clock, quiet)
    restoring.restore(target, reading.check(tmp_path / "backup", quiet), quiet, merge=False)
    assert target.asides(match) == full.journal.asides(match)


def test_play_goes_on_after_a_restore(
    desk: Desk, calimala: Opened, target: Journal, tmp_path: Path
) -> None:
    """The old token moves, a repeated key is answered with its first commit, and house and bots take up their work."""
    play_on(desk, calimala, until=5)
    match = calimala.loaded.id
    loaded = load(desk, match)
    seat = next(seat for seat in range(3) if playing.legal_moves(loaded, seat))
    move = playing.legal_moves(loaded, seat)[0]
    made = playing.move(desk, match, calimala.tokens[f"seat:{seat}"], move, key="once")
    exhibition = open_new(desk, Wish("firenze", bots(3), seed="bots"))

    write(desk.journal, tmp_path / "backup", {}, clock, quiet)
    restoring.restore(target, reading.check(tmp_path / "backup", quiet), quiet, merge=False)
    woken: list[str] = []
    new = Desk(
        target,
        desk.secret,
        desk.clock,
        lambda match, _version, _work: woken.append(match),
        allow_seed=True,
    )

    again = playing.move(new, match, calimala.tokens[f"seat:{seat}"], move, key="once")
    assert again.repeated
    assert again.entry["hash"] == made.entry["hash"]
    house.sweep(new, 0)
    assert exhibition.loaded.id in woken
    play_on(new, calimala)
    play_on(new, exhibition)
    for one in (match, exhibition.loaded.id):
        assert audits.audit(new, one).verdict == "right"


def test_a_backup_under_load_holds_all_that_was_acknowledged(
    redis_url: str, server: Server, tmp_path: Path
) -> None:
    """While three writers play on, a backup holds every move made before it began, and every match verifies."""
    journal = open_journal(redis_url, 8)
    live = Desk(journal, b"s" * 32, clock, lambda *_: None, allow_seed=True)
    acknowledged: dict[str, int] = {}
    enough, stop = threading.Event(), threading.Event()

    def play(writer: int) -> None:
        number = 0
        while not stop.is_set():
            opened = open_new(live, Wish("calimala", humans(3), seed=f"{writer}-{number}"))
            for version in range(2, 30):
                play_on(live, opened, until=version)
                acknowledged[opened.loaded.id] = version
            number += 1
            if number == 2:
                enough.set()

    writers = [threading.Thread(target=play, args=(writer,)) for writer in range(3)]
    for writer in writers:
        writer.start()
    assert enough.wait(30)
    before = dict(acknowledged)
    write(journal, tmp_path / "backup", {}, clock, quiet)
    after = sum(acknowledged.values())
    stop.set()
    for writer in writers:
        writer.join(30)

    assert after > sum(before.values()), "moves were made while the backup was"
    copy = MemoryJournal()
    restoring.restore(copy, reading.check(tmp_path / "backup", quiet), quiet, merge=False)
    restored = Desk(copy, b"s" * 32, clock, lambda *_: None)
    for match, version in before.items():
        head = copy.head(match)
        assert head is not None
        assert head.version >= version
    for match in copy.matches():
        assert audits.audit(restored, match).wrong is None
    journal.close()


def test_a_match_deleted_while_it_is_copied_is_a_deleted_match(
    full: Desk, target: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No half of it gets into the backup: its tombstone does."""
    journal = full.journal
    match = next(
        one for one in journal.matches() if (head := journal.head(one)) and head.version > PIECE
    )
    read = journal.read

    def delete_then_read(one: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        if one == match and after:
            journal.delete(match, Tombstone(9, "meanwhile"))
        return read(one, after, limit)

    monkeypatch.setattr(journal, "read", delete_then_read)
    manifest = write(journal, tmp_path / "backup", {}, clock, quiet)
    assert (manifest.matches, manifest.deleted) == (3, 2)
    restoring.restore(target, reading.check(tmp_path / "backup", quiet), quiet, merge=False)
    assert target.beside(match) == Beside(None, {}, {}, Tombstone(9, "meanwhile"))


def test_a_backup_cut_short_leaves_nothing(
    full: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the journal fails in the middle, the old file stays as it was and no draft is left."""
    path = tmp_path / "backup"
    path.write_bytes(b"the last one")

    def fail(_match: str) -> Beside:
        raise OSError("away")

    monkeypatch.setattr(full.journal, "beside", fail)
    with pytest.raises(OSError, match="away"):
        write(full.journal, path, {}, clock, quiet)
    assert path.read_bytes() == b"the last one"
    assert [one.name for one in tmp_path.iterdir()] == ["backup"]


def test_parts_are_small(full: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part ends with the match that fills it, so that neither side holds more than that."""
    monkeypatch.setattr(writing, "PART_BYTES", 1)
    manifest = write(full.journal, tmp_path / "backup", {"secret": b"s"}, clock, quiet)
    assert sorted(manifest.parts) == [
        *(f"matches/{number:06d}.ndjson" for number in range(1, 6)),
        "secret",
    ]
    target = MemoryJournal()
    restoring.restore(target, reading.check(tmp_path / "backup", quiet), quiet, merge=False)
    assert told(target) == told(full.journal)


def other_hash(name: str, content: bytes) -> bytes:
    return (
        content.replace(b'"actor":"seat:0"', b'"actor":"seat:1"')
        if name.startswith("matches/")
        else content
    )


def fewer_commits(name: str, content: bytes) -> bytes:
    return content[: content.rindex(b"\n", 0, -1) + 1] if name.startswith("matches/") else content


def new_side_table(name: str, content: bytes) -> bytes:
    return content.replace(b'"token:', b'"taken:') if name.startswith("matches/") else content


def other_layout(name: str, content: bytes) -> bytes:
    return content.replace(b'"layout": 1', b'"layout": 9') if name == MANIFEST else content


DAMAGE: dict[str, tuple[Callable[[str, bytes], bytes | None], str]] = {
    "a-changed-commit": (other_hash, "not the one its hash was made of"),
    "a-lost-commit": (
        fewer_commits,
        "cannot be taken|not in canonical|no commit|no end|not the one",
    ),
    "a-changed-side-table": (new_side_table, "not the one that the manifest tells of"),
    "no-manifest": (lambda name, content: None if name == MANIFEST else content, "no manifest"),
    "another-layout": (other_layout, "layout 9"),
    "no-matches": (
        lambda name, content: content if name == MANIFEST else None,
        "not the one that the manifest",
    ),
    "a-manifest-of-nonsense": (
        lambda name, content: b"[]" if name == MANIFEST else content,
        "manifest cannot be read",
    ),
}


@pytest.mark.parametrize(("change", "complaint"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_backup_is_refused(
    full: Desk, tmp_path: Path, change: Callable[[str, bytes], bytes | None], complaint: str
) -> None:
    """Whatever is changed in the file, or missing from it, is found before anything is written."""
    path = tmp_path / "backup"
    write(full.journal, path, {}, clock, quiet)
    rewrite(path, change)
    with pytest.raises(BadBackup, match=complaint):
        reading.check(path, quiet)


@pytest.mark.parametrize("length", [0, 1, 1000, -1000, -9])
def test_a_file_cut_short_is_refused(full: Desk, tmp_path: Path, length: int) -> None:
    """Wherever the file ends too early, it is no backup."""
    path = tmp_path / "backup"
    write(full.journal, path, {}, clock, quiet)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(BadBackup):
        reading.check(path, quiet)


def test_what_is_no_backup_is_refused(tmp_path: Path) -> None:
    """Other files are refused with a sentence, a gzipped one too."""
    path = tmp_path / "backup"
    for content in (b"text", gzip.compress(b"text"), gzip.compress(b"\0" * 10_240)):
        path.write_bytes(content)
        with pytest.raises(BadBackup):
            reading.check(path, quiet)


def test_only_an_empty_journal_takes_a_backup_unless_it_is_merged(
    full: Desk, target: Journal, tmp_path: Path
) -> None:
    """Matches that are there stay as they are, also where they went on; others are added; what differs is named."""
    path = tmp_path / "backup"
    write(full.journal, path, {}, clock, quiet)
    reader = reading.check(path, quiet)
    restoring.restore(target, reader, quiet, merge=False)
    with pytest.raises(restoring.NotEmpty):
        restoring.restore(target, reader, quiet, merge=False)

    heads = {match: head for match in full.journal.matches() if (head := full.journal.head(match))}
    kept = next(match for match, head in heads.items() if head.version > 1)
    lost = next(match for match in heads if match != kept)
    part = MemoryJournal()
    first = orjson.loads(full.journal.read(kept)[0])
    behind = replace(heads[kept], version=1, hash=first["hash"])
    part.append(Entry(kept, 0, "", full.journal.read(kept)[0], behind))
    done = restoring.restore(part, reader, quiet, merge=True)
    assert (done.restored, done.deleted, done.differing) == (3, 1, [kept])
    assert part.read(lost) == full.journal.read(lost)
    again = restoring.restore(part, reader, quiet, merge=True)
    assert (again.restored, again.deleted, again.present, again.differing) == (0, 0, 4, [kept])


def test_the_tar_can_be_read_without_this_program(full: Desk, tmp_path: Path) -> None:
    """Any tar shows the members and any reader of JSON lines the commits, as the journal holds them."""
    path = tmp_path / "backup"
    write(full.journal, path, {"secret": b"hush"}, clock, quiet)
    with tarfile.open(path) as archive:
        assert archive.getnames() == ["matches/000001.ndjson", "secret", MANIFEST]
        part = archive.extractfile("matches/000001.ndjson")
        assert part is not None
        lines = part.read().splitlines()
    commits = [line for match in full.journal.matches() for line in full.journal.read(match)]
    assert set(commits) < set(lines)
