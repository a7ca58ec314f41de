"""Options that several commands have."""

from collections.abc import Callable
from typing import Any

import click

from service.environment import TOKEN

# What TOKEN was called in release 0.1.0; release 0.3.0 takes it no more.
_OLD_TOKEN = "GIO_TOKEN"  # noqa: S105 - the name of a variable

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def with_token(what_for: str) -> Decorator:
    """Return what gives a command --token, which it gets as `token`.

    what_for: a sentence for the help.
    """
    names = [TOKEN, _OLD_TOKEN]
    return click.option("--token", envvar=names, help=f"{what_for} Also {TOKEN}.")
