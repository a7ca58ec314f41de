"""The journal of a command: the configured one, or the bundled server's."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace

import click
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from service.base.config import Config, ConfigError
from service.base.datadir import DataUnusable, explained
from service.base.redis_urls import beside
from service.bootstrap import open_context
from service.matches.context import Context
from service.ops.cli.errors import CannotRead, failed_reads
from service.ops.cli.output import printable
from service.ops.cli.settings import load_settings
from service.ops.process import preflight
from service.ops.process.preflight import Unsafe
from service.ops.process.server_files import EmbeddedError, server_url
from service.ops.process.valkey import JOURNAL_DIRECTORY, Server
from service.record.verify.files import Unreadable
from service.store.journal.errors import JournalError
from service.store.keys.signer import NoKeys


class NoJournal(Exception):
    """A journal is missing. The message names the place."""


@contextmanager
def failed_requests() -> Iterator[None]:
    """End with the reason of a failure.

    Exit code 1 for ServiceError, DataUnusable and NoKeys. Exit code 2 if settings, journal, match
    or record cannot be read.
    """
    try:
        with failed_reads():
            yield
    except (DataUnusable, NoKeys) as error:
        raise click.ClickException(str(error)) from None
    except (ConfigError, NoJournal, Unsafe, EmbeddedError) as error:  # a line for each problem
        raise CannotRead(str(error)) from None
    except JournalError as error:
        raise CannotRead(printable(str(error))) from None


@contextmanager
def local_context() -> Iterator[Context]:
    """Yield a context over the journal of `_journal_at_hand`, for work on single matches.

    `preflight` does not check the journal, so the journal may lose matches. Raises ConfigError,
    DataUnusable, NoJournal, EmbeddedError.
    """
    config = load_settings()
    with _context_over(config, _journal_at_hand(config, make=False)) as ctx:
        yield ctx


@contextmanager
def made_context(config: Config) -> Iterator[Context]:
    """Yield a context over a checked journal, to add matches to it. A missing journal is made.

    Raises DataUnusable, Unsafe, EmbeddedError.
    """
    with _context_over(config, running_journal(config, make=True)) as ctx:
        yield ctx


@contextmanager
def _context_over(config: Config, journal: AbstractContextManager[Config]) -> Iterator[Context]:
    with ExitStack() as stack:
        with explained(config.data):
            ctx, _queues = open_context(stack.enter_context(journal))
        yield ctx


@contextmanager
def context_instead_of(file: str) -> Iterator[Context]:
    """Yield a context to look for a match with the ID `file`, since no such file exists.

    Raises Unreadable if there is no journal, and ConfigError or DataUnusable.
    """
    with ExitStack() as stack:
        try:
            ctx = stack.enter_context(local_context())
        except (NoJournal, EmbeddedError) as error:
            raise Unreadable(f"there is no file {file}, and {error}") from None
        yield ctx


@contextmanager
def running_journal(config: Config, *, make: bool) -> Iterator[Config]:
    """Yield the settings with the URL of a running journal, checked by `preflight`.

    make: True to make a missing journal. Raises NoJournal, Unsafe, EmbeddedError.
    """
    with _journal_at_hand(config, make=make) as connected:
        preflight.check(connected)
        yield connected


@contextmanager
def _journal_at_hand(config: Config, *, make: bool) -> Iterator[Config]:
    """Yield the settings with the URL of a journal.

    The URL is the configured one, or else that of the bundled server on the data directory. If no
    such server answers, one is started until the block ends.
    make: True to start a server also if it has no directory yet. Raises NoJournal, EmbeddedError.
    """
    if config.journal_url:
        yield config
        return

    directory = config.data / JOURNAL_DIRECTORY
    if not make and not directory.exists():
        reason = f"GIORNALE_JOURNAL_URL is not set, and there is no {directory}"
        advice = "Run this beside `giornale serve`, or set GIORNALE_DATA to the same directory"
        raise NoJournal(f"there is no journal: {reason}. {advice}")

    url = server_url(directory)
    if _answers(url):
        yield _with_journal(config, url)
        return

    with Server(directory, config.maxmemory_mb) as server:
        yield _with_journal(config, server.url)


def _with_journal(config: Config, url: str) -> Config:
    """Return the settings with a journal's URL, and the queues beside it if no others are set."""
    queue_url = config.queue_url or beside(url)
    return replace(config, journal_url=url, queue_url=queue_url)


def _answers(url: str) -> bool:
    """Return True if a server answers at a URL now."""
    try:
        with Redis.from_url(url, retry=Retry(NoBackoff(), 0), socket_timeout=1) as client:
            return bool(client.ping())
    except RedisError:
        return False
