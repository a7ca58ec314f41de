"""The command `giornale`."""

import os
import sys
from collections.abc import Callable

import click

from service import boards, lifeline, logs, preflight, supervisor, web
from service.audit import cli as audit
from service.backup import cli as backup
from service.compose import open_signer
from service.config import Config, ConfigError
from service.embedded import EmbeddedError
from service.jobs import FUNCTIONS
from service.part import python
from service.secret import keep_private

COMPLAINTS = (preflight.Unsafe, web.PortTaken, EmbeddedError, supervisor.StartFailed)


def _config(*, connected: bool) -> Config:
    try:
        return Config.load(os.environ, connected=connected)
    except ConfigError as error:
        raise click.ClickException("\n  ".join(["the settings are not right:", *error.problems])) from None


@click.group()
@click.version_option(package_name="giornale", message="%(prog)s %(version)s")
def main() -> None:
    """Giornale: an event-sourced game log service. Settings come from GIORNALE_* (docs/operations.md)."""
    keep_private()


@main.command()
def serve() -> None:
    """Run all of it: a server if no GIORNALE_JOURNAL_URL is given, the web, the workers and the keeper."""
    _or_complain(supervisor.serve, _config(connected=False))


@main.command("web")
def web_() -> None:
    """Run the web process alone."""
    config = _config(connected=True)
    logs.setup(config.log_level)
    lifeline.hold(os.environ)
    _or_complain(preflight.check, config)
    _or_complain(web.check_port, config)
    if web.share_metrics(config):
        os.execv(sys.executable, python("service.cli", "web"))  # noqa: S606 - no shell is wanted
    open_signer(config).keys()  # they are made now rather than at the first move
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
def config_() -> None:
    """Check the settings and print them without secrets."""
    for name, value in _config(connected=False).shown().items():
        click.echo(f"{name}={value}")


for command in (*audit.COMMANDS, *backup.COMMANDS, boards.board):
    main.add_command(command)


def _become_worker(kind: str) -> None:
    _or_complain(preflight.check, _config(connected=True))
    os.execv(sys.executable, python("workers", kind))  # noqa: S606 - no shell is wanted


def _or_complain(action: Callable[[Config], None], config: Config) -> None:
    try:
        action(config)
    except COMPLAINTS as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main()
