"""The faults that the nemesis knows: how likely each is, what it does, and how it ends."""

from dataclasses import dataclass

from tests.campaign.service import (
    FORKS,
    JOB,
    JOURNAL,
    SUPERVISOR,
    WEB,
    WEB_PROCESS,
    WORKERS,
)

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
# it is spared. What dies again within ten seconds is started after a pause, so no part alone gets
# most of the kills.
PART_WEIGHTS = {
    JOURNAL: 15,
    WEB: 8,
    FORKS: 3,
    WEB_PROCESS: 20,
    "scoring": 14,
    "bots": 15,
    "exhibitions": 9,
    "audits": 5,
    "advice": 3,
    "keeper": 10,
    SUPERVISOR: 2,
    JOB: 2,
}

# Parts that can be stopped: all but the short-lived jobs.
STOPPABLE = (FORKS, JOURNAL, WEB, WEB_PROCESS, *WORKERS, SUPERVISOR)

# Modes of the proxy with the longest delay, in milliseconds; 0 for modes without one.
CUTS = {"delay": 400, "drop": 0, "reset": 0, "hang": 0, "half_open": 0}

SHORTEST_SECONDS = 0.1
LONGEST_SECONDS = 3.0
LONGEST_JUMP_MS = 3_600_000  # one hour


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that the nemesis does, drawn from the seed alone.

    number: counts the steps.
    parts: what is hit: parts of the service, a door of the proxy, a kind of clock.
    mode: of the proxy.   amount: milliseconds of a delay or of a jump.
    seconds: how long it lasts, 0 for what is over at once.
    pause: seconds until the next step.
    patient: whether the next step waits until a move is acknowledged again.
    lot: a number from 0 to 1 that chooses among the processes of a part.
    first_round: whether it belongs to the kills of each part with which a plan begins.
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
        """What the report calls it."""
        what = f"{self.fault} {self.mode}".strip()
        if self.fault == TOGETHER:
            return what
        return f"{what} {', '.join(self.parts)}".strip()
