"""Limits: how many requests may be made in a minute, and how many long answers are sent at once.

The limits of requests are those of a caller and of an address. They hold over all web processes:
the counts are kept in Redis. A process leases a part of a caller's limit at a time and counts down
from that, so one request in many costs a round trip.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple, Protocol

from redis.client import Pipeline
from redis.exceptions import RedisError

from service.base import metrics
from service.base.errors import TooMany

_log = logging.getLogger(__name__)

WINDOW = 60  # seconds
_LEASES = 64  # a process takes its share of the window in so many parts at least
_MOST_LEASES = 32_768  # callers that a process remembers at once
_MOST_COUNTS = 65_536  # callers for which a process has Redis keep a count in one window
_COST_SECONDS = 0.01  # each such part of its processor time counts a request once more
_RETRY_SECONDS = 1.0  # for so long after a failure Redis is not asked again

# What a limit counts, by its name.
_COUNTED = {
    "caller": "requests of one caller",
    "address": "requests from one address",
    "openings": "matches are opened",
}


class Pipelines(Protocol):
    """What counts are kept in: a client of Redis, or the queues."""

    def pipeline(self, transaction: bool = True) -> AbstractContextManager[Pipeline]:
        """Return a pipeline; it raises RedisError, soon, if Redis does not answer."""
        ...


class Allowance(NamedTuple):
    """What is left of a limit after a request was counted."""

    # Of the limit: "caller", "address" or "openings".
    name: str
    # So many requests may be made in a window.
    limit: int
    # So many are left; -1: this one was one too many.
    left: int
    # Seconds until the next window begins.
    resets: int
    # Seconds that a window lasts.
    window: int

    def refusal(self) -> TooMany:
        """Return the error for a request that was one too many."""
        detail = f"at most {self.limit} {_COUNTED[self.name]} in {self.window} seconds"
        return TooMany("requests", detail, self.resets)

    def headers(self) -> list[tuple[str, str]]:
        """Return what an answer says of the limit (draft-ietf-httpapi-ratelimit-headers)."""
        left = max(0, self.left)
        return [
            ("RateLimit-Policy", f'"{self.name}";q={self.limit};w={self.window}'),
            ("RateLimit", f'"{self.name}";r={left};t={self.resets}'),
        ]


@dataclass(slots=True)
class Lease:
    """What this process may still let a caller do in a window without asking Redis."""

    left: int = 0
    # What all processes together have leased, as of the last renewal.
    used: int = 0
    # Held while the lease is renewed, so that requests that come together lease one part.
    lock: threading.Lock = field(default_factory=threading.Lock)


class Leases:
    """The leases of one window, of the callers that came last."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.by_caller: dict[str, Lease] = {}
        self._made = 0

    def __len__(self) -> int:
        return len(self.by_caller)

    def make(self, caller: str, limit: int) -> Lease:
        """Return a new lease of a caller; the oldest is forgotten if there are too many.

        After too many new callers it is the whole limit: Redis is not asked for these.
        """
        self._made += 1
        counted_here_alone = self._made > _MOST_COUNTS
        lease = Lease(left=limit, used=limit) if counted_here_alone else Lease()

        self.by_caller[caller] = lease
        if len(self.by_caller) > _MOST_LEASES:
            oldest = next(iter(self.by_caller))
            del self.by_caller[oldest]
        return lease


