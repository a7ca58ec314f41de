"""The pictures of the benchmarks: they show what was measured, and nothing else changes them."""

from xml.etree import ElementTree

import pytest

from benchmarks import plots
from benchmarks.growth.curves import Curve
from benchmarks.history import Entry, Goal, Machine, merged

HERE = Machine(system="Linux", architecture="x86_64", cores=2, python="3.11")
SPEED = Goal(bound=0.5, is_limit=False)
TIME = Goal(bound=2.0, is_limit=True)

FIRST = Entry("a" * 40, "2026-01-30T12:00:00+00:00", HERE, {"speed": 0.4, "odd": 7.0})
LAST = Entry(
    commit="b" * 40,
    date="2026-01-31T12:00:00+00:00",
    machine=HERE,
    ratios={"speed": 0.6, "time": 3.0},
    goals={"speed": SPEED, "time": TIME},
)


def texts(picture: str) -> str:
    """Return the words in a picture."""
    return "\n".join(ElementTree.fromstring(picture).itertext())  # noqa: S314


@pytest.mark.parametrize(
    ("value", "goal", "reached"),
    [
        pytest.param(0.6, SPEED, 1.2, id="more than a goal"),
        pytest.param(0.25, SPEED, 0.5, id="half of a goal"),
        pytest.param(1.0, TIME, 2.0, id="half of a limit"),
        pytest.param(4.0, TIME, 0.5, id="twice a limit"),
    ],
)
def test_a_goal_is_reached_by_a_factor(value: float, goal: Goal, reached: float) -> None:
    """1 is just so; more is better, for goals and for limits."""
    assert plots.reach(value, goal) == pytest.approx(reached)


def test_ratios_are_drawn_with_their_goals() -> None:
    """The value and the goal are there to read; a ratio without a goal is not drawn."""
    shown = texts(plots.draw_ratios(merged([FIRST, LAST])))

    assert "speed: 0.60 (goal 0.5)" in shown
    assert "time: 3.00 (goal at most 2)" in shown
    assert "odd" not in shown


def test_the_history_names_runs_and_ratios() -> None:
    """A run is told by its day and its commit."""
    shown = texts(plots.draw_history([FIRST, LAST], LAST.goals))

    for word in ("2026-01-30", "aaaaaaa", "2026-01-31", "bbbbbbb", "speed", "time"):
        assert word in shown, word


def test_growth_has_a_diagram_for_each_unit() -> None:
    """What is counted, the units and the names of the curves are there to read."""
    by_number = {
        "clients": [
            Curve("clients", "moves", "moves/s", {1: 500.0, 64: 250.0}),
            Curve("clients", "a move, p99", "ms", {1: 3.0, 64: 90.0}),
        ]
    }

    shown = texts(plots.draw_growth(by_number))

    for word in ("clients", "moves/s", "ms", "moves", "a move, p99", "64"):
        assert word in shown, word


def test_equal_figures_make_equal_bytes() -> None:
    """So a picture changes in git only when a figure does."""
    entry = merged([FIRST, LAST])
    assert plots.draw_ratios(entry) == plots.draw_ratios(entry)
