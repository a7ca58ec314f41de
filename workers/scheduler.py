"""The scheduler: re-queues matches that have waited too long, and ends or archives idle ones.

It lets the time of seats run out, has the webhooks called that are due, gives commits their
positions in the log, has witnesses asked, and rates players.

It also finds jobs whose workers died, and watches whether the journal still holds what it held.
Two schedulers at once do no harm: the same job is enqueued once, and a job done twice appends once.
"""

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import Protocol, TypeGuard

from redis.exceptions import RedisError

from service.archive.archive import Archive
from service.bootstrap import open_archive, open_sequencer
from service.config import Config
from service.jobs.queues import HOOKS, Queues, match_of, process_name, process_of
from service.journal.errors import ArchiveDamaged, ArchiveUnavailable, JournalUnavailable
from service.journal.values import CLOCK, HOOK, Head, Timer
from service.keys.private_files import remove_drafts
from service.log.entries import LogUnavailable
from service.log.sequencer import LostLines, Sequencer
from service.matches import automation, clocks, journal_watch, lifecycle, players
from service.matches.clocks import Pulse
from service.matches.context import Context
from service.matches.journal_watch import Note, note_file, read_note, write_note
from service.matches.lifecycle import HOUR, OfEnded, Patience, never_again
from service.process import heartbeat
from service.process.heartbeat import ActiveClock
from workers import process
from workers.process import Outage, Rounds, StopOrder
from workers.witnesses import open_asking

_log = logging.getLogger(__name__)

ROUND_SECONDS = 0.5
IDLE_ROUNDS = 20  # from one look for idle matches to the next
LOOK_SECONDS = 2.0  # at least, from one look at the journal as a whole to the next
STOP_SECONDS = 3  # that a match at hand may take to be archived when the scheduler stops

# From one look for commits that the log lacks to the next, and after something went wrong. What is
# decided is published at once; in a remote place, where each file costs, once a second at most.
SEQUENCE_SECONDS = 0.2
PUBLISH_REMOTELY_SECONDS = 1.0
SEQUENCE_AGAIN_SECONDS = 2.0
RATE_SECONDS = 0.5  # from one look for ended matches to the next
RATE_AGAIN_SECONDS = 2.0
GONE_EVERY_SECONDS = 2.0  # from one look for deleted matches to the next
CATCH_UP_SECONDS = 0.05  # between rounds while an older journal is sealed, for all that must go on
INDEX_SECONDS = 0.1  # of a round for the index: commits that come meanwhile wait no longer for it
_INDEXED_AT_ONCE = 4  # bundles

# A process without a worker for so long is gone. One that an outage of Redis has hindered has a new
# worker before: it waits 5 seconds for an answer and pauses for 2 at most.
GONE_SECONDS = 15

MINUTE = 60_000
# For how long a claimed timer is put off: as long as a process that has died may hold up a clock,
# and the calls of a match. It is longer than one call takes; another process makes none twice.
TIMER_LEASES_MS = {CLOCK: 1_000, HOOK: 30_000}
TIMERS_AT_ONCE = 200
CLOCKS_MS = 2_000  # that clocks may take in a round; the next beat must come before this is a gap
MOST_HOOK_JOBS = 1_000  # that wait for a worker
BROKEN_CLOCK_MS = MINUTE  # until a match whose clock cannot be seen to is tried again
AWAY_MS = 1_000  # until a match is tried again whose webhooks the queues have not taken
SWITCHED_OFF_MS = HOUR  # from one look to the next whether webhooks are called by now
LOOK_AGAIN_MS = 10 * MINUTE  # at a match that was handed over, and should have left by then
MOST_WAITING = 500  # matches handed over and not yet taken
_END = ""  # stands for no match


class Enqueuing(Protocol):
    """What the scheduler needs of the queues for itself."""

    def scheduler_beat(self, name: str) -> None:
        """Note that the scheduler of this name is at work; raises RedisError."""
        ...

    def note_time_run_out(self) -> None:
        """Count that the time of a seat has run out; raises RedisError."""
        ...

    def depth(self, name: str) -> int:
        """Return how many jobs wait in a queue; raises RedisError."""
        ...

    def put(self, name: str, job_id: str, *arguments: str | int) -> None:
        """Put a job into a queue, unless a job of this id is there; raises RedisError."""
        ...


