"""Lines of log that are written together, a hundredth of a second after they were said.

Every request has a line. Written by the thread of the request, each line lets another thread go on,
for which this one then has to wait, and all threads meet at the handler's lock: with four
connections that took a sixth of the time of a short request. So the web process puts lines aside,
and a thread of its own writes all of them in one piece.

A process that is killed loses the lines of its last hundredth of a second; one that ends by itself
writes them.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.util import Finalize
from typing import Any

from service.process.logs import Line, LineFormatter

_PAUSE_SECONDS = 0.01
_MOST_WAITING = 4096  # lines; whoever says one more writes them, so memory stays bounded


class Batches:
    """Lines that wait to be written into a stream; safe to share among threads."""

    def __init__(self, stream: Any, formatter: LineFormatter) -> None:
        self._stream = stream
        self._formatter = formatter
        self._waiting: deque[Line] = deque()
        self._is_waiting = threading.Event()
        # Held while lines are written, which keeps them in their order.
        self._writing = threading.Lock()

    def start(self) -> None:
        """Begin to write, in a thread of its own, and write the last lines when the process ends.

        Call this in the process that says the lines: no thread outlives a fork.
        """
        threading.Thread(target=self._run, name="log", daemon=True).start()
        # A web process is a child of Granian, and functions of `atexit` are not called in such.
        Finalize(None, self.write, exitpriority=0)

    def put(self, logger: str, level: int, message: str, details: Mapping[str, Any]) -> None:
        """Put a line aside, which is said now."""
        level_name = logging.getLevelName(level)
        self._waiting.append(Line(time.time(), level_name, logger, message, details))
        if len(self._waiting) > _MOST_WAITING:
            self.write()
        elif not self._is_waiting.is_set():
            self._is_waiting.set()

    def write(self) -> None:
        """Write all lines that wait."""
        with self._writing:
            lines = []
            while self._waiting:
                lines.append(self._formatter.text(self._waiting.popleft()) + "\n")
            # Where standard error is closed nobody reads, and there is no other place to say so.
            with suppress(OSError, ValueError):
                self._stream.write("".join(lines))
                self._stream.flush()

    def _run(self) -> None:
        while True:
            self._is_waiting.wait()
            time.sleep(_PAUSE_SECONDS)
            self._is_waiting.clear()
            self.write()
