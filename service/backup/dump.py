"""Whole records of public matches that have ended, in one file for everybody.

The file is NDJSON compressed by zstd: the lines of each record, one record after the other, in the
order in which the matches ended. Beside it lie two lists of SHA-256 in the form of `sha256sum`: one
of the file, and one of each record as `giornale export` writes it.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from zstandard import ZstdCompressor

from service.backup.form import Incomplete
from service.errors import MatchDeleted
from service.journal.errors import ArchiveDamaged
from service.journal.values import ENDED
from service.keys.private_files import private_file
from service.keys.tokens import Caller
from service.matches import records
from service.matches.desk import Desk
from service.matches.loading import load

LIST_SUFFIX = ".sha256"
RECORDS_LIST_SUFFIX = ".records.sha256"
RECORD_SUFFIX = ".ndjson"
_LEVEL = 12  # of compression
_LISTED = 500  # matches looked at in one go


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
    desk: Desk, span: Span, path: Path, progress: Callable[[int], None], *, replace: bool = True
) -> Dumped:
    """Write the dump of a time to a file and its lists beside it; return what it holds.

    progress: told of each match as 1.   replace: also what is there.
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
        with ZstdCompressor(level=_LEVEL).stream_writer(file, closefd=False) as packed:
            for match in ended_matches(desk, span):
                _add(desk, match, packed, dumped)
                progress(1)
        if dumped.missing and path.exists():
            raise Incomplete(dumped.missing)

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


def ended_matches(desk: Desk, span: Span) -> list[str]:
    """Return the public matches that ended within a time and are revealed, first ended first."""
    found = []
    for status in ENDED:
        for match, updated in _listed(desk, status):
            if span.start <= updated < span.end:
                found.append((updated, match))
    return [match for _, match in sorted(found)]


def _listed(desk: Desk, status: str) -> Iterator[tuple[str, int]]:
    """Yield the listed matches of a status that are final, with the time of their last commit."""
    before = None
    while cursors := desk.journal.listing(status, before, _LISTED):
        names = [match for _, match in cursors]
        heads = desk.journal.heads(names)
        for match, head in zip(names, heads, strict=True):
            if head is not None and head.final:
                yield match, head.updated

        before = cursors[-1]


def _add(desk: Desk, match_id: str, packed: Any, dumped: Dumped) -> None:
    """Add a record to the file, unless its match was deleted meanwhile or cannot be read."""
    try:
        loaded = load(desk, match_id)
        lines = list(records.lines_of(desk, loaded, Caller()))
    except MatchDeleted:
        return
    except ArchiveDamaged:
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