class RateLimit:
    """So many requests a caller may make in each minute.

    A process leases 1/64 of the limit at a time; what it leases and does not use is lost to the
    caller until the next window. When Redis is away nobody is limited.

    Memory is bounded however many callers come. A process remembers 32,768 of them, the latest that
    came. Beyond 65,536 in a window it counts new ones by itself, so that what Redis keeps is
    bounded, too.
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
        """Count a request and return what is left."""
        window, passed = divmod(int(time.time()), WINDOW)
        leases = self._leases
        lease = leases.by_caller.get(caller) if leases.window == window else None
        if lease is None:
            lease = self._new_lease(caller, window)

        with lease.lock:
            if lease.left <= 0 and lease.used < self.limit:
                self._renew(lease, key=f"giornale:rate:{self.name}:{window}:{caller}")

            left = -1  # none is left, not even for this request
            if lease.left > 0:
                lease.left -= 1
                not_leased = self.limit - lease.used
                left = min(self.limit, not_leased + lease.left)

        return Allowance(
            name=self.name,
            limit=self.limit,
            left=left,
            resets=WINDOW - passed,
            window=WINDOW,
        )

    def give_back(self, caller: str) -> None:
        """Take back what was just counted: the request is refused for another reason."""
        with self._lock:
            lease = self._leases.by_caller.get(caller)
        if lease is not None:
            with lease.lock:
                lease.left += 1

    def charge(self, caller: str, requests: int) -> None:
        """Count a request that was let in so many times more, at most 1/64 of the limit.

        The bound is for small limits: the first request of a process takes long whoever asks.
        """
        requests = min(requests, self.limit // _LEASES)
        with self._lock:
            lease = self._leases.by_caller.get(caller)
        if lease is not None:
            with lease.lock:
                lease.left -= requests

    def _new_lease(self, caller: str, window: int) -> Lease:
        """Return a new lease of a window for a caller, unless another thread has just made one."""
        with self._lock:
            if self._leases.window != window:
                self._leases = Leases(window)
            return self._leases.by_caller.get(caller) or self._leases.make(caller, self.limit)

    def _renew(self, lease: Lease, key: str) -> None:
        """Lease another part and what is owed; while Redis is away without its knowledge."""
        part = max(self._part, 1 - lease.left)
        leased_by_all = self._lease_in_redis(key, part)
        if leased_by_all is None:
            lease.left = self._part
            return

        leased_before = leased_by_all - part
        lease.left += max(0, min(part, self.limit - leased_before))
        lease.used = min(leased_by_all, self.limit)

    def _lease_in_redis(self, key: str, part: int) -> int | None:
        """Return what all processes have leased with this part, None while Redis is away."""
        if time.monotonic() < self._away_until:
            return None
        try:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.incrby(key, part)
                pipeline.expire(key, WINDOW)
                return int(pipeline.execute()[0])
        except RedisError as error:
            _log.warning("requests are not counted", extra={"error": type(error).__name__})
            self._away_until = time.monotonic() + _RETRY_SECONDS
            return None


class RateLimits:
    """The limit of a caller, and that of an address with all its callers; a limit of 0 is none."""

    def __init__(self, redis: Pipelines, of_a_caller: int, of_an_address: int) -> None:
        self._callers = RateLimit(redis, of_a_caller) if of_a_caller else None
        self._addresses = RateLimit(redis, of_an_address, "address") if of_an_address else None

    def count(self, caller: str, address: str) -> Allowance | None:
        """Count a request and return what is left of the tighter limit; None if there is no limit.

        A request that one limit refuses is not counted by the other.
        """
        if self._callers is None:
            return None if self._addresses is None else self._addresses.count(address)

        by_caller = self._callers.count(caller)
        if self._addresses is None or by_caller.left < 0:
            return by_caller

        by_address = self._addresses.count(address)
        if by_address.left < 0:
            self._callers.give_back(caller)
        address_is_tighter = by_address.left < by_caller.left
        return by_address if address_is_tighter else by_caller

    def charge(self, caller: str, address: str, processor_seconds: float) -> None:
        """Count a request once more for each 10 ms of processor time that it took."""
        requests = int(processor_seconds / _COST_SECONDS)
        if requests and self._callers is not None:
            self._callers.charge(caller, requests)
        if requests and self._addresses is not None:
            self._addresses.charge(address, requests)


# ---- where a request comes from ------------------------------------------------------------

Address = IPv4Address | IPv6Address

# Of an IPv6 address; who has one address of such a network has them all.
_NETWORK_BITS = 64


class Sender(NamedTuple):
    """By what a request is counted."""

    # The hash of a token that this process has seen to count, or else the address.
    caller: str
    # The address, or the network of an address.
    address: str


class Proxies:
    """The proxies that are trusted to name their clients.

    Libraries that read X-Forwarded-For either count hops, and so believe all who come past the
    proxy, or take a malformed entry for an address.
    """

    def __init__(self, networks: tuple[str, ...]) -> None:
        self._networks: tuple[IPv4Network | IPv6Network, ...] = tuple(map(ip_network, networks))

    def client_of(self, peer: str, forwarded_for: str) -> str:
        """Return the client's address: the last in X-Forwarded-For that is no trusted proxy's.

        It is the peer's own address if the peer is not trusted, if the header names nobody else,
        or if an entry on the way is no address.
        """
        if not self._networks or not forwarded_for or not self.trusts(peer):
            return peer

        for entry in reversed(forwarded_for.split(",")):
            address = _parsed(entry.strip())
            if address is None:
                return peer
            if not self.trusts(str(address)):
                return str(address)
        return peer

    def trusts(self, text: str) -> bool:
        """Return whether an address is a trusted proxy's."""
        address = _parsed(text)
        return address is not None and any(address in network for network in self._networks)


