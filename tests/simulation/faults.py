"""Which fault meets a call, drawn as the plan of the seed says."""

from collections.abc import Mapping
from random import Random

from tests.simulation.kernel import SECOND

APPENDS = 3  # an append is more often hit than another call: most can be lost there


class Faults:
    """The source of faults, until it is told to end.

    counts: how many faults of each kind there were.
    """

    def __init__(
        self, random: Random, journal: Mapping[str, float], queue: Mapping[str, float]
    ) -> None:
        self._random = random.random
        self._journal = list(journal.items())
        self._appends = [(name, APPENDS * probability) for name, probability in journal.items()]
        self._queue = list(queue.items())
        self.counts: dict[str, int] = {}

    def end(self) -> None:
        """Let every call go well from now on."""
        self._journal = []
        self._appends = []
        self._queue = []

    def of_journal_call(self, method: str) -> str | None:
        """Return what goes wrong with a call of the journal, None if nothing does."""
        kinds = self._appends if method == "events.append" else self._journal
        return self._drawn("journal", kinds)

    def of_wake(self) -> str | None:
        """Return what goes wrong with a wake, None if nothing does."""
        return self._drawn("queue", self._queue)

    def up_to(self, most: int) -> int:
        """Return a number of microseconds; more often a small one."""
        draw = self._random()
        return int(most * draw * draw)

    def tosses_heads(self) -> bool:
        """Return one of two."""
        return self._random() < 0.5

    def jump(self, far_share: float) -> int:
        """Return by how many microseconds a clock jumps: seconds or hours, ahead or back."""
        hours = self._random() < far_share
        most = 7200 * SECOND if hours else 20 * SECOND
        return int(most * (2 * self._random() - 1))

    def index(self, count: int) -> int:
        """Return a number from 0 to count - 1."""
        return int(self._random() * count)

    def _drawn(self, port: str, kinds: list[tuple[str, float]]) -> str | None:
        if not kinds:
            return None
        draw = self._random()
        for name, probability in kinds:
            draw -= probability
            if draw < 0:
                self.count(f"{port}: {name}")
                return name
        return None

    def count(self, kind: str) -> None:
        """Count one fault."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
