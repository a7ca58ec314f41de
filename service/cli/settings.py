"""The settings as commands read them: from the environment, and from options that overrule it."""

import os
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from service.config import Config, ConfigError, injected, option_name, variable

OPTIONS = {
    "port": "Port to listen on; 0 takes a free one.",
    "host": "Address to listen on.",
    "data": "Directory where everything is kept.",
}


def load_settings(*, connected: bool = False, options: dict[str, str] | None = None) -> Config:
    """Return the checked configuration; raises ConfigError with every problem at once."""
    leave_out_injected()
    return Config.load(os.environ, connected=connected, options=options)


def load_or_exit(*, connected: bool, options: dict[str, str] | None = None) -> Config:
    """Return the checked configuration.

    End with exit code 1 and every problem if something is wrong.
    """
    try:
        return load_settings(connected=connected, options=options)
    except ConfigError as error:
        lines = ["the settings are not right:", *error.problems]
        raise click.ClickException("\n  ".join(lines)) from None


def leave_out_injected() -> None:
    """Take what Kubernetes tells of a Service out of the environment, and say so on standard error.

    That is said once, since neither this process nor those that it starts see the variables again.
    """
    names = injected(os.environ)
    if not names:
        return

    for name in names:
        del os.environ[name]

    listed = ", ".join(names)
    note = f"note: Kubernetes tells of a Service in {listed}; these are no settings: ignored"
    click.echo(note, err=True)


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options --port, --host and --data.

    It gets those that were used as `options`.
    """

    @wraps(command)
    def called(**arguments: Any) -> None:
        given = {name: arguments.pop(name) for name in OPTIONS}
        used = {name: text for name, text in given.items() if text}
        command(**arguments, options=used)

    for name, meaning in reversed(OPTIONS.items()):
        add_option = click.option(
            option_name(name),
            name,
            metavar=name.upper(),
            help=f"{meaning} Overrules {variable(name)}.",
        )
        called = add_option(called)

    return called
