"""How far an arena is: a bar with the time left on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

_SECONDS_BETWEEN_LINES = 30.0


@contextmanager
def shown_progress(matches: int) -> Iterator[Callable[[], None]]:
    """Yield a function that is to be called after each match of so many; it tells how far it is.

    Everything goes to standard error.
    """
    if sys.stderr.isatty():
        bar = click.progressbar(
            length=matches,
            label="matches",
            file=sys.stderr,
            show_eta=True,
            show_pos=True,
        )
        with bar:
            yield lambda: bar.update(1)
    else:
        yield _Lines(matches).step


class _Lines:
    """Lines that tell how many matches are played and how long the rest will take."""

    def __init__(self, matches: int) -> None:
        self.matches = matches
        self.played = 0
        self.began = self.told = time.monotonic()

    def step(self) -> None:
        """Count a match; write a line if the last one is half a minute old, and at the end."""
        self.played += 1
        now = time.monotonic()
        is_last = self.played == self.matches
        if now - self.told < _SECONDS_BETWEEN_LINES and not is_last:
            return

        self.told = now
        minutes_left = (now - self.began) / self.played * (self.matches - self.played) / 60
        rest = "" if is_last else f", about {minutes_left:.0f} minutes left"
        click.echo(f"{self.played} of {self.matches} matches are played{rest}", err=True)
