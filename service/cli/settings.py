"""The settings as commands read them: from the environment, and from options that overrule it."""

import os
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from service.config import Config, option_name
from service.environment import PREFIX, injected

OPTIONS = {
    "port": "Port to listen on; 0 takes a free one.",
    "host": "Address to listen on.",
    "data": "Directory where everything is kept.",
}


def load_settings(*, connected: bool = False, options: dict[str, str] | None = None) -> Config:
    """Return the checked configuration; raises ConfigError with every problem at once."""
    leave_out_injected()
    return Config.load(os.environ, connected=connected, options=options)


def leave_out_injected() -> None:
    """Take what Kubernetes tells of a Service out of the environment, and say so on standard error.

    It is said once, since neither this process nor the ones that it starts meet those variables again.
    """
    names = injected(os.environ)
    if not names:
        return
    for name in names:
        del os.environ[name]
    click.echo(
        f"note: Kubernetes tells of a Service in {', '.join(names)}; these are no settings: ignored",
        err=True,
    )


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options --port, --host and --data; it gets those that were used as `options`."""

    @wraps(command)
    def called(**told: Any) -> None:
        options = {name: told.pop(name) for name in OPTIONS}
        command(**told, options={name: text for name, text in options.items() if text})

    for name, meaning in reversed(OPTIONS.items()):
        told_by = f"{meaning} Overrules {PREFIX}{name.upper()}."
        called = click.option(option_name(name), name, metavar=name.upper(), help=told_by)(called)
    return called
