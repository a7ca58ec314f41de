"""Curves of growth: what is remembered of them, and that a journal can be asked at any size."""

from pathlib import Path

import pytest

from benchmarks.growth import curves, matches
from benchmarks.growth.curves import Curve

RISING = Curve("matches", "load a match", "ms", {100: 2.0, 10_000: 3.0})
FALLING = Curve("clients", "moves", "moves/s", {1: 500.0, 64: 250.0})


def test_a_curve_tells_its_points_and_its_growth() -> None:
    """The value of the largest number against that of the smallest, whatever their order."""
    backwards = Curve("matches", "load a match", "ms", {10_000: 3.0, 100: 2.0})

    assert RISING.growth == pytest.approx(1.5)
    assert backwards.growth == pytest.approx(1.5)
    assert FALLING.growth == pytest.approx(0.5)
    assert str(RISING) == "load a match, ms: 2 at 100, 3 at 10,000 (x 1.50)"


def test_what_is_appended_is_read(tmp_path: Path) -> None:
    """One line of JSON a run, the oldest first; numbers stay numbers."""
    path = tmp_path / "curves.jsonl"
    runs = [curves.run_of([RISING, FALLING]), curves.run_of([FALLING])]

    assert curves.read(path) == []
    for run in runs:
        curves.append(run, path)

    assert curves.read(path) == runs
    assert len(path.read_text().splitlines()) == 2


def test_the_latest_curves_of_each_number_count() -> None:
    """A run of some measurements leaves the curves of the others as they were."""
    faster = Curve("clients", "moves", "moves/s", {1: 600.0, 64: 300.0})
    runs = [curves.run_of([RISING, FALLING]), curves.run_of([faster])]

    assert curves.latest(runs) == {"matches": [RISING], "clients": [faster]}


def test_journals_of_two_sizes_are_asked_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every question has a time at every number of matches."""
    monkeypatch.setattr("benchmarks.growth.matches.NUMBERS", (2, 5))
    monkeypatch.setattr("benchmarks.scale.ROUNDS", 2)

    measured = matches.measure()

    assert {"make a move", "first page of 50"} <= {curve.name for curve in measured}
    for curve in measured:
        assert list(curve.points) == [2, 5], curve.name
        assert min(curve.points.values()) > 0, curve.name
