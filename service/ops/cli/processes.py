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
from service.store.jobs.table import FORMER_HOUSE, HOUSE, QUEUES

_FAILED_STARTS = (Unsafe, PortTaken, EmbeddedError, StartFailed, DataUnusable)


@click.command()
@with_options
@click.pass_obj
def serve(programs: Programs, options: dict[str, str]) -> None:
    """Run all of it: the web, the workers and the scheduler.

    A server is run, too, if no GIORNALE_JOURNAL_URL is given.
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


class _QueueName(click.Choice[str]):
    """The name of a queue; the former name of the house is taken, but not offered."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of today."""
        return super().convert(HOUSE if value == FORMER_HOUSE else value, param, ctx)


@click.command()
@click.argument("queue", type=_QueueName(QUEUES))
@click.pass_obj
def worker(programs: Programs, queue: str) -> None:
    """Run one worker on one queue."""
    _become_worker(programs, queue)


@click.command()
@click.pass_obj
def scheduler(programs: Programs) -> None:
    """Run the scheduler, which enqueues what was lost and looks after idle matches."""
    _become_worker(programs, "scheduler")


def _become_worker(programs: Programs, kind: str) -> None:
    """Check what a worker needs, then become it; kind: a queue or "scheduler"."""
    config = load_or_exit(connected=True)

    with _failed_starts():
        preflight.check(config, preflight.REPLICA_SECONDS)
        # Of the data directory a worker needs the secret alone, and that only where it is kept
        # there. A new one is made with the keys.
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
