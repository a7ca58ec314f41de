"""The connection to Redis, and what happens when it breaks.

An append is never repeated blindly: `appending` finds out whether it has landed. All other
operations may be done twice, and are marked with `retries_once`.
"""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from redis import BlockingConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import OutOfMemoryError, RedisError
from redis.exceptions import TimeoutError as Unanswered
from redis.retry import Retry

from service.journal.errors import JournalFull, JournalUnavailable

P = ParamSpec("P")
R = TypeVar("R")

BROKEN = (Unreachable, Unanswered)  # the connection broke, or no answer came in time

_THREADS = 64
_CONNECT_SECONDS = 2
_ANSWER_SECONDS = 5


def connect(url: str) -> Redis:
    """Return a client with a connection for each thread of the service.

    It never retries by itself, since an append is not the client's to repeat. RESP2 is asked for
    because its answers have the same shape in every release of the client that is allowed here.
    """
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=_THREADS,
        timeout=_ANSWER_SECONDS,
        socket_connect_timeout=_CONNECT_SECONDS,
        socket_timeout=_ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
    )
    return Redis(connection_pool=pool)


def translates_errors(function: Callable[P, R]) -> Callable[P, R]:
    """Turn the errors of Redis into JournalUnavailable and JournalFull."""

    @functools.wraps(function)
    def translated(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except BROKEN as error:
            raise JournalUnavailable(f"Redis cannot be reached: {error}") from error
        except OutOfMemoryError as error:
            raise JournalFull(f"Redis refuses: {error}") from error
        except RedisError as error:
            raise JournalUnavailable(f"Redis refuses: {error}") from error

    return translated


def retries_once(function: Callable[P, R]) -> Callable[P, R]:
    """Translate errors, and try once more over a new connection when the first one broke."""

    @functools.wraps(function)
    def retried(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except BROKEN:
            return function(*args, **kwargs)

    return translates_errors(retried)
