"""The ratios of every run of `make bench`, one line of JSON each, and what has become worse since.

A line holds the commit, the time (UTC), the kind of machine and the ratios by name. Ratios are
compared with the last ones that were measured on the same kind of machine.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import Ratio

HISTORY = Path(__file__).with_name("history.jsonl")
TOLERANCE = 0.1  # a ratio may become worse by a tenth before it is named


@dataclass(frozen=True)
class Machine:
    """A kind of machine: figures of two machines of one kind can be compared."""

    system: str
    architecture: str
    cores: int
    python: str


@dataclass(frozen=True)
class Goal:
    """What a ratio should reach, or must not exceed."""

    bound: float
    is_limit: bool

    def __str__(self) -> str:
        """Return the goal in words."""
        return f"goal at most {self.bound:g}" if self.is_limit else f"goal {self.bound:g}"


@dataclass(frozen=True)
class Entry:
    """One run: what was measured, when, where, and of which code.

    goals: of those ratios that have one; the oldest lines of the history do not tell them.
    """

    commit: str
    date: str
    machine: Machine
    ratios: dict[str, float]
    goals: dict[str, Goal] = field(default_factory=dict)


def this_machine() -> Machine:
    """Return the kind of machine that this process runs on."""
    return Machine(
        system=platform.system(),
        architecture=platform.machine(),
        cores=os.cpu_count() or 1,
        python=f"{sys.version_info.major}.{sys.version_info.minor}",
    )


def this_commit() -> str:
    """Return the hash of the commit that is checked out, with "-dirty" after it if files differ."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=40"]
    described = subprocess.run(
        command,
        cwd=HISTORY.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return described.stdout.strip() or "unknown"


def entry_of(ratios: Sequence[Ratio]) -> Entry:
    """Return an entry for ratios that were measured just now."""
    return Entry(
        commit=this_commit(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=this_machine(),
        ratios={ratio.name: round(ratio.value, 4) for ratio in ratios},
        goals={
            ratio.name: Goal(ratio.goal, ratio.smaller_is_better) for ratio in ratios if ratio.goal
        },
    )


def read(path: Path) -> list[Entry]:
    """Return all entries, the oldest first; none if nothing was ever measured."""
    if not path.exists():
        return []

    entries = []
    for line in path.read_text().splitlines():
        fields = json.loads(line)
        fields["machine"] = Machine(**fields["machine"])
        goals = fields.pop("goals", {})
        entries.append(Entry(**fields, goals={name: Goal(**goal) for name, goal in goals.items()}))
    return entries


def append(entry: Entry, path: Path) -> None:
    """Write an entry to the end of the history."""
    with path.open("a") as history:
        history.write(json.dumps(asdict(entry)) + "\n")


def latest(entries: Iterable[Entry], machine: Machine) -> dict[str, float]:
    """Return the last value of each ratio that was measured on a kind of machine."""
    values: dict[str, float] = {}
    for entry in entries:
        if entry.machine == machine:
            values |= entry.ratios
    return values


def merged(entries: Sequence[Entry]) -> Entry:
    """Return one entry with the last value and goal of each ratio on the last run's machine.

    A run may have measured some of the ratios alone.
    """
    last = entries[-1]
    here = [entry for entry in entries if entry.machine == last.machine]
    goals: dict[str, Goal] = {}
    for entry in here:
        goals |= entry.goals
    return replace(last, ratios=latest(here, last.machine), goals=goals)


def losses(before: dict[str, float], ratios: Sequence[Ratio]) -> list[str]:
    """Return a line for each ratio that is worse than before by more than the tolerance."""
    found = []
    for ratio in ratios:
        if ratio.name not in before:
            continue

        old = before[ratio.name]
        better, worse = (ratio.value, old) if ratio.smaller_is_better else (old, ratio.value)
        if worse < better * (1 - TOLERANCE):
            found.append(f"{ratio.name}: {ratio.value:.2f}, was {old:.2f}")
    return found
