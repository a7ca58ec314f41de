"""`giornale serve`, `web`, `worker` and `scheduler`: the processes, all together or one alone."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from service.base import datadir
from service.base.datadir import DataUnusable
from service.bootstrap import make_secret
from service.ops.cli.settings import load_or_exit, with_options
from service.ops.process import preflight, supervisor
from service.ops.process.child import StartFailed
from service.ops.process.preflight import PortTaken, Unsafe
from service.ops.process.programs import Programs
from service.ops.process.server_files import EmbeddedError
from service.store.jobs.table import QUEUES

_FAILED_STARTS = (Unsafe, PortTaken, EmbeddedError, StartFailed, DataUnusable)


@click.command()
@with_options
@click.pass_obj
def serve(programs: Programs, options: dict[str, str]) -> None:
    """Run the web, the workers and the scheduler.

    Without GIORNALE_JOURNAL_URL it also runs a server for the journal.
    """
    config = load_or_exit(connected=False, options=options)
    with _failed_starts():
        supervisor.serve(config, programs.load_app, programs.load_worker)


@click.command()
@with_options
@click.pass_obj
def web(programs: Programs, options: dict[str, str]) -> None:
    """Run the web processes alone."""
    config = load_or_exit(connected=True, options=options)
    with _failed_starts():
        supervisor.serve(config, programs.load_app)


@click.command()
@click.argument("queue", type=click.Choice(QUEUES))
@click.pass_obj
def worker(programs: Programs, queue: str) -> None:
    """Run one worker on one queue."""
    _become_worker(programs, queue)


@click.command()
@click.pass_obj
def scheduler(programs: Programs) -> None:
    """Run the scheduler.

    It enqueues lost jobs and looks after idle matches.
    """
    _become_worker(programs, "scheduler")


def _become_worker(programs: Programs, kind: str) -> None:
    """Check journal and secret, then become a worker.   kind: a queue or "scheduler"."""
    config = load_or_exit(connected=True)

    with _failed_starts():
        preflight.check(config, preflight.REPLICA_SECONDS)
        # Without GIORNALE_SECRET a worker needs the secret of the data directory. The keys are made
        # before a new secret (`make_secret`).
        with datadir.explained(config.data):
            make_secret(config)

    programs.become_worker(kind)


@contextmanager
def _failed_starts() -> Iterator[None]:
    """End with exit code 1 and the reason if a process cannot start."""
    try:
        yield
    except _FAILED_STARTS as error:
        raise click.ClickException(str(error)) from None
