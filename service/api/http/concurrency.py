"""Long answers: how many this process holds at once, in all and for one caller or address."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from service import metrics
from service.errors import InProgress, TooMany

# §§§ service.api.http.concurrency


_RETRY_SECONDS = 5


class Slot:
    """The room of one long answer."""

    def __init__(self, slots: "Slots", names: frozenset[str]) -> None:
        self._slots = slots
        self.names = names
        self.held = True

    def give_back(self) -> None:
        """Let another long answer have the room; to do so twice does no harm."""
        self._slots.give_back(self)


class Slots:
    """The slots for long answers of this process, and for whom they are taken.

    Whatever the settings say, a quarter of all is out of reach for any single caller or address.
    """

    def __init__(self, most: int, each: int) -> None:
        out_of_reach = max(1, most // 4)
        self.most = most
        self.each = min(each, max(1, most - out_of_reach))
        self._lock = threading.Lock()
        self._taken = 0
        self._taken_for: Counter[str] = Counter()

    def take(self, *names: str) -> Slot | None:
        """Return a slot for a caller and an address, None if there is none left.

        A name given twice counts once.
        """
        counted = frozenset(names)
        with self._lock:
            if not self._has_room_for(counted):
                return None
            self._taken += 1
            self._taken_for.update(counted)
        metrics.STREAMS.inc()
        return Slot(self, counted)

    def must_take(self, *names: str) -> Slot:
        """Return a slot; raises TooMany if there is none left."""
        slot = self.take(*names)
        if slot is None:
            raise TooMany(
                "streams",
                f"at most {self.each} long answers for one token or one address, "
                f"{self.most} in all",
                _RETRY_SECONDS,
            )
        return slot

    def give_back(self, slot: Slot) -> None:
        """Count a slot as free again, if it is still held."""
        with self._lock:
            if not slot.held:
                return
            slot.held = False
            self._taken -= 1
            for name in slot.names:
                self._taken_for[name] -= 1
                if not self._taken_for[name]:
                    del self._taken_for[name]
        metrics.STREAMS.dec()

    def _has_room_for(self, names: frozenset[str]) -> bool:
        if self._taken >= self.most:
            return False
        return all(self._taken_for[name] < self.each for name in names)


# §§§ service.api.http.concurrency
# One request at a time for each idempotency key in this process.
#
# Across processes the journal decides.


Mark = tuple[str, str | None, str]

_lock = threading.Lock()
_at_hand: set[Mark] = set()


def once_at_a_time(match_id: str, token: str | None, key: str) -> AbstractContextManager[None]:
    """Hold a key while its request is answered; raises InProgress if another request holds it.

    The same key of another match or token is another key; "" is no key.
    """
    return _held((match_id, token, key)) if key else nullcontext()


@contextmanager
def _held(mark: Mark) -> Iterator[None]:
    with _lock:
        if mark in _at_hand:
            raise InProgress("the first request with this idempotency key has no answer yet")
        _at_hand.add(mark)
    try:
        yield
    finally:
        with _lock:
            _at_hand.discard(mark)
