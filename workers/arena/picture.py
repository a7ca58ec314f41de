"""The picture of an arena: of each pair and number of seats, which share of pairings was won.

Its colours can be read on light and dark pages, and its ground is transparent. Equal results make
equal bytes.
"""

import io
from collections.abc import Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workers.arena.ratings import GameSummary, PairSummary

_INK = "#808080"
_BLUE = "#3b82c4"
_RED = "#d1495b"
_WIDTH_INCHES = 9.0
_ROW_INCHES = 0.28
_FRAME_INCHES = 0.9  # of each game, for its title and its axis
_SETTINGS: dict[Any, str] = {
    "svg.hashsalt": "giornale",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
}


def draw(games: Sequence[GameSummary]) -> str:
    """Return the picture as SVG: a part for each game, with a row for each pair and its seats."""
    played = [game for game in games if game.pairs]
    heights = [_FRAME_INCHES + _ROW_INCHES * len(game.pairs) for game in played]
    with rc_context(_SETTINGS):
        figure = Figure(figsize=(_WIDTH_INCHES, sum(heights) or 1), layout="constrained")
        if played:
            parts = figure.subplots(len(played), 1, height_ratios=heights, squeeze=False)
            for axes, game in zip(parts[:, 0], played, strict=True):
                _draw_game(axes, game)

        drawing = io.StringIO()
        figure.savefig(drawing, format="svg", transparent=True, metadata={"Date": None})

    lines = drawing.getvalue().splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _draw_game(axes: Axes, game: GameSummary) -> None:
    """Draw each share as a point on its interval, and a stroke where both are equally good."""
    for row, pair in enumerate(game.pairs):
        share = pair.pairings
        axes.plot([share.low, share.high], [row, row], color=_BLUE, linewidth=2.2)
        axes.plot([share.value], [row], "o", color=_BLUE, markersize=5)

    axes.axvline(0.5, color=_RED, linewidth=1.2, linestyle="--")
    axes.set_title(game.title, loc="left", fontsize="medium")
    axes.set_yticks(range(len(game.pairs)), [_label(pair) for pair in game.pairs])
    axes.set_ylim(len(game.pairs) - 0.5, -0.5)
    axes.set_xlim(-0.01, 1.01)  # so that no point is cut off
    axes.set_xlabel("share of pairings that the first level won, with its 95 % interval")
    axes.grid(visible=True, axis="x", color=_INK, alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)


def _label(pair: PairSummary) -> str:
    weaker, stronger = pair.pair
    return f"{stronger} against {weaker}, {pair.seats} seats"
