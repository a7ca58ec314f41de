"""What one process remembers of matches. It only saves time: the journal is the truth."""

import threading
from collections import OrderedDict

from service.journal.port import Journal
from service.ledger.commit import parse_commit
from service.ledger.replay import Loaded


class Shelf:
    """The matches last used, at most `size`.

    It is safe between threads, because no match on it is ever changed.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._matches: OrderedDict[str, Loaded] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, place: str) -> Loaded | None:
        """Return the match at a place, None if there is none."""
        with self._lock:
            if place in self._matches:
                self._matches.move_to_end(place)
            return self._matches.get(place)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._matches.clear()

    def drop(self, place: str) -> None:
        """Clear a place."""
        with self._lock:
            self._matches.pop(place, None)

    def put(self, loaded: Loaded, place: str = "") -> None:
        """Keep a match at a place ("": its id), unless a later version lies there already."""
        place = place or loaded.id
        with self._lock:
            known = self._matches.get(place)
            if known is None or known.version < loaded.version:
                self._matches[place] = loaded

            self._matches.move_to_end(place)
            if len(self._matches) > self._size:
                self._matches.popitem(last=False)


def is_in_journal(journal: Journal, loaded: Loaded) -> bool:
    """Return whether the journal has the commit that a remembered match ends with."""
    last_commit = journal.events.read(loaded.id, loaded.version - 1, 1)
    return bool(last_commit) and parse_commit(last_commit[0])["hash"] == loaded.hash
