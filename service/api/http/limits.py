"""How much of the door one caller and one address may take.

Requests a minute are counted in Redis, over all web processes; long answers are counted here, in each.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from flask import request
from redis import Redis
from redis.exceptions import RedisError

from service import metrics
from service.api.http.clients import address_key, client_address
from service.api.http.context import desk
from service.errors import TooMany
from service.keys import tokens

_log = logging.getLogger(__name__)
WINDOW = 60
_LEASES = 64  # a process takes its share of the window in so many parts at least
_MOST_LEASES = 32_768  # callers that a process remembers at once
_MOST_COUNTS = 65_536  # callers for which a process has Redis keep a count in one window
_RETRY_SECONDS = 1.0  # for so long after a failure Redis is not asked again


def caller_key() -> str:
    """Return who asks: the hash of a token that this process has seen to be one, or else the address.

    Nobody gets a share of their own by making tokens up.
    """
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    field = tokens.field(token.strip()) if scheme.lower() == "bearer" else ""
    return field if field in desk().holders else sender_key()


def sender_key() -> str:
    """Return the address, or the network of an address, that this request counts for."""
    return f"address:{address_key(client_address())}"


class Slots:
    """Long answers at hand in this process, in all and by whom they count for: a caller and an address.

    Whatever the settings say, a quarter of all is out of reach for any single caller or address.
    """

    def __init__(self, most: int, each: int) -> None:
        self.most = most
        self.each = min(each, max(1, most - max(1, most // 4)))
        self._lock = threading.Lock()
        self._taken = 0
        self._held: Counter[str] = Counter()

    def take(self, *names: str) -> Callable[[], None] | None:
        """Return what gives the slot back, None if there is none left; a name given twice counts once."""
        counted = frozenset(names)
        with self._lock:
            if self._taken >= self.most or any(self._held[name] >= self.each for name in counted):
                return None
            self._taken += 1
            self._held.update(counted)
        metrics.STREAMS.inc()
        return partial(self._give, counted, [True])

    def must_take(self, *names: str) -> Callable[[], None]:
        """Return what gives the slot back; raises TooMany."""
        release = self.take(*names)
        if release is None:
            detail = (
                f"at most {self.each} long answers for one token or one address, {self.most} in all"
            )
            raise TooMany("streams", detail, 5)
        return release

    def _give(self, counted: frozenset[str], held: list[bool]) -> None:
        with self._lock:
            if not held:
                return
            held.pop()
            self._taken -= 1
            for name in counted:
                self._held[name] -= 1
                if not self._held[name]:
                    del self._held[name]
        metrics.STREAMS.dec()


@dataclass(slots=True)
class Lease:
    """What this process may still let a caller do in a window without asking Redis.

    lock: held while the lease is renewed, so that requests of one caller that come together take one part.
    """

    left: int = 0
    used: int = 0  # by all processes, as of the last renewal
    lock: threading.Lock = field(default_factory=threading.Lock)


class Told(NamedTuple):
    """What a caller is told: the limit, how many requests are left (-1: this was one too many), seconds to the next.

    window: in so many seconds the limit may be used up.
    """

    name: str
    limit: int
    left: int
    resets: int
    window: int


class RateLimit:
    """So many requests one may make in each minute; a count in Redis, taken from in small parts.

    A process leases 1/64 of the limit at a time, so one request in many costs a round trip; what a process leases and
    does not use is lost to the caller until the next window. When Redis is away nobody is limited.

    Memory is bounded however many callers come. A process remembers 32,768 of them, the latest that came. Beyond 65,536
    in a window it counts new ones by itself, so that what Redis keeps is bounded, too.
    """

    def __init__(self, redis: Redis, limit: int, name: str = "caller") -> None:
        self._redis = redis
        self.limit = limit
        self.name = name
        self._part = max(1, limit // _LEASES)
        self._lock = threading.Lock()
        self._leases: dict[str, Lease] = {}
        self._window = 0
        self._counts = 0
        self._away_until = 0.0

    def count(self, caller: str) -> Told:
        """Count a request and return what is left."""
        now = int(time.time())
        window = now // WINDOW
        lease = self._lease(caller, window)

        with lease.lock:
            if lease.left <= 0 and lease.used < self.limit:
                self._renew(f"giornale:rate:{self.name}:{window}:{caller}", lease)
            left = -1
            if lease.left > 0:
                lease.left -= 1
                left = min(self.limit, self.limit - lease.used + lease.left)
        return Told(self.name, self.limit, left, resets=WINDOW - now % WINDOW, window=WINDOW)

    def give_back(self, caller: str) -> None:
        """Take back what was just counted for a caller, because the request is refused for another reason."""
        with self._lock:
            lease = self._leases.get(caller)
        if lease is not None:
            with lease.lock:
                lease.left += 1

    def _lease(self, caller: str, window: int) -> Lease:
        if window == self._window:
            known = self._leases.get(caller)
            if known is not None:
                return known
        with self._lock:
            return self._new_lease(caller, window)

    def _new_lease(self, caller: str, window: int) -> Lease:
        if window != self._window:
            self._leases = {}
            self._window = window
            self._counts = 0
        known = self._leases.get(caller)
        if known is not None:
            return known

        self._counts += 1
        alone = self._counts > _MOST_COUNTS
        lease = Lease(left=self.limit, used=self.limit) if alone else Lease()
        self._leases[caller] = lease
        if len(self._leases) > _MOST_LEASES:
            del self._leases[next(iter(self._leases))]
        return lease

    def _renew(self, key: str, lease: Lease) -> None:
        """Lease another part; while Redis is away without its knowledge."""
        if time.monotonic() < self._away_until:
            lease.left = self._part
            return
        try:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.incrby(key, self._part)
                pipeline.expire(key, WINDOW)
                used = int(pipeline.execute()[0])
        except RedisError as error:
            _log.warning("requests are not counted", extra={"error": type(error).__name__})
            self._away_until = time.monotonic() + _RETRY_SECONDS
            lease.left = self._part
            return
        lease.left = max(0, min(self._part, self.limit - used + self._part))
        lease.used = min(used, self.limit)


class RateLimits:
    """The limit of a caller, and that of an address with all its callers together; a limit of 0 is none."""

    def __init__(self, redis: Redis, of_a_caller: int, of_an_address: int) -> None:
        self._callers = RateLimit(redis, of_a_caller) if of_a_caller else None
        self._addresses = RateLimit(redis, of_an_address, "address") if of_an_address else None

    def count(self, caller: str, address: str) -> Told | None:
        """Count a request and return what is left of the tighter limit; None if there is no limit.

        A request that one limit refuses is not counted by the other.
        """
        if self._callers is None:
            return self._addresses.count(address) if self._addresses is not None else None
        by_caller = self._callers.count(caller)
        if self._addresses is None or by_caller.left < 0:
            return by_caller

        by_address = self._addresses.count(address)
        if by_address.left < 0:
            self._callers.give_back(caller)
        return by_caller if by_caller.left <= by_address.left else by_address
