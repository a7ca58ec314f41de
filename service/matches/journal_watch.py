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

    generation: the id of its generation.
    commits: how many were ever appended.
    time: when it was noted, in milliseconds since the epoch.
    lines: the last line of each feed that has any, by the number of its partition.
    """

    generation: str
    commits: int
    time: int
    lines: Mapping[int, Line]

    def says_more_than(self, other: "JournalNote | None") -> bool:
        """Return whether it says anything but a later time."""
        return other is None or (self.generation, self.lines) != (other.generation, other.lines)


def note_file(data: Path) -> Path:
    """Return the place of the note in a data directory."""
    return data / _NAME


def read_note(path: Path) -> JournalNote | None:
    """Return what is noted in a file; None if there is none, or one that cannot be read."""
    try:
        fields = json.loads(path.read_bytes())
        lines = fields["lines"].items()
        return JournalNote(
            generation=fields["epoch"],
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
        "epoch": note.generation,
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
    generation = ctx.journal.lifecycle.generation()
    seen = generation.id if generation else ""
    had_one = bool(ctx.cache.generation)
    if had_one and ctx.cache.generation != seen:
        ctx.cache.forget()
    ctx.cache.generation = seen
    ctx.cache.lost_generation = not seen and (had_one or ctx.cache.lost_generation)
    return generation


def compare(ctx: Context, noted: JournalNote | None) -> JournalNote | None:
    """Compare the journal with its note, and give it a new generation if it has gone back.

    Return what is to be noted now; None if somebody else has given it a generation meanwhile.
    Raises JournalUnavailable.
    """
    generation = look(ctx)
    ends = ctx.journal.events.feed_ends(noted.lines if noted else {})
    commits = ctx.journal.events.commit_count()
    now = ctx.clock()

    right = _right_generation(generation, noted, ends, commits, now)
    if right != generation:
        if not ctx.journal.lifecycle.replace_generation(generation, right):
            return None
        look(ctx)
        if right.gone_back and (generation is None or right.gone_back != generation.gone_back):
            _log.error(sentence(right.gone_back))

    return JournalNote(generation=right.id, commits=commits, time=now, lines=ends.last)


def _right_generation(
    generation: Generation | None, noted: JournalNote | None, ends: FeedEnds, commits: int, now: int
) -> Generation:
    """Return the generation that the journal should have: its own, or a new one."""
    if generation is not None:
        knows_the_note = noted is None or noted.generation in generation.superseded
        if knows_the_note or (noted and noted.generation == generation.id and not ends.missing):
            return generation

    gone_back = generation.gone_back if generation else None
    if noted is not None and ends.missing:
        gone_back = GoneBack(
            had=max(noted.commits, gone_back.had if gone_back else 0),
            noted=noted.time,
            has=commits,
            noticed=now,
        )
    before = [noted.generation] if noted else []
    return _after(generation, before, gone_back, now)


def notice_loss(ctx: Context, feeds: int) -> None:
    """Give a journal a new generation because so many feeds lack commits that are in the log.

    The log sees what comes between two notes. Raises JournalUnavailable.
    """
    generation = ctx.journal.lifecycle.generation()
    if generation is not None and generation.gone_back is not None:
        return
    has = ctx.journal.events.commit_count()
    now = ctx.clock()
    gone_back = GoneBack(had=has + feeds, noted=now, has=has, noticed=now)
    if ctx.journal.lifecycle.replace_generation(generation, _after(generation, [], gone_back, now)):
        look(ctx)
        _log.error(sentence(gone_back))


def begin_anew(journal: Journal, noted: JournalNote | None, now: int) -> None:
    """Give a journal a new generation on purpose, in place of its own and of the noted one.

    Nothing that either of them has and the journal has not counts as lost. Raises
    JournalUnavailable.
    """
    before = [noted.generation] if noted else []
    replaced = False
    while not replaced:
        generation = journal.lifecycle.generation()
        replaced = journal.lifecycle.replace_generation(
            generation, _after(generation, before, None, now)
        )


def accept(journal: Journal) -> GoneBack | None:
    """Accept that a journal has gone back; return what was accepted, None if there is nothing.

    Raises JournalUnavailable.
    """
    while True:
        generation = journal.lifecycle.generation()
        if generation is None or generation.gone_back is None:
            return None

        accepted = Generation(
            id=generation.id, since=generation.since, superseded=generation.superseded
        )
        if journal.lifecycle.replace_generation(generation, accepted):
            return generation.gone_back


def sentence(gone_back: GoneBack) -> str:
    """Return in words what was lost."""
    return (
        f"the journal has gone back: it had {gone_back.had} commits at "
        f"{timestamp(gone_back.noted)} and had {gone_back.has} when that was noticed at "
        f"{timestamp(gone_back.noticed)}; moves acknowledged meanwhile are lost, "
        "and receipts show which"
    )


def _after(
    generation: Generation | None, before: list[str], gone_back: GoneBack | None, now: int
) -> Generation:
    """Return a new generation after that of the journal, and after others."""
    superseded = list(generation.superseded) if generation else []
    for one in [*([generation.id] if generation else []), *before]:
        if one not in superseded:
            superseded.append(one)

    return Generation(
        id=secrets.token_hex(_ID_BYTES),
        since=now,
        superseded=tuple(superseded[-_MOST_SUPERSEDED:]),
        gone_back=gone_back,
    )
