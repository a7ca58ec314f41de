"""The nemesis: draws a row of faults from a seed, and carries it out."""

import heapq
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from redis.exceptions import RedisError

from tests.campaign.proxy import DOORS, FaultProxy
from tests.campaign.service import (
    JOB,
    JOURNAL,
    PLACES,
    SUPERVISOR,
    WEB,
    WORKERS,
    CampaignService,
    Clocks,
    Disk,
    Stopped,
)
from tests.promises.history import History

KILL = "kill"
TOGETHER = "together"
STOP = "stop"
CUT = "cut"
DISK = "disk"
FLUSH = "flush"
CLOCK = "clock"
FAULTS = (KILL, TOGETHER, STOP, CUT, DISK, FLUSH, CLOCK)

# How often each fault comes, relative to the others.
WEIGHTS = {
    KILL: 60,
    TOGETHER: 12,
    STOP: 8,
    CUT: 10,
    DISK: 2,
    FLUSH: 3,
    CLOCK: 5,
}

# How often each part is killed, relative to the others. A supervisor takes everything with it, so
# it is spared. A part that dies again within a second of being ready starts after a pause, so the
# kills are spread over the parts.
PART_WEIGHTS = {
    JOURNAL: 15,
    WEB: 28,
    "house": 14,
    "bots": 15,
    "exhibitions": 9,
    "audits": 5,
    "advice": 3,
    "hooks": 8,
    "scheduler": 10,
    SUPERVISOR: 2,
    JOB: 2,
}

# Parts that can be stopped: all but the short-lived jobs.
STOPPABLE = (JOURNAL, WEB, *WORKERS, SUPERVISOR)

# Modes of the proxy with the longest delay, in milliseconds. 0 for modes without one.
CUTS = {"delay": 400, "drop": 0, "reset": 0, "hang": 0, "half_open": 0}

SHORTEST_SECONDS = 0.1
LONGEST_SECONDS = 3.0
LONGEST_JUMP_MS = 3_600_000  # one hour


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One act of the nemesis, drawn from the seed alone.

    number: counts the steps. parts: the targets: parts of the service, a door of the proxy, a kind
    of clock. mode: of the proxy. amount: milliseconds of a delay or of a jump. seconds: its
    duration, 0 for an instant. pause: seconds until the next step. patient: True if the next step
    waits until a move is acknowledged again. lot: a number from 0 to 1 that chooses among the
    processes of a part. first_round: True if it belongs to the kills of each part at the beginning
    of a plan.
    """

    number: int
    fault: str
    parts: tuple[str, ...]
    mode: str = ""
    amount: int = 0
    seconds: float = 0.0
    pause: float = 0.0
    patient: bool = True
    lot: float = 0.0
    first_round: bool = False

    @property
    def name(self) -> str:
        """Its name in the report."""
        what = f"{self.fault} {self.mode}".strip()
        if self.fault == TOGETHER:
            return what
        return f"{what} {', '.join(self.parts)}".strip()


PATIENCE_SHARE = 0.8  # of the steps wait for the next acknowledged move
MOST_TOGETHER = 4


def plan(seed: int, faults: Sequence[str], pause: float) -> Iterator[Step]:
    """Yield the steps. The same arguments yield the same steps.

    pause: mean of the seconds between two steps, beside the time that the service needs.
    """
    lots = random.Random(seed)
    first_parts = [part for part in PART_WEIGHTS if part != JOB] if KILL in faults else []
    lots.shuffle(first_parts)
    weights = [WEIGHTS[fault] for fault in faults]

    for number in itertools.count(1):
        is_first_round = bool(first_parts)
        if is_first_round:
            fault = KILL
            details: dict[str, Any] = {"parts": (first_parts.pop(),)}
        else:
            [fault] = lots.choices(faults, weights)
            details = _details(fault, lots)

        yield Step(
            number=number,
            fault=fault,
            pause=round(lots.uniform(0, 2 * pause), 3),
            patient=lots.random() < PATIENCE_SHARE,
            lot=lots.random(),
            first_round=is_first_round,
            **details,
        )


def _details(fault: str, lots: random.Random) -> dict[str, Any]:
    """Draw a fault's targets and duration."""
    seconds = round(lots.uniform(SHORTEST_SECONDS, LONGEST_SECONDS), 3)
    if fault == KILL:
        return {"parts": _drawn_parts(lots, 1)}
    if fault == TOGETHER:
        number = lots.randint(2, MOST_TOGETHER)
        return {"parts": _drawn_parts(lots, number)}

    if fault == STOP:
        part = lots.choice(STOPPABLE)
        return {"parts": (part,), "seconds": seconds}
    if fault == CUT:
        mode = lots.choice(sorted(CUTS))
        amount = lots.randint(1, CUTS[mode]) if CUTS[mode] else 0
        door = lots.choice(DOORS)
        return {"parts": (door,), "mode": mode, "amount": amount, "seconds": seconds}

    if fault == CLOCK:
        jump = lots.randint(-LONGEST_JUMP_MS, LONGEST_JUMP_MS)
        place = lots.choice(sorted(PLACES))
        return {"parts": (place,), "amount": jump, "seconds": seconds}

    assert fault in (DISK, FLUSH)
    return {"parts": (), "seconds": seconds if fault == DISK else 0.0}


