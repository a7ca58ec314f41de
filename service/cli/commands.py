"""The command `giornale`."""

import json
import os
import sys
from collections.abc import Callable

import click

from service import datadir
from service.bootstrap import prepare_data
from service.cli import backup, boards
from service.cli import records as audit
from service.cli.settings import load_settings, with_options
from service.config import Config, ConfigError
from service.jobs.queues import FUNCTIONS
from service.keys.secret import keep_private, secret_of
from service.process import logs, preflight, supervisor, web
from service.process import parent_watch as lifeline
from service.process.child import python
from service.process.valkey import EmbeddedError

COMPLAINTS = (
    preflight.Unsafe,
    web.PortTaken,
    EmbeddedError,
    supervisor.StartFailed,
    datadir.DataUnusable,
)
_HELP = {"help_option_names": ["-h", "--help"]}


def _config(*, connected: bool, options: dict[str, str] | None = None) -> Config:
    try:
        return load_settings(connected=connected, options=options)
    except ConfigError as error:
        raise click.ClickException(
            "\n  ".join(["the settings are not right:", *error.problems])
        ) from None


@click.group(context_settings=_HELP)
@click.version_option(package_name="giornale", message="%(prog)s %(version)s")
def main() -> None:
    """Giornale: an event-sourced game log service. Settings come from GIORNALE_* (docs/operations.md)."""
    keep_private()


@main.command()
@with_options
def serve(options: dict[str, str]) -> None:
    """Run all of it: a server if no GIORNALE_JOURNAL_URL is given, the web, the workers and the keeper."""
    _or_complain(supervisor.serve, _config(connected=False, options=options))


@main.command("web")
@with_options
def web_(options: dict[str, str]) -> None:
    """Run the web process alone."""
    config = _config(connected=True, options=options)
    logs.setup(config.log_level)
    lifeline.hold(os.environ)
    _or_complain(preflight.check, config)
    _or_complain(web.check_port, config)
    _or_complain(prepare_data, config)
    os.environ.update(
        config.environment()
    )  # whatever this process becomes or starts learns of the options, too
    if web.share_metrics(config):
        os.execv(sys.executable, python("service.cli", "web"))  # noqa: S606 - no shell is wanted
    _or_complain(web.run, config)


@main.command()
@click.argument("queue", type=click.Choice(list(FUNCTIONS)))
def worker(queue: str) -> None:
    """Run one worker on one queue."""
    _become_worker(queue)


@main.command()
def keeper() -> None:
    """Run the keeper, which wakes again whatever was lost."""
    _become_worker("keeper")


@main.command("config")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print each setting with its value and where that is from.",
)
@with_options
def config_(as_json: bool, options: dict[str, str]) -> None:
    """Check the settings and print them without secrets."""
    config = _config(connected=False, options=options)
    _or_complain(lambda checked: datadir.check(checked.data), config)
    shown = config.shown()

    if as_json:
        sources = config.sources(os.environ, options)
        told = [
            {"name": name, "value": value, "source": sources[name]} for name, value in shown.items()
        ]
        click.echo(json.dumps(told, indent=2))
        return
    for name, value in shown.items():
        click.echo(f"{name}={value}")


for command in (*audit.COMMANDS, *backup.COMMANDS, boards.board):
    main.add_command(command)


def _become_worker(kind: str) -> None:
    config = _config(connected=True)
    _or_complain(preflight.check, config)
    _or_complain(_find_secret, config)
    os.execv(sys.executable, python("workers", kind))  # noqa: S606 - no shell is wanted


def _find_secret(config: Config) -> None:
    """Find the secret. A worker needs nothing else of the data directory, and that only where it is kept in there."""
    with datadir.explained(config.data):
        secret_of(config)


def _or_complain(action: Callable[[Config], None], config: Config) -> None:
    try:
        action(config)
    except COMPLAINTS as error:
        raise click.ClickException(str(error)) from None
