"""Notifications of commits for those who follow a match, in virtual time.

The channel is the product's own; only what strands wait for is the simulation's.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from service.journal.notifications import Channel, Waiter
from tests.simulation.kernel import SECOND, Kernel, Strand

if TYPE_CHECKING:
    from tests.simulation.world import World


class _Lock:
    """A lock between strands."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._holder: Strand | None = None
        self._waiting: deque[Strand] = deque()

    def __enter__(self) -> Self:
        strand = self._kernel.current
        assert strand is not None
        while self._holder is not None:
            self._waiting.append(strand)
            self._kernel.park()
        self._holder = strand
        return self

    def __exit__(self, *_error: object) -> None:
        self._holder = None
        waiting = list(self._waiting)
        self._waiting.clear()
        for strand in waiting:
            self._kernel.unpark(strand)


class _Waiter(Waiter):
    """What a strand waits for."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._sleeper: Strand | None = None
        self._is_released = False

    def wait(self, seconds: float) -> bool:
        """Let virtual time pass until it is released, or so many seconds of it."""
        kernel = self._kernel
        end = kernel.now + int(seconds * SECOND)
        while not self._is_released and kernel.now < end:
            self._sleeper = kernel.current
            kernel.pause(end - kernel.now)
            self._sleeper = None
        return self._is_released

    def release(self) -> None:
        """Wake the strand if it sleeps."""
        self._is_released = True
        if self._sleeper is not None:
            self._kernel.unpark(self._sleeper)
            self._sleeper = None


class _Channel(Channel):
    def __init__(self, kernel: Kernel) -> None:
        super().__init__(new_waiter=lambda: _Waiter(kernel))
        anything: Any = self
        anything._querying = _Lock(kernel)


class SimulatedNotifications:
    """The subscriber of one process."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._channels: dict[str, _Channel] = {}
        self.stopped = False

    @contextmanager
    def follow(self, match_id: str) -> Iterator[Channel]:
        """Follow a match."""
        channel = self._channels.setdefault(match_id, _Channel(self._world.kernel))
        channel.followers += 1
        try:
            yield channel
        finally:
            channel.followers -= 1

    def hear(self, match_id: str) -> None:
        """Take the news of a commit."""
        channel = self._channels.get(match_id)
        if channel is not None:
            channel.tick()