def _drawn_parts(lots: random.Random, number: int) -> tuple[str, ...]:
    """Draw different parts by their weights. A job seldom exists, so it is never alone."""
    parts: list[str] = []
    while len(parts) < number:
        [part] = lots.choices(list(PART_WEIGHTS), list(PART_WEIGHTS.values()))
        if part not in parts and (part != JOB or number > 1):
            parts.append(part)
    return tuple(parts)


@dataclass(slots=True)
class Battlefield:
    """The targets of the nemesis.

    disk: None if there can be none. Then it is not filled.
    """

    service: CampaignService
    proxy: FaultProxy
    clocks: Clocks
    disk: Disk | None
    history: History


FAULTS_FILE = "faults.jsonl"
QUEUE_DATABASE = 1

# How long the nemesis waits for the next acknowledged move before it goes on all the same.
LONGEST_PATIENCE_SECONDS = 30.0
# How long it waits in the first round for a part that is away.
LONGEST_ABSENCE_SECONDS = 120.0
# If one of these parts is killed, moves may go on for a moment before they stand still.
LINGERING = frozenset({SUPERVISOR, WEB, JOURNAL})
LINGER_SECONDS = 0.8
_LOOK_SECONDS = 0.02

Heal = Callable[[], None]


def nothing() -> None:
    """End a fault that was over at once."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The targets of a step, and a function that ends it."""

    parts: tuple[str, ...]
    heal: Heal = nothing


