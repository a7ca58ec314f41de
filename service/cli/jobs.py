"""The option --jobs: how many processes work for a command."""

import os
from typing import Any

import click

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
