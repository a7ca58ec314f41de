"""All matches as records, a file each: what can be kept, checked and read without a server."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import orjson

from service.errors import MatchDeleted
from service.journal.port import Head
from service.keys.private_files import private_file
from service.keys.tokens import Caller
from service.matches import records
from service.matches.desk import Desk
from service.matches.loading import load

SUFFIX = ".ndjson"
_TAIL = 64 * 1024  # bytes looked at first for a file's last line


@dataclass(slots=True)
class Exported:
    """How many records were written, and how many were there already."""

    written: int = 0
    present: int = 0


def export_all(desk: Desk, directory: Path, progress: Callable[[int], None]) -> Exported:
    """Write each match's record to `<match>.ndjson`, redacted where it is not ended; return what was done.

    A file that ends with the match's last commit is passed over. progress: told of each match as 1. Raises
    JournalUnavailable, OSError.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    done = Exported()
    for match in desk.journal.matches():
        head = desk.journal.head(match)
        if head is not None:
            _export(desk, match, head, directory / f"{match}{SUFFIX}", done)
        progress(1)
    return done


def _export(desk: Desk, match: str, head: Head, path: Path, done: Exported) -> None:
    if path.exists() and _last_hash(path) == head.hash:
        done.present += 1
        return
    try:
        loaded = load(desk, match)
        with private_file(path) as file:
            file.writelines(records.lines_of(desk, loaded, Caller()))
    except MatchDeleted:  # meanwhile
        return
    done.written += 1


def _last_hash(path: Path) -> str:
    """Return the hash in the last line of a record, "" if it has none."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _TAIL))
        lines = file.read().splitlines(keepends=True)
        if len(lines) == 1 and size > _TAIL:
            file.seek(0)
            lines = file.read().splitlines(keepends=True)
    try:
        whole = bool(lines) and lines[-1].endswith(b"\n")
        return str(orjson.loads(lines[-1])["data"]["hash"]) if whole else ""
    except (ValueError, TypeError, KeyError):
        return ""
