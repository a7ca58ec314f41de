"""The journal that a command works on: the one that is set, or the bundled server's."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from service.base.config import Config
from service.base.datadir import explained
from service.base.redis_urls import beside
from service.bootstrap import open_context
from service.matches.context import Context
from service.ops.cli.settings import load_settings
from service.ops.process import preflight
from service.ops.process.server_files import EmbeddedError, server_url
from service.ops.process.valkey import JOURNAL_DIRECTORY, Server
from service.record.commit import is_match_id
from service.record.verify.files import Unreadable


class NoJournal(Exception):
    """There is no journal where one was looked for; the message says where."""


@contextmanager
def local_context() -> Iterator[Context]:
    """Yield a context over the journal that is at hand, to look at single matches in it.

    One that may lose matches can be looked at, too. Raises ConfigError, DataUnusable, NoJournal,
    EmbeddedError.
    """
    config = load_settings()
    with ExitStack() as stack:
        with explained(config.data):
            connected = stack.enter_context(_journal_at_hand(config, make=False))
            ctx, _queues = open_context(connected)
        yield ctx


@contextmanager
def context_instead_of(file: str) -> Iterator[Context]:
    """Yield a context, to look for a match whose id is no file's name; raises Unreadable as well.

    For what is no id, such as a misspelled name of a file, no journal is looked for.
    """
    no_file = f"there is no file {file}"
    if not is_match_id(file):
        raise Unreadable(no_file)

    with ExitStack() as stack:
        try:
            ctx = stack.enter_context(local_context())
        except (NoJournal, EmbeddedError) as error:
            raise Unreadable(f"{no_file}, and {error}") from None
        yield ctx


@contextmanager
def running_journal(config: Config, *, make: bool) -> Iterator[Config]:
    """Yield the settings with the URL of a journal that answers and is safe.

    make: also where there is none yet. Raises NoJournal, Unsafe, EmbeddedError.
    """
    with _journal_at_hand(config, make=make) as connected:
        preflight.check(connected)
        yield connected


@contextmanager
def _journal_at_hand(config: Config, *, make: bool) -> Iterator[Config]:
    """Yield the settings with the URL of a journal.

    It is the one that is set, else the one of `giornale serve` on the same data directory. If that
    does not run, its server is started for as long as the command takes. make: also where there is
    no such directory yet. Raises NoJournal, EmbeddedError.
    """
    if config.journal_url:
        yield config
        return

    directory = config.data / JOURNAL_DIRECTORY
    if not make and not directory.exists():
        reason = f"GIORNALE_JOURNAL_URL is not set, and there is no {directory}"
        advice = "run this where `giornale serve` runs, or set GIORNALE_DATA as it is set there"
        raise NoJournal(f"there is no journal: {reason}; {advice}")

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
    """Return whether a server answers at a URL now."""
    try:
        with Redis.from_url(url, retry=Retry(NoBackoff(), 0), socket_timeout=1) as client:
            return bool(client.ping())
    except RedisError:
        return False
