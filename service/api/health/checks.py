"""Readiness: checks if matches can move on, or at least be read. Each check returns its faults."""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Generic, TypeVar

from redis.exceptions import RedisError

from domain.games import faults as games_faults
from service.api.health import foreign_rules
from service.base.disk import DiskSpace, read_note
from service.matches import automation, journal_watch, timers
from service.matches.context import Context
from service.record.commit import timestamp
from service.store.jobs.queues import Queues
from service.store.jobs.table import QUEUE_OF
from service.store.journal.errors import (
    HeadDamaged,
    JournalError,
    JournalUnusable,
    TooFewReplicas,
    Unconfirmed,
)
from service.store.journal.ports import Journal

OK = "ok"

KEPT_SECONDS = 1.0
_HANGS_SECONDS = 2.0  # a faulty journal is not asked again if the required checks take longer

# There is a warning if a match waits longer than this for the house or a bot.
_PATIENCE_MS = 10_000

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Subject:
    """The parts of this process that checks ask.

    data: data directory of the process.
    is_declared_durable: True if the operator vouches for settings that the journal does not show.
    """

    ctx: Context
    queues: Queues
    data: Path
    is_declared_durable: bool = False


# A check returns a result by name of each checked part: "ok" or a sentence about the fault.
Check = Callable[[Subject], Mapping[str, str]]


# ---- checks ----------------------------------------------------------------------------------


def journal(subject: Subject) -> dict[str, str]:
    """Check that the journal can be written safely."""
    try:
        faults = automation.journal_faults(subject.ctx)
    except Unconfirmed:
        return {
            "journal": "the journal confirms no writes in time: too few replicas, or a slow disk"
        }
    except TooFewReplicas:
        return {
            "journal": "the journal takes no moves (NOREPLICAS): too few replicas are connected, "
            "or its disk is full"
        }
    except JournalUnusable as error:
        return {"journal": str(error)}
    except JournalError:
        return {"journal": "the journal cannot be written"}
    return {"journal": "; ".join(faults) or OK}


def reading(subject: Subject) -> dict[str, str]:
    """Check that the journal can be read. In a cluster only one master is asked."""
    try:
        subject.ctx.journal.lifecycle.generation()
    except JournalError:
        return {"journal": "the journal cannot be read"}
    return {"journal": OK}


def workers(subject: Subject) -> dict[str, str]:
    """Check the queues, each kind of worker, and the scheduler."""
    try:
        alive = subject.queues.workers()
        scheduler = subject.queues.scheduler()
    except RedisError:
        return {"queues": "the queues cannot be reached"}

    results = {"queues": OK}
    for name in QUEUE_OF.values():
        results[f"worker_{name}"] = OK if alive[name] else f"no {name} worker runs"
    results["scheduler"] = OK if scheduler else "no scheduler runs"
    return results


def pending(subject: Subject) -> dict[str, str]:
    """Check the longest wait of a match, and the number of parked matches."""
    try:
        totals = automation.totals(subject.ctx)
    except JournalError:
        return {"pending": "unknown", "parked": "unknown"}

    seconds = totals.longest_wait // 1000
    waits_long = totals.longest_wait >= _PATIENCE_MS
    long_wait = f"a match has waited {seconds} s for the house or a bot"

    some_are_parked = (
        f"{totals.parked} matches have failed too often. List them with: giornale pending"
    )
    return {
        "pending": long_wait if waits_long else OK,
        "parked": some_are_parked if totals.parked else OK,
    }


def durability(subject: Subject) -> dict[str, str]:
    """Warn if the durability of the journal's server was declared, not checked."""
    declared = (
        "GIORNALE_DURABLE_JOURNAL declares that the journal's server keeps each acknowledged "
        "write. Settings that it does not show were not checked"
    )
    return {"durability": declared if subject.is_declared_durable else OK}


def disk(subject: Subject) -> dict[str, str]:
    """Check the free space of the data directory."""
    try:
        space = DiskSpace.of(subject.data)
    except OSError:
        return {"disk": "unknown"}

    if not space.is_low:
        return {"disk": OK}
    return {"disk": f"{space}. Make room before the journal stops taking moves"}


def torn(subject: Subject) -> dict[str, str]:
    """Report a cut-off part of the journal, until the operator removes the note of it."""
    return {"torn": read_note(subject.data / "journal") or OK}


def epoch(subject: Subject) -> dict[str, str]:
    """Report a journal that has gone back, until an operator accepts the loss."""
    try:
        state = journal_watch.look(subject.ctx)
    except JournalError:
        return {"epoch": "unknown"}

    if subject.ctx.cache.lost_generation:
        emptied = "the journal has no generation: it was emptied or replaced"
        return {"epoch": emptied}
    if state is None or state.gone_back is None:
        return {"epoch": OK}
    how = "accept it with: giornale journal accept"
    return {"epoch": f"{journal_watch.sentence(state.gone_back)}; {how}"}


def log(subject: Subject) -> dict[str, str]:
    """Check that the log has not stopped."""
    try:
        stopped = subject.ctx.journal.order.state(whole=False).stopped
    except JournalError:
        return {"log": "unknown"}
    return {"log": f"the log has stopped: {stopped}" if stopped else OK}


def clock(subject: Subject) -> dict[str, str]:
    """Check the clock skew to the journal, and if the journal's clock was set back (M15).

    During a skew of more than MOST_SKEW_MS no time runs out. Commits made before the clock was set
    back may have times in the future. Until these times the banks of their matches do not run.
    """
    try:
        skew_ms = timers.skew_ms(subject.ctx)
        ahead_until = subject.ctx.journal.timers.set_backs().ahead_until
    except JournalError:
        return {"clock": "unknown"}

    if skew_ms > timers.MOST_SKEW_MS:
        seconds = skew_ms // 1000
        differ = f"the clocks of this host and the journal differ by {seconds} s. Set them by NTP"
        return {"clock": differ}
    if ahead_until > subject.ctx.clock():
        until = timestamp(ahead_until)
        return {"clock": f"the journal's clock was set back. Matches may have times up to {until}"}
    return {"clock": OK}


