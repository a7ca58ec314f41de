"""The direct way to one server: what every move and every look sends, packed by hand.

What redis-py does around a command, for retries, caches, measures and the choice of a connection,
takes longer than to pack, send and read it. All that stays of it here is its connection: how it is
opened, how it reads, and its errors. By this a script that changes a match takes 62 us of the
client's processor time and not 99, and a look at two keys 24 us and not 122.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import hiredis
from redis import Redis
from redis.commands.core import Script
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import NoScriptError, RedisError, ResponseError
from redis.exceptions import TimeoutError as Unanswered

Meanwhile = Callable[[], object]
Command = tuple[str | bytes | int, ...]

_packed: Callable[[tuple[Any, ...]], bytes] = hiredis.pack_command

MOST_KEPT = 32  # connections, of those that the client may have

# So long after an answer a connection is taken to be open without a look, which lets another thread
# go on: with it a short request takes 2 to 4 % longer. Should the server have closed the connection
# meanwhile, the command fails as if it had done so a moment later.
_FRESH_SECONDS = 0.1


class Direct:
    """Connections of a client of one server, kept for this; safe to share among threads."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._pool: Any = client.connection_pool
        # Those that nobody uses now, each with the time of its last answer (time.monotonic); the
        # one used last is taken first.
        self._kept: deque[tuple[Any, float]] = deque()
        self._process = os.getpid()

    def run(
        self,
        script: Script,
        keys: Sequence[str],
        arguments: Sequence[Any],
        meanwhile: Meanwhile | None = None,
    ) -> Any:
        """Return what a script answers; raises the client's errors, and those of `meanwhile`.

        meanwhile: called when the script is under way, before its answer is read.
        It is sent once: whether a script without an answer has run is for the caller to find out.
        """
        command = _packed(("EVALSHA", script.sha, len(keys), *keys, *arguments))
        try:
            return self._answer(command, meanwhile)
        except NoScriptError:
            return script(keys=keys, args=arguments, client=self._client)

    def ask(self, *commands: Command) -> list[Any] | None:
        """Return the answers to commands as the server sends them, in one round trip.

        None: something is amiss, and the caller asks in the ordinary way, which knows what to do.
        The commands change nothing, and are not done as one: others may come between. Raises what
        redis-py raises if no answer comes in time.
        """
        packed = b"".join([_packed(command) for command in commands])
        try:
            connection = self._take()
        except (RedisError, OSError):
            return None

        answers = None
        try:
            connection.send_packed_command([packed], check_health=False)
            answers = [connection.read_response() for _ in commands]
        except Unanswered:
            raise
        except (RedisError, OSError):
            return None
        finally:
            self._give_back(connection, is_answered=answers is not None)
        return answers

    def _answer(self, command: bytes, meanwhile: Meanwhile | None) -> Any:
        connection = self._take()
        is_answered = False
        try:
            connection.send_packed_command([command], check_health=False)
            if meanwhile is not None:
                meanwhile()
            answer = connection.read_response()
            is_answered = True
        except ResponseError:
            is_answered = True
            raise
        finally:
            self._give_back(connection, is_answered=is_answered)
        return answer

    def _take(self) -> Any:
        """Return a connection that nobody uses; one that the server has closed opens itself anew.

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

    def _give_back(self, connection: Any, *, is_answered: bool) -> None:
        """Keep a connection on which nothing is to come any more; hand any other back closed.

        An answer that still comes would be taken for that to the next command.
        """
        if is_answered and len(self._kept) < MOST_KEPT:
            self._kept.append((connection, time.monotonic()))
            return

        if not is_answered:
            connection.disconnect()
        self._pool.release(connection)


def _is_silent(connection: Any) -> bool:
    """Return whether a connection is open, and holds no answer that came too late."""
    try:
        return not connection.can_read()
    except (Unreachable, Unanswered, OSError):
        return False