class Blaming(Protocol):
    """What knows the jobs at which processes have died."""

    def to_blame(self) -> list[str]:
        """Return the ids of those that were found since the last call; raises RedisError."""
        ...


@dataclass(frozen=True, slots=True)
class Rules:
    """What the settings say to a scheduler.

    after_ms: how long a match may wait before it is enqueued again, in milliseconds.
    patience: how long a match may be left alone.
    of_ended: what becomes of a match that has ended.
    hooks: whether webhooks are called.
    """

    after_ms: int
    patience: Patience
    of_ended: OfEnded = never_again
    hooks: bool = False


def rules_of(config: Config) -> Rules:
    """Return what these settings say to a scheduler."""
    patience = Patience(
        open=config.expire_open_hours * HOUR,
        running=config.expire_running_hours * HOUR,
    )
    return Rules(config.scheduler_after_ms, patience, hooks=config.hooks)


def run() -> None:
    """Work round after round until SIGTERM or SIGINT, with this process's parts."""
    stop = StopOrder()
    stop.listen()

    ctx = process.ctx()
    queues = process.queues()
    lost_jobs = LostJobs(queues)
    rules = rules_of(process.config())
    watch = JournalWatch(ctx, note_file(process.config().data))
    archiving = _archiving(process.config(), ctx)
    if archiving is not None:
        rules = replace(rules, of_ended=archiving.look)
        archiving.start()
    sequencing = Rounds("log", Sequencing(ctx, open_sequencer(process.config(), ctx)).attempt)
    sequencing.start()
    rating = Rounds("ratings", Rating(ctx).attempt)
    rating.start()
    asking = open_asking(process.config(), ctx, queues)
    if asking is not None:
        asking.start()
    outage = Outage(_log, "the scheduler")
    rounds = 0
    pause = 0.0  # the first round is made at once: the time of somebody may have run out
    _log.info("the scheduler is ready")

    while not stop.wait(pause):
        pause = ROUND_SECONDS
        look = rounds % IDLE_ROUNDS == 0
        ended = attempt(partial(make_round, ctx, queues, lost_jobs, rules, look=look), outage)
        watch.look()
        heartbeat.beat()
        # Where some matches were ended more may be due, so the next round looks again.
        rounds = 0 if ended else rounds + 1

    if asking is not None:
        asking.stop(0)  # a witness may be slow, and nothing is lost with what is under way
    rating.stop(STOP_SECONDS)
    sequencing.stop(STOP_SECONDS)
    if archiving is not None:
        archiving.stop(STOP_SECONDS)
    _log.info("the scheduler has stopped")


def attempt(one_round: Callable[[], int], outage: Outage) -> int:
    """Make one round; return how many matches it has ended.

    If Redis does not answer, or refuses to write, leave the rest to the next round.
    """
    try:
        ended = one_round()
    except (RedisError, JournalUnavailable) as error:
        outage.begin(error)
        return 0

    outage.end()
    return ended


