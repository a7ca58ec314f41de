"""How many requests a caller and an address may make in a minute, over all web processes.

The counts are kept in Redis. A process leases a part of a caller's limit at a time and counts down
from that, so one request in many costs a round trip.
"""

import logging
import random
import re
import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from time import perf_counter
from typing import Any, NamedTuple, Protocol

from flask import current_app, request
from redis.exceptions import RedisError

from service.api.http.auth import shown_token
from service.errors import TooMany
from service.matches.context import Context

# §§§ service.api.http.rate_limits


_log = logging.getLogger(__name__)

WINDOW = 60  # seconds
_LEASES = 64  # a process takes its share of the window in so many parts at least
_MOST_LEASES = 32_768  # callers that a process remembers at once
_MOST_COUNTS = 65_536  # callers for which a process has Redis keep a count in one window
_RETRY_SECONDS = 1.0  # for so long after a failure Redis is not asked again


class Pipelines(Protocol):
    """What counts are kept in: a client of Redis, or the queues."""

    def pipeline(self, transaction: bool = True) -> AbstractContextManager[Any]:
        """Return a pipeline; it raises RedisError, soon, if Redis does not answer."""
        ...


class Allowance(NamedTuple):
    """What a caller is told of a limit after a request was counted."""

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


@dataclass(slots=True)
class Lease:
    """What this process may still let a caller do in a window without asking Redis."""

    left: int = 0
    # What all processes together have leased, as of the last renewal.
    used: int = 0
    # Held while the lease is renewed, so that requests that come together lease one part.
    lock: threading.Lock = field(default_factory=threading.Lock)


class Leases:
    """The leases of one window: those of the callers that came last."""

    def __init__(self, window: int) -> None:
        self.window = window
        self._by_caller: dict[str, Lease] = {}
        self._made = 0

    def __len__(self) -> int:
        return len(self._by_caller)

    def get(self, caller: str) -> Lease | None:
        """Return a caller's lease, None if there is none yet."""
        return self._by_caller.get(caller)

    def make(self, caller: str, limit: int) -> Lease:
        """Return a new lease of a caller; the oldest is forgotten if there are too many.

        After too many new callers it is the whole limit: Redis is not asked for these.
        """
        self._made += 1
        counted_here_alone = self._made > _MOST_COUNTS
        lease = Lease(left=limit, used=limit) if counted_here_alone else Lease()

        self._by_caller[caller] = lease
        if len(self._by_caller) > _MOST_LEASES:
            oldest = next(iter(self._by_caller))
            del self._by_caller[oldest]
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
        lease = self._lease(caller, window)
        with lease.lock:
            if lease.left <= 0 and lease.used < self.limit:
                self._renew(lease, key=f"giornale:rate:{self.name}:{window}:{caller}")
            left = self._use(lease)

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
            lease = self._leases.get(caller)
        if lease is not None:
            with lease.lock:
                lease.left += 1

    def _lease(self, caller: str, window: int) -> Lease:
        """Return the caller's lease of a window, a new one if there is none."""
        leases = self._leases
        if leases.window == window:
            known = leases.get(caller)
            if known is not None:
                return known  # most often, and without the lock

        with self._lock:
            if self._leases.window != window:
                self._leases = Leases(window)
            return self._leases.get(caller) or self._leases.make(caller, self.limit)

    def _use(self, lease: Lease) -> int:
        """Use a lease for one request; return how many are left to the caller, -1 if none was."""
        if lease.left <= 0:
            return -1
        lease.left -= 1
        not_leased = self.limit - lease.used
        return min(self.limit, not_leased + lease.left)

    def _renew(self, lease: Lease, key: str) -> None:
        """Lease another part; while Redis is away without its knowledge."""
        leased_by_all = self._lease_in_redis(key)
        if leased_by_all is None:
            lease.left = self._part
            return

        leased_before = leased_by_all - self._part
        lease.left = max(0, min(self._part, self.limit - leased_before))
        lease.used = min(leased_by_all, self.limit)

    def _lease_in_redis(self, key: str) -> int | None:
        """Return what all processes have leased with this part, None while Redis is away."""
        if time.monotonic() < self._away_until:
            return None
        try:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.incrby(key, self._part)
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


# §§§ service.api.http.rate_limits
# A visit: what the service notes of one request, in the request's WSGI environment.
#
# It is there before Flask has seen the request, and whoever needs it finds it by the environment.


_VISIT = "giornale.visit"  # key of the WSGI environment
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# An id only has to be another one than the others. To ask the system for secret bytes lets another
# thread go on: a short request takes 5 % longer so.
_ID_BITS = 64

Headers = list[tuple[str, str]]