@lru_cache(maxsize=4096)
def address_key(address: str) -> str:
    """Return what counts as one address: an IPv4 address, or the /64 network of an IPv6 address."""
    parsed = _parsed(address)
    if isinstance(parsed, IPv6Address):
        first_address = int(parsed) >> _NETWORK_BITS << _NETWORK_BITS
        return str(IPv6Network((first_address, _NETWORK_BITS)))
    return address if parsed is None else str(parsed)


def _parsed(text: str) -> Address | None:
    """Return an address, None for what is none; IPv4 also where it is written as IPv6."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


# ---- how many long answers are sent at once ------------------------------------------------------

# Live streams, answers of many lines and long bodies each hold a permit until they were sent, all
# but their ends: the server copies a whole body and goes on, so it would not be known how many lie
# there unread. Of a body in pieces it takes one, and asks for the next when that is sent.

# So much of an answer the system is given before it is read; it sets twice as much aside.
SENT_AHEAD_BYTES = 64 * 1024
PIECE_BYTES = 32 * 1024

# What is no longer than this leaves the process at once, whether it is read or not.
LONG_BYTES = 2 * SENT_AHEAD_BYTES

_ROOM_AFTER = 5  # seconds until one for whom there is no long answer may ask again


class StreamPermit:
    """The room of one long answer."""

    def __init__(self, limit: "StreamLimit", names: frozenset[str]) -> None:
        self._limit = limit
        self.names = names
        self.held = True

    def give_back(self) -> None:
        """Let another long answer have the room; to do so twice does no harm."""
        self._limit.give_back(self)


class StreamLimit:
    """The permits for long answers of this process, and who holds them.

    Whatever the settings say, a quarter of all is out of reach for any single caller or address.
    """

    def __init__(self, most: int, each: int) -> None:
        out_of_reach = max(1, most // 4)
        self.most = most
        self.each = min(each, max(1, most - out_of_reach))
        self._lock = threading.Lock()
        self._taken = 0
        self._taken_for: Counter[str] = Counter()

    def take(self, *names: str) -> StreamPermit | None:
        """Return a permit for a caller and an address, None if there is none left.

        A name given twice counts once.
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
        """Return a permit; raises TooMany if there is none left."""
        permit = self.take(*names)
        if permit is None:
            raise TooMany(
                "streams",
                f"at most {self.each} long answers for one token or one address, "
                f"{self.most} in all",
                _ROOM_AFTER,
            )
        return permit

    def give_back(self, permit: StreamPermit) -> None:
        """Count a permit as free again, if it is still held."""
        with self._lock:
            if not permit.held:
                return
            permit.held = False
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
