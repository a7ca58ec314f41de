"""Wakes that no request waits for: a thread of the process puts them into the queues.

Wakes may get lost, since the keeper finds in the journal who waits. At a normal end of the process
those that are at hand are still put into the queues.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

_log = logging.getLogger(__name__)

MOST_AT_HAND = 1000

Wake = Callable[[str, int, str], None]


class Waker:
    """Hands wakes to a thread in their order, and drops those that are too many.

    wake: puts a wake into the queues; never raises. The thread starts with the first wake, and
    Python lets it finish before the process ends.
    """

    def __init__(self, wake: Wake, most_at_hand: int = MOST_AT_HAND) -> None:
        self._wake = wake
        self._places = threading.BoundedSemaphore(most_at_hand)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="waker")

    def wake(self, match_id: str, version: int, work: str) -> None:
        """Have a worker do a match's work, soon; never waits and never raises."""
        if not self._places.acquire(blocking=False):
            _log.warning("a wake was dropped", extra={"match": match_id})
            return

        # The trace of the request goes with the job.
        context = copy_context()
        try:
            self._thread.submit(context.run, self._wake_and_leave, match_id, version, work)
        except RuntimeError:  # the process ends
            self._places.release()

    def flush(self) -> None:
        """Wait until every wake that was given before is done."""
        self._thread.submit(int).result()

    def _wake_and_leave(self, match_id: str, version: int, work: str) -> None:
        try:
            self._wake(match_id, version, work)
        finally:
            self._places.release()
