"""One request at a time for each idempotency key in this process; across processes the journal decides."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from service.errors import InProgress

_lock = threading.Lock()
_keys: set[tuple[str, str | None, str]] = set()


@contextmanager
def once_at_a_time(match: str, token: str | None, key: str) -> Iterator[None]:
    """Hold a key while its request is answered; raises InProgress if another holds it. "" is no key."""
    mine = (match, token, key)
    with _lock:
        if mine in _keys:
            raise InProgress("the first request with this idempotency key has no answer yet")
        if key:
            _keys.add(mine)
    try:
        yield
    finally:
        with _lock:
            _keys.discard(mine)
