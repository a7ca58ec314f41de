"""Commands that several processes work on: how many there are, and how they are interrupted."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

INTERRUPTED = 130  # as a shell counts a program that Ctrl-C has ended

_MOST = 256
_AUTO = "auto"


class Jobs(click.IntRange):
    """A number of processes, or "auto": one for each processor that this process may use."""

    name = "jobs"

    def __init__(self) -> None:
        super().__init__(1, _MOST)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number that a word stands for."""
        return processors() if value == _AUTO else super().convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """Return what stands for the number in the help."""
        return "N|auto"


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return min(len(os.sched_getaffinity(0)), _MOST)
    return min(os.cpu_count() or 1, _MOST)


@contextmanager
def interruptible() -> Iterator[None]:
    """End the command with 130 and without a word of Python at Ctrl-C or SIGTERM."""
    usual = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        click.echo("Interrupted.", err=True)
        sys.exit(INTERRUPTED)
    finally:
        signal.signal(signal.SIGTERM, usual)
