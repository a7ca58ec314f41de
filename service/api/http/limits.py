"""Limits: requests in a minute, and long answers sent at once.

Requests are limited by caller and by address. The limits hold over all web processes: the counts
are in Redis. A process leases a part of a caller's limit at a time and counts down from this part,
so only one request in many costs a round trip.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import NamedTuple, Protocol

from redis.client import Pipeline
from redis.exceptions import RedisError

from service.base import metrics
from service.base.addresses import parsed_address
from service.base.errors import TooMany

_log = logging.getLogger(__name__)

WINDOW = 60  # seconds
_LEASES = 64  # a lease is 1/_LEASES of a limit, and at least one request
_MOST_LEASES = 32_768  # callers remembered by a process
_MOST_COUNTS = 65_536  # callers counted in Redis by a process in one window
_COST_SECONDS = 0.01  # so much processor time counts as one more request
_RETRY_SECONDS = 1.0  # pause before Redis is asked again after a failure

# Names of the counted things in refusals, by limit.
_COUNTED = {
    "caller": "requests of one caller",
    "address": "requests from one address",
    "openings": "matches are opened",
}


class Pipelines(Protocol):
    """The store of counts: a client of Redis, or the queues."""

    def pipeline(self, transaction: bool = True) -> AbstractContextManager[Pipeline]:
        """Return a pipeline. The pipeline soon raises RedisError if Redis does not answer."""
        ...


class Allowance(NamedTuple):
    """The state of a limit after a request was counted."""

    # Name of the limit: "caller", "address" or "openings".
    name: str
    # Requests allowed in a window.
    limit: int
    # Requests left. -1: the counted request was one too many.
    remaining: int
    # Seconds until the next window.
    resets: int
    # Length of a window, in seconds.
    window: int

    def refusal(self) -> TooMany:
        """Return the error for a request that was one too many."""
        detail = f"at most {self.limit} {_COUNTED[self.name]} in {self.window} seconds"
        return TooMany("requests", detail, self.resets)

    def headers(self) -> list[tuple[str, str]]:
        """Return the headers about the limit (draft-ietf-httpapi-ratelimit-headers)."""
        remaining = max(0, self.remaining)
        return [
            ("RateLimit-Policy", f'"{self.name}";q={self.limit};w={self.window}'),
            ("RateLimit", f'"{self.name}";r={remaining};t={self.resets}'),
        ]


@dataclass(slots=True)
class Lease:
    """The requests of a caller in a window that this process may count without asking Redis."""

    remaining: int = 0
    # Sum of the leases of all processes, as of the last renewal.
    used: int = 0
    # Held while a request is counted, so that simultaneous requests lease only one part.
    lock: threading.Lock = field(default_factory=threading.Lock)


class Leases:
    """The leases of one window, for the latest callers."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.by_caller: dict[str, Lease] = {}
        self._made = 0

    def __len__(self) -> int:
        return len(self.by_caller)

    def make(self, caller: str, limit: int) -> Lease:
        """Return a new lease of a caller. Drop the oldest lease if there are too many.

        After _MOST_COUNTS new callers a lease is the whole limit, and Redis is not asked.
        """
        self._made += 1
        counted_here_alone = self._made > _MOST_COUNTS
        lease = Lease(remaining=limit, used=limit) if counted_here_alone else Lease()

        self.by_caller[caller] = lease
        if len(self.by_caller) > _MOST_LEASES:
            oldest = next(iter(self.by_caller))
            del self.by_caller[oldest]
        return lease


