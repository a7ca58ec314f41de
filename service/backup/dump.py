"""Whole records of public matches that have ended, in one file for everybody.

The file is NDJSON compressed by zstd: the lines of each record, one record after the other, in the
order in which the matches ended. Beside it lies a list of SHA-256 in the form of `sha256sum`: of
the file, and of each record as `giornale export` writes it.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zstandard import ZstdCompressor

from service.errors import MatchDeleted
from service.journal.values import ENDED
from service.keys.private_files import private_file
from service.keys.tokens import Caller
from service.matches import records
from service.matches.desk import Desk
from service.matches.loading import load

LIST_SUFFIX = ".sha256"
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
    """What a dump holds: how many matches and commits, and the digest of each record by match."""

    matches: int = 0
    commits: int = 0
    digests: dict[str, str] = field(default_factory=dict)


def dump(desk: Desk, span: Span, path: Path, progress: Callable[[int], None]) -> Dumped:
    """Write the dump of a time to a file and its list beside it; return what it holds.

    progress: told of each match as 1.   Raises JournalUnavailable, OSError; the file is whole or
    not there.
    """
    dumped = Dumped()
    compressor = ZstdCompressor(level=_LEVEL)
    with (
        private_file(path) as file,
        compressor.stream_writer(file, closefd=False) as packed,
    ):
        for match in ended_matches(desk, span):
            _add(desk, match, packed, dumped)
            progress(1)

    _write_list(path, dumped)
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
    """Add a record to the file, unless its match was deleted meanwhile."""
    try:
        loaded = load(desk, match_id)
        lines = list(records.lines_of(desk, loaded, Caller()))
    except MatchDeleted:
        return

    content = b"".join(lines)
    packed.write(content)
    dumped.matches += 1
    dumped.commits += len(lines)
    dumped.digests[match_id] = hashlib.sha256(content).hexdigest()


def _write_list(path: Path, dumped: Dumped) -> None:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    lines = [f"{digest}  {path.name}"]
    for match, of_record in dumped.digests.items():
        lines.append(f"{of_record}  {match}{RECORD_SUFFIX}")

    with private_file(path.with_name(path.name + LIST_SUFFIX)) as file:
        file.write("\n".join(lines).encode() + b"\n")
