"""The keeper: no match waits in vain, and none that is left alone stays for ever.

It wakes again what has been pending for too long, and ends matches in which nothing happens any
more. Two keepers at once do no harm: a wake repeated is one job, and a job done twice appends
once.
"""

import logging
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Protocol

from redis.exceptions import RedisError

from service.archive.archive import Archive
from service.bootstrap import open_archive
from service.config import Config
from service.jobs.queues import process_name, woken_by
from service.journal.errors import ArchiveUnavailable, JournalUnavailable
from service.journal.values import Head
from service.keys.private_files import remove_drafts
from service.matches import automation, journal_watch, lifecycle
from service.matches.context import Context
from service.matches.journal_watch import Note, note_file, read_note, write_note
from service.matches.lifecycle import HOUR, OfEnded, Patience, never_again
from service.process import heartbeat
from workers import context
from workers.outage import Outage
from workers.recovery import LostJobs
from workers.stopping import StopOrder

# §§§ workers.scheduler
# The keeper's look at the journal: whether it still holds what it held, noted outside of it.


_log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0  # at least, from one look to the next


class JournalWatch:
    """Compares the journal with a note of what it held, and notes what it holds now."""

    def __init__(self, ctx: Context, file: Path) -> None:
        self._ctx = ctx
        self._file = file
        self._noted = read_note(file)
        self._next_look = 0.0
        self._is_written = True
        for draft in remove_drafts(file):
            _log.warning("a draft that a killed process had left", extra={"file": str(draft)})

    def look(self) -> None:
        """Look, if it is time; a journal that does not answer is looked at the next time."""
        now = monotonic()
        if now < self._next_look:
            return

        self._next_look = now + LOOK_SECONDS
        with suppress(JournalUnavailable):
            note = journal_watch.compare(self._ctx, self._noted)
            if note is not None:
                self._keep(note)

    def _keep(self, note: Note) -> None:
        if self._is_written and not note.says_more_than(self._noted):
            return

        self._noted = note
        try:
            write_note(self._file, note)
            self._is_written = True
        except OSError as error:
            if self._is_written:
                extra = {"file": str(self._file), "error": type(error).__name__}
                _log.warning("what the journal holds cannot be noted", extra=extra)
            self._is_written = False


# §§§ workers.scheduler
# The keeper's second pair of hands: matches that ended long enough ago leave for the archive.
#
# It works in a thread of its own, so that a slow place, such as S3, does not keep the keeper from
# waking anybody.


MINUTE = 60_000
LOOK_AGAIN_MS = 10 * MINUTE  # at a match that was handed over, and should have left by then
MOST_WAITING = 500  # matches handed over and not yet taken
_END = ""  # stands for no match


class Archiving:
    """Archives what the keeper hands over, one match after the other.

    after_ms: how long after its end a match is due.
    """

    def __init__(self, ctx: Context, archive: Archive, after_ms: int) -> None:
        self._ctx = ctx
        self._archive = archive
        self._after_ms = after_ms
        self._waiting: queue.Queue[str] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._work, name="archiving", daemon=True)

    def look(self, match_id: str, head: Head, now: int) -> int | None:
        """Take an ended match if it is due; return when to look at it again, None for never.

        A match that does not leave, whatever the reason, is looked at again.
        """
        if not head.final:
            return now + LOOK_AGAIN_MS  # the house has still to reveal it

        due_at = head.updated + self._after_ms
        if due_at > now:
            return due_at
        if self._ctx.journal.lifecycle.archived(match_id) is not None:
            return None

        if not self._waiting.full():
            self._waiting.put(match_id)
        return now + LOOK_AGAIN_MS

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """End after the match at hand, or after some seconds; what is left is found again."""
        # The thread may take the last one meanwhile, so `empty` would not say it for sure.
        with suppress(queue.Empty):
            while True:
                self._waiting.get_nowait()
        self._waiting.put(_END)
        self._thread.join(seconds)

    def take(self) -> int:
        """Archive what was handed over, without waiting for more; return how many have left."""
        left = 0
        while not self._waiting.empty():
            left += self._try(self._waiting.get())
        return left

    def _work(self) -> None:
        while True:
            match_id = self._waiting.get()
            if match_id == _END:
                return
            self._try(match_id)

    def _try(self, match_id: str) -> bool:
        """Archive one match; return whether it has left. One that cannot stops no other."""
        try:
            marker = lifecycle.archive(self._ctx, self._archive, match_id)
        except ArchiveUnavailable as error:
            _log.error("a match could not be archived", extra={"reason": str(error)})
            return False
        except JournalUnavailable as error:
            reason = {"error": type(error).__name__}
            _log.warning("archiving waits for Redis", extra=reason)
            return False
        except Exception:  # noqa: BLE001 - whatever is wrong with one match
            _log.exception("a match could not be archived", extra={"match": match_id})
            return False

        if marker is None:
            return False
        details = {"match": match_id, "commits": marker.commits, "bytes": marker.size}
        _log.info("a match was archived", extra=details)
        return True


