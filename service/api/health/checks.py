"""Readiness: whether matches can move on or at least be read, and what is wrong if they cannot."""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Generic, TypeVar

from redis.exceptions import RedisError

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
_HANGS_SECONDS = 2.0  # a server that has not answered by then is not asked again

# So long a match may wait for the house or a bot before that is worth a warning.
_PATIENCE_MS = 10_000

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Subject:
    """The parts of this process that checks ask.

    data: its data directory.
    is_declared_durable: the operator's word stands for settings that the journal does not tell.
    """

    ctx: Context
    queues: Queues
    data: Path
    is_declared_durable: bool = False


# A check returns "ok" or a sentence that says what is wrong, by the name of each thing it looks at.
Check = Callable[[Subject], Mapping[str, str]]


# ---- checks ----------------------------------------------------------------------------------


def journal(subject: Subject) -> dict[str, str]:
    """Say what is wrong with the journal."""
    try:
        faults = automation.journal_faults(subject.ctx)
    except Unconfirmed:
        return {"journal": "too few replicas of the journal confirm what is written"}
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
    """Say that the journal cannot be read; in a cluster one master is asked for all."""
    try:
        subject.ctx.journal.lifecycle.generation()
    except JournalError:
        return {"journal": "the journal cannot be read"}
    return {"journal": OK}


def workers(subject: Subject) -> dict[str, str]:
    """Say what is wrong with the queues, with each kind of worker, and with the scheduler."""
    try:
        alive = subject.queues.workers()
        scheduler = subject.queues.scheduler()
    except RedisError:
        return {"queues": "the queues cannot be reached"}

    found = {"queues": OK}
    for name in QUEUE_OF.values():
        found[f"worker_{name}"] = OK if alive[name] else f"no {name} worker runs"
    found["scheduler"] = OK if scheduler else "no scheduler runs"
    return found


def pending(subject: Subject) -> dict[str, str]:
    """Say for how long a match has waited, if that is long, and how many are parked."""
    try:
        totals = automation.totals(subject.ctx)
    except JournalError:
        return {"pending": "unknown", "parked": "unknown"}

    seconds = totals.longest_wait // 1000
    waits_long = totals.longest_wait >= _PATIENCE_MS
    long_wait = f"a match has waited for the house or a bot for {seconds} s"

    some_are_parked = f"{totals.parked} matches have failed too often: giornale pending"
    return {
        "pending": long_wait if waits_long else OK,
        "parked": some_are_parked if totals.parked else OK,
    }


def durability(subject: Subject) -> dict[str, str]:
    """Say that what the journal's server keeps was declared, not checked."""
    declared = (
        "by GIORNALE_DURABLE_JOURNAL the journal's server keeps each acknowledged write; "
        "settings that it does not tell were not checked"
    )
    return {"durability": declared if subject.is_declared_durable else OK}


def disk(subject: Subject) -> dict[str, str]:
    """Say how much room is left, if that is little."""
    try:
        space = DiskSpace.of(subject.data)
    except OSError:
        return {"disk": "unknown"}

    if not space.is_low:
        return {"disk": OK}
    return {"disk": f"{space}: make room before the journal takes no more moves"}


def torn(subject: Subject) -> dict[str, str]:
    """Say what was cut off, until the operator has seen to it."""
    return {"torn": read_note(subject.data / "journal") or OK}


def epoch(subject: Subject) -> dict[str, str]:
    """Say that the journal has gone back, until an operator accepts it."""
    try:
        found = journal_watch.look(subject.ctx)
    except JournalError:
        return {"epoch": "unknown"}

    if subject.ctx.cache.lost_generation:
        emptied = "the journal has no generation any more: it was emptied, or is another one"
        return {"epoch": emptied}
    if found is None or found.gone_back is None:
        return {"epoch": OK}
    how = "accept it with: giornale journal accept"
    return {"epoch": f"{journal_watch.sentence(found.gone_back)}; {how}"}


def log(subject: Subject) -> dict[str, str]:
    """Say why the log stands still, if it does."""
    try:
        stopped = subject.ctx.journal.order.state(whole=False).stopped
    except JournalError:
        return {"log": "unknown"}
    return {"log": f"the log stands still: {stopped}" if stopped else OK}


