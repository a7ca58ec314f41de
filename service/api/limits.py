"""How much of the door one caller may take: requests a minute, counted in Redis; long answers, counted here."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from flask import request
from redis import Redis
from redis.exceptions import RedisError

from service import metrics, tokens
from service.api.context import desk
from service.errors import TooMany

_log = logging.getLogger(__name__)
WINDOW = 60
_LEASES = 64  # a process takes its share of the window in so many parts at least


def caller_key() -> str:
    """Return who asks: the hash of a token that this process has seen to be one, or else the address.

    Nobody gets a share of his own by making tokens up.
    """
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    field = tokens.field(token.strip()) if scheme.lower() == "bearer" else ""
    return field if field in desk().holders else f"address:{request.remote_addr}"


class Slots:
    """Long answers at hand in this process, in all and by caller."""

    def __init__(self, most: int, each: int) -> None:
        self.most, self.each = most, each
        self._lock = threading.Lock()
        self._held: Counter[str] = Counter()

    def take(self, caller: str) -> Callable[[], None] | None:
        """Return what gives the slot back, None if there is none left."""
        with self._lock:
            if self._held.total() >= self.most or self._held[caller] >= self.each:
                return None
            self._held[caller] += 1
        metrics.STREAMS.inc()
        return partial(self._give, caller, [True])

    def must_take(self, caller: str) -> Callable[[], None]:
        """Return what gives the slot back; raises TooMany."""
        release = self.take(caller)
        if release is None:
            raise TooMany("streams", f"at most {self.each} long answers a caller, {self.most} in all", 5)
        return release

    def _give(self, caller: str, held: list[bool]) -> None:
        with self._lock:
            if held and held.pop():
                self._held[caller] -= 1
                metrics.STREAMS.dec()
            if not self._held[caller]:
                del self._held[caller]


@dataclass(slots=True)
class Lease:
    """What this process may still let a caller do in a window without asking Redis."""

    window: int
    left: int = 0
    used: int = 0  # by all processes, as of the last lease


class RateLimit:
    """So many requests a caller may make in each minute; a count in Redis, taken from in small parts.

    A process leases 1/64 of the limit at a time, so one request in many costs a round trip; what a process leases and
    does not use is lost to the caller until the next window. When Redis is away nobody is limited.
    """

    def __init__(self, redis: Redis, limit: int) -> None:
        self._redis, self.limit = redis, limit
        self._part = max(1, limit // _LEASES)
        self._lock = threading.Lock()
        self._leases: dict[str, Lease] = {}
        self._window = 0

    def count(self, caller: str) -> tuple[int, int]:
        """Count a request; return how many are left (-1: this one was too many) and seconds to the next window."""
        now = int(time.time())
        lease = self._lease(caller, now // WINDOW)
        if lease.left <= 0 and lease.used < self.limit:
            self._renew(caller, lease)
        with self._lock:
            lease.left -= 1
            left = max(0, self.limit - lease.used) + lease.left if lease.left >= 0 else -1
        return left, WINDOW - now % WINDOW

    def _lease(self, caller: str, window: int) -> Lease:
        with self._lock:
            if window != self._window:
                self._leases, self._window = {}, window
            return self._leases.setdefault(caller, Lease(window))

    def _renew(self, caller: str, lease: Lease) -> None:
        key = f"giornale:rate:{lease.window}:{caller}"
        try:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.incrby(key, self._part)
                pipeline.expire(key, 2 * WINDOW)
                used = int(pipeline.execute()[0])
        except RedisError as error:
            _log.warning("requests are not counted", extra={"error": type(error).__name__})
            used = self._part
        with self._lock:
            lease.left = max(0, lease.left) + max(0, min(self._part, self.limit - used + self._part))
            lease.used = min(used, self.limit)
