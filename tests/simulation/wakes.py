"""News of commits for those who follow a match, in virtual time.

The channel is the product's own; only its lock and its condition are those of the simulation.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from service.journal.wakes import Channel
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


class _Condition:
    """A condition between strands; nothing else goes on inside its block, so it needs no lock."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._waiting: list[Strand] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def notify_all(self) -> None:
        waiting = self._waiting
        self._waiting = []
        for strand in waiting:
            self._kernel.unpark(strand)

    def wait_for(self, predicate: Callable[[], bool], seconds: float) -> bool:
        kernel = self._kernel
        strand = kernel.current
        assert strand is not None

        end = kernel.now + int(seconds * SECOND)
        while not predicate() and kernel.now < end:
            self._waiting.append(strand)
            kernel.pause(end - kernel.now)
            if strand in self._waiting:
                self._waiting.remove(strand)
        return predicate()


class _Channel(Channel):
    def __init__(self, kernel: Kernel) -> None:
        super().__init__()
        anything: Any = self
        anything._heard = _Condition(kernel)
        anything._asking = _Lock(kernel)


class SimulatedWakes:
    """The subscriber of one process."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._channels: dict[str, _Channel] = {}
        self.stopped = False

    @contextmanager
    def follow(self, match_id: str) -> Iterator[Channel]:
        """Follow a match."""
        channel = self._channels.setdefault(match_id, _Channel(self._world.kernel))
        yield channel

    def hear(self, match_id: str) -> None:
        """Take the news of a commit."""
        channel = self._channels.get(match_id)
        if channel is not None:
            channel.tick()
