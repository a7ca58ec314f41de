"""Idempotency lock: one request at a time for each idempotency key in this process.

Across processes the journal decides.
"""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from service.errors import InProgress

# Match, token and key: the same key of another match or token is another key.
Locked = tuple[str, str | None, str]

_lock = threading.Lock()
_at_work: set[Locked] = set()


def idempotency_lock(match_id: str, token: str | None, key: str) -> AbstractContextManager[None]:
    """Hold a key while its request is answered; raises InProgress if another request holds it.

    "" is no key.
    """
    return _held((match_id, token, key)) if key else nullcontext()


@contextmanager
def _held(locked: Locked) -> Iterator[None]:
    with _lock:
        if locked in _at_work:
            raise InProgress("the first request with this idempotency key has no answer yet")
        _at_work.add(locked)
    try:
        yield
    finally:
        with _lock:
            _at_work.discard(locked)
