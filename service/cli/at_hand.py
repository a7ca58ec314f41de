"""The journal that a command of the operator works on: the one that is set, or the bundled server's."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from service.config import Config, beside
from service.process import preflight
from service.process.valkey import JOURNAL, Server, url_of


class NoJournal(Exception):
    """There is no journal where one was looked for; the message says where."""


@contextmanager
def journal_at_hand(config: Config, *, make: bool) -> Iterator[Config]:
    """Yield the settings with the URL of a journal that answers and is safe.

    It is the one that is set, else the one of `giornale serve` on the same data directory. If that does not run, its
    server is started for as long as the command takes. make: also where there is no such directory yet.
    Raises NoJournal, Unsafe, EmbeddedError.
    """
    if config.journal_url:
        preflight.check(config)
        yield config
        return

    directory = config.data / JOURNAL
    if not make and not directory.exists():
        raise NoJournal(
            f"there is no journal: GIORNALE_JOURNAL_URL is not set, and there is no {directory}"
        )
    url = url_of(directory)
    if url and _answers(url):
        yield _checked(config, url)
        return
    with Server(directory, config.maxmemory_mb) as server:
        yield _checked(config, server.url)


def _checked(config: Config, url: str) -> Config:
    found = replace(config, journal_url=url, queue_url=config.queue_url or beside(url))
    preflight.check(found)
    return found


def _answers(url: str) -> bool:
    try:
        with Redis.from_url(url, retry=Retry(NoBackoff(), 0), socket_timeout=1) as client:
            return bool(client.ping())
    except RedisError:
        return False
