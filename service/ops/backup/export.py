"""What is written from a journal while the service goes on: a backup, a dump, or all records.

A backup holds everything. Each match is written as it is at one moment, and the file whole or not
at all. Matches do not depend on each other, so matches that are each consistent make a consistent
whole. A commit that was acknowledged before the backup began is in it, unless its match cannot be
read: such a match is left out, and the manifest names it.

A dump holds the records of public matches that have ended, for everybody. It is NDJSON compressed
by zstd: the lines of each record, one record after the other, in the order of the matches' ends.
Beside it lie two lists of SHA-256 in the form of `sha256sum`: one of the file, and one of each
record as `giornale export` writes it.

An export is all matches as records, a file each. They can be kept, checked and read without a
server.
"""

import gzip
import hashlib
import io
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import orjson
from zstandard import ZstdCompressor

from service.base.errors import MatchDeleted
from service.base.private_files import private_file
from service.matches import records
from service.matches.access import enter_as_operator
from service.matches.context import Context
from service.matches.repository import PIECE
from service.ops.backup import file_format
from service.record.commit import timestamp
from service.store.journal.errors import ArchiveDamaged, HeadDamaged
from service.store.journal.ports import Journal
from service.store.journal.values import ENDED

# Called with how many commits more are done.
Progress = Callable[[int], None]

_BACKUP_LEVEL = 6  # of compression: a higher one takes much longer and saves little
_MODE = 0o600
_MOST_IN_MEMORY = 2 * file_format.PART_BYTES  # of a part; only that of a huge match is more

LIST_SUFFIX = ".sha256"
RECORDS_LIST_SUFFIX = ".records.sha256"
RECORD_SUFFIX = ".ndjson"
_DUMP_LEVEL = 12  # of compression
_LISTED = 500  # matches looked at in one go

SUFFIX = ".ndjson"
_TAIL = 64 * 1024  # bytes looked at first for a file's last line


# ---- a backup ------------------------------------------------------------------------------------


class _Gone(Exception):
    """The match has fewer commits than its head tells: it was deleted meanwhile, or is damaged."""


class _Writer:
    """A tar that is being written, and what its manifest will say."""

    def __init__(self, archive: tarfile.TarFile, part: IO[bytes]) -> None:
        self._archive = archive
        self._part = part
        self._parts: dict[str, tuple[int, str]] = {}
        self._counts = {"matches": 0, "deleted": 0, "commits": 0}
        self.missing: list[str] = []

    def add(self, journal: Journal, match_id: str, progress: Progress) -> None:
        """Add a match as it is now, or note that it is missing; close the part if that fills it."""
        start = self._part.tell()
        try:
            self._add_or_bury(journal, match_id, progress)
        except (ArchiveDamaged, HeadDamaged, _Gone, ValueError):  # ValueError: of its metadata
            self._cut(start)
            self.missing.append(match_id)

        if self._part.tell() >= file_format.PART_BYTES:
            self.close_part()

    def _add_or_bury(self, journal: Journal, match_id: str, progress: Progress) -> None:
        """Add a match, or its tombstone if it is deleted meanwhile."""
        start = self._part.tell()
        try:
            self._add_now(journal, match_id, progress)
        except _Gone:
            self._cut(start)
            self._add_now(journal, match_id, progress)

    def _cut(self, end: int) -> None:
        """Take back what was written to the part after a place."""
        self._part.seek(end)
        self._part.truncate()

    def _add_now(self, journal: Journal, match_id: str, progress: Progress) -> None:
        metadata = journal.metadata.dump(match_id)
        if metadata.head is None and metadata.tombstone is None:
            return

        self._part.write(file_format.first_line_of(match_id, metadata))
        if metadata.head is None:
            self._counts["deleted"] += 1
            return

        length = metadata.head.version
        done = 0
        while done < length:
            many_commit_bytes = journal.events.read(match_id, done, min(PIECE, length - done))
            if not many_commit_bytes:
                raise _Gone
            self._part.writelines(commit_bytes + b"\n" for commit_bytes in many_commit_bytes)
            done += len(many_commit_bytes)
            progress(len(many_commit_bytes))

        self._counts["matches"] += 1
        self._counts["commits"] += done

    def close_part(self) -> None:
        """Put what was collected into the tar as a separate part."""
        if self._part.tell() == 0:
            return
        number = len(self._parts) + 1
        self.put(f"{file_format.MATCHES}{number:06d}.ndjson", self._part)
        self._cut(0)

    def put(self, name: str, content: IO[bytes]) -> None:
        """Put a file into the tar and note its size and digest."""
        size = content.seek(0, os.SEEK_END)
        content.seek(0)
        digest = hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]
        content.seek(0)

        member = tarfile.TarInfo(name)
        member.size = size
        member.mode = _MODE
        self._archive.addfile(member, content)
        self._parts[name] = (size, digest)

    def manifest(self, begun: int, ended: int) -> file_format.Manifest:
        """Return what was written."""
        return file_format.Manifest(
            layout=file_format.LAYOUT,
            giornale=version("giornale"),
            begun=timestamp(begun),
            ended=timestamp(ended),
            parts=dict(self._parts),
            missing=tuple(self.missing),
            **self._counts,
        )


