"""A report for people. No text from a record or a server moves a cursor in it, forges a line of it or hides another."""

from collections.abc import Iterator

from service.verify.report import Report

LONGEST = 500  # characters of a line; more is cut off

# Marks, letters and signs that count as printable and are not seen: joiners, fillers, selectors of variants.
_UNSEEN = frozenset(
    [
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)


def printable(text: str) -> str:
    r"""Return a text in one line: control, format and other invisible characters as \uXXXX, a long one cut off."""
    shown = "".join(map(_shown, text[:LONGEST]))
    return shown if len(text) <= LONGEST else f"{shown}... ({len(text)} characters)"


def _shown(character: str) -> str:
    code = ord(character)
    if character.isprintable() and code not in _UNSEEN:
        return character
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def told(report: Report) -> list[str]:
    """Return the lines that tell people what was found, safe to be printed."""
    return [printable(line) for line in _lines(report)]


def _lines(report: Report) -> Iterator[str]:
    if report.wrong:
        yield f"wrong: {report.wrong}"
        return
    words = "right" if report.verdict == "right" else "right as far as checked"
    decided = "each folded and decided again"
    if report.decided < report.commits:
        decided = f"{report.folded} folded, {report.decided} decided again"
    yield f"{words}: match {report.match} of {report.rules}, {report.commits} commits, {decided}"

    outcome = report.outcome or {"points": [], "ranks": []}
    for seat, (points, rank) in enumerate(zip(outcome["points"], outcome["ranks"], strict=True)):
        yield f"  seat {seat}: rank {rank}, {points} points"
    for what in report.unchecked:
        yield f"not checked: {what}"
    for note in report.notes:
        yield f"note: {note}"
