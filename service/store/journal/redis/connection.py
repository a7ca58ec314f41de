"""Connections to Redis, and the handling of broken connections and wrong servers.

An append is never repeated blindly: `events` first looks for the commit. Operations marked with
`retries_once` are safe to repeat after a lost answer. The second try of a compare-and-set would be
refused because of the first try, so the result is read back (`retries_if_not_landed`). A claim has
a name, and its script answers a repeated name with the same claim.

In a cluster a server may answer that the keys lie elsewhere, are being moved, or have no master
now. Then it has done nothing, so the request is sent again (`follows_moves`). A script or pipeline
over many partitions may stop half-way. Both are safe to run twice.
"""

import functools
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

import hiredis
from redis import BlockingConnectionPool, Redis, exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.store.journal.errors import JournalFull, JournalUnavailable, TooFewReplicas

Argument = str | bytes | int
Command = tuple[Argument, ...]

# A reply of Redis: bytes, numbers, None, and lists of them. Its shape follows from the command.
Reply: TypeAlias = Any

# A client of redis-py, of one server or of a cluster. The two kinds have no type in common.
Client: TypeAlias = Any

# A connection of redis-py. Most of its methods have no types.
Connection: TypeAlias = Any

P = ParamSpec("P")
R = TypeVar("R")

# The connection broke, no answer came in time, or no node of the cluster can be reached.
BROKEN = (exceptions.ConnectionError, exceptions.TimeoutError, exceptions.RedisClusterException)

# Errors of a cluster that has done nothing. AskError is also the base class of MovedError.
_MOVING = (
    exceptions.AskError,
    exceptions.TryAgainError,
    exceptions.ClusterError,
    exceptions.SlotNotCoveredError,
)

# Error of a server that refuses writes for want of replicas.
_TOO_FEW_REPLICAS = "NOREPLICAS"

# Part of the error of a script over many partitions if one of them has moved to another server.
_NOT_HERE = "non local key"

_THREADS = 64
_RAW_CONNECTIONS = 32  # largest number of idle connections in RawConnections
_CONNECT_SECONDS = 2
_ANSWER_SECONDS = 5
_MOVING_SECONDS = 3.0  # longest search for keys that are being moved
_PAUSE_SECONDS = 0.05

# For this long after an answer a connection counts as open without a check. A check lets another
# thread go on, so a short request takes 2 to 4 % longer. If the server has closed the connection
# meanwhile, the command fails as if the server had closed it a moment later.
_FRESH_SECONDS = 0.1

# RESP2, because its answers have the same shape in every allowed release of the client.
OPTIONS: dict[str, Any] = {
    "socket_connect_timeout": _CONNECT_SECONDS,
    "socket_timeout": _ANSWER_SECONDS,
    "protocol": 2,
}


def connect(url: str) -> Redis:
    """Return a client of one server. Its connections are limited, and threads share them."""
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=_THREADS + _RAW_CONNECTIONS,
        timeout=_ANSWER_SECONDS,
        retry=no_retry(),
        **OPTIONS,
    )
    return Redis(connection_pool=pool)


def no_retry() -> Retry:
    """Return the policy of no retries. A client must not repeat an append."""
    return Retry(NoBackoff(), 0)


# ---- errors -------------------------------------------------------------------------------------


class Movable(Protocol):
    """A client of servers. Keys may move from one server to another."""

    def refresh(self) -> None:
        """Update the map of keys to servers."""


M = TypeVar("M", bound=Movable)


