"""The journal that a command works on: the one that is set, or the bundled server's."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from service.bootstrap import open_desk
from service.cli.settings import load_settings
from service.config import Config
from service.datadir import explained
from service.matches.desk import Desk
from service.process import preflight
from service.process.server_files import noted_url
from service.process.valkey import JOURNAL_DIRECTORY, Server
from service.redis_urls import beside


class NoJournal(Exception):
    """There is no journal where one was looked for; the message says where."""


def local_settings() -> Config:
    """Return the settings with the URL of the journal that is at hand.

    It is the one that is set, else the one of `giornale serve` on the same data directory.
    `journal_url` is "" where there is none. Raises ConfigError and DataUnusable.
    """
    config = load_settings()
    with explained(config.data):
        url = config.journal_url or noted_url(config.data / JOURNAL_DIRECTORY)

    return _with_journal(config, url)


def local_desk() -> Desk:
    """Return a desk over that journal; raises ConfigError if there is none."""
    config = local_settings()
    if not config.journal_url:
        config = load_settings(connected=True)
    return desk_of(config)


def desk_of(config: Config) -> Desk:
    """Return a desk over the journal of these settings; raises DataUnusable."""
    with explained(config.data):
        desk, _queues = open_desk(config)
        return desk


@contextmanager
def running_journal(config: Config, *, make: bool) -> Iterator[Config]:
    """Yield the settings with the URL of a journal that answers and is safe.

    It is the one that is set, else the one of `giornale serve` on the same data directory. If that
    does not run, its server is started for as long as the command takes. make: also where there is
    no such directory yet. Raises NoJournal, Unsafe, EmbeddedError.
    """
    if config.journal_url:
        preflight.check(config)
        yield config
        return

    directory = config.data / JOURNAL_DIRECTORY
    if not make and not directory.exists():
        reason = f"GIORNALE_JOURNAL_URL is not set, and there is no {directory}"
        raise NoJournal(f"there is no journal: {reason}")

    url = noted_url(directory)
    if url and _answers(url):
        yield _checked(config, url)
        return

    with Server(directory, config.maxmemory_mb) as server:
        yield _checked(config, server.url)


def _checked(config: Config, url: str) -> Config:
    """Return the settings with a journal's URL; raises Unsafe."""
    connected = _with_journal(config, url)
    preflight.check(connected)
    return connected


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
