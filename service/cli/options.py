"""Options that several commands have."""

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def with_token(what_for: str) -> Decorator:
    """Return what gives a command --token, which it gets as `token`.

    what_for: a sentence for the help.
    """
    return click.option("--token", envvar="GIO_TOKEN", help=f"{what_for} Also GIO_TOKEN.")