def make_round(
    ctx: Context, queues: Enqueuing, lost_jobs: Blaming, rules: Rules, *, look: bool = True
) -> int:
    """Let time run out, and enqueue what has waited too long, whatever became of its last job.

    Time comes first, because it needs no queue.
    look: also end matches that were left alone for too long. Return how many were ended.
    """
    pulse = see_to_timers(ctx, queues, rules)
    queues.scheduler_beat(f"scheduler-{process_name()}")

    for job_id in lost_jobs.to_blame():
        _log.warning("a worker died at work", extra={"job": job_id})
        _blame(ctx, job_id)

    automation.sweep(ctx, rules.after_ms)
    if not look:
        return 0

    if pulse is not None and pulse.skew_ms > clocks.MOST_SKEW_MS:
        details = {"seconds": pulse.skew_ms // 1000}
        _log.warning("the clocks here and at the journal differ: no time runs out", extra=details)
    return lifecycle.expire(ctx, rules.patience, rules.of_ended)


def see_to_timers(ctx: Context, queues: Enqueuing, rules: Rules) -> Pulse | None:
    """Let time run out, and have workers call the webhooks that are due.

    What gets lost is due again. Return what the beat has found; None: no time runs out.
    """
    pulse = _beat(ctx)
    is_new = True
    while is_new and (timers := ctx.journal.timers.claim(TIMER_LEASES_MS, TIMERS_AT_ONCE)):
        for timer in timers:
            if timer.kind == CLOCK and _is_new(pulse, ctx):
                _see_to_clock(ctx, queues, timer, pulse)
        hooks = [timer for timer in timers if timer.kind == HOOK]
        _see_to_hooks(ctx, queues, hooks, rules)
        is_new = _is_new(pulse, ctx)
    return pulse


def _is_new(pulse: Pulse | None, ctx: Context) -> TypeGuard[Pulse]:
    """Return whether what a beat has found may still be acted upon before the next one."""
    return pulse is not None and abs(ctx.clock() - pulse.time) <= CLOCKS_MS


def _beat(ctx: Context) -> Pulse | None:
    """Note that clocks are seen to; None where the journal takes no commits, so no time counts."""
    try:
        pulse = clocks.beat(ctx)
    except JournalUnavailable:
        return None
    if pulse.set_back_ms:
        details = {"seconds": pulse.set_back_ms // 1000}
        _log.warning("the journal's clock was set back: gaps and timers end now", extra=details)
    return pulse


def _see_to_clock(ctx: Context, queues: Enqueuing, timer: Timer, pulse: Pulse) -> None:
    """See to the clock of one match; one that cannot be seen to stops no other."""
    try:
        has_run_out = clocks.see_to(ctx, timer, pulse)
    except JournalUnavailable:
        raise
    except Exception:  # noqa: BLE001 - whatever is wrong with one match
        _log.exception("a clock could not be seen to", extra={"match": timer.match})
        ctx.journal.timers.settle(timer, BROKEN_CLOCK_MS)
        return

    if has_run_out:
        _log.info("time has run out", extra={"match": timer.match})
        with suppress(RedisError):  # it is only counted
            queues.note_time_run_out()


def _see_to_hooks(ctx: Context, queues: Enqueuing, timers: Sequence[Timer], rules: Rules) -> None:
    """Have workers call the webhooks of matches.

    Those that the queues have not taken, because they are away, need not wait for their lease.
    """
    taken = 0
    try:
        for timer in timers:
            _see_to_hook(ctx, queues, timer, rules)
            taken += 1
    except RedisError:
        for timer in timers[taken:]:
            ctx.journal.timers.settle(timer, AWAY_MS)
        raise


def _see_to_hook(ctx: Context, queues: Enqueuing, timer: Timer, rules: Rules) -> None:
    """Have a worker call the webhooks of a match.

    Where none are called they stay due, for the day on which they are switched on. So do those
    that no worker takes, since each of their leases would leave one more job.
    """
    if not rules.hooks:
        ctx.journal.timers.settle(timer, SWITCHED_OFF_MS)
        return
    if queues.depth(HOOKS) >= MOST_HOOK_JOBS:
        return
    job_id = f"hook-{timer.match}-{timer.claimed_until}"
    queues.put(HOOKS, job_id, timer.match, timer.claimed_until)


def _blame(ctx: Context, job_id: str) -> None:
    """Note of a match that a process died at it: it might kill one process after the other.

    A match that has moved on since is not to blame.
    """
    match_id, version = match_of(job_id)
    [head] = ctx.journal.events.heads([match_id])
    if isinstance(head, Head) and head.version == version:
        automation.note(ctx, match_id, automation.WORKER_DIED)


class LostJobs:
    """The jobs that were left behind, and whether their matches are to blame.

    The sweep finds them: their matches are still due, and `queues` puts them there anew. A process
    that comes back within GONE_SECONDS has not died: an outage of Redis has hindered its worker.
    Time in which no round was made does not count.
    """

    def __init__(self, queues: Queues, clock: ActiveClock | None = None) -> None:
        self._queues = queues
        self._clock = clock or ActiveClock()
        self._found: list[tuple[float, str, str]] = []  # when, by that clock; job; its process

    def to_blame(self) -> list[str]:
        """Return the ids of the jobs at which a process has died or hangs, each once.

        Raises RedisError.
        """
        self._clock.tick()
        now = self._clock.seconds
        while self._queues.left_behind:
            job_id, worker = self._queues.left_behind.popleft()
            self._found.append((now, job_id, process_of(worker)))

        ripe = [found for found in self._found if found[0] <= now - GONE_SECONDS]
        if not ripe:
            return []
        workers = chain.from_iterable(self._queues.workers().values())
        living = {process_of(worker) for worker in workers}
        self._found = self._found[len(ripe) :]
        return [job_id for _found_at, job_id, name in ripe if name not in living]


# ---- the journal as a whole --------------------------------------------------------------------


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


# ---- archiving ---------------------------------------------------------------------------------


def _archiving(config: Config, ctx: Context) -> "Archiving | None":
    """Return what archives old matches, None where none are archived by age."""
    if not config.archive_after:
        return None
    return Archiving(ctx, open_archive(config), config.archive_after * HOUR)


class Archiving:
    """Archives what the scheduler hands over, one match after the other.

    It works in a thread, so that a slow place, such as S3, holds up no round.

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
        try:
            if self._ctx.journal.lifecycle.archived(match_id) is not None:
                return None
        except ArchiveDamaged:
            return now + LOOK_AGAIN_MS

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


# ---- the log -----------------------------------------------------------------------------------


class Sequencing:
    """Gives commits their positions in the log."""

    def __init__(self, ctx: Context, sequencer: Sequencer) -> None:
        self._ctx = ctx
        self._sequencer = sequencer
        self._outage = Outage(_log, "the log")
        self._next_publication = 0.0
        self._trouble = ""

    def attempt(self) -> float:
        """Make one round; return how long to wait before the next one. It never raises."""
        try:
            return self._round()
        except LostLines as lost:
            with suppress(JournalUnavailable):
                journal_watch.notice_loss(self._ctx, lost.feeds)
        except LogUnavailable as error:
            self._complain(str(error))
        except (RedisError, JournalUnavailable) as error:
            self._outage.begin(error)
        except Exception as error:  # noqa: BLE001 - whatever is wrong, moves go on
            _log.exception("the log could not be written")
            self._complain(type(error).__name__)
        return SEQUENCE_AGAIN_SECONDS

    def _round(self) -> float:
        now = monotonic()
        is_time = now >= self._next_publication
        done = self._sequencer.round(publish=is_time)
        if is_time and self._sequencer.is_remote:
            self._next_publication = now + PUBLISH_REMOTELY_SECONDS

        self._outage.end()
        has_more = done.has_more or self._is_index_behind()
        self._trouble = ""
        return CATCH_UP_SECONDS if has_more else SEQUENCE_SECONDS

    def _is_index_behind(self) -> bool:
        """Let the index of this machine catch up for a moment; return whether it needs more.

        So that nobody who looks for a position waits for it.
        """
        end = monotonic() + INDEX_SECONDS
        while self._ctx.log is not None and self._ctx.log.catch_up(_INDEXED_AT_ONCE):
            if monotonic() >= end:
                return True
        return False

    def _complain(self, trouble: str) -> None:
        """Log what is wrong with the log, once, and say it to everybody."""
        if trouble != self._trouble:
            self._trouble = trouble
            _log.error("the log stands still", extra={"reason": trouble})
        with suppress(RedisError, JournalUnavailable):
            self._sequencer.report(trouble)


class Rating:
    """Keeps the ratings of this machine up to date with the log."""

    def __init__(self, ctx: Context) -> None:
        assert ctx.ratings is not None, "a process has ratings"
        self._ctx = ctx
        self._kept = ctx.ratings
        self._next_look = 0.0
        self._trouble = ""

    def attempt(self) -> float:
        """Make one round; return how long to wait before the next one. It never raises."""
        try:
            has_more = players.keep_up(self._ctx, self._kept)
            if not has_more and monotonic() >= self._next_look:
                players.look_for_gone(self._ctx, self._kept)
                self._next_look = monotonic() + GONE_EVERY_SECONDS
        except (RedisError, JournalUnavailable) as error:
            self._complain(f"{type(error).__name__}: {error}")
        except Exception as error:  # noqa: BLE001 - whatever is wrong, moves go on
            _log.exception("the ratings could not be kept up")
            self._complain(type(error).__name__)
        else:
            self._trouble = ""
            return CATCH_UP_SECONDS if has_more else RATE_SECONDS
        return RATE_AGAIN_SECONDS

    def _complain(self, trouble: str) -> None:
        """Log what is in the way, once; what outages are the log's thread says, too."""
        if trouble != self._trouble:
            self._trouble = trouble
            _log.warning("the ratings stand still", extra={"reason": trouble})