def rules(subject: Subject) -> dict[str, str]:
    """Check for games that cannot be loaded, and for matches with unknown rules.

    These matches do not move on.
    """
    try:
        faults = (games_faults(), foreign_rules.recent(subject.ctx))
    except JournalError:
        return {"rules": "unknown"}
    return {"rules": ". ".join(filter(None, faults)) or OK}


def heads(subject: Subject) -> dict[str, str]:
    """Check for matches with a damaged head. Such matches do not move on."""
    try:
        return {"heads": _recent_damaged_heads(subject.ctx) or OK}
    except JournalError:
        return {"heads": "unknown"}


# ---- readiness -------------------------------------------------------------------------------

# If one of these checks finds a fault, matches cannot move on.
REQUIRED: tuple[Check, ...] = (journal, workers)

# The faults that these checks find are warnings: taking the server out of service would not mend
# them.
ADVISORY: tuple[Check, ...] = (pending, disk, durability, torn, epoch, log, clock, rules, heads)

# The advisory checks that ask the journal, and the parts they check.
_OF_JOURNAL: tuple[Check, ...] = (pending, epoch, log, clock, rules, heads)
_ANSWERS_OF_JOURNAL = ("pending", "parked", "epoch", "log", "clock", "rules", "heads")


@dataclass(frozen=True, slots=True)
class Readiness:
    """Results of the checks: "ok" or a sentence about the fault, by name of the checked part."""

    required: dict[str, str]
    advisory: dict[str, str]

    @property
    def faults(self) -> dict[str, str]:
        """Faults that keep matches from moving on."""
        return _not_ok(self.required)

    @property
    def warnings(self) -> dict[str, str]:
        """Faults that do not keep matches from moving on."""
        return _not_ok(self.advisory)


def look(subject: Subject) -> Readiness:
    """Make every check. If the journal hangs in the required checks, it is not asked again."""
    began = monotonic()
    required = _answers(REQUIRED, subject)
    took_long = monotonic() - began > _HANGS_SECONDS

    if took_long and required["journal"] != OK:
        others = [check for check in ADVISORY if check not in _OF_JOURNAL]
        advisory = dict.fromkeys(_ANSWERS_OF_JOURNAL, "unknown") | _answers(others, subject)
    else:
        advisory = _answers(ADVISORY, subject)
    return Readiness(required, advisory)


def look_for_reading(subject: Subject) -> Readiness:
    """Check that matches can be read, even if they cannot move on."""
    return Readiness(_answers((reading,), subject), {})


class Recent(Generic[Result]):
    """The last result of a look, cached for a second.

    A look may take seconds. Other callers get the earlier result meanwhile, so callers do not hold
    each other up. Only the first look makes other callers wait.
    """

    def __init__(self, look: Callable[[], Result]) -> None:
        self._look = look
        self._lock = threading.Lock()
        self._last: Result | None = None
        self._fresh_until = 0.0

    def __call__(self) -> Result:
        """Return the last result, and look again if it is KEPT_SECONDS old."""
        last = self._last
        if last is not None and self._lock.locked():
            return last

        with self._lock:
            if self._last is None or monotonic() >= self._fresh_until:
                self._last = self._look()
                self._fresh_until = monotonic() + KEPT_SECONDS
            return self._last


def _answers(checks: Iterable[Check], subject: Subject) -> dict[str, str]:
    results: dict[str, str] = {}
    for check in checks:
        results.update(check(subject))
    return results


def _not_ok(results: dict[str, str]) -> dict[str, str]:
    return {name: answer for name, answer in results.items() if answer != OK}


# ---- damaged heads: such matches do not move on, although their commits are whole ---------------

MOST_WAITING = 200  # matches that wait for the house or a bot, longest wait first
MOST_GOING_ON = 1_000  # matches that the scheduler will look at again, the next due first
MOST_PUBLIC = 200  # newest public matches, including ended matches
MOST_NAMED = 3
LOOK_AGAIN_SECONDS = 60.0
_EVER = 2**53 - 1


def damaged_heads_in(journal: Journal) -> str:
    """Return a sentence about some matches with a damaged head, "" for none.

    Only some matches are looked at. `giornale match list` looks at all. Raises JournalUnavailable.
    """
    matches = {
        *(one.match for one in journal.pending.due(0, MOST_WAITING)),
        *journal.index.idle(_EVER, MOST_GOING_ON),
        *(match for _, match in journal.index.listing("", None, MOST_PUBLIC)),
    }
    heads = journal.events.heads(sorted(matches))
    damaged = [head.match for head in heads if isinstance(head, HeadDamaged)]
    if not damaged:
        return ""

    names = ", ".join(damaged[:MOST_NAMED])
    more = f" and {len(damaged) - MOST_NAMED} more" if len(damaged) > MOST_NAMED else ""
    return f"damaged heads of matches: {names}{more}. List them with: giornale match list"


def _recent_damaged_heads(ctx: Context) -> str:
    """Return the result of `damaged_heads_in`, at most a minute old. Raises JournalUnavailable."""
    cache = ctx.cache
    if monotonic() >= cache.damaged_until:
        cache.damaged = damaged_heads_in(ctx.journal)
        cache.damaged_until = monotonic() + LOOK_AGAIN_SECONDS
    return cache.damaged
