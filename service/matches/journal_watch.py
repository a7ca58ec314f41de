"""Journal watch: whether the journal is the generation that was known, or has gone back.

A journal goes back when an older backup is put back, when a replica that lagged behind takes over,
or when it is emptied. The scheduler writes down what the journal holds, outside of it, and compares
(its high-water mark, the journal note). If commits are gone, the journal gets a new generation (an
"epoch" where it is stored) that says so until an operator accepts it (docs/decisions/0047).
Processes forget what they remember when they see another generation.
"""

import json
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from service.base.private_files import DIRECTORY_MODE, private_file
from service.matches.context import Context
from service.record.commit import timestamp
from service.store.journal.ports import Journal
from service.store.journal.values import FeedEnds, Generation, GoneBack, Line

_log = logging.getLogger(__name__)

_NAME = "journal.note"
_ID_BYTES = 16
_MOST_SUPERSEDED = 100


@dataclass(frozen=True, slots=True)
class JournalNote:
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

    def says_more_than(self, other: "JournalNote | None") -> bool:
        """Return whether it says anything but a later time."""
        return other is None or (self.epoch, self.lines) != (other.epoch, other.lines)


def note_file(data: Path) -> Path:
    """Return the place of the note in a data directory."""
    return data / _NAME


def read_note(path: Path) -> JournalNote | None:
    """Return what is noted in a file; None if there is none, or one that cannot be read."""
    try:
        fields = json.loads(path.read_bytes())
        lines = fields["lines"].items()
        return JournalNote(
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


def write_note(path: Path, note: JournalNote) -> None:
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


def look(ctx: Context) -> Generation | None:
    """Return the journal's generation; if it is another one, forget what is remembered.

    Raises JournalUnavailable.
    """
    epoch = ctx.journal.lifecycle.generation()
    seen = epoch.id if epoch else ""
    had_one = bool(ctx.cache.generation)
    if had_one and ctx.cache.generation != seen:
        ctx.cache.forget()
    ctx.cache.generation = seen
    ctx.cache.lost_generation = not seen and (had_one or ctx.cache.lost_generation)
    return epoch


def compare(ctx: Context, noted: JournalNote | None) -> JournalNote | None:
    """Compare the journal with what was noted of it, and give it a new epoch if it has gone back.

    Return what is to be noted now; None if somebody else has given it an epoch meanwhile.
    Raises JournalUnavailable.
    """
    epoch = look(ctx)
    ends = ctx.journal.events.feed_ends(noted.lines if noted else {})
    commits = ctx.journal.events.commit_count()
    now = ctx.clock()

    right = _right_epoch(epoch, noted, ends, commits, now)
    if right != epoch:
        if not ctx.journal.lifecycle.replace_generation(epoch, right):
            return None
        look(ctx)
        if right.gone_back and (epoch is None or right.gone_back != epoch.gone_back):
            _log.error(sentence(right.gone_back))

    return JournalNote(epoch=right.id, commits=commits, time=now, lines=ends.last)


def _right_epoch(
    epoch: Generation | None, noted: JournalNote | None, ends: FeedEnds, commits: int, now: int
) -> Generation:
    """Return the epoch that the journal should have: its own, or a new one."""
    if epoch is not None:
        knows_the_note = noted is None or noted.epoch in epoch.superseded
        if knows_the_note or (noted and noted.epoch == epoch.id and not ends.missing):
            return epoch

    gone_back = epoch.gone_back if epoch else None
    if noted is not None and ends.missing:
        gone_back = GoneBack(
            had=max(noted.commits, gone_back.had if gone_back else 0),
            noted=noted.time,
            has=commits,
            noticed=now,
        )
    before = [noted.epoch] if noted else []
    return _after(epoch, before, gone_back, now)


def notice_loss(ctx: Context, feeds: int) -> None:
    """Give a journal a new epoch because so many feeds lack commits that are in the log.

    The log sees what comes between two notes. Raises JournalUnavailable.
    """
    epoch = ctx.journal.lifecycle.generation()
    if epoch is not None and epoch.gone_back is not None:
        return
    has = ctx.journal.events.commit_count()
    now = ctx.clock()
    gone_back = GoneBack(had=has + feeds, noted=now, has=has, noticed=now)
    if ctx.journal.lifecycle.replace_generation(epoch, _after(epoch, [], gone_back, now)):
        look(ctx)
        _log.error(sentence(gone_back))


def begin_anew(journal: Journal, noted: JournalNote | None, now: int) -> None:
    """Give a journal a new epoch on purpose, in place of the one that it has and of the noted one.

    Nothing that either of them has and the journal has not counts as lost. Raises
    JournalUnavailable.
    """
    before = [noted.epoch] if noted else []
    replaced = False
    while not replaced:
        epoch = journal.lifecycle.generation()
        replaced = journal.lifecycle.replace_generation(epoch, _after(epoch, before, None, now))


def accept(journal: Journal) -> GoneBack | None:
    """Accept that a journal has gone back; return what was accepted, None if there is nothing.

    Raises JournalUnavailable.
    """
    while True:
        epoch = journal.lifecycle.generation()
        if epoch is None or epoch.gone_back is None:
            return None

        accepted = Generation(id=epoch.id, since=epoch.since, superseded=epoch.superseded)
        if journal.lifecycle.replace_generation(epoch, accepted):
            return epoch.gone_back


def sentence(gone_back: GoneBack) -> str:
    """Return in words what was lost."""
    return (
        f"the journal has gone back: it had {gone_back.had} commits at "
        f"{timestamp(gone_back.noted)} and had {gone_back.has} when that was noticed at "
        f"{timestamp(gone_back.noticed)}; moves acknowledged meanwhile are lost, "
        "and receipts show which"
    )


def _after(
    epoch: Generation | None, before: list[str], gone_back: GoneBack | None, now: int
) -> Generation:
    """Return a new epoch after that of the journal, and after others."""
    superseded = list(epoch.superseded) if epoch else []
    for one in [*([epoch.id] if epoch else []), *before]:
        if one not in superseded:
            superseded.append(one)

    return Generation(
        id=secrets.token_hex(_ID_BYTES),
        since=now,
        superseded=tuple(superseded[-_MOST_SUPERSEDED:]),
        gone_back=gone_back,
    )
