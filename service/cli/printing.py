"""A report for people.

No text of a record or a server can move the cursor, forge a line or hide one.
"""

from collections.abc import Iterator, Sequence

from service.matches.plain_text import visible
from service.verify.report import Report

LONGEST = 500  # characters of a line; more is cut off

# A time is told in the largest unit of which it has at least two; each in milliseconds.
_TIMES = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1))

# A size in the same way; each in bytes.
_SIZES = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3), ("B", 1))


def printable(text: str) -> str:
    r"""Return a text in one line, with invisible characters as \uXXXX, and a long one cut off.

    Invisible are control and format characters, and what `visible` escapes beside them.
    """
    shown = visible(text[:LONGEST])
    if len(text) <= LONGEST:
        return shown
    return f"{shown}... ({len(text)} characters)"


def duration(milliseconds: int) -> str:
    """Return a time in whole units, such as "90 s" or "3 h"."""
    return _in_units(milliseconds, _TIMES)


def size(number: int) -> str:
    """Return so many bytes in whole units, such as "16 kB"."""
    return _in_units(number, _SIZES)


def _in_units(number: int, units: Sequence[tuple[str, int]]) -> str:
    name, unit = next((one for one in units if number >= 2 * one[1]), units[-1])
    return f"{number // unit} {name}"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, its columns as wide as what they hold."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines


def report_lines(report: Report) -> list[str]:
    """Return the lines that tell people what was found, safe to be printed."""
    return [printable(line) for line in _lines(report)]


def brief_lines(report: Report) -> list[str]:
    """Return the verdict on one of many records, and what could not be checked."""
    if report.wrong:
        return report_lines(report)
    return [printable(line) for line in (_summary(report), *_unchecked(report))]


def _lines(report: Report) -> Iterator[str]:
    if report.wrong:
        yield f"wrong: {report.wrong}"
        return

    yield _summary(report)

    if report.outcome:
        seats = zip(report.outcome["points"], report.outcome["ranks"], strict=True)
        for seat, (points, rank) in enumerate(seats):
            yield f"  seat {seat}: rank {rank}, {points} points"

    yield from _unchecked(report)
    for note in report.notes:
        yield f"note: {note}"


def _unchecked(report: Report) -> list[str]:
    return [f"not checked: {what}" for what in report.unchecked]


def _summary(report: Report) -> str:
    """Return the first line of a report in which nothing is wrong."""
    verdict = "right" if report.verdict == "right" else "right as far as checked"
    match = f"match {report.match} of {report.rules}, {report.commits} commits"

    if report.decided < report.commits:
        checks = f"{report.folded} folded, {report.decided} decided again"
    else:
        checks = "each folded and decided again"
    return f"{verdict}: {match}, {checks}"
