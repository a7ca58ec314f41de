"""Journal watch: notices a journal that has gone back, or has become another one.

A journal goes back when an older backup is restored, when a replica that lagged behind takes over,
or when it is emptied. The scheduler writes the state of the journal into a file outside of it (the
journal note, its high-water mark), and compares the journal with the last note. If commits are
gone, the journal gets a new generation (an "epoch" in stored fields). The generation tells of the
loss until an operator accepts the loss (docs/decisions/0047). Processes empty their caches when
they see another generation.
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
    """The state of a journal at a time.

    generation: the id of its generation.
    commits: number of all commits ever appended.
    time: of the note, in milliseconds since the epoch.
    lines: the last line of each feed that has any, by the number of its partition.
    """

    generation: str
    commits: int
    time: int
    lines: Mapping[int, Line]

    def says_more_than(self, other: "JournalNote | None") -> bool:
        """Return True if the other note is None, or differs in its generation or its lines."""
        return other is None or (self.generation, self.lines) != (other.generation, other.lines)


def note_file(data: Path) -> Path:
    """Return the path of the note in a data directory."""
    return data / _NAME


def read_note(path: Path) -> JournalNote | None:
    """Read the note in a file. None if there is none, or an unreadable one."""
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
        _log.warning("note of the journal could not be read", extra={"file": str(path)})
        return None


def write_note(path: Path, note: JournalNote) -> None:
    """Write a note into a file, whole and durably. Raises OSError."""
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
    """Return the journal's generation, and empty the cache if the generation has changed.

    Raises JournalUnavailable.
    """
    generation = ctx.journal.lifecycle.generation()
    current = generation.id if generation else ""
    had_one = bool(ctx.cache.generation)
    if had_one and ctx.cache.generation != current:
        ctx.cache.forget()
    ctx.cache.generation = current
    ctx.cache.lost_generation = not current and (had_one or ctx.cache.lost_generation)
    return generation


def compare(ctx: Context, note: JournalNote | None) -> JournalNote | None:
    """Compare the journal with its note, and give the journal a new generation if it needs one.

    The journal needs a new generation if it has none, or if it lacks commits of a note of its own
    generation. It also needs one if the note names another generation, unless the journal's own has
    superseded that generation. Return the new note, None if another process has replaced the
    generation meanwhile. Raises JournalUnavailable.
    """
    generation = look(ctx)
    ends = ctx.journal.events.feed_ends(note.lines if note else {})
    commits = ctx.journal.events.commit_count()
    now = ctx.clock()

    right = _right_generation(generation, note, ends, commits, now)
    if right != generation:
        if not ctx.journal.lifecycle.replace_generation(generation, right):
            return None
        look(ctx)
        if right.gone_back and (generation is None or right.gone_back != generation.gone_back):
            _log.error(sentence(right.gone_back))

    return JournalNote(generation=right.id, commits=commits, time=now, lines=ends.last)


def _right_generation(
    generation: Generation | None, note: JournalNote | None, ends: FeedEnds, commits: int, now: int
) -> Generation:
    """Return the right generation for the journal: its own, or a new one."""
    if generation is not None:
        knows_the_note = note is None or note.generation in generation.superseded
        if knows_the_note or (note and note.generation == generation.id and not ends.missing):
            return generation

    gone_back = generation.gone_back if generation else None
    if note is not None and ends.missing:
        gone_back = GoneBack(
            had=max(note.commits, gone_back.had if gone_back else 0),
            noted=note.time,
            has=commits,
            noticed=now,
        )
    before = [note.generation] if note else []
    return _after(generation, before, gone_back, now)


def notice_loss(ctx: Context, feeds: int) -> None:
    """Give a journal a new generation, because feeds lack commits of the log.

    feeds: number of these feeds.
    The log also notices commits that were lost between two notes. Does nothing if the generation
    tells of a loss already. Raises JournalUnavailable.
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


def begin_anew(journal: Journal, note: JournalNote | None, now: int) -> None:
    """Give a journal a new generation on purpose, in place of its own and of the noted one.

    Missing commits of these two generations do not count as lost. Raises JournalUnavailable.
    """
    before = [note.generation] if note else []
    replaced = False
    while not replaced:
        generation = journal.lifecycle.generation()
        replaced = journal.lifecycle.replace_generation(
            generation, _after(generation, before, None, now)
        )


def accept(journal: Journal) -> GoneBack | None:
    """Accept that a journal has gone back. Return the accepted loss, None if there is none.

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
    """Describe a loss in words."""
    return (
        f"the journal has gone back: it had {gone_back.had} commits at "
        f"{timestamp(gone_back.noted)}, and {gone_back.has} when this was noticed at "
        f"{timestamp(gone_back.noticed)}. Acknowledged moves are lost, and receipts show them"
    )


def _after(
    generation: Generation | None, before: list[str], gone_back: GoneBack | None, now: int
) -> Generation:
    """Return a new generation that supersedes the journal's own and those in `before`."""
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
