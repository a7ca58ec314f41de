"""Granian that never gives up: a web process that dies is replaced, however often that happens."""

import time
from typing import Any

from granian import Granian

from service.process.restarts import Restarts

_TICK_SECONDS = 0.05


class WebServer(Granian):  # type: ignore[misc,valid-type]  # one of two classes
    """Granian's main process.

    Granian itself ends when one of its processes dies within 5.5 s of its start, and ends the other
    processes with it. Here that is so only until the first of them has answered: a start that
    cannot succeed ends, and whoever made it is told why.

    `note_ready`: call this when one has answered.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._has_answered = False
        self._restarts: dict[int, Restarts] = {}

    def note_ready(self) -> None:
        """Note that a web process has answered."""
        self._has_answered = True

    def _respawn_workers(self, workers: list[int], *arguments: Any, **more: Any) -> None:
        """Replace processes, given by their numbers: at once, unless they die as they start."""
        for number in workers:
            self._wait_until_due(number)
        if self.interrupt_signal:
            return

        super()._respawn_workers(workers, *arguments, **more)
        for number in workers:
            self._restarts[number].note_ready()  # nobody tells when: it serves if it does not die
        if self._has_answered:
            self.respawned_wrks.clear()  # by this Granian would know that one died again
        if self.interrupt_children:
            self.main_loop_interrupt.set()  # one that died just now must not be overlooked

    def _wait_until_due(self, number: int) -> None:
        """Wait until a process that has died may start again, or everything is to end."""
        restarts = self._restarts.setdefault(number, Restarts())
        restarts.note_crash()
        while not restarts.due and not self.interrupt_signal:
            time.sleep(_TICK_SECONDS)
