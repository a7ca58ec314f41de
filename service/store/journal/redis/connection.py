"""Connections to Redis, and what happens when they break or lead to the wrong server.

An append is never repeated blindly: `events` finds out whether it has landed. Operations that may
be done twice are marked with `retries_once`: the second time changes nothing, and the answer is the
same. The second try of a compare-and-set would be refused because of the first one, so it reads
back (`retries_if_not_landed`). A claim has a name, by which its script answers it again.

In a cluster a server may answer that the keys lie elsewhere, that they are just being moved, or
that no master has them now. Such an answer says that nothing was done, so the question is asked
again, whatever it was (`follows_moves`).
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

# What Redis answers: bytes, numbers, None, and lists of them. Its shape follows from the command.
Reply: TypeAlias = Any

# A client of redis-py, of one server or of a cluster. These have no type in common.
Client: TypeAlias = Any

# A connection of redis-py, most of whose methods have no types.
Connection: TypeAlias = Any

P = ParamSpec("P")
R = TypeVar("R")

# The connection broke, or no answer came in time; or no node of the cluster can be reached.
BROKEN = (exceptions.ConnectionError, exceptions.TimeoutError, exceptions.RedisClusterException)

# A cluster's word that nothing was done. AskError is also the root of MovedError.
_MOVING = (
    exceptions.AskError,
    exceptions.TryAgainError,
    exceptions.ClusterError,
    exceptions.SlotNotCoveredError,
)

# What a server says that refuses writes for want of replicas.
_TOO_FEW_REPLICAS = "NOREPLICAS"

# A script over many partitions finds that one of them has moved away.
_NOT_HERE = "non local key"

_THREADS = 64
_RAW_CONNECTIONS = 32  # kept at most
_CONNECT_SECONDS = 2
_ANSWER_SECONDS = 5
_MOVING_SECONDS = 3.0  # for so long keys are looked for that are being moved
_PAUSE_SECONDS = 0.05

# So long after an answer a connection is taken to be open without a look, which lets another thread
# go on: with it a short request takes 2 to 4 % longer. Should the server have closed the connection
# meanwhile, the command fails as if it had done so a moment later.
_FRESH_SECONDS = 0.1

# RESP2 is asked for because its answers have the same shape in every release of the client that is
# allowed here.
OPTIONS: dict[str, Any] = {
    "socket_connect_timeout": _CONNECT_SECONDS,
    "socket_timeout": _ANSWER_SECONDS,
    "protocol": 2,
}


def connect(url: str) -> Redis:
    """Return a client of one server, with a connection for each thread of the service."""
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
    """What asks servers that may change their places."""

    def refresh(self) -> None:
        """Learn which server holds what."""


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
    """Ask again while a cluster answers that keys are moving; in the end, raise its answer."""

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
    """Translate errors, and try once more over a new connection when the first one broke.

    Keys that are moving are followed.
    """
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
    """Do as `retries_once` for a compare-and-set, which answers whether it was done.

    has_landed: called after a second try that was refused. True if the first one has done it.
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
                done = patient(movable, *args, **kwargs)
                return done or looking(movable, *args, **kwargs)

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
    """Connections of a client of one server, without the client; safe to share among threads.

    What redis-py does around a command, for retries, caches, measures and the choice of a
    connection, takes longer than to pack, send and read it. Only its connection is used here: how
    it is opened, how it reads, and its errors. With it an append takes half of the processor time,
    and a POSTed move 10 to 15 % less of a web process (docs/performance.md).
    """

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._pool: Any = client.connection_pool
        # Those in no use now, each with the time of its last answer (time.monotonic); the one used
        # last is taken first.
        self._kept: deque[tuple[Connection, float]] = deque()
        self._process = os.getpid()

    def send_once(self, command: Command) -> Reply:
        """Return the reply to a command; raises the client's errors.

        It is sent once: the caller finds out whether a command without a reply was done.
        """
        return self._answer(_packed(command))

    def query(self, commands: Sequence[Command]) -> list[Reply] | None:
        """Return the answers to commands as the server sends them, in one round trip.

        None: something is amiss, and the caller asks in the ordinary way, which knows what to do.
        The commands may be sent twice, and are not done as one: others may come between. Raises the
        error of redis-py if no answer comes in time.
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
        """Return a connection in no other use; one that the server has closed opens itself again.

        Raises what redis-py raises if a first connection cannot be opened.
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
        """Keep a connection on which nothing is to come any more; hand any other back closed.

        An answer that still comes would be taken for that to the next command.
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
