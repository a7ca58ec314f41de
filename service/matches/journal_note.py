"""What a journal was last known to hold, noted in a file outside of it."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from service.journal.values import Line
from service.keys.private_files import DIRECTORY_MODE, private_file

_log = logging.getLogger(__name__)

_NAME = "journal.note"


@dataclass(frozen=True, slots=True)
class Note:
    """What a journal held at a time.

    epoch: the id of its epoch.
    commits: how many were ever appended.
    time: when it was noted, in milliseconds since the epoch.
    lines: the last line of each feed that has any, by the number of its partition.
    """

    epoch: str
    commits: int
    time: int
    lines: Mapping[int, Line]

    def says_more_than(self, other: "Note | None") -> bool:
        """Return whether it tells anything but a later time."""
        return other is None or (self.epoch, self.lines) != (other.epoch, other.lines)


def note_file(data: Path) -> Path:
    """Return the place of the note in a data directory."""
    return data / _NAME


def read_note(path: Path) -> Note | None:
    """Return what is noted in a file; None if there is none, or one that cannot be read."""
    try:
        fields = json.loads(path.read_bytes())
        lines = fields["lines"].items()
        return Note(
            epoch=fields["epoch"],
            commits=fields["commits"],
            time=fields["time"],
            lines={int(number): _line(*line) for number, line in lines},
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        _log.warning("the note of what the journal held cannot be read", extra={"file": str(path)})
        return None


def write_note(path: Path, note: Note) -> None:
    """Write a note into a file, whole and durably; raises OSError."""
    fields = {
        "epoch": note.epoch,
        "commits": note.commits,
        "time": note.time,
        "lines": {str(number): line for number, line in note.lines.items()},
    }
    path.parent.mkdir(parents=True, exist_ok=True, mode=DIRECTORY_MODE)
    with private_file(path) as file:
        file.write(json.dumps(fields).encode())


def _line(entry_id: str, match_id: str, version: int) -> Line:
    return entry_id, match_id, version
