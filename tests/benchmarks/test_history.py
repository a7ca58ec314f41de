"""The history of measurements: what is remembered, and what counts as worse."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as bench
from benchmarks import history
from benchmarks.history import Entry, Machine
from benchmarks.measure import Ratio

HERE = Machine(system="Linux", architecture="x86_64", cores=2, python="3.11")
ELSEWHERE = Machine(system="Darwin", architecture="arm64", cores=8, python="3.14")


def measured(machine: Machine = HERE, **ratios: float) -> Entry:
    """Return an entry of a kind of machine."""
    return Entry("a" * 40, "2026-01-31T12:00:00+00:00", machine, ratios)


def test_a_history_that_does_not_exist_is_empty(tmp_path: Path) -> None:
    """Before the first measurement there is no file."""
    assert history.read(tmp_path / "history.jsonl") == []


def test_what_is_appended_is_read(tmp_path: Path) -> None:
    """One line of JSON a run, the oldest first."""
    path = tmp_path / "history.jsonl"
    entries = [measured(speed=1.5), measured(ELSEWHERE, speed=2.5)]

    for entry in entries:
        history.append(entry, path)

    assert history.read(path) == entries
    assert len(path.read_text().splitlines()) == 2


def test_an_entry_tells_commit_date_and_machine() -> None:
    """They are those of this checkout, this moment and this interpreter."""
    entry = history.entry_of([Ratio("speed", 1.23456)])

    assert entry.ratios == {"speed": 1.2346}
    assert entry.machine == history.this_machine()
    assert entry.machine.cores >= 1
    assert entry.date.endswith("+00:00")
    assert entry.commit


def test_the_latest_value_of_each_ratio_counts() -> None:
    """A run of some benchmarks leaves the others' values; a run elsewhere changes nothing here."""
    entries = [
        measured(speed=1.0, size=3.0),
        measured(speed=2.0),
        measured(ELSEWHERE, speed=9.0),
    ]

    assert history.latest(entries, HERE) == {"speed": 2.0, "size": 3.0}
    assert history.latest(entries, ELSEWHERE) == {"speed": 9.0}


@pytest.mark.parametrize(
    ("ratio", "lines"),
    [
        pytest.param(Ratio("speed", 1.81), [], id="a little slower"),
        pytest.param(Ratio("speed", 1.79), ["speed: 1.79, was 2.00"], id="slower by a tenth"),
        pytest.param(Ratio("speed", 9.0), [], id="faster"),
        pytest.param(Ratio("size", 2.21, smaller_is_better=True), [], id="a little larger"),
        pytest.param(
            Ratio("size", 2.23, smaller_is_better=True),
            ["size: 2.23, was 2.00"],
            id="larger by a tenth",
        ),
        pytest.param(Ratio("size", 0.1, smaller_is_better=True), [], id="smaller"),
        pytest.param(Ratio("new", 0.1), [], id="never measured before"),
    ],
)
def test_what_is_worse_by_more_than_a_tenth_is_named(ratio: Ratio, lines: list[str]) -> None:
    """Down for what should be large, up for what should be small."""
    assert history.losses({"speed": 2.0, "size": 2.0}, [ratio]) == lines


@pytest.mark.parametrize(
    ("ratio", "line"),
    [
        (Ratio("speed", 0.65, goal=0.6), "speed: 0.65 (goal 0.6: reached)"),
        (Ratio("speed", 0.55, goal=0.6), "speed: 0.55 (goal 0.6: missed)"),
        (Ratio("time", 1.8, 2, smaller_is_better=True), "time: 1.80 (goal at most 2: reached)"),
        (Ratio("time", 2.1, 2, smaller_is_better=True), "time: 2.10 (goal at most 2: missed)"),
        (Ratio("size", 1.4, smaller_is_better=True), "size: 1.40"),
    ],
    ids=str,
)
def test_a_ratio_is_told_with_its_goal(ratio: Ratio, line: str) -> None:
    """A goal is a bound from below or from above; without one there is nothing to reach."""
    assert str(ratio) == line


@pytest.fixture
def one_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A benchmark "slow" that measures 1.0, and a history of its own; the path of the history."""
    path = tmp_path / "history.jsonl"
    slow = SimpleNamespace(main=lambda: [Ratio("speed", 1.0)])
    monkeypatch.setattr(history, "HISTORY", path)
    monkeypatch.setattr(bench, "import_module", lambda _name: slow)
    return path


def test_the_first_run_has_nothing_to_be_compared_with(
    one_benchmark: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is remembered all the same."""
    bench.main(("slow",))

    assert capsys.readouterr().out.endswith("There is none.\n")
    assert json.loads(one_benchmark.read_text())["ratios"] == {"speed": 1.0}


@pytest.mark.parametrize(
    ("before", "told"),
    [(2.0, "speed: 1.00, was 2.00\n"), (1.0, "Nothing is worse by more than a tenth.\n")],
    ids=["worse", "the same"],
)
def test_a_run_is_compared_with_the_one_before(
    before: float, told: str, one_benchmark: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both stay in the history."""
    history.append(measured(history.this_machine(), speed=before), one_benchmark)

    bench.main(("slow",))

    assert capsys.readouterr().out.endswith(told)
    assert [entry.ratios["speed"] for entry in history.read(one_benchmark)] == [before, 1.0]