class RateLimit:
    """The limit of a caller's requests in each minute.

    A process leases 1/64 of the limit at a time, at least one request. Other processes cannot use
    the rest of a lease in this window. While Redis is away nobody is limited.

    Memory is bounded for any number of callers. A process remembers the latest 32,768 callers.
    After 65,536 new leases in a window it counts further callers without Redis, so that the counts
    in Redis are bounded, too.
    """

    def __init__(self, redis: Pipelines, limit: int, name: str = "caller") -> None:
        self.limit = limit
        self.name = name
        self._redis = redis
        self._part = max(1, limit // _LEASES)
        self._lock = threading.Lock()
        self._leases = Leases(window=0)
        self._away_until = 0.0

    def count(self, caller: str) -> Allowance:
        """Count a request and return its allowance."""
        window, passed = divmod(int(time.time()), WINDOW)
        leases = self._leases
        lease = leases.by_caller.get(caller) if leases.window == window else None
        if lease is None:
            lease = self._new_lease(caller, window)

        with lease.lock:
            if lease.remaining <= 0 and lease.used < self.limit:
                self._renew(lease, key=f"giornale:rate:{self.name}:{window}:{caller}")

            remaining = -1  # nothing left, even for this request
            if lease.remaining > 0:
                lease.remaining -= 1
                not_leased = self.limit - lease.used
                remaining = min(self.limit, not_leased + lease.remaining)

        return Allowance(
            name=self.name,
            limit=self.limit,
            remaining=remaining,
            resets=WINDOW - passed,
            window=WINDOW,
        )

    def give_back(self, caller: str) -> None:
        """Uncount a request that another limit refuses."""
        with self._lock:
            lease = self._leases.by_caller.get(caller)
        if lease is not None:
            with lease.lock:
                lease.remaining += 1

    def charge(self, caller: str, requests: int) -> None:
        """Count a request `requests` times more, but at most 1/64 of the limit.

        Without this bound, the slow first request of a process would use up a small limit.
        """
        requests = min(requests, self.limit // _LEASES)
        with self._lock:
            lease = self._leases.by_caller.get(caller)
        if lease is not None:
            with lease.lock:
                lease.remaining -= requests

    def _new_lease(self, caller: str, window: int) -> Lease:
        """Return a caller's new lease for a window, or the lease just made by another thread."""
        with self._lock:
            if self._leases.window != window:
                self._leases = Leases(window)
            return self._leases.by_caller.get(caller) or self._leases.make(caller, self.limit)

    def _renew(self, lease: Lease, key: str) -> None:
        """Lease another part, or more if charges have made a debt. Ask Redis unless it is away."""
        part = max(self._part, 1 - lease.remaining)
        leased_by_all = self._lease_in_redis(key, part)
        if leased_by_all is None:
            lease.remaining = self._part
            return

        leased_before = leased_by_all - part
        lease.remaining += max(0, min(part, self.limit - leased_before))
        lease.used = min(leased_by_all, self.limit)

    def _lease_in_redis(self, key: str, part: int) -> int | None:
        """Lease a part in Redis. Return the sum of all processes' leases, None without Redis."""
        if time.monotonic() < self._away_until:
            return None
        try:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.incrby(key, part)
                pipeline.expire(key, WINDOW)
                return int(pipeline.execute()[0])
        except RedisError as error:
            _log.warning("requests were not counted", extra={"error": type(error).__name__})
            self._away_until = time.monotonic() + _RETRY_SECONDS
            return None


class RateLimits:
    """The limits of a caller and of an address with all its callers. 0: no limit."""

    def __init__(self, redis: Pipelines, of_a_caller: int, of_an_address: int) -> None:
        self._callers = RateLimit(redis, of_a_caller) if of_a_caller else None
        self._addresses = RateLimit(redis, of_an_address, "address") if of_an_address else None

    def count(self, caller: str, address: str) -> Allowance | None:
        """Count a request and return the allowance of the tighter limit, None without a limit.

        A request refused by one limit is not counted by the other limit.
        """
        if self._callers is None:
            return None if self._addresses is None else self._addresses.count(address)

        by_caller = self._callers.count(caller)
        if self._addresses is None or by_caller.remaining < 0:
            return by_caller

        by_address = self._addresses.count(address)
        if by_address.remaining < 0:
            self._callers.give_back(caller)
        address_is_tighter = by_address.remaining < by_caller.remaining
        return by_address if address_is_tighter else by_caller

    def charge(self, caller: str, address: str, processor_seconds: float) -> None:
        """Count a request once more for each 10 ms of its processor time."""
        requests = int(processor_seconds / _COST_SECONDS)
        if requests and self._callers is not None:
            self._callers.charge(caller, requests)
        if requests and self._addresses is not None:
            self._addresses.charge(address, requests)


# ---- where a request comes from ------------------------------------------------------------


class Sender(NamedTuple):
    """The caller and the address to count a request by."""

    # Hash of a token known to be valid in this process, else the address.
    caller: str
    # Address. For IPv6 the /64 network, because a caller may use all its addresses.
    address: str


class Proxies:
    """The proxies trusted to name their clients.

    Libraries for X-Forwarded-For do not serve here. Some count hops, and so believe a client that
    does not come through the proxy. Others take a malformed entry for an address.
    """

    def __init__(self, networks: tuple[str, ...]) -> None:
        self._networks: tuple[IPv4Network | IPv6Network, ...] = tuple(map(ip_network, networks))

    def client_of(self, peer: str, forwarded_for: str) -> str:
        """Return the client's address: the last in X-Forwarded-For that is no trusted proxy's.

        The client is the peer itself if the peer is not trusted, if the header names only trusted
        proxies, or if an entry after the client's entry is no address.
        """
        if not self._networks or not forwarded_for or not self.trusts(peer):
            return peer

        for entry in reversed(forwarded_for.split(",")):
            address = parsed_address(entry.strip())
            if address is None:
                return peer
            if not self.trusts(str(address)):
                return str(address)
        return peer

    def trusts(self, text: str) -> bool:
        """Return True for the address of a trusted proxy."""
        address = parsed_address(text)
        return address is not None and any(address in network for network in self._networks)


# ---- how many long answers are sent at once ------------------------------------------------------

# Live streams, answers of many lines and long bodies each hold a permit until only their last bytes
# are unsent. If a body came in one piece, the server would copy it and go on, so unread bodies
# could not be counted. If a body comes in pieces, the server takes a piece only after it has sent
# the piece before.

# Size of the system's buffer for bytes that the client has not read yet. The system sets aside
# twice as much.
SENT_AHEAD_BYTES = 64 * 1024
PIECE_BYTES = 32 * 1024

# A body up to this length leaves the process at once, even if the client does not read.
LONG_BYTES = 2 * SENT_AHEAD_BYTES

_ROOM_AFTER = 5  # seconds until a refused caller may ask again


class StreamPermit:
    """The permit of one long answer."""

    def __init__(self, limit: "StreamLimit", names: frozenset[str]) -> None:
        self._limit = limit
        self.names = names
        self.is_held = True

    def give_back(self) -> None:
        """Free the permit. A second call does nothing."""
        self._limit.give_back(self)


class StreamLimit:
    """The permits for long answers of this process, and their holders.

    If there are two or more permits, a single caller or address cannot have all: a quarter, and at
    least one, is out of reach.
    """

    def __init__(self, most: int, each: int) -> None:
        out_of_reach = max(1, most // 4)
        self.most = most
        self.each = min(each, max(1, most - out_of_reach))
        self._lock = threading.Lock()
        self._taken = 0
        self._taken_for: Counter[str] = Counter()

    def take(self, *names: str) -> StreamPermit | None:
        """Return a permit for a caller and an address, None if no permit is left for them.

        A repeated name counts once.
        """
        counted = frozenset(names)
        with self._lock:
            if not self._has_room_for(counted):
                return None
            self._taken += 1
            self._taken_for.update(counted)
        metrics.STREAMS.inc()
        return StreamPermit(self, counted)

    def must_take(self, *names: str) -> StreamPermit:
        """Return a permit. Raises TooMany if no permit is left."""
        permit = self.take(*names)
        if permit is None:
            raise TooMany(
                "streams",
                f"at most {self.each} long answers may be open for one token or address. In all: "
                f"{self.most}",
                _ROOM_AFTER,
            )
        return permit

    def give_back(self, permit: StreamPermit) -> None:
        """Free a permit, unless it was freed before."""
        with self._lock:
            if not permit.is_held:
                return
            permit.is_held = False
            self._taken -= 1
            for name in permit.names:
                self._taken_for[name] -= 1
                if not self._taken_for[name]:
                    del self._taken_for[name]
        metrics.STREAMS.dec()

    def _has_room_for(self, names: frozenset[str]) -> bool:
        if self._taken >= self.most:
            return False
        return all(self._taken_for[name] < self.each for name in names)


def in_pieces(body: bytes) -> Iterator[bytes]:
    """Yield a body in pieces."""
    for begin in range(0, len(body), PIECE_BYTES):
        yield body[begin : begin + PIECE_BYTES]
