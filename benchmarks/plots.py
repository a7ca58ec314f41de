"""Draw the results: `make bench-plots`. Nothing is measured here.

Three pictures in docs/images: the distance of each ratio of the last run from its goal, the growth
of times, and the service beside its peers. They are made from `history.jsonl`, `curves.jsonl` and
`peers.jsonl`. Equal figures make equal bytes. The colours are readable on light and dark pages.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

from benchmarks import history
from benchmarks.measure import Curve, reach
from workers.arena.report import INK, STYLE, calm, svg

IMAGES = Path(__file__).parents[1] / "docs" / "images"

SETTINGS = {**STYLE, "font.size": 9, "legend.labelcolor": INK}
_REACHED = "#2a9d63"
_MISSED = "#d1495b"
_LINES = ("#3b82c4", "#d1495b", "#2a9d63", "#c9822b", "#8e5ea2", "#5f7d8c", "#b0557a", "#7a9a01")
_WIDTH_INCHES = 9.0
_ROW_INCHES = 0.27
_FRAME_INCHES = 1.0
_DIAGRAM_INCHES = 3.4
_FACTORS = (0.25, 0.5, 0.7, 1, 1.4, 2, 4, 8)
_FAR_APART = 20  # the largest value against the smallest
_PLAIN = "{x:g}"  # a number of an axis as people write it


def draw_ratios(ratios: Mapping[str, float], goals: Mapping[str, Any]) -> Figure:
    """Return a picture of the ratios with a goal, the nearest to missing it at the top.

    It shows the factor by which a goal is reached: 1 is just so, 2 is twice as good.
    """
    reached = {
        name: reach(ratios[name], goal["bound"], is_limit=goal["is_limit"])
        for name, goal in goals.items()
    }
    names = sorted(reached, key=reached.__getitem__)
    labels = [
        f"{name}: {ratios[name]:.2f} (goal{' at most' * goal['is_limit']} {goal['bound']:g})"
        for name, goal in ((name, goals[name]) for name in names)
    ]
    height = _FRAME_INCHES + _ROW_INCHES * len(names)
    figure = Figure(figsize=(_WIDTH_INCHES, height), layout="constrained")
    axes = figure.subplots()
    for row, name in enumerate(names):
        colour = _REACHED if reached[name] >= 1 else _MISSED
        axes.plot([1, reached[name]], [row, row], color=colour, linewidth=2.2)
        axes.plot([reached[name]], [row], "o", color=colour, markersize=5)

    axes.set_yticks(range(len(names)), labels)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.axvline(1, color=INK, linewidth=1.2, linestyle="--")
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(_FACTORS))
    axes.xaxis.set_major_formatter(_PLAIN)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("factor by which a goal is reached")
    calm(axes, lines="x")
    return figure


def draw_growth(by_number: Mapping[str, Sequence[Curve]]) -> Figure:
    """Return a picture with a diagram for each unit of each counted thing."""
    diagrams = [
        [curve for curve in group if curve.unit == unit]
        for group in by_number.values()
        for unit in sorted({curve.unit for curve in group})
    ]
    height = _DIAGRAM_INCHES * len(diagrams)
    figure = Figure(figsize=(_WIDTH_INCHES, height), layout="constrained")
    parts = figure.subplots(len(diagrams), 1, squeeze=False)
    for axes, curves in zip(parts[:, 0], diagrams, strict=True):
        _draw_curves(axes, curves)
    return figure


def _draw_curves(axes: Axes, curves: Sequence[Curve]) -> None:
    """Draw curves of one unit over a counted number, in logarithmic steps.

    Values begin at 0, or have logarithmic steps if they lie far apart.
    """
    for curve, colour in zip(curves, _LINES, strict=False):
        axes.plot(*zip(*curve.points.items(), strict=True), ".-", color=colour, label=curve.name)

    numbers = sorted({number for curve in curves for number in curve.points})
    axes.set_xscale("log")
    axes.set_xticks(numbers, [f"{number:,}" for number in numbers])
    axes.xaxis.set_minor_formatter(NullFormatter())

    values = [value for curve in curves for value in curve.points.values()]
    if max(values) > _FAR_APART * min(values):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(_PLAIN)
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0)

    axes.set_xlabel(curves[0].over)
    axes.set_ylabel(curves[0].unit)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    calm(axes)


# The figures in a picture of peers, with their titles.
_OF_PEERS = {
    "one": "moves/s, 1 connection",
    "many": "moves/s, 16 connections",
    "past": "states/s at a version",
}


def draw_peers(peers: Mapping[str, Mapping[str, float]]) -> Figure:
    """Return a picture of the figures of all peers. The first one is the service."""
    height = _FRAME_INCHES + _ROW_INCHES * len(peers)
    figure = Figure(figsize=(_WIDTH_INCHES, height), layout="constrained")
    parts = figure.subplots(1, len(_OF_PEERS), sharey=True)
    rows = range(len(peers))
    colours = [_REACHED, *[_LINES[0]] * (len(peers) - 1)]
    for axes, (what, title) in zip(parts, _OF_PEERS.items(), strict=True):
        values = [figures[what] for figures in peers.values()]
        axes.barh(rows, values, height=0.62, color=colours)
        for place, value in zip(rows, values, strict=True):
            text = f"{value:,.0f}" if value else "not offered"
            beside = {"xytext": (3, 0), "textcoords": "offset points", "va": "center"}
            axes.annotate(text, (value, place), fontsize=8, **beside)
        axes.set_xlim(0, 1.3 * max(values))
        axes.set_title(title, fontsize=9)
        axes.xaxis.set_major_locator(NullLocator())
        calm(axes, lines="x")

    parts[0].set_yticks(rows, list(peers))
    parts[0].set_ylim(len(peers) - 0.5, -0.5)
    return figure


@rc_context(SETTINGS)
def main() -> None:
    """Draw the ratios of the last run, the last curves, and the last figures of peers."""
    last = history.read(history.HISTORY)[-1]
    curves = history.latest_curves(history.read(history.CURVES))
    (IMAGES / "bench-ratios.svg").write_text(svg(draw_ratios(last["ratios"], last["goals"])))
    (IMAGES / "bench-growth.svg").write_text(svg(draw_growth(curves)))
    peers = history.read(history.PEERS)[-1]["peers"]
    (IMAGES / "bench-peers.svg").write_text(svg(draw_peers(peers)))


if __name__ == "__main__":
    main()
