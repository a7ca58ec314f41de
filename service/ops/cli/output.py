"""Output of commands: text for people, and files written whole or not at all."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import IO

import click

from service.base.environment import TOKEN
from service.base.private_files import private_file, remove_drafts
from service.matches.stories import visible
from service.record.verify.report import AuditReport

LONGEST = 500  # characters of a line; more is cut off

# Units of time in milliseconds. A time is shown in the largest unit it holds at least twice.
_TIMES = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1))

# Units of size in bytes, used in the same way.
_SIZES = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3), ("B", 1))

_KINDS = ("human", "bot", "open")

FILE = click.Path(dir_okay=False, path_type=Path, allow_dash=True)

with_replace = click.option("--replace", is_flag=True, help="Replace an existing file.")

with_patience = click.option(
    "--patience",
    type=click.FloatRange(0),
    default=600.0,
    show_default=True,
    help="Seconds to wait for an unreachable server.",
)

Decorator = Callable[[Callable[..., None]], Callable[..., None]]


def with_token(what_for: str) -> Decorator:
    """Return a decorator that adds the option --token to a command, passed as `token`.

    what_for: a sentence for the help.
    """
    return click.option("--token", envvar=TOKEN, help=f"{what_for} Also {TOKEN}.")


# ---- text: no record or server may move the cursor, or forge or hide a line ------------------


def printable(text: str) -> str:
    """Return a text in one line, cut off after LONGEST characters, and escaped by `visible`."""
    escaped = visible(text[:LONGEST])
    if len(text) <= LONGEST:
        return escaped
    return f"{escaped}... ({len(text)} characters)"


def duration(milliseconds: int) -> str:
    """Return a time in whole units, such as "90 s" or "3 h"."""
    return _in_units(milliseconds, _TIMES)


def size(number: int) -> str:
    """Return a size in whole units, such as "16 kB"."""
    return _in_units(number, _SIZES)


def _in_units(number: int, units: Sequence[tuple[str, int]]) -> str:
    name, unit = next((one for one in units if number >= 2 * one[1]), units[-1])
    return f"{number // unit} {name}"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table. Each column is as wide as its longest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines


def report_lines(report: AuditReport) -> list[str]:
    """Return the lines of a report for people, safe to be printed."""
    return [printable(line) for line in _lines(report)]


def brief_lines(report: AuditReport) -> list[str]:
    """Return the verdict on one of many records, and its unchecked parts."""
    if report.wrong:
        return report_lines(report)
    return [printable(line) for line in (_summary(report), *_unchecked(report))]


def _lines(report: AuditReport) -> Iterator[str]:
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


def _unchecked(report: AuditReport) -> list[str]:
    return [f"not checked: {what}" for what in report.unchecked]


def _summary(report: AuditReport) -> str:
    """Return the first line of a report without a fault."""
    verdict = "right" if report.verdict == "right" else "right as far as checked"
    match = f"match {report.match} of {report.rules}, {report.commits} commits"

    if report.decided < report.commits:
        checks = f"{report.folded} folded, {report.decided} decided again"
    else:
        checks = "each folded and decided again"
    signed = f", {report.signed} signed by their players" if report.signed else ""
    return f"{verdict}: {match}, {checks}{signed}"


# ---- the form of a server's match, since a server may answer with anything -------------------


def is_line(line: object) -> bool:
    """Return True if a value has the form of a line of a story."""
    if not isinstance(line, dict):
        return False
    sentences = line.get("sentences")
    has_sentences = isinstance(sentences, list) and all(map(_is_sentence, sentences))
    return has_sentences and isinstance(line.get("version"), int)


def are_seats(seats: object) -> bool:
    """Return True if a value has the form of the seats of a match, by their numbers."""
    if not isinstance(seats, list):
        return False
    return all(_is_seat(seat, number) for number, seat in enumerate(seats))


def _is_seat(seat: object, number: int) -> bool:
    if not isinstance(seat, dict):
        return False
    is_named = isinstance(seat.get("name", ""), str)
    return is_named and seat.get("seat") == number and seat.get("kind") in _KINDS


def _is_sentence(sentence: object) -> bool:
    if not isinstance(sentence, dict):
        return False
    heading = sentence.get("heading", {"title": ""})
    rules = sentence.get("rules")
    return (
        isinstance(sentence.get("text"), str)
        and isinstance(rules, list)
        and all(isinstance(rule, str) for rule in rules)
        and isinstance(heading, dict)
        and isinstance(heading.get("title"), str)
    )


# ---- files and standard output ---------------------------------------------------------------


class CannotWrite(click.ClickException):
    """A file cannot be written, or exists already."""


@dataclass(frozen=True, slots=True)
class Output:
    """A file, or standard output for "-".   replace: True if a file may be replaced."""

    path: Path
    replace: bool

    def check(self) -> None:
        """Remove drafts of the file. Raises CannotWrite if the file evidently cannot be written."""
        if not self._is_open:
            prepare(self.path, replace=self.replace)

    def write(self, lines: Iterable[bytes]) -> None:
        """Write all lines. A regular file is written whole or not at all. Raises CannotWrite."""
        with failed_writes(self.path), self._opened() as file:
            file.writelines(lines)
            file.flush()

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        if self._is_standard:
            yield sys.stdout.buffer
        elif self._is_open:
            with self.path.open("wb") as file:
                yield file
        else:
            with private_file(behind_links(self.path), replace=self.replace) as file:
                yield file

    @property
    def _is_standard(self) -> bool:
        return str(self.path) == "-"

    @property
    def _is_open(self) -> bool:
        """True if the target is written in place, such as a terminal, a pipe or /dev/null."""
        return self._is_standard or _is_special(self.path)


def with_output(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options --output and --replace to a command, passed as `target`."""

    @click.option(
        "-o",
        "--output",
        "path",
        type=FILE,
        default="-",
        help="Write to a file instead of standard output.",
    )
    @with_replace
    @wraps(command)
    def called(path: Path, replace: bool, **arguments: object) -> None:
        command(**arguments, target=Output(path, replace))

    return called


def prepare(path: Path, *, replace: bool) -> None:
    """Remove drafts that killed runs of this or a similar file left, and print their names.

    Raises CannotWrite if the file may not be replaced, is special, or has no directory.
    """
    place = behind_links(path)
    if _is_special(place):
        raise CannotWrite(f"{_shown(path)} is not a file")
    if place.exists() and not replace:
        raise _taken(path)
    if not place.parent.is_dir():
        raise CannotWrite(f"{_shown(path)} cannot be written: there is no such directory")

    remove_left(place)


def remove_left(path: Path) -> None:
    """Remove drafts of a file, or of others with its suffix, and print their names."""
    for draft in remove_drafts(path):
        click.echo(f"removed {_shown(draft)}, left by a killed run", err=True)


@contextmanager
def failed_writes(path: Path) -> Iterator[None]:
    """Raise CannotWrite if a file cannot be written."""
    try:
        yield
    except BrokenPipeError:  # the reader has gone: Click ends the command
        raise
    except FileExistsError:
        raise _taken(path) from None
    except OSError as error:
        raise CannotWrite(f"{_shown(path)} cannot be written: {error.strerror or error}") from None


def behind_links(path: Path) -> Path:
    """Return the file behind all links of a path, so that a write does not replace a link."""
    return Path(os.path.realpath(path))


def _taken(path: Path) -> CannotWrite:
    return CannotWrite(f"{_shown(path)} exists. Replace it with --replace")


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _shown(path: Path) -> str:
    return "standard output" if str(path) == "-" else printable(str(path))
