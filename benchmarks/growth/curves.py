"""Curves: how something that is measured depends on a number; the last run of each is kept."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.history import Machine, this_commit, this_machine

CURVES = Path(__file__).with_name("curves.jsonl")

Points = dict[int, float]
"""What was measured, by the number that it depends on."""


@dataclass(frozen=True)
class Curve:
    """One line of a diagram.

    over: what the number counts, such as "matches"; curves with the same share a diagram.
    name: what is measured, unique among the curves of the same number.
    unit: of the values, such as "ms" or "moves/s".
    """

    over: str
    name: str
    unit: str
    points: Points

    @property
    def growth(self) -> float:
        """How many times as large the value of the largest number is as that of the smallest."""
        return self.points[max(self.points)] / self.points[min(self.points)]

    def __str__(self) -> str:
        """Return the curve as one line, with its growth."""
        values = ", ".join(f"{value:.3g} at {number:,}" for number, value in self.points.items())
        return f"{self.name}, {self.unit}: {values} (x {self.growth:.2f})"


@dataclass(frozen=True)
class Run:
    """Curves that were measured together: when, where, and of which code."""

    commit: str
    date: str
    machine: Machine
    curves: Sequence[Curve]


def run_of(curves: Sequence[Curve]) -> Run:
    """Return a run of what was measured just now."""
    return Run(
        commit=this_commit(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=this_machine(),
        curves=curves,
    )


def append(run: Run, path: Path) -> None:
    """Write a run to the end of a history, as one line of JSON."""
    with path.open("a") as history:
        history.write(json.dumps(asdict(run)) + "\n")


def read(path: Path) -> list[Run]:
    """Return all runs, the oldest first; none if nothing was ever measured."""
    if not path.exists():
        return []
    return [_run(line) for line in path.read_text().splitlines()]


def latest(runs: Iterable[Run]) -> dict[str, list[Curve]]:
    """Return the last measured curves by the number that they depend on."""
    found: dict[str, list[Curve]] = {}
    for run in runs:
        for over in {curve.over for curve in run.curves}:
            found[over] = [curve for curve in run.curves if curve.over == over]
    return found


def _run(line: str) -> Run:
    fields = json.loads(line)
    fields["machine"] = Machine(**fields["machine"])
    fields["curves"] = [_curve(curve) for curve in fields["curves"]]
    return Run(**fields)


def _curve(fields: dict[str, object]) -> Curve:
    """Return a curve; in JSON the numbers of its points are texts."""
    points = fields.pop("points")
    assert isinstance(points, dict)
    return Curve(**fields, points={int(number): value for number, value in points.items()})  # type: ignore[arg-type]
