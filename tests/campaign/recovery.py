"""Recovery: how long it takes from a fault until moves are acknowledged again.

A move counts only if it was sent after the fault. Of a fault that lasts, the time runs from its
end. Where moves go on for a moment and then stand still, the end of that standstill counts.
"""

import bisect
import itertools
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.campaign.history import Try

OVERLAPPING = "during another fault"

# A standstill that begins so soon after a fault is taken for its consequence.
LINGER_SECONDS = 1.0
# Shorter pauses between moves come without any fault.
SHORTEST_STANDSTILL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault as it happened: its kind, what it hit, when it began and ended."""

    number: int
    kind: str
    name: str
    parts: tuple[str, ...]
    began: float
    ended: float


# A fault, when it began, and when the service had recovered.
Span = tuple[Fault, float, float]


@dataclass(frozen=True, slots=True)
class Recovery:
    """Of how many faults the service recovered, and how fast, in seconds."""

    count: int
    p50: float
    p99: float
    longest: float


def read_faults(path: Path) -> list[Fault]:
    """Return the faults that were written down, in their order; a cut-off line is passed over."""
    begun: dict[int, dict[str, Any]] = {}
    ended: dict[int, float] = {}

    written = path.read_text() if path.exists() else ""
    for line in written.splitlines(keepends=True):
        if not line.endswith("\n"):
            continue

        values = json.loads(line)
        if values["what"] == "begun":
            begun[values["number"]] = values
        else:
            ended[values["number"]] = values["at"]

    return [
        Fault(
            number=number,
            kind=values["fault"],
            name=values["name"],
            parts=tuple(values["parts"]),
            began=values["at"],
            ended=ended.get(number, values["at"]),
        )
        for number, values in sorted(begun.items())
    ]


def gaps(faults: Sequence[Fault], tries: Iterable[Try]) -> list[tuple[Fault, float, bool]]:
    """Return each fault with its recovery in seconds, and whether it was alone.

    It was alone if no other fault lasted, or was not recovered from, while it did. Faults after
    which no move came any more are left out.
    """
    made = [one for one in tries if one.acknowledged and not one.repeated]
    moves = sorted((one.ended, one.sent) for one in made)
    spans: list[Span] = []
    for fault in faults:
        recovered = _recovered(fault, moves)
        if recovered is not None:
            spans.append((fault, fault.began, recovered))

    return [
        (fault, recovered - fault.ended, _is_alone(spans, index))
        for index, (fault, _began, recovered) in enumerate(spans)
    ]


def _recovered(fault: Fault, moves: Sequence[tuple[float, float]]) -> float | None:
    """Return when the standstill after a fault was over; None if no move came any more.

    moves: when each was acknowledged and sent, in the order of the former.
    """
    first = bisect.bisect_right(moves, (fault.ended, math.inf))
    while first < len(moves) and moves[first][1] <= fault.ended:
        first += 1
    if first == len(moves):
        return None

    recovered = moves[first][0]
    longest = recovered - fault.ended

    # What a killed part has started may go on for a moment before it stands still.
    acknowledged_at = [ended for ended, _sent in moves[first:]]
    for before, after in itertools.pairwise(acknowledged_at):
        if before > fault.ended + LINGER_SECONDS:
            break
        standstill = after - before
        if standstill > max(longest, SHORTEST_STANDSTILL_SECONDS):
            recovered = after
            longest = standstill
    return recovered


def _is_alone(spans: Sequence[Span], index: int) -> bool:
    """Return whether no other span overlaps one; a span goes from a fault to its recovery."""
    fault, began, recovered = spans[index]
    return not any(
        other is not fault and other_began < recovered and other_recovered > began
        for other, other_began, other_recovered in spans
    )


def by_name(faults: Sequence[Fault], tries: Iterable[Try]) -> dict[str, Recovery]:
    """Return the recovery from each kind of fault that came alone, and from all others together."""
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for fault, gap, alone in gaps(faults, tries):
        seconds[fault.name if alone else OVERLAPPING].append(gap)
    return {name: summary(values) for name, values in sorted(seconds.items())}


def summary(seconds: Sequence[float]) -> Recovery:
    """Return count, median, 99th percentile (nearest rank) and maximum; not of an empty list."""
    ordered = sorted(seconds)
    return Recovery(
        count=len(ordered),
        p50=_percentile(ordered, 50),
        p99=_percentile(ordered, 99),
        longest=ordered[-1],
    )


def _percentile(ordered: Sequence[float], percent: int) -> float:
    rank = math.ceil(len(ordered) * percent / 100)
    return ordered[max(rank, 1) - 1]
