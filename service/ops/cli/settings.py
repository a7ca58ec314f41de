"""The settings as commands read them, from the environment and from options; `giornale config`."""

import json
import os
from collections.abc import Callable
from functools import wraps

import click

from service.base import datadir
from service.base.config import Config, ConfigError, injected, option_name, variable

OPTIONS = {
    "port": "Port to listen on. 0 chooses a free one.",
    "host": "Address to listen on.",
    "data": "Directory of all data.",
}


def load_settings(*, connected: bool = False, options: dict[str, str] | None = None) -> Config:
    """Return the checked configuration. Raises ConfigError with every problem at once."""
    leave_out_ignored()
    return Config.load(os.environ, connected=connected, options=options)


def load_or_exit(*, connected: bool, options: dict[str, str] | None = None) -> Config:
    """Return the checked configuration, or end with exit code 1 and every problem."""
    try:
        return load_settings(connected=connected, options=options)
    except ConfigError as error:
        lines = ["the settings are not valid:", *error.problems]
        raise click.ClickException("\n  ".join(lines)) from None


def leave_out_ignored() -> None:
    """Remove the variables of a Kubernetes Service from the environment, and print a note.

    They look like settings, but are none. The note is printed once, since neither this process nor
    its children see the variables again.
    """
    names = injected(os.environ)
    for name in names:
        del os.environ[name]
    if names:
        listed = ", ".join(names)
        note = f"ignored variables of a Kubernetes Service, not settings: {listed}"
        click.echo(f"note: {note}", err=True)


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options --port, --host and --data to a command.

    The options with a value are passed as `options`.
    """

    @wraps(command)
    def called(**arguments: str) -> None:
        texts = {name: arguments.pop(name) for name in OPTIONS}
        used = {name: text for name, text in texts.items() if text}
        command(**arguments, options=used)

    for name, meaning in reversed(OPTIONS.items()):
        add_option = click.option(
            option_name(name),
            name,
            metavar=name.upper(),
            help=f"{meaning} Overrides {variable(name)}.",
        )
        called = add_option(called)

    return called


@click.command()
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print each setting with its value and its source as JSON.",
)
@with_options
def config(as_json: bool, options: dict[str, str]) -> None:
    """Check and print settings without secrets."""
    settings = load_or_exit(connected=False, options=options)
    try:
        datadir.check(settings.data)
    except datadir.DataUnusable as error:
        raise click.ClickException(str(error)) from None

    values = settings.shown()
    if not as_json:
        for name, value in values.items():
            click.echo(f"{name}={value}")
        return

    sources = settings.sources(os.environ, options)
    listed = [
        {"name": name, "value": value, "source": sources[name]} for name, value in values.items()
    ]
    click.echo(json.dumps(listed, indent=2))
