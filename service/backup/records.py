"""All matches as records, a file each: what can be kept, checked and read without a server."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from service.errors import MatchDeleted
from service.journal.errors import ArchiveDamaged
from service.keys.private_files import private_file
from service.keys.tokens import Caller
from service.matches import records
from service.matches.desk import Desk
from service.matches.loading import load

SUFFIX = ".ndjson"
_TAIL = 64 * 1024  # bytes looked at first for a file's last line


@dataclass(slots=True)
class Exported:
    """How many records were written, how many were there already, and which cannot be read."""

    written: int = 0
    present: int = 0
    missing: list[str] = field(default_factory=list)


def export_all(desk: Desk, directory: Path, progress: Callable[[int], None]) -> Exported:
    """Write each match's record to `<match>.ndjson`, redacted where it is not ended.

    Return what was done. A file that ends with the match's last commit is passed over.

    progress: told of each match as 1.   Raises JournalUnavailable, OSError.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    done = Exported()
    for match in desk.journal.matches():
        head = desk.journal.head(match)
        path = directory / f"{match}{SUFFIX}"
        if head is not None:
            if path.exists() and _last_hash(path) == head.hash:
                done.present += 1
            else:
                _export(desk, match, path, done)
        progress(1)
    return done


def _export(desk: Desk, match_id: str, path: Path, done: Exported) -> None:
    """Write a match's record as the public may see it, and note what became of it."""
    try:
        loaded = load(desk, match_id)
        with private_file(path) as file:
            file.writelines(records.lines_of(desk, loaded, Caller()))
        done.written += 1
    except MatchDeleted:  # meanwhile
        return
    except ArchiveDamaged:
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