@dataclass(slots=True)
class Nemesis:
    """Breaks things by a plan.

    kills: how many processes it has killed, by part.
    """

    battlefield: Battlefield
    file: Path
    kills: Counter[str] = field(default_factory=Counter)
    _ends: list[tuple[float, int, Step, Effect]] = field(default_factory=list)
    _order: Iterator[int] = field(default_factory=itertools.count)

    def fight(self, steps: Iterator[Step], seconds: float, kills: int) -> None:
        """Carry out steps until the time is over, or so many kills are done. Then heal all.

        Steps of the first round are carried out in any case. kills: 0 for any number.
        """
        deadline = time.monotonic() + seconds
        try:
            for step in steps:
                is_over = time.monotonic() >= deadline or (kills and self.kills.total() >= kills)
                if is_over and not step.first_round:
                    break
                self._take(step, deadline)
        finally:
            self.heal_all()

    def heal_all(self) -> None:
        """End every fault that still lasts."""
        while self._ends:
            self._end_first()

    def _take(self, step: Step, deadline: float) -> None:
        """Carry out a step, and wait as it says."""
        began = time.monotonic()
        effect = self._hit(step)
        if step.first_round:
            # A part that is just being started is waited for, so that each is killed.
            deadline = began + LONGEST_ABSENCE_SECONDS
            while effect is None and time.monotonic() < deadline:
                self._wait(time.monotonic() + _LOOK_SECONDS)
                began = time.monotonic()
                effect = self._hit(step)

        if effect is None:
            return

        self._note("begun", step, began, effect.parts)
        if step.seconds:
            end = began + step.seconds
            heapq.heappush(self._ends, (end, next(self._order), step, effect))

        self._wait(time.monotonic() + step.pause)
        if step.patient:
            patience = min(deadline, began + LONGEST_PATIENCE_SECONDS)
            over = _over_at(began, step, effect)
            self._wait(patience, lambda: self.battlefield.history.latest_sent > over)

    def _wait(self, deadline: float, is_done: Callable[[], bool] = lambda: False) -> None:
        """Wait until a time or a condition, and end faults after their time."""
        while time.monotonic() < deadline and not is_done():
            while self._ends and self._ends[0][0] <= time.monotonic():
                self._end_first()
            time.sleep(_LOOK_SECONDS)

    def _end_first(self) -> None:
        """End the fault with the earliest end."""
        _at, _order, step, effect = heapq.heappop(self._ends)
        effect.heal()
        self._note("ended", step, time.monotonic(), effect.parts)

    def _hit(self, step: Step) -> Effect | None:
        """Carry out a step. Return its effect, None if it had no target."""
        if step.fault == STOP:
            return self._stop(step)
        if step.fault == CUT:
            return self._cut(step)
        if step.fault == DISK:
            return self._fill_disk(step)
        if step.fault == FLUSH:
            return self._flush(step)
        if step.fault == CLOCK:
            return self._move_clock(step)
        return self._kill(step)

    def _kill(self, step: Step) -> Effect | None:
        """Kill one process of each part that is there."""

        def choose(pids: list[int]) -> int:
            return pids[int(step.lot * len(pids))]

        # The supervisor comes last: a process without its parent is not known as a part.
        parts = sorted(step.parts, key=lambda part: part == SUPERVISOR)
        service = self.battlefield.service
        killed = [part for part in parts if service.kill(part, choose)]

        self.kills.update(killed)
        return Effect(tuple(killed)) if killed else None

    def _stop(self, step: Step) -> Effect | None:
        """Stop one process of a part."""
        [part] = step.parts
        pids = sorted(self.battlefield.service.pids(part))
        if not pids:
            return None

        try:
            stopped = Stopped(pids[int(step.lot * len(pids))])
        except ProcessLookupError:
            return None
        return Effect(step.parts, stopped.go_on)

    def _cut(self, step: Step) -> Effect:
        """Break the connections to the journal or to the queues."""
        [door] = step.parts
        self.battlefield.proxy.order(door, step.mode, step.amount)
        return Effect(step.parts, lambda: self.battlefield.proxy.order(door, "pass"))

    def _fill_disk(self, step: Step) -> Effect | None:
        """Fill the disk."""
        disk = self.battlefield.disk
        if disk is None:
            return None

        disk.fill()
        return Effect(step.parts, disk.drain)

    def _flush(self, step: Step) -> Effect | None:
        """Empty the queues' database."""
        try:
            with self.battlefield.service.redis(QUEUE_DATABASE) as queues:
                queues.flushdb()
        except (RedisError, OSError):
            return None
        return Effect(step.parts)

    def _move_clock(self, step: Step) -> Effect:
        """Move the clocks of one kind of process."""
        [place] = step.parts
        self.battlefield.clocks.move(place, step.amount)
        return Effect(step.parts, lambda: self.battlefield.clocks.move(place, 0))

    def _note(self, what: str, step: Step, at: float, parts: tuple[str, ...]) -> None:
        """Write down that a fault has begun or ended, and its real targets."""
        line = asdict(step) | {"what": what, "at": at, "name": step.name, "parts": parts}
        with self.file.open("a", encoding="ascii") as file:
            file.write(json.dumps(line) + "\n")


def _over_at(began: float, step: Step, effect: Effect) -> float:
    """Return the time at which a step and its short aftermath are over."""
    lingers = not LINGERING.isdisjoint(effect.parts)
    lingering_seconds = LINGER_SECONDS if lingers else 0.0
    return began + step.seconds + lingering_seconds
