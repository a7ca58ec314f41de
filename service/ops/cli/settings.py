"""The settings as commands read them, from the environment and from options; `giornale config`."""

import json
import os
from collections.abc import Callable
from functools import wraps

import click

from service.base import datadir
from service.base.config import GONE, Config, ConfigError, gone, injected, option_name, variable

OPTIONS = {
    "port": "Port to listen on; 0 takes a free one.",
    "host": "Address to listen on.",
    "data": "Directory where everything is kept.",
}


def load_settings(*, connected: bool = False, options: dict[str, str] | None = None) -> Config:
    """Return the checked configuration; raises ConfigError with every problem at once."""
    leave_out_ignored()
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


def leave_out_ignored() -> None:
    """Take variables that are no settings out of the environment, and say so on standard error.

    These are what Kubernetes tells of a Service, and settings of earlier releases. It is said once,
    since neither this process nor those that it starts see the variables again.
    """
    notes = gone(os.environ)
    names = injected(os.environ)
    if names:
        listed = ", ".join(names)
        notes.append(f"Kubernetes tells of a Service in {listed}; these are no settings")

    for name in [*GONE, *names]:
        os.environ.pop(name, None)
    for note in notes:
        click.echo(f"note: {note}: ignored", err=True)


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options --port, --host and --data.

    It gets those that were used as `options`.
    """

    @wraps(command)
    def called(**arguments: str) -> None:
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


@click.command()
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print each setting with its value and where that is from.",
)
@with_options
def config(as_json: bool, options: dict[str, str]) -> None:
    """Check the settings and print them without secrets."""
    settings = load_or_exit(connected=False, options=options)
    try:
        datadir.check(settings.data)
    except datadir.DataUnusable as error:
        raise click.ClickException(str(error)) from None

    shown = settings.shown()
    if not as_json:
        for name, value in shown.items():
            click.echo(f"{name}={value}")
        return

    sources = settings.sources(os.environ, options)
    listed = [
        {"name": name, "value": value, "source": sources[name]} for name, value in shown.items()
    ]
    click.echo(json.dumps(listed, indent=2))