# §§§ workers.scheduler


ROUND_SECONDS = 0.5
STOP_SECONDS = 3  # that a match at hand may take to be archived when the keeper stops
IDLE_ROUNDS = 20  # from one look for idle matches to the next


class Beating(Protocol):
    """What the keeper needs of the queues for itself."""

    def keeper_beat(self, name: str) -> None:
        """Note that the keeper of this name is at work; raises RedisError."""
        ...


class Forgetting(Protocol):
    """What knows the jobs of workers that died."""

    def forget(self) -> list[str]:
        """Forget them, so that they can be made anew; return the ids of those to blame.

        Raises RedisError.
        """
        ...


@dataclass(frozen=True, slots=True)
class Rules:
    """What the settings say to a keeper.

    after_ms: how long a match may wait before it is woken again, in milliseconds.
    patience: how long a match may be left alone.
    of_ended: what becomes of a match that has ended.
    """

    after_ms: int
    patience: Patience
    of_ended: OfEnded = never_again


def rules_of(config: Config) -> Rules:
    """Return what these settings say to a keeper."""
    patience = Patience(
        open=config.expire_open_hours * HOUR,
        running=config.expire_running_hours * HOUR,
    )
    return Rules(config.keeper_after_ms, patience)


def run() -> None:
    """Work round after round until SIGTERM or SIGINT, with this process's desk and queues."""
    stop = StopOrder()
    stop.listen()

    ctx = context.ctx()
    queues = context.queues()
    lost_jobs = LostJobs(queues)
    rules = rules_of(context.config())
    watch = JournalWatch(ctx, note_file(context.config().data))
    archiving = _archiving(context.config(), ctx)
    if archiving is not None:
        rules = replace(rules, of_ended=archiving.look)
        archiving.start()
    outage = Outage(_log, "the keeper")
    rounds = 0
    _log.info("the keeper is ready")

    while not stop.wait(ROUND_SECONDS):
        look = rounds % IDLE_ROUNDS == 0
        make_round = partial(keep, ctx, queues, lost_jobs, rules, look=look)
        ended = attempt(make_round, outage)
        watch.look()
        heartbeat.beat()
        # Where some matches were ended more may be due, so the next round looks again.
        rounds = 0 if ended else rounds + 1

    if archiving is not None:
        archiving.stop(STOP_SECONDS)
    _log.info("the keeper has stopped")


def _archiving(config: Config, ctx: Context) -> Archiving | None:
    """Return what archives old matches, None where none are archived by age."""
    if not config.archive_after:
        return None
    return Archiving(ctx, open_archive(config), config.archive_after * HOUR)


def attempt(make_round: Callable[[], int], outage: Outage) -> int:
    """Make one round; return how many matches it has ended.

    If Redis does not answer, or refuses to write, leave the rest to the next round.
    """
    try:
        ended = make_round()
    except (RedisError, JournalUnavailable) as error:
        outage.begin(error)
        return 0

    outage.end()
    return ended


def keep(
    ctx: Context, queues: Beating, lost_jobs: Forgetting, rules: Rules, *, look: bool = True
) -> int:
    """Forget the jobs of dead workers and wake what has waited too long.

    look: also end matches that were left alone for too long. Return how many were ended.
    """
    queues.keeper_beat(f"keeper-{process_name()}")

    for job_id in lost_jobs.forget():
        _log.warning("a worker died at work", extra={"job": job_id})
        _blame(ctx, job_id)

    automation.sweep(ctx, rules.after_ms)
    if not look:
        return 0
    return lifecycle.expire(ctx, rules.patience, rules.of_ended)


def _blame(ctx: Context, job_id: str) -> None:
    """Note of a match that a process died at it, or it might kill one after the other.

    A match that has moved on since did not keep anybody from that.
    """
    woken = woken_by(job_id)
    if woken is None:
        return

    match_id, version = woken
    head = ctx.journal.events.head(match_id)
    if head is not None and head.version == version:
        automation.note(ctx, match_id, automation.WORKER_DIED)
