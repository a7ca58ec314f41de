"""One request at a time for each idempotency key in this process.

Across processes the journal decides.
"""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from service.errors import InProgress

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
