"""Draw what was measured: `make bench-plots`. Nothing is measured here.

Three pictures in docs/images: how near each ratio is to its goal, how the ratios changed from run
to run, and how times grow. They are made from `history.jsonl` and `growth/curves.jsonl`. Equal
figures make equal bytes; the colours can be read on light and dark pages.
"""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from benchmarks import history
from benchmarks.growth import curves
from benchmarks.growth.curves import Curve
from benchmarks.history import Entry, Goal

IMAGES = Path(__file__).parents[1] / "docs" / "images"

_INK = "#808080"
_REACHED = "#2a9d63"
_MISSED = "#d1495b"
_LINES = ("#3b82c4", "#d1495b", "#2a9d63", "#c9822b", "#8e5ea2", "#5f7d8c", "#b0557a", "#7a9a01")
_WIDTH_INCHES = 9.0
_ROW_INCHES = 0.27
_FRAME_INCHES = 1.0
_DIAGRAM_INCHES = 3.4
_FACTORS = (0.25, 0.5, 0.7, 1, 1.4, 2, 4, 8)
_FAR_APART = 20  # the largest value against the smallest
_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "giornale",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "legend.labelcolor": _INK,
}


@rc_context(_SETTINGS)
def draw_ratios(entry: Entry) -> str:
    """Return a picture of the ratios that have a goal, the nearest to missing it at the top.

    What is drawn is by which factor a goal is reached: 1 is just so, 2 is twice as good.
    """
    names = sorted(entry.goals, key=lambda name: reach(entry.ratios[name], entry.goals[name]))
    figure = Figure(
        figsize=(_WIDTH_INCHES, _FRAME_INCHES + _ROW_INCHES * len(names)),
        layout="constrained",
    )
    axes = figure.subplots()
    for row, name in enumerate(names):
        reached = reach(entry.ratios[name], entry.goals[name])
        colour = _REACHED if reached >= 1 else _MISSED
        axes.plot([1, reached], [row, row], color=colour, linewidth=2.2)
        axes.plot([reached], [row], "o", color=colour, markersize=5)

    labels = [f"{name}: {entry.ratios[name]:.2f} ({entry.goals[name]})" for name in names]
    axes.set_yticks(range(len(names)), labels)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.axvline(1, color=_INK, linewidth=1.2, linestyle="--")
    axes.set_xscale("log")
    _mark_factors(axes.xaxis)
    axes.set_xlabel("factor by which a goal is reached")
    _calm(axes, lines="x")
    return _svg(figure)


@rc_context(_SETTINGS)
def draw_history(entries: Sequence[Entry], goals: Mapping[str, Goal]) -> str:
    """Return a picture of how near each ratio came to its goal in the runs, the oldest first."""
    figure = Figure(figsize=(_WIDTH_INCHES, 5.5), layout="constrained")
    axes = figure.subplots()
    for number, (name, goal) in enumerate(goals.items()):
        runs = [place for place, entry in enumerate(entries) if name in entry.ratios]
        reached = [reach(entries[place].ratios[name], goal) for place in runs]
        axes.plot(runs, reached, ".-", color=_LINES[number % len(_LINES)], linewidth=1, label=name)

    axes.set_xticks(range(len(entries)), [f"{e.date[:10]}\n{e.commit[:7]}" for e in entries])
    axes.axhline(1, color=_INK, linewidth=1.2, linestyle="--")
    axes.set_yscale("log")
    _mark_factors(axes.yaxis)
    axes.set_ylabel("factor by which a goal is reached")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=7)
    _calm(axes, lines="both")
    return _svg(figure)


@rc_context(_SETTINGS)
def draw_growth(by_number: dict[str, list[Curve]]) -> str:
    """Return a picture with a diagram for each unit of each thing that is counted."""
    diagrams = [
        (over, unit, [curve for curve in found if curve.unit == unit])
        for over, found in by_number.items()
        for unit in sorted({curve.unit for curve in found})
    ]
    figure = Figure(
        figsize=(_WIDTH_INCHES, _DIAGRAM_INCHES * len(diagrams)),
        layout="constrained",
    )
    parts = figure.subplots(len(diagrams), 1, squeeze=False)
    for axes, (over, unit, drawn) in zip(parts[:, 0], diagrams, strict=True):
        _draw_curves(axes, over, unit, drawn)
    return _svg(figure)


def reach(value: float, goal: Goal) -> float:
    """Return by which factor a value reaches its goal; less than 1 misses it."""
    return goal.bound / value if goal.is_limit else value / goal.bound


def _draw_curves(axes: Axes, over: str, unit: str, drawn: Sequence[Curve]) -> None:
    """Draw curves of one unit over what is counted, in logarithmic steps."""
    numbers: set[int] = set()
    for place, curve in enumerate(drawn):
        colour = _LINES[place % len(_LINES)]
        axes.plot(
            list(curve.points), list(curve.points.values()), ".-", color=colour, label=curve.name
        )
        numbers |= curve.points.keys()

    axes.set_xscale("log")
    axes.set_xticks(sorted(numbers), [f"{number:,}" for number in sorted(numbers)])
    axes.xaxis.set_minor_formatter(NullFormatter())
    _scale_values(axes, drawn)
    axes.set_xlabel(over)
    axes.set_ylabel(unit)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    _calm(axes, lines="both")


def _scale_values(axes: Axes, drawn: Sequence[Curve]) -> None:
    """Let values begin at 0, but draw them in logarithmic steps if they lie far apart."""
    values = [value for curve in drawn for value in curve.points.values()]
    if max(values) > _FAR_APART * min(values):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(_plain))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0)


def _mark_factors(axis: Axis) -> None:
    axis.set_major_locator(FixedLocator(_FACTORS))
    axis.set_major_formatter(FuncFormatter(_plain))
    axis.set_minor_locator(NullLocator())


def _plain(value: float, _place: object) -> str:
    """Return a number of an axis as people write it."""
    return f"{value:g}"


def _calm(axes: Axes, lines: Any) -> None:
    """Take away what nobody reads, and let fine lines lead the eye.

    lines: "x", "y" or "both".
    """
    axes.grid(visible=True, axis=lines, color=_INK, alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)


def _svg(figure: Figure) -> str:
    drawing = io.StringIO()
    figure.savefig(drawing, format="svg", transparent=True, metadata={"Date": None})
    return re.sub(r"[ \t]+$", "", drawing.getvalue(), flags=re.MULTILINE)


def main() -> None:
    """Draw the last run, all runs on its kind of machine, and the curves."""
    entries = history.read(history.HISTORY)
    last = history.merged(entries)
    here = [entry for entry in entries if entry.machine == last.machine]
    latest = curves.latest(curves.read(curves.CURVES))

    pictures: dict[str, Callable[[], str]] = {
        "bench-ratios.svg": lambda: draw_ratios(last),
        "bench-history.svg": lambda: draw_history(here, last.goals),
        "bench-growth.svg": lambda: draw_growth(latest),
    }
    for name, draw in pictures.items():
        (IMAGES / name).write_text(draw())
        print(IMAGES.parent.name, IMAGES.name, name, sep="/")


if __name__ == "__main__":
    main()