def translates_errors(function: Callable[P, R]) -> Callable[P, R]:
    """Turn the errors of Redis into JournalUnavailable, JournalFull and TooFewReplicas."""

    @functools.wraps(function)
    def translated(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except exceptions.SlotNotCoveredError as error:
            raise JournalUnavailable(f"Redis refuses: {error}") from error
        except BROKEN as error:
            raise JournalUnavailable(f"Redis cannot be reached: {error}") from error
        except exceptions.OutOfMemoryError as error:
            raise JournalFull(f"Redis refuses: {error}{_place(error)}") from error
        except exceptions.RedisError as error:
            too_few = _TOO_FEW_REPLICAS in str(error)
            kind = TooFewReplicas if too_few else JournalUnavailable
            raise kind(f"Redis refuses: {error}{_place(error)}") from error

    return translated


def follows_moves(function: Callable[Concatenate[M, P], R]) -> Callable[Concatenate[M, P], R]:
    """Retry while a cluster answers that keys are moving, for at most _MOVING_SECONDS."""

    @functools.wraps(function)
    def following(movable: M, /, *args: P.args, **kwargs: P.kwargs) -> R:
        deadline = time.monotonic() + _MOVING_SECONDS
        while True:
            try:
                return function(movable, *args, **kwargs)
            except (*_MOVING, exceptions.ResponseError) as error:
                if not _is_moving(error) or time.monotonic() > deadline:
                    raise
                has_moved = not _is_under_way(error)

            time.sleep(_PAUSE_SECONDS)
            if has_moved:
                movable.refresh()

    return following


def retries_once(function: Callable[Concatenate[M, P], R]) -> Callable[Concatenate[M, P], R]:
    """Translate errors, follow moving keys, and try once more after an error in BROKEN."""
    patient = follows_moves(function)

    @functools.wraps(function)
    def retried(movable: M, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return patient(movable, *args, **kwargs)
        except BROKEN as error:
            if isinstance(error, exceptions.SlotNotCoveredError):
                raise
            return patient(movable, *args, **kwargs)

    return translates_errors(retried)


def retries_if_not_landed(
    has_landed: Callable[Concatenate[M, P], bool],
) -> Callable[[Callable[Concatenate[M, P], bool]], Callable[Concatenate[M, P], bool]]:
    """Do as `retries_once` for a compare-and-set, an operation that returns False if refused.

    has_landed: called after a refused second try. Returns True if the first try has succeeded.
    """

    def decorated(
        function: Callable[Concatenate[M, P], bool],
    ) -> Callable[Concatenate[M, P], bool]:
        patient = follows_moves(function)
        looking = follows_moves(has_landed)

        @functools.wraps(function)
        def retried(movable: M, /, *args: P.args, **kwargs: P.kwargs) -> bool:
            try:
                return patient(movable, *args, **kwargs)
            except BROKEN as error:
                if isinstance(error, exceptions.SlotNotCoveredError):
                    raise
                is_done = patient(movable, *args, **kwargs)
                return is_done or looking(movable, *args, **kwargs)

        return translates_errors(retried)

    return decorated


def _is_moving(error: Exception) -> bool:
    return isinstance(error, _MOVING) or _NOT_HERE in str(error)


def _is_under_way(error: Exception) -> bool:
    """Return True if keys are being moved and their server is still the right one."""
    if isinstance(error, exceptions.MovedError):
        return False
    return isinstance(error, exceptions.AskError | exceptions.TryAgainError)


def _place(error: exceptions.RedisError) -> str:
    """Return the node of a cluster behind an error, "" for an unknown one."""
    connection = getattr(error, "connection", None)
    host = getattr(connection, "host", None)
    return f" (at {host}:{connection.port})" if connection is not None and host else ""


# ---- raw connections ----------------------------------------------------------------------------

_packed: Callable[[Any], bytes] = hiredis.pack_command


class RawConnections:
    """Connections of a client of one server, without the client. Safe to share among threads.

    For each command the client of redis-py prepares retries, caching and measurements, and chooses
    a connection. This takes longer than sending the command and reading the reply. So this class
    uses only the connections of redis-py. With the client a POSTed move takes 12 to 14 % more
    processor time of a web process (docs/explanation/performance-limits.md).
    """

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._pool: Any = client.connection_pool
        # Idle connections, each with the time of its last answer (time.monotonic). The last one is
        # taken first.
        self._kept: deque[tuple[Connection, float]] = deque()
        self._process = os.getpid()

    def send_once(self, command: Command) -> Reply:
        """Return the reply to a command. Raises the client's errors.

        The command is sent once. Without a reply it may have been done or not.
        """
        return self._answer(_packed(command))

    def query(self, commands: Sequence[Command]) -> list[Reply] | None:
        """Return the answers to commands as the server sends them, in one round trip.

        Return None after an error. The caller then sends the commands again by the client, which
        handles the error. Commands of other clients may run between these commands.
        Raises the TimeoutError of redis-py if no answer comes in time.
        """
        packed = b"".join([_packed(command) for command in commands])
        connection, answers = None, None
        try:
            try:
                connection = self._take()
            except (exceptions.RedisError, OSError):
                return None
            connection.send_packed_command([packed], check_health=False)
            answers = [connection.read_response() for _ in commands]
        except exceptions.TimeoutError:
            raise
        except (exceptions.RedisError, OSError):
            return None
        finally:
            if connection is not None:
                self._give_back(connection, is_answered=answers is not None)
        return answers

    def _answer(self, command: bytes) -> Reply:
        connection, is_answered = None, False
        try:
            connection = self._take()
            connection.send_packed_command([command], check_health=False)
            answer = connection.read_response()
            is_answered = True
        except exceptions.ResponseError:
            is_answered = True
            raise
        finally:
            if connection is not None:
                self._give_back(connection, is_answered=is_answered)
        return answer

    def _take(self) -> Connection:
        """Return an unused connection. A closed one opens itself again with the next command.

        Raises the errors of redis-py if a new connection cannot be opened.
        """
        if self._process != os.getpid():
            # After a fork the connections are the parent's.
            self._kept = deque()
            self._process = os.getpid()
        try:
            connection, answered = self._kept.pop()
        except IndexError:
            return self._pool.get_connection()

        was_idle = time.monotonic() - answered > _FRESH_SECONDS
        if was_idle and not _is_silent(connection):
            connection.disconnect()
        return connection

    def _give_back(self, connection: Connection, *, is_answered: bool) -> None:
        """Keep a connection for reuse, or hand it back to the pool.

        An unanswered connection is closed: its late answer would count as that of the next command.
        """
        if is_answered and len(self._kept) < _RAW_CONNECTIONS:
            self._kept.append((connection, time.monotonic()))
            return

        if not is_answered:
            connection.disconnect()
        self._pool.release(connection)


def _is_silent(connection: Connection) -> bool:
    """Return True if a connection is open, and holds no late answer."""
    try:
        return not connection.can_read()
    except (exceptions.ConnectionError, exceptions.TimeoutError, OSError):
        return False