@dataclass(slots=True)
class Visit:
    """What is noted of a request.

    request_id: the caller's own, if that is one, or else a random one.
    began: when the service took the request up, of `perf_counter`.
    address: the client's, None before somebody has asked for it.
    counted: whether the request was counted, or refused to be.
    allowance: what is left of the tighter limit, None if the request was not counted.
    raised: the error that the express way has met; Flask answers it.
    """

    request_id: str
    began: float = field(default_factory=perf_counter)
    address: str | None = None
    counted: bool = False
    allowance: Allowance | None = None
    raised: Exception | None = None


def visit_of(environ: dict[str, Any]) -> Visit:
    """Return the visit of a request; it begins with the first call."""
    known: Visit | None = environ.get(_VISIT)
    if known is not None:
        return known

    given_id = environ.get("HTTP_X_REQUEST_ID", "")
    if not given_id or not _REQUEST_ID.fullmatch(given_id):
        given_id = f"{random.getrandbits(_ID_BITS):0{_ID_BITS // 4}x}"
    visit = Visit(given_id)
    environ[_VISIT] = visit
    return visit


def allowance_headers(visit: Visit) -> Headers:
    """Return what the answer tells of the limit: nothing if the request was not counted.

    The headers RateLimit-Policy and RateLimit are those of draft-ietf-httpapi-ratelimit-headers.
    """
    allowance = visit.allowance
    if allowance is None:
        return []

    name = allowance.name
    left = max(0, allowance.left)
    return [
        ("RateLimit-Policy", f'"{name}";q={allowance.limit};w={allowance.window}'),
        ("RateLimit", f'"{name}";r={left};t={allowance.resets}'),
    ]


# §§§ service.api.http.rate_limits
# Where a request comes from: the client's address, also behind proxies that are trusted.


Address = IPv4Address | IPv6Address

# Of an IPv6 address; whoever has one address of such a network has them all.
_NETWORK_BITS = 64


class Proxies:
    """The proxies that are trusted to say whom they speak for.

    Libraries that read X-Forwarded-For either count hops, and so believe whoever comes past the
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


def client_address() -> str:
    """Return the address of the client that sent this request; "" if the server knows none."""
    return address_of(request.environ, current_app.extensions["proxies"])


def address_of(environ: dict[str, Any], proxies: Proxies) -> str:
    """Return the address of the client that sent a request; "" if the server knows none."""
    visit = visit_of(environ)
    if visit.address is None:
        peer = environ.get("REMOTE_ADDR", "")
        forwarded_for = environ.get("HTTP_X_FORWARDED_FOR", "")
        visit.address = proxies.client_of(peer, forwarded_for)
    return visit.address


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


# §§§ service.api.http.rate_limits
# Requests and openings of matches, counted against the limits of whoever sends them.


Parts = Mapping[str, Any]


class Sender(NamedTuple):
    """By what a request is counted."""

    # The hash of a token that this process has seen to count, or else the address.
    caller: str
    # The address, or the network of an address.
    address: str


def sender() -> Sender:
    """Return by what this request is counted."""
    return sender_of(request.environ, current_app.extensions)


def sender_of(environ: dict[str, Any], parts: Parts) -> Sender:
    """Return by what a request is counted.

    parts: those of the application. A token that was made up does not count, so nobody gets a share
    of their own by sending one.
    """
    address = f"address:{address_key(address_of(environ, parts['proxies']))}"
    ctx: Context = parts["ctx"]
    shown = shown_token(environ)
    if shown is not None and shown.holder_field in ctx.cache.holders:
        return Sender(shown.holder_field, address)
    return Sender(address, address)


def count_request(environ: dict[str, Any], parts: Parts) -> None:
    """Count a request, once however often this is called; raises TooMany."""
    visit = visit_of(environ)
    limits: RateLimits | None = parts["rate_limit"]
    if limits is None or visit.counted:
        return

    visit.counted = True
    allowance = limits.count(*sender_of(environ, parts))
    if allowance is None:
        return
    visit.allowance = allowance
    if allowance.left < 0:
        whose = "from one address" if allowance.name == "address" else "of one caller"
        raise TooMany(
            "requests",
            f"at most {allowance.limit} requests {whose} in {allowance.window} seconds",
            allowance.resets,
        )


def count_opening() -> None:
    """Count an opening of the address that asks, a repeated one too; raises TooMany.

    Openings have a limit of their own: each costs more than other requests and leaves more behind.
    """
    limit: RateLimit | None = current_app.extensions["openings"]
    if limit is None:
        return

    allowance = limit.count(sender().address)
    if allowance.left < 0:
        raise TooMany(
            "requests",
            f"at most {allowance.limit} matches are opened in {allowance.window} seconds",
            allowance.resets,
        )
