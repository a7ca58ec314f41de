"""`giornale worker` and `giornale keeper`: run one of the processes that do what is due."""

import os
import sys

import click

from service import datadir
from service.cli.complaints import failed_starts
from service.cli.settings import load_or_exit
from service.jobs.queues import FUNCTIONS
from service.keys.secret import secret_of
from service.process import preflight
from service.process.child import module_command


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
