"""Asks the bundled server how it is, in a thread of its own, so that nobody waits for it."""

import threading

from service.process.disk_guard import DiskGuard
from service.process.server_answers import Answer, ask, open_client

_PAUSE_WHILE_STARTING = 0.02  # seconds between an answer and the next question
_PAUSE = 0.5


class Probe:
    """Keeps the last answer of a server; begins to ask at once, and ends by `stop`.

    guard: looks at the server's disk as often.
    """

    def __init__(self, url: str, guard: DiskGuard) -> None:
        self._url = url
        self._guard = guard
        self._answer: Answer | None = None
        self._stopping = threading.Event()

        self._thread = threading.Thread(target=self._ask_on, name="server-probe", daemon=True)
        self._thread.start()

    def take(self) -> Answer | None:
        """Return what it has answered since the last look, None if it did not answer."""
        answer, self._answer = self._answer, None
        return answer

    def stop(self) -> None:
        """Ask no more."""
        self._stopping.set()

    def _ask_on(self) -> None:
        pause = _PAUSE_WHILE_STARTING

        with open_client(self._url) as client:
            while not self._stopping.wait(pause):
                answer = ask(client)
                if answer is None:
                    continue

                self._answer = answer
                pause = _PAUSE_WHILE_STARTING if answer.loading else _PAUSE
                if not answer.loading:
                    self._guard.look(client)
