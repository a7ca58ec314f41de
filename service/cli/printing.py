"""A report for people.

No text of a record or a server can move the cursor, forge a line or hide one.
"""

from collections.abc import Iterator

from service.verify.report import Report

LONGEST = 500  # characters of a line; more is cut off

_HIGHEST_SHORT_ESCAPE = 0xFFFF

# Marks, letters and signs that count as printable and are not seen: joiners, fillers, selectors of
# variants.
_UNSEEN = frozenset(
    [
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)


def printable(text: str) -> str:
    r"""Return a text in one line, with invisible characters as \uXXXX, and a long one cut off.

    Invisible are control and format characters and those in _UNSEEN.
    """
    shown = "".join(map(_escaped, text[:LONGEST]))
    if len(text) <= LONGEST:
        return shown
    return f"{shown}... ({len(text)} characters)"


def report_lines(report: Report) -> list[str]:
    """Return the lines that tell people what was found, safe to be printed."""
    return [printable(line) for line in _lines(report)]


def _escaped(character: str) -> str:
    r"""Return a character as it is, or as \uXXXX if it is not seen."""
    code = ord(character)
    if character.isprintable() and code not in _UNSEEN:
        return character
    if code <= _HIGHEST_SHORT_ESCAPE:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"


def _lines(report: Report) -> Iterator[str]:
    if report.wrong:
        yield f"wrong: {report.wrong}"
        return

    yield _summary(report)

    if report.outcome:
        seats = zip(report.outcome["points"], report.outcome["ranks"], strict=True)
        for seat, (points, rank) in enumerate(seats):
            yield f"  seat {seat}: rank {rank}, {points} points"

    for what in report.unchecked:
        yield f"not checked: {what}"
    for note in report.notes:
        yield f"note: {note}"


def _summary(report: Report) -> str:
    """Return the first line of a report in which nothing is wrong."""
    verdict = "right" if report.verdict == "right" else "right as far as checked"
    match = f"match {report.match} of {report.rules}, {report.commits} commits"

    if report.decided < report.commits:
        checks = f"{report.folded} folded, {report.decided} decided again"
    else:
        checks = "each folded and decided again"
    return f"{verdict}: {match}, {checks}"
