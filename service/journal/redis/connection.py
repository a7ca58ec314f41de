"""Connections to Redis, and what happens when they break or lead to the wrong server.

An append is never repeated blindly: `appending` finds out whether it has landed. All other
operations may be done twice, and are marked with `retries_once`.

In a cluster a server may answer that the keys lie elsewhere, that they are just being moved, or
that no master has them now. Such an answer says that nothing was done, so the question is asked
again, whatever it was (`follows_moves`).
"""

import functools
import time
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from redis import BlockingConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.exceptions import (
    AskError,
    ClusterError,
    MovedError,
    OutOfMemoryError,
    RedisClusterException,
    RedisError,
    ResponseError,
    SlotNotCoveredError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import TimeoutError as Unanswered
from redis.retry import Retry

from service.journal.errors import JournalFull, JournalUnavailable, TooFewReplicas
from service.journal.redis.direct import MOST_KEPT

P = ParamSpec("P")
R = TypeVar("R")

# The connection broke, or no answer came in time; or no node of the cluster can be reached.
BROKEN = (Unreachable, Unanswered, RedisClusterException)

# A cluster's word that nothing was done. AskError is also the root of MovedError.
MOVING = (AskError, TryAgainError, ClusterError, SlotNotCoveredError)

# What a server says that refuses writes for want of replicas.
_TOO_FEW_REPLICAS = "NOREPLICAS"

# A script over many partitions finds that one of them has moved away.
_NOT_HERE = "non local key"

_THREADS = 64
_CONNECT_SECONDS = 2
_ANSWER_SECONDS = 5
_MOVING_SECONDS = 3.0  # for so long keys are looked for that are being moved
_PAUSE_SECONDS = 0.05

# RESP2 is asked for because its answers have the same shape in every release of the client that is
# allowed here.
OPTIONS: dict[str, Any] = {
    "socket_connect_timeout": _CONNECT_SECONDS,
    "socket_timeout": _ANSWER_SECONDS,
    "protocol": 2,
}


class Moves(Protocol):
    """What asks servers that may change their places."""

    def look_anew(self) -> None:
        """Learn which server holds what."""


M = TypeVar("M", bound=Moves)


def no_retry() -> Retry:
    """Return that a client never retries by itself, since an append is not its to repeat."""
    return Retry(NoBackoff(), 0)


def connect(url: str) -> Redis:
    """Return a client of one server, with a connection for each thread of the service."""
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=_THREADS + MOST_KEPT,
        timeout=_ANSWER_SECONDS,
        retry=no_retry(),
        **OPTIONS,
    )
    return Redis(connection_pool=pool)


def follows_moves(function: Callable[Concatenate[M, P], R]) -> Callable[Concatenate[M, P], R]:
    """Ask again while a cluster answers that keys are moving; in the end, raise its answer."""

    @functools.wraps(function)
    def following(store: M, /, *args: P.args, **kwargs: P.kwargs) -> R:
        deadline = time.monotonic() + _MOVING_SECONDS
        while True:
            try:
                return function(store, *args, **kwargs)
            except (*MOVING, ResponseError) as error:
                if not _is_moving(error) or time.monotonic() > deadline:
                    raise
                has_moved = not _is_under_way(error)

            time.sleep(_PAUSE_SECONDS)
            if has_moved:
                store.look_anew()

    return following


def translates_errors(function: Callable[P, R]) -> Callable[P, R]:
    """Turn the errors of Redis into JournalUnavailable, JournalFull and TooFewReplicas."""

    @functools.wraps(function)
    def translated(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except SlotNotCoveredError as error:
            raise JournalUnavailable(f"Redis refuses: {error}") from error
        except BROKEN as error:
            raise JournalUnavailable(f"Redis cannot be reached: {error}") from error
        except OutOfMemoryError as error:
            raise JournalFull(f"Redis refuses: {error}{_place(error)}") from error
        except RedisError as error:
            too_few = _TOO_FEW_REPLICAS in str(error)
            kind = TooFewReplicas if too_few else JournalUnavailable
            raise kind(f"Redis refuses: {error}{_place(error)}") from error

    return translated


def retries_once(function: Callable[Concatenate[M, P], R]) -> Callable[Concatenate[M, P], R]:
    """Translate errors, and try once more over a new connection when the first one broke.

    Keys that are moving are followed.
    """
    patient = follows_moves(function)

    @functools.wraps(function)
    def retried(store: M, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return patient(store, *args, **kwargs)
        except BROKEN as error:
            if isinstance(error, SlotNotCoveredError):
                raise
            return patient(store, *args, **kwargs)

    return translates_errors(retried)


def _is_moving(error: Exception) -> bool:
    return isinstance(error, MOVING) or _NOT_HERE in str(error)


def _is_under_way(error: Exception) -> bool:
    """Return whether keys are just being moved by a server that is still the right one to ask."""
    is_asked_elsewhere = isinstance(error, AskError) and not isinstance(error, MovedError)
    return is_asked_elsewhere or isinstance(error, TryAgainError)


def _place(error: RedisError) -> str:
    """Return which node of a cluster has refused, where the client tells."""
    connection = getattr(error, "connection", None)
    host = getattr(connection, "host", None)
    return f" (at {host}:{connection.port})" if connection is not None and host else ""
