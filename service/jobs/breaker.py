"""A circuit breaker: a server that does not answer is not asked again until it does.

Without it every question would wait for the server until its deadline. A thread asks instead while
the breaker is open, so nobody else waits for a try.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as Unanswered

_log = logging.getLogger(__name__)

PAUSE_SECONDS = 0.5  # from one try to the next


class ServerRests(Unreachable):
    """The server did not answer a moment ago, so it was not asked now."""


class Breaker:
    """Lets questions through to a server until one is not answered; safe to share among threads.

    ping: asks the server anything; raises RedisError if it does not answer.
    """

    def __init__(self, ping: Callable[[], object], pause_seconds: float = PAUSE_SECONDS) -> None:
        self._ping = ping
        self._pause_seconds = pause_seconds
        self._lock = threading.Lock()
        self._open = False

    @property
    def is_open(self) -> bool:
        """Whether questions are refused now."""
        return self._open

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Ask the server within; raises ServerRests at once if it did not answer a moment ago."""
        if self._open:
            raise ServerRests("the server did not answer a moment ago")

        try:
            yield
        except (Unreachable, Unanswered):
            self._break()
            raise

    def _break(self) -> None:
        """Refuse questions from now on, and have a thread try until the server answers."""
        with self._lock:
            if self._open:
                return
            self._open = True

        threading.Thread(target=self._try_until_answered, name="breaker", daemon=True).start()

    def _try_until_answered(self) -> None:
        pause = threading.Event()
        while not self._is_answered():
            pause.wait(self._pause_seconds)

        self._open = False
        _log.info("the queues' server answers again")

    def _is_answered(self) -> bool:
        try:
            self._ping()
        except RedisError:
            return False
        return True
