"""Files written from a journal while the service goes on: a backup, a dump, or all records.

A backup has all readable matches, each as of one moment. Matches do not depend on each other,
so consistent matches make a consistent backup. The file is written whole or not at all. The file
has all commits acknowledged before the backup began, except commits of unreadable matches. These
matches are left out, and the manifest names them.

`write` collects matches in a part, and puts full parts into the tar. The manifest comes last.
Players, deletions and archiving go on meanwhile:

1. `_add_now` reads the metadata of a match, and then as many commits as its head has. Later commits
   are left out.
2. The match is deleted between two reads, so a read returns no commits (`_Gone`). `_cut` removes
   the match from the part, and `_add_now` reads it once more, now as a tombstone.
3. Commits are missing without a deletion, so the second reading ends in `_Gone`, too. The match is
   removed from the part and noted as missing. Damaged heads, metadata and archive files have the
   same result.
4. The journal fails or the disk is full, and `write` raises an error. The file is then no backup.

A dump is for everybody. It has the records of ended public matches, as NDJSON compressed by zstd:
record after record, in the order of the matches' ends. Two lists of SHA-256 digests are beside the
dump, in the format of `sha256sum`: one with the digest of the dump file, one with the digest of
each record as `giornale export` writes it.

An export is all matches as records, one file each. The records can be stored, checked and read
without a server.
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

from service.base.errors import MatchDeleted, NotFound
from service.base.private_files import private_file
from service.matches import records
from service.matches.access import enter_as_operator
from service.matches.context import Context
from service.matches.repository import PIECE
from service.ops.backup import file_format
from service.ops.backup.dump_file import RECORD_SUFFIX, files_of
from service.record.commit import timestamp
from service.store.journal.errors import ArchiveDamaged, HeadDamaged
from service.store.journal.ports import Journal
from service.store.journal.values import ENDED

# Called with the work done since the last call, such as a number of commits.
Progress = Callable[[int], None]

_BACKUP_LEVEL = 6  # level of compression: a higher level takes much longer and saves little
_MODE = 0o600
_MOST_IN_MEMORY = 2 * file_format.PART_BYTES  # a larger part goes to a temporary file

_DUMP_LEVEL = 12  # level of compression
_LISTED = 500  # matches of one read

SUFFIX = ".ndjson"
_TAIL = 64 * 1024  # bytes read first for a file's last line


# ---- a backup ------------------------------------------------------------------------------------


class _Gone(Exception):
    """The match lacks commits that its head counts: it was deleted meanwhile, or is damaged."""


class _Writer:
    """An unfinished tar, and the content of its manifest."""

    def __init__(self, archive: tarfile.TarFile, part: IO[bytes]) -> None:
        self._archive = archive
        self._part = part
        self._parts: dict[str, tuple[int, str]] = {}
        self._counts = {"matches": 0, "deleted": 0, "commits": 0}
        self.missing: list[str] = []

    def add(self, journal: Journal, match_id: str, progress: Progress) -> None:
        """Add a match, or note it as missing. Close a full part."""
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
        """Remove the content of the part after a position."""
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
        written = 0
        while written < length:
            many_commit_bytes = journal.events.read(match_id, written, min(PIECE, length - written))
            if not many_commit_bytes:
                raise _Gone
            self._part.writelines(commit_bytes + b"\n" for commit_bytes in many_commit_bytes)
            written += len(many_commit_bytes)
            progress(len(many_commit_bytes))

        self._counts["matches"] += 1
        self._counts["commits"] += written

    def close_part(self) -> None:
        """Put the collected matches into the tar as a separate part."""
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

    def manifest(self, start: int, end: int) -> file_format.Manifest:
        """Return the manifest of the written parts."""
        return file_format.Manifest(
            layout=file_format.LAYOUT,
            giornale=version("giornale"),
            begun=timestamp(start),
            ended=timestamp(end),
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

    private: the secret and the keys, by the names of their members. {} leaves them out.
    clock: returns milliseconds since the epoch.

    Raises JournalUnavailable, OSError. The file is then no backup.
    """
    start = clock()
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

        # The manifest describes all other members, so it comes last.
        manifest = writer.manifest(start, clock())
        writer.put(file_format.MANIFEST, io.BytesIO(manifest.written()))
    return manifest


# ---- a dump --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span:
    """A period for the ends of matches: from `start` on and before `end`.

    Both are in milliseconds since the epoch.
    """

    start: int
    end: int


