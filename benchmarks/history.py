"""The results, one line of JSON for each run: ratios in `history.jsonl`, all else beside it.

A line has the commit, the time (UTC), the kind of machine, and the ratios by name with their
goals, or the curves, or the figures of all peers. Ratios are compared with the last ones of the
same kind of machine.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.measure import Curve, Ratio, Row

HISTORY = Path(__file__).with_name("history.jsonl")
CURVES = Path(__file__).with_name("curves.jsonl")
PEERS = Path(__file__).with_name("peers.jsonl")

Run = dict[str, Any]  # a line as it is read


def this_machine() -> dict[str, str | int]:
    """Return the kind of this machine. Figures of one kind are comparable."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "cores": os.cpu_count() or 1,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }


def this_commit() -> str:
    """Return the hash of the checked-out commit, with "-dirty" after it if files differ."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=40"]
    place = HISTORY.parent
    run = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    return run.stdout.strip() or "unknown"


def read(path: Path) -> list[Run]:
    """Return all runs, the oldest first."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def note_ratios(ratios: Sequence[Ratio]) -> None:
    """Append new ratios to the history."""
    values = {one.name: round(one.value, 4) for one in ratios}
    goals = {one.name: {"bound": one.goal, "is_limit": one.smaller_is_better} for one in ratios}
    _append(
        HISTORY, ratios=values, goals={name: goal for name, goal in goals.items() if goal["bound"]}
    )


def note_curves(curves: Sequence[Curve]) -> None:
    """Append new curves to their file beside the history."""
    _append(CURVES, curves=[asdict(curve) for curve in curves])


def note_rows(rows: Sequence[Row]) -> None:
    """Append new figures of the peers to their file beside the history."""
    _append(PEERS, peers={row.name: row.figures for row in rows})


def _append(path: Path, **measured: Any) -> None:
    date = datetime.now(UTC).isoformat(timespec="seconds")
    run = {"commit": this_commit(), "date": date, "machine": this_machine(), **measured}
    with path.open("a") as history:
        history.write(json.dumps(run) + "\n")


def latest(runs: Iterable[Run], machine: Mapping[str, str | int]) -> dict[str, float]:
    """Return the last value of each ratio on a kind of machine."""
    values: dict[str, float] = {}
    for run in runs:
        if run["machine"] == machine:
            values |= run["ratios"]
    return values


def latest_curves(runs: Iterable[Run]) -> dict[str, list[Curve]]:
    """Return the last curves by the number that they depend on."""
    by_number: dict[str, list[Curve]] = {}
    for run in runs:
        for over in {fields["over"] for fields in run["curves"]}:
            by_number[over] = [_curve(fields) for fields in run["curves"] if fields["over"] == over]
    return by_number


def _curve(fields: dict[str, Any]) -> Curve:
    """Return a curve. In JSON the numbers of its points are texts."""
    points = {int(number): value for number, value in fields["points"].items()}
    return Curve(**{**fields, "points": points})


def losses(before: Mapping[str, float], ratios: Sequence[Ratio]) -> list[str]:
    """Return a line for each ratio that is worse than before by more than a tenth."""
    lines = []
    for ratio in ratios:
        old = before.get(ratio.name, ratio.value)
        better, worse = (ratio.value, old) if ratio.smaller_is_better else (old, ratio.value)
        if worse < better * 0.9:
            lines.append(f"{ratio.name}: {ratio.value:.2f}, was {old:.2f}")
    return lines
