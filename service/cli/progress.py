"""Bars that show progress on a terminal; elsewhere they show nothing."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

import click

from service.verify.report import Progress, quiet

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar


def on_terminal() -> bool:
    """Return whether a person reads standard error."""
    return sys.stderr.isatty()


@contextmanager
def verifying_bar(length: int) -> Iterator[Progress]:
    """Show how far a verification is.

    Yield a function that takes how many commits are done, and how many there are.
    """
    if not on_terminal():
        yield quiet
        return

    with click.progressbar(length=length, label="verifying", file=sys.stderr) as bar:

        def show(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield show


@contextmanager
def records_bar(length: int) -> Iterator[Callable[[int], None]]:
    """Show how far the check of many records is, and how long the rest will take.

    length: how many bytes their files have, which is known before the number of records. Yield a
    function that is to be called after each record with how many of the bytes it took.
    """
    if not on_terminal():
        yield lambda _more: None
        return

    shown: ProgressBar[int] = click.progressbar(
        length=length,
        label="verifying",
        file=sys.stderr,
        item_show_func=lambda records: f"{records or 0} records",
    )
    numbers = count(1)
    with shown as bar:
        yield lambda more: bar.update(more, next(numbers))


@contextmanager
def counting_bar(label: str, length: int) -> Iterator[Callable[[int], None]]:
    """Show how much is done; yield a function that takes how much more was done.

    length: how much there is to do, 0 if that is not known.
    """
    if not on_terminal():
        yield lambda _more: None
        return

    shown: ProgressBar[int] = click.progressbar(
        length=length or None,
        label=label,
        file=sys.stderr,
    )
    with shown as bar:
        yield bar.update
