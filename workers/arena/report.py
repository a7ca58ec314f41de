"""The report of an arena: tables for the terminal, `results.md` and the picture `results.svg`."""

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from service.base.private_files import write_private
from workers.arena.ratings import GameRatings, LevelRating, PairSummary, Share, summaries
from workers.arena.results import FixtureResult, ThinkingTime

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAGE = "results.md"
PICTURE = "results.svg"

_PAIR_COLUMNS = (
    "levels",
    "seats",
    "matches",
    "pairings won",
    "first alone wins",
    "second alone wins",
    "fair",
    "points",
)
_TIME_COLUMNS = (
    "level",
    "decisions",
    "median",
    "99 of 100 within",
    "longest",
    "processor time a decision",
    "iterations a decision",
)

INK = "#808080"
_BLUE = "#3b82c4"
_RED = "#d1495b"
_WIDTH_INCHES = 9.0
_ROW_INCHES = 0.28
_FRAME_INCHES = 0.9  # height for the title and the axis of each game
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "giornale",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


# ---- tables, as Markdown and as aligned text -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table with a title. Every row has a cell for each column."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Return the table as Markdown, under a heading."""
        ruler = ["---"] * len(self.columns)
        lines = [_markdown_row(row) for row in (self.columns, ruler, *self.rows)]
        return "\n".join([f"### {self.title}", "", *lines, ""])

    def text(self) -> str:
        """Return the table as text of aligned columns, under its title."""
        widths = [
            max(len(cell) for cell in cells) for cells in zip(self.columns, *self.rows, strict=True)
        ]
        ruler = ["-" * width for width in widths]
        lines = [_text_row(row, widths) for row in (self.columns, ruler, *self.rows)]
        return "\n".join([self.title, "", *lines, ""])


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text_row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
    return "  ".join(padded).rstrip()


# ---- the report ----------------------------------------------------------------------------------


def write(results: Sequence[FixtureResult], seed: int, directory: Path) -> str:
    """Write page and picture of results into a directory. Return tables and notes as text."""
    games = summaries(results)
    notes = list(_notes(results, games))
    tables = [table for game in games for table in tables_of(game)]

    heading = f"# Results of the arena with seed {seed}"
    summary = [f"- {note}" for note in notes]
    parts = [heading, "", *summary, "", f"![Pairings won]({PICTURE})", ""]
    parts += [table.markdown() for table in tables]
    write_private(directory / PAGE, "\n".join(parts).encode(), replace=True)
    write_private(directory / PICTURE, draw(games).encode(), replace=True)

    return "\n".join([*(table.text() for table in tables), *notes])


def tables_of(game: GameRatings) -> list[ReportTable]:
    """Return the tables of one game: pairs, ratings and thinking times."""
    title = game.title
    pairs = ReportTable(
        title=f"{title}: results by pair",
        columns=_PAIR_COLUMNS,
        rows=[_pair_row(pair) for pair in game.pairs],
    )
    ratings = ReportTable(
        title=f"{title}: ratings",
        columns=("level", "all seats", *[f"{seats} seats" for seats in game.ratings_by_seats]),
        rows=list(_rating_rows(game)),
    )
    times = ReportTable(
        title=f"{title}: time for a decision with a choice",
        columns=_TIME_COLUMNS,
        rows=[_time_row(str(level), time) for level, time in game.times.items()],
    )
    return [pairs, ratings, times]


def _pair_row(summary: PairSummary) -> list[str]:
    weaker, stronger = summary.pair
    weaker_alone, stronger_alone = summary.alone
    weaker_points, stronger_points = summary.points
    return [
        f"{stronger} - {weaker}",
        str(summary.seats),
        str(summary.pairings.matches),
        _share(summary.pairings),
        _share(stronger_alone),
        _share(weaker_alone),
        f"{1 / summary.seats:.3f}",
        f"{stronger_points:.1f} - {weaker_points:.1f}",
    ]


def _rating_rows(game: GameRatings) -> Iterator[list[str]]:
    for level, rating in game.ratings.items():
        by_seats = [ratings.get(level) for ratings in game.ratings_by_seats.values()]
        yield [str(level), _rating(rating), *map(_rating, by_seats)]


def _time_row(level: str, time: ThinkingTime) -> list[str]:
    decisions = max(1, time.decisions)
    return [
        level,
        f"{time.decisions}",
        _duration(time.quantile(0.5)),
        _duration(time.quantile(0.99)),
        _duration(time.longest),
        _duration(time.processor / decisions),
        f"{time.iterations / decisions:.0f}",
    ]


def _share(share: Share) -> str:
    if not share.matches:
        return "not played"
    return f"{share.value:.3f} ({share.low:.3f}-{share.high:.3f})"


def _rating(rating: LevelRating | None) -> str:
    return "not played" if rating is None else f"{rating.value:.1f} ± {rating.sigma:.1f}"


def _duration(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    if seconds >= 0.001:
        return f"{seconds * 1e3:.1f} ms"
    return f"{seconds * 1e6:.0f} us"


def _notes(results: Sequence[FixtureResult], games: Sequence[GameRatings]) -> Iterator[str]:
    """Yield the sentences beside the tables."""
    if not results:
        yield "No match has been played to its end."

    players = Counter((result.rules, result.software) for result in results)
    for (rules, software), matches in sorted(players.items()):
        yield f"Matches of {rules} that were played by Giornale {software}: {matches}."

    if len({software for _rules, software in players}) > 1:
        yield "Not all were played by the same software, so a level may stand for different bots."
    if len({rules for rules, _software in players}) > len(games):
        yield "The matches of a game were played by different versions of its rules."

    for game in games:
        if game.unended:
            yield f"{game.title}: unfinished matches, not counted: {game.unended}."
        if len({pair.pairings.matches for pair in game.pairs}) > 1:
            yield f"{game.title}: not all pairs have played equally many matches."


# ---- the picture ---------------------------------------------------------------------------------

# The colours can be read on light and dark pages, so the background is transparent. Equal results
# make equal bytes.


def draw(games: Sequence[GameRatings]) -> str:
    """Return the picture as SVG: a part for each game, a row for each pair and number of seats."""
    from matplotlib import rc_context  # installed with the extra "arena"
    from matplotlib.figure import Figure

    played = [game for game in games if game.pairs]
    heights = [_FRAME_INCHES + _ROW_INCHES * len(game.pairs) for game in played]
    with rc_context(STYLE):
        figure = Figure(figsize=(_WIDTH_INCHES, sum(heights) or 1), layout="constrained")
        if played:
            parts = figure.subplots(len(played), 1, height_ratios=heights, squeeze=False)
            for axes, game in zip(parts[:, 0], played, strict=True):
                _draw_game(axes, game)

        return svg(figure)


def svg(figure: "Figure") -> str:
    """Return a picture as SVG. With STYLE, equal pictures give equal bytes."""
    drawing = io.StringIO()
    figure.savefig(drawing, format="svg", transparent=True, metadata={"Date": None})
    return "".join(f"{line.rstrip()}\n" for line in drawing.getvalue().splitlines())


def calm(axes: "Axes", lines: Literal["both", "x", "y"] = "both") -> None:
    """Remove the upper and the right frame, and draw a fine grid."""
    axes.grid(visible=True, axis=lines, color=INK, alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)


def _draw_game(axes: "Axes", game: GameRatings) -> None:
    """Draw each share as a point on its interval, and a line at 0.5 for equally good levels."""
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
    calm(axes, "x")


def _label(pair: PairSummary) -> str:
    weaker, stronger = pair.pair
    return f"{stronger} against {weaker}, {pair.seats} seats"