def write(
    journal: Journal,
    file: IO[bytes],
    private: Mapping[str, bytes],
    clock: Callable[[], int],
    progress: Progress,
) -> file_format.Manifest:
    """Write a backup of a journal to a file, and return its manifest.

    private: the secret and the keys, by the names of their members; {} to leave them out.
    clock: milliseconds since the epoch.   Raises JournalUnavailable, OSError; what was written is
    no backup then.
    """
    begun = clock()
    with (
        gzip.GzipFile("", "wb", _BACKUP_LEVEL, file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|") as archive,
        tempfile.SpooledTemporaryFile(max_size=_MOST_IN_MEMORY) as part,
    ):
        writer = _Writer(archive, part)
        for match in journal.events.matches():
            writer.add(journal, match, progress)
        writer.close_part()
        for name, content in private.items():
            writer.put(name, io.BytesIO(content))

        # The manifest comes last because it tells what was written.
        manifest = writer.manifest(begun, clock())
        writer.put(file_format.MANIFEST, io.BytesIO(manifest.written()))
    return manifest


# ---- a dump --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span:
    """Times between which matches have ended, in milliseconds: from `start` on, before `end`."""

    start: int
    end: int


@dataclass(slots=True)
class Dumped:
    """What a dump holds: how many matches and commits, and the digest of each record by match.

    missing: the matches that cannot be read.
    """

    matches: int = 0
    commits: int = 0
    digests: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def files_of(path: Path) -> list[Path]:
    """Return the files of a dump: itself, its list, and the list of its records."""
    beside = [path.with_name(path.name + suffix) for suffix in (LIST_SUFFIX, RECORDS_LIST_SUFFIX)]
    return [path, *beside]


def dump(
    ctx: Context, span: Span, path: Path, progress: Callable[[int], None], *, replace: bool = True
) -> Dumped:
    """Write the dump of a time to a file and its lists beside it; return what it holds.

    progress: counts each match as 1.   replace: also what is there.
    Raises JournalUnavailable, OSError, and Incomplete if a match is missing and something would be
    replaced; no file is touched then.
    """
    dumped = Dumped()
    _, list_path, records_path = files_of(path)

    # All three are whole before the first has its name; the dump has it before its lists.
    with (
        private_file(records_path, replace=replace) as records_file,
        private_file(list_path, replace=replace) as list_file,
        private_file(path, replace=replace) as file,
    ):
        with ZstdCompressor(level=_DUMP_LEVEL).stream_writer(file, closefd=False) as packed:
            for match in ended_matches(ctx, span):
                _add(ctx, match, packed, dumped)
                progress(1)
        if dumped.missing and path.exists():
            raise file_format.Incomplete(dumped.missing)

        list_file.write(_line_of(_digest_of(file), path.name))
        for match, digest in dumped.digests.items():
            records_file.write(_line_of(digest, f"{match}{RECORD_SUFFIX}"))
        for beside in (list_file, records_file):
            beside.flush()

        if replace:
            # Lists of another dump must not lie beside this one, whatever happens now.
            list_path.unlink(missing_ok=True)
            records_path.unlink(missing_ok=True)
    return dumped


def ended_matches(ctx: Context, span: Span) -> list[str]:
    """Return the public matches that ended within a time and are revealed, first ended first.

    One with a damaged head comes first, since its time is unknown.
    """
    found: list[tuple[int, str]] = []
    for status in ENDED:
        found += [(updated, match) for match, updated in _listed(ctx, status, span)]
    return [match for _, match in sorted(found)]


def _listed(ctx: Context, status: str, span: Span) -> Iterator[tuple[str, int]]:
    """Yield the listed matches of a status, with the time at which each became final."""
    before = None
    while cursors := ctx.journal.index.listing(status, before, _LISTED):
        names = [match for _, match in cursors]
        heads = ctx.journal.events.heads(names)
        for match, head in zip(names, heads, strict=True):
            if isinstance(head, HeadDamaged):
                yield match, span.start
            elif head is not None and head.final and span.start <= head.updated < span.end:
                yield match, head.updated

        before = cursors[-1]


def _add(ctx: Context, match_id: str, packed: Any, dumped: Dumped) -> None:
    """Add a record to the file, unless its match was deleted meanwhile or cannot be read."""
    try:
        lines = list(records.lines_of(ctx, enter_as_operator(ctx, match_id)))
    except MatchDeleted:
        return
    except (ArchiveDamaged, HeadDamaged):
        dumped.missing.append(match_id)
        return

    content = b"".join(lines)
    packed.write(content)
    dumped.matches += 1
    dumped.commits += len(lines)
    dumped.digests[match_id] = hashlib.sha256(content).hexdigest()


def _digest_of(file: IO[bytes]) -> str:
    """Return the SHA-256 of all that was written to a file."""
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def _line_of(digest: str, name: str) -> bytes:
    return f"{digest}  {name}\n".encode()


# ---- an export -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Exported:
    """How many records were written, how many were there already, and which cannot be read."""

    written: int = 0
    present: int = 0
    missing: list[str] = field(default_factory=list)


def export_all(ctx: Context, directory: Path, progress: Callable[[int], None]) -> Exported:
    """Write each match's record to `<match>.ndjson`, redacted where it is not ended.

    Return what was done. A file that ends with the match's last commit is passed over.

    progress: counts each match as 1.   Raises JournalUnavailable, OSError.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    done = Exported()
    for match in ctx.journal.events.matches():
        [head] = ctx.journal.events.heads([match])
        path = directory / f"{match}{SUFFIX}"
        if isinstance(head, HeadDamaged):
            done.missing.append(match)
        elif head is not None:
            if path.exists() and _last_hash(path) == head.hash:
                done.present += 1
            else:
                _export(ctx, match, path, done)
        progress(1)
    return done


def _export(ctx: Context, match_id: str, path: Path, done: Exported) -> None:
    """Write a match's record as the public may see it, and note what became of it."""
    try:
        access = enter_as_operator(ctx, match_id)
        with private_file(path) as file:
            file.writelines(records.lines_of(ctx, access))
        done.written += 1
    except MatchDeleted:  # meanwhile
        return
    except (ArchiveDamaged, HeadDamaged):
        done.missing.append(match_id)


def _last_hash(path: Path) -> str:
    """Return the hash in the last line of a record, "" if it has none."""
    line = _last_line(path)
    if not line.endswith(b"\n"):
        return ""
    try:
        return str(orjson.loads(line)["data"]["hash"])
    except (ValueError, TypeError, KeyError):
        return ""


def _last_line(path: Path) -> bytes:
    """Return the last line of a file, b"" of an empty one."""
    size = path.stat().st_size
    tail_start = max(0, size - _TAIL)
    lines = _lines_from(path, tail_start)
    if len(lines) == 1 and tail_start > 0:
        # The last line is longer than what was looked at.
        lines = _lines_from(path, 0)
    return lines[-1] if lines else b""


def _lines_from(path: Path, start: int) -> list[bytes]:
    """Return what a file holds from a byte on, in lines with their line feeds."""
    with path.open("rb") as file:
        file.seek(start)
        return file.read().splitlines(keepends=True)
