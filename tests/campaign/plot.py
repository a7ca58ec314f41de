"""The picture of a campaign: acknowledged moves over time, and recovery from each kind of fault.

Its colours can be read on light and dark pages, and its ground is transparent.
"""

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.plots import SETTINGS
from workers.arena.report import calm, svg

BLUE = "#3b82c4"
RED = "#d1495b"
BIN_SECONDS = 5
WIDTH_INCHES = 9.0
LINE_INCHES = 0.28


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The data of the picture.

    moves: the times of acknowledgement. kills: the times of kills. Both are in seconds from the
    start. seconds: the duration of all faults. gaps: recoveries in seconds by the name of the
    fault.
    """

    moves: Sequence[float]
    kills: Sequence[float]
    seconds: float
    gaps: Mapping[str, Sequence[float]]


def draw(picture: Picture, path: Path) -> None:
    """Write the picture as SVG."""
    with rc_context(SETTINGS):
        height = 3.4 + LINE_INCHES * len(picture.gaps)
        figure = Figure(figsize=(WIDTH_INCHES, height), layout="constrained")
        ratios = [2.4, 1 + LINE_INCHES * len(picture.gaps)]
        above, below = figure.subplots(2, 1, height_ratios=ratios)
        _draw_moves(above, picture)
        _draw_gaps(below, picture.gaps)
        path.write_text(svg(figure))


def _draw_moves(axes: Axes, picture: Picture) -> None:
    """Draw how many moves a second were acknowledged, and each kill as a stroke."""
    bins = range(math.ceil(picture.seconds / BIN_SECONDS))
    counts = Counter(int(moment // BIN_SECONDS) for moment in picture.moves)
    minutes = [number * BIN_SECONDS / 60 for number in bins]
    rates = [counts[number] / BIN_SECONDS for number in bins]
    axes.step(minutes, rates, where="post", color=BLUE, linewidth=1.2)

    kills = [moment / 60 for moment in picture.kills]
    axes.plot(kills, [0] * len(kills), "|", color=RED, markersize=7, alpha=0.7)
    axes.set_xlabel("minutes; each red stroke is a process killed")
    axes.set_ylabel("acknowledged a second")
    axes.set_ylim(bottom=0)
    calm(axes)


def _draw_gaps(axes: Axes, gaps: Mapping[str, Sequence[float]]) -> None:
    """Draw each recovery as a point, a row for each kind of fault, and the median as a stroke."""
    names = sorted(gaps, reverse=True)
    for row, name in enumerate(names):
        ordered = sorted(gaps[name])
        median = statistics.median_low(ordered)
        row_of_each = [row] * len(ordered)

        axes.plot(ordered, row_of_each, "o", color=BLUE, markersize=3.5, alpha=0.45)
        axes.plot([median], [row], "|", color=RED, markersize=12, markeredgewidth=2)

    axes.set_yticks(range(len(names)), names)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("seconds until moves are acknowledged again; red: the median")
    calm(axes)
