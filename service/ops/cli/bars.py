"""Progress bars on standard error, each redrawn in one line.

Bars are shown on a terminal only. A bar never makes a command fail: it fits windows of any width,
sends no escape sequence, and ignores a vanished terminal.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from service.record.verify.report import Progress, quiet

Advance = Callable[[int], None]

_WIDTH = 30  # width of a bar, in characters
_NARROW = 50  # columns of the narrowest window with a bar
_USUAL_COLUMNS = 80  # if the terminal does not tell
_SECONDS_BETWEEN = 0.1  # least time between two drawings


def on_terminal() -> bool:
    """Return True if standard error is a terminal."""
    return sys.stderr.isatty()


@contextmanager
def verifying_bar(length: int) -> Iterator[Progress]:
    """Show the progress of a verification.

    Yield a function to call with the number of checked commits and the number of all commits.
    """
    if not on_terminal():
        yield quiet
        return

    with _shown("verifying", length) as bar:

        def show(commits: int, total: int) -> None:
            bar.total = total
            bar.advance(commits - bar.done)

        yield show


@contextmanager
def records_bar(length: int) -> Iterator[Advance]:
    """Show the progress of the check of many records.

    length: bytes of the files of the records. Call the yielded function after each record with the
        record's number of bytes.
    """
    if not on_terminal():
        yield lambda _more: None
        return

    with _shown("verifying", length) as bar:

        def show(more: int) -> None:
            bar.records = (bar.records or 0) + 1
            bar.advance(more)

        yield show


@contextmanager
def counting_bar(label: str, length: int) -> Iterator[Advance]:
    """Show the progress of some work. Yield a function to call with each finished amount.

    length: the whole amount. 0 if unknown: then only the finished amount is shown.
    """
    if not on_terminal():
        yield lambda _more: None
        return

    with _shown(label, length) as bar:
        yield bar.advance


class _Bar:
    """One line of a terminal.

    total: 0 if unknown.   records: number of records to show as well, None to show none.
    """

    def __init__(self, label: str, total: int) -> None:
        self.total = total
        self.done = 0
        self.records: int | None = None
        self._label = label
        self._began = time.monotonic()
        self._drawn_at = 0.0
        self._drawn = ""

    def advance(self, more: int) -> None:
        """Count more as done, and draw if the last drawing is old enough."""
        self.done += more
        if time.monotonic() - self._drawn_at >= _SECONDS_BETWEEN:
            self.draw()

    def draw(self, ending: str = "") -> None:
        """Write the line over the last one."""
        line = self._line(_columns())
        padding = " " * min(len(self._drawn) - len(line), _columns() - 1 - len(line))
        self._drawn = line
        self._drawn_at = time.monotonic()
        with suppress(OSError, ValueError):  # the terminal is gone
            sys.stderr.write(f"\r{line}{padding}{ending}")
            sys.stderr.flush()

    def _line(self, columns: int) -> str:
        """Return the line, cut before it wraps."""
        parts = [self._label]
        if self.total:
            share = min(self.done / self.total, 1.0)
            if columns >= _NARROW:
                full = int(share * _WIDTH)
                parts.append(f"[{'#' * full}{'-' * (_WIDTH - full)}]")
            parts += [f"{int(share * 100):3}%", self._time_left()]
        else:
            parts.append(str(self.done))
        if self.records is not None:
            parts.append(f"{self.records} records")
        return "  ".join(filter(None, parts))[: max(columns - 1, 0)]

    def _time_left(self) -> str:
        """Return the remaining time as H:MM:SS, "" in the first second, at 0 % and at 100 %."""
        seconds = time.monotonic() - self._began
        if seconds < 1 or not 0 < self.done < self.total:
            return ""
        rest = int(seconds * (self.total - self.done) / self.done)
        return f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"


@contextmanager
def _shown(label: str, total: int) -> Iterator[_Bar]:
    """Yield a bar. The bar is drawn at the beginning, and at the end with a line break."""
    bar = _Bar(label, total)
    bar.draw()
    try:
        yield bar
    finally:
        bar.draw("\n")


def _columns() -> int:
    """Return the width of the terminal of standard error."""
    with suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_COLUMNS
    return _USUAL_COLUMNS