@dataclass(slots=True)
class Dumped:
    """The content of a dump: numbers of matches and commits, and the digest of each record.

    digests: by match.   missing: unreadable matches.
    """

    matches: int = 0
    commits: int = 0
    digests: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def dump(
    ctx: Context, span: Span, path: Path, progress: Callable[[int], None], *, replace: bool = True
) -> Dumped:
    """Write the dump of a period to a file, with its lists beside it. Return its content.

    progress: counts each match as 1.   replace: True to replace existing files.

    Raises JournalUnavailable, OSError. Raises Incomplete, and changes no file, if a match is
    missing and the file exists.
    """
    dumped = Dumped()
    _, list_path, records_path = files_of(path)

    # All three files are complete before the first is renamed. The dump comes before its lists.
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
            sentence = "an incomplete dump replaces no file: write it to another one"
            raise file_format.Incomplete(sentence, dumped.missing)

        list_file.write(_line_of(_digest_of(file), path.name))
        for match, digest in dumped.digests.items():
            records_file.write(_line_of(digest, f"{match}{RECORD_SUFFIX}"))
        for beside in (list_file, records_file):
            beside.flush()

        if replace:
            # Lists of an older dump must never be beside this dump, not even after a crash.
            list_path.unlink(missing_ok=True)
            records_path.unlink(missing_ok=True)
    return dumped


def ended_matches(ctx: Context, span: Span) -> list[str]:
    """Return the public matches that ended within a period and are revealed, first ended first.

    Matches with a damaged head come first, because their time is unknown.
    """
    ends: list[tuple[int, str]] = []
    for status in ENDED:
        ends += [(updated, match) for match, updated in _final_matches(ctx, status, span)]
    return [match for _, match in sorted(ends)]


def _final_matches(ctx: Context, status: str, span: Span) -> Iterator[tuple[str, int]]:
    """Yield each listed match of a status that became final in a period, and that time.

    A match with a damaged head is yielded with the start of the period.
    """
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
    """Add a record to the file. Skip a match deleted meanwhile, and note an unreadable one."""
    try:
        lines = list(records.lines_of(ctx, enter_as_operator(ctx, match_id)))
    except MatchDeleted:
        return
    except (ArchiveDamaged, HeadDamaged, NotFound):  # NotFound: it lacks commits
        dumped.missing.append(match_id)
        return

    content = b"".join(lines)
    packed.write(content)
    dumped.matches += 1
    dumped.commits += len(lines)
    dumped.digests[match_id] = hashlib.sha256(content).hexdigest()


def _digest_of(file: IO[bytes]) -> str:
    """Return the SHA-256 of a file's content."""
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def _line_of(digest: str, name: str) -> bytes:
    return f"{digest}  {name}\n".encode()


# ---- an export -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Exported:
    """The result of an export: numbers of written and present records, unreadable matches."""

    written: int = 0
    present: int = 0
    missing: list[str] = field(default_factory=list)


def export_all(ctx: Context, directory: Path, progress: Callable[[int], None]) -> Exported:
    """Write each match's record to `<match>.ndjson`, redacted unless the match is final.

    A file is skipped if it ends with the match's last commit.

    progress: counts each match as 1. Raises JournalUnavailable, OSError.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    result = Exported()
    for match in ctx.journal.events.matches():
        [head] = ctx.journal.events.heads([match])
        path = directory / f"{match}{SUFFIX}"
        if isinstance(head, HeadDamaged):
            result.missing.append(match)
        elif head is not None:
            if path.exists() and _last_hash(path) == head.hash:
                result.present += 1
            else:
                _export(ctx, match, path, result)
        progress(1)
    return result


def _export(ctx: Context, match_id: str, path: Path, result: Exported) -> None:
    """Write the public record of a match, and note the result."""
    try:
        access = enter_as_operator(ctx, match_id)
        with private_file(path) as file:
            file.writelines(records.lines_of(ctx, access))
        result.written += 1
    except MatchDeleted:  # meanwhile
        return
    except (ArchiveDamaged, HeadDamaged, NotFound):  # NotFound: it lacks commits
        result.missing.append(match_id)


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
    """Return the last line of a file, b"" for an empty one."""
    size = path.stat().st_size
    tail_start = max(0, size - _TAIL)
    lines = _lines_from(path, tail_start)
    if len(lines) == 1 and tail_start > 0:
        # The last line is longer than the tail: read the whole file.
        lines = _lines_from(path, 0)
    return lines[-1] if lines else b""


def _lines_from(path: Path, start: int) -> list[bytes]:
    """Return the lines of a file from a byte on, with their line feeds."""
    with path.open("rb") as file:
        file.seek(start)
        return file.read().splitlines(keepends=True)
