"""`giornale serve`: run the whole service."""

import json
import os
import sys
from dataclasses import replace

import click

from service import datadir
from service.bootstrap import prepare_data
from service.cli.errors import failed_starts
from service.cli.settings import load_or_exit, with_options
from service.jobs.queues import FUNCTIONS
from service.keys.tokens import secret_of
from service.process import address, logs, metrics_directory, preflight, supervisor
from service.process.child import module_command
from service.process.parent_watch import is_supervised, watch_parent

# §§§ service.cli.processes


@click.command()
@with_options
def serve(options: dict[str, str]) -> None:
    """Run all of it: the web, the workers and the keeper.

    A server is run, too, if no GIORNALE_JOURNAL_URL is given.
    """
    config = load_or_exit(connected=False, options=options)
    with failed_starts():
        supervisor.serve(config)


# §§§ service.cli.processes
# `giornale web`: run the web process alone.


@click.command()
@with_options
def web(options: dict[str, str]) -> None:
    """Run the web process alone."""
    config = load_or_exit(connected=True, options=options)
    logs.setup(config.log_level)
    watch_parent(os.environ)

    # A web process that is started again must answer while the journal loads, and may share its
    # port for a moment with what is left of the last one.
    if not is_supervised(os.environ):
        with failed_starts():
            preflight.check(config)
            config = replace(config, port=address.free_port(config.host, config.port))
            prepare_data(config)

    # The options must reach the processes that this one starts.
    os.environ.update(config.environment())
    metrics_directory.prepare(config)

    # This imports prometheus_client, for which the directory must have its name before.
    from service.process import web as web_process

    web_process.run(config)


# §§§ service.cli.processes
# `giornale worker` and `giornale keeper`: run one of the processes that do what is due.


@click.command()
@click.argument("queue", type=click.Choice(list(FUNCTIONS)))
def worker(queue: str) -> None:
    """Run one worker on one queue."""
    _become_worker(queue)


@click.command()
def keeper() -> None:
    """Run the keeper, which wakes again whatever was lost."""
    _become_worker("keeper")


def _become_worker(kind: str) -> None:
    """Check what a worker needs, then become it; kind: a queue or "keeper"."""
    config = load_or_exit(connected=True)

    with failed_starts():
        preflight.check(config)
        # Of the data directory a worker needs the secret alone, and that only where it is kept
        # there.
        with datadir.explained(config.data):
            secret_of(config)

    command = module_command("workers", kind)
    os.execv(sys.executable, command)  # noqa: S606 - no shell is wanted


# §§§ service.cli.processes
# `giornale config`: the settings, checked and printed.


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
    with failed_starts():
        datadir.check(settings.data)

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