def clock(subject: Subject) -> dict[str, str]:
    """Say that the clocks here and at the journal differ, or that the journal's was ahead (M15).

    While they differ, no time runs out. A clock that was ahead has stamped commits in the future.
    Until that time the banks of their matches do not run.
    """
    try:
        skew_ms = timers.skew_ms(subject.ctx)
        ahead_until = subject.ctx.journal.timers.set_backs().ahead_until
    except JournalError:
        return {"clock": "unknown"}

    if skew_ms > timers.MOST_SKEW_MS:
        seconds = skew_ms // 1000
        differ = f"the clocks here and at the journal differ by {seconds} s; set them by NTP"
        return {"clock": differ}
    if ahead_until > subject.ctx.clock():
        until = timestamp(ahead_until)
        return {"clock": f"the journal's clock was set back; matches may hold times up to {until}"}
    return {"clock": OK}


def rules(subject: Subject) -> dict[str, str]:
    """Name the rules of matches that are unknown here, so that these do not move on."""
    try:
        return {"rules": foreign_rules.found_lately(subject.ctx) or OK}
    except JournalError:
        return {"rules": "unknown"}


def heads(subject: Subject) -> dict[str, str]:
    """Name matches with a damaged head, so that these do not move on."""
    try:
        return {"heads": _damaged_heads_found_lately(subject.ctx) or OK}
    except JournalError:
        return {"heads": "unknown"}


# ---- readiness -------------------------------------------------------------------------------

# While one of these finds a fault, matches cannot move on.
REQUIRED: tuple[Check, ...] = (journal, workers)

# What these find is a warning: taking the server out of service would not mend it.
ADVISORY: tuple[Check, ...] = (pending, disk, durability, torn, epoch, log, clock, rules, heads)

# Those of them that ask the journal.
_OF_JOURNAL: tuple[Check, ...] = (pending, epoch, log, clock, rules, heads)
_ANSWERS_OF_JOURNAL = ("pending", "parked", "epoch", "log", "clock", "rules", "heads")


@dataclass(frozen=True, slots=True)
class Readiness:
    """What the checks have found: "ok" or a sentence, by the name of what was looked at."""

    required: dict[str, str]
    advisory: dict[str, str]

    @property
    def faults(self) -> dict[str, str]:
        """What keeps matches from moving on."""
        return _not_ok(self.required)

    @property
    def warnings(self) -> dict[str, str]:
        """What is wrong, although matches move on."""
        return _not_ok(self.advisory)


def look(subject: Subject) -> Readiness:
    """Make every check; a journal that hangs is waited for in the first one only."""
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
    """Look whether matches can be read, whether or not they can move on."""
    return Readiness(_answers((reading,), subject), {})


class Recent(Generic[Found]):
    """What a look has found, kept for a second.

    A look may take seconds. A caller that asks during one gets what was found before, so that those
    who ask do not hold each other up; only the first look is waited for.
    """

    def __init__(self, look: Callable[[], Found]) -> None:
        self._look = look
        self._lock = threading.Lock()
        self._found: Found | None = None
        self._kept_until = 0.0

    def __call__(self) -> Found:
        """Return what was found last, and look again if that was KEPT_SECONDS ago."""
        known = self._found
        if known is not None and self._lock.locked():
            return known

        with self._lock:
            if self._found is None or monotonic() >= self._kept_until:
                self._found = self._look()
                self._kept_until = monotonic() + KEPT_SECONDS
            return self._found


def _answers(checks: Iterable[Check], subject: Subject) -> dict[str, str]:
    found: dict[str, str] = {}
    for check in checks:
        found.update(check(subject))
    return found


def _not_ok(found: dict[str, str]) -> dict[str, str]:
    return {name: answer for name, answer in found.items() if answer != OK}


# ---- damaged heads: their matches do not move on, although their commits are whole ---------------

MOST_WAITING = 200  # matches that wait for the house or a bot, longest first
MOST_GOING_ON = 1_000  # matches that are looked at, those first that are due first
MOST_PUBLIC = 200  # the newest ones, ended ones too
MOST_NAMED = 3
LOOK_AGAIN_SECONDS = 60.0
_EVER = 2**53 - 1


def damaged_heads_in(journal: Journal) -> str:
    """Return a sentence that names matches with a damaged head, "" for none.

    `giornale match list` looks at every match. Raises JournalUnavailable.
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

    named = ", ".join(damaged[:MOST_NAMED])
    more = f" and {len(damaged) - MOST_NAMED} more" if len(damaged) > MOST_NAMED else ""
    return f"damaged heads of matches: {named}{more}; list them with: giornale match list"


def _damaged_heads_found_lately(ctx: Context) -> str:
    """Return that sentence, at most a minute old. Raises JournalUnavailable."""
    cache = ctx.cache
    if monotonic() >= cache.damaged_until:
        cache.damaged = damaged_heads_in(ctx.journal)
        cache.damaged_until = monotonic() + LOOK_AGAIN_SECONDS
    return cache.damaged
