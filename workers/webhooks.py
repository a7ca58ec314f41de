"""Webhook calls: one POST to an address that a stranger has named, within bounds.

A job only hands its match over to threads of its process. While the journal is away, they try it
again. A match whose calls are not made is due again when its timer's lease is over: where the
process ends, or has too much to do.
"""

import base64
import hmac
import http.client
import ipaddress
import logging
import random
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from functools import cache
from urllib.parse import urlsplit

import orjson
from redis.exceptions import RedisError

from service.journal.errors import JournalError, JournalUnavailable
from service.journal.values import HOOK, Timer
from service.keys.signer import Signer
from service.ledger.commit import timestamp
from service.matches import webhooks
from service.matches.context import Context
from service.matches.webhooks import Answer, Call
from workers import process
from workers.scheduler import TIMER_LEASES_MS

SECONDS = 15.0  # for one call in all
STOP_SECONDS = 5.0  # that calls under way are left when their process is to end
AT_ONCE = 32  # calls of one process
AT_ONE_HOST = 2  # of them to one host, so that a dead one leaves room for the others
UNPROVEN_AT_ONCE = AT_ONCE // 2  # of them to receivers that did not take the last call
AT_HAND = 500  # matches that a process has taken and not seen to
CROWDED_MS = (5_000, 60_000)  # until another try where there is no room; drawn, so that few meet
AWAY_SECONDS = 1.0  # until another try where the journal is away
LONGEST_ANSWER = 16 * 1024  # bytes that are read of one

_log = logging.getLogger(__name__)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# Of IPv6 only this is given out to the internet (RFC 4291). Beside it lie networks that lead into
# private ones, or to an IPv4 address that hides in them; in it 6to4 does (RFC 3056).
_PUBLIC = ipaddress.ip_network("2000::/3")
_6TO4 = ipaddress.ip_network("2002::/16")

_UNPROVEN = ""  # counts calls to receivers without proof; no host has this name


def deliver(match_id: str, claimed_until: int) -> None:
    """Hand a match whose webhooks are due over to this process's threads."""
    _pool().take(Timer(HOOK, match_id, 0, claimed_until))


def close() -> None:
    """End this process's calls under way, if it has made any; what is in line is not made."""
    if _pool.cache_info().currsize:
        _pool().close()


@cache
def _pool() -> "Pool":
    config = process.config()
    networks = tuple(map(ipaddress.ip_network, config.hooks_allow))
    return Pool(
        process.ctx(),
        Caller(process.ctx().signer, networks),
        note=process.queues().note_webhook,
    )


class Pool:
    """The threads that make calls, and how many are under way to each host."""

    def __init__(
        self, ctx: Context, caller: "Caller", note: Callable[[str], None] = lambda _outcome: None
    ) -> None:
        """Call with `caller` what is due in the journal of a context.

        note: counts a call that was made, as "received" or "failed"; may raise RedisError.
        """
        self._ctx = ctx
        self._caller = caller
        self._note = note
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="webhook")
        self._places = threading.BoundedSemaphore(AT_HAND)
        self._lock = threading.Lock()
        self._under_way: Counter[str] = Counter()
        self._closing = threading.Event()

    def take(self, timer: Timer, *, until: float | None = None) -> None:
        """Have a thread see to a match; without room for it nothing is done.

        until: when its lease ends (time.monotonic), if the journal was away before.
        """
        if not self._places.acquire(blocking=False):
            return
        future = self._threads.submit(self._work, timer, until)
        future.add_done_callback(self._free_place)

    def close(self) -> None:
        """Wait for the calls under way, then cut them; what is in line is left to others."""
        self._closing.set()
        cut = threading.Timer(STOP_SECONDS, self._caller.cut)
        cut.start()
        self._threads.shutdown(cancel_futures=True)
        cut.cancel()

    def _work(self, timer: Timer, until: float | None) -> None:
        """See to a match; while the journal is away, put it back into the line, behind others."""
        if self.see_to(timer):
            return
        if until is None:
            _log.warning("webhooks wait for the journal", extra={"match": timer.match})
            until = time.monotonic() + TIMER_LEASES_MS[HOOK] / 1000
        if time.monotonic() < until and not self._closing.wait(AWAY_SECONDS):
            with suppress(RuntimeError):  # the threads are closed just now
                self.take(timer, until=until)

    def see_to(self, timer: Timer) -> bool:
        """Make the calls that are due in a match, and settle its timer.

        Return False if the journal was away.
        """
        try:
            due, _ = webhooks.calls(self._ctx, timer.match)
            had_room = [self._make(call) for call in due]

            left, wait_ms = webhooks.calls(self._ctx, timer.match)
            if left:
                wait_ms = 0 if all(had_room) else random.randint(*CROWDED_MS)
            is_settled = self._ctx.journal.timers.settle(timer, wait_ms)
            # Another thread may have put it off, because a call was under way that is over now.
            if wait_ms == 0 and not is_settled:
                self._ctx.journal.timers.ring(HOOK, timer.match)
        except JournalUnavailable:
            return False
        except JournalError as error:
            details = {"match": timer.match, "error": type(error).__name__}
            _log.warning("webhooks wait for their lease", extra=details)
        except Exception:  # noqa: BLE001 - whatever is wrong with one match
            _log.exception("webhooks have failed", extra={"match": timer.match})
        return True

    def _make(self, call: Call) -> bool:
        """Make a call, unless another process does; return whether there was room for it."""
        host = urlsplit(call.webhook.url).hostname or call.webhook.url
        places = {host: AT_ONE_HOST}
        if not call.before.is_proven:
            places[_UNPROVEN] = UNPROVEN_AT_ONCE

        with self._hold(places) as has_room:
            if not has_room:
                return False
            begun = webhooks.begin(self._ctx, call)
            if begun is None:
                return True

            answer = self._caller.call(begun)
            webhooks.end(self._ctx, begun, answer)
            with suppress(RedisError):  # it is only counted
                self._note("received" if 200 <= answer.status < 300 else "failed")
            return True

    @contextmanager
    def _hold(self, places: Mapping[str, int]) -> Iterator[bool]:
        """Yield whether there is room for another call, and hold its places meanwhile.

        places: what the call counts for, and how many calls of that there may be at once.
        """
        with self._lock:
            has_room = all(self._under_way[name] < most for name, most in places.items())
            if has_room:
                self._under_way.update(places.keys())
        try:
            yield has_room
        finally:
            if has_room:
                with self._lock:
                    self._under_way -= Counter(places.keys())

    def _free_place(self, _done: Future[None]) -> None:
        self._places.release()


# ---- one call --------------------------------------------------------------------------------


class Refused(Exception):
    """An address that is not called; the message says why, in words that its owner may see."""


class Caller:
    """Makes calls, signed as Standard Webhooks has it.

    signer: signs with the server's key; None: only the webhook's secret does.
    allowed: networks that may be called although they are not global, also without TLS.
    """

    def __init__(self, signer: Signer | None, allowed: Sequence[Network] = ()) -> None:
        self._signer = signer
        self._allowed = allowed
        self._resolvers = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="resolver")
        self._connections: set[_Connection] = set()

    def call(self, call: Call) -> Answer:
        """Make a call, and return how it went; never raises, and takes SECONDS at the most."""
        body = _body(call)
        try:
            return self._post(call.webhook.url, body, self._headers(call, body))
        except Refused as error:
            return Answer(0, str(error))
        except TimeoutError:
            return Answer(0, "no answer in time")
        except (OSError, http.client.HTTPException, ValueError) as error:
            return Answer(0, f"no connection ({type(error).__name__})")

    def cut(self) -> None:
        """End the connections of all calls under way."""
        for connection in list(self._connections):
            connection.cut()

    def _headers(self, call: Call, body: bytes) -> dict[str, str]:
        """Return the headers of a call: its id, its time and its signatures."""
        sent_at = str(int(time.time()))
        signed = b".".join((call.id.encode(), sent_at.encode(), body))
        secret = base64.b64decode(call.webhook.secret.removeprefix("whsec_"))
        signatures = [f"v1,{_base64(hmac.digest(secret, signed, 'sha256'))}"]

        headers = {
            "Content-Type": "application/json",
            "User-Agent": "giornale",
            "webhook-id": call.id,
            "webhook-timestamp": sent_at,
        }
        if self._signer is not None:
            key_id, signature = self._signer.sign_bytes(signed)
            signatures.append(f"v1a,{_base64(signature)}")
            headers["giornale-key"] = key_id
        headers["webhook-signature"] = " ".join(signatures)
        return headers

    def _post(self, url: str, body: bytes, headers: dict[str, str]) -> Answer:
        """Send a POST to the address that was checked, whatever its name leads to meanwhile."""
        ends = time.monotonic() + SECONDS
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = parts.port or (443 if parts.scheme == "https" else 80)
        # A name server may take longer than there is time, and nothing can interrupt the question.
        asked = self._resolvers.submit(
            self._checked_address, host, port, with_tls=parts.scheme == "https"
        )
        try:
            address = asked.result(SECONDS)
        finally:
            asked.cancel()  # if it has not begun, nobody waits for it any more

        connection = _Connection(host, port, address, ends, with_tls=parts.scheme == "https")
        # A receiver that sends a byte now and then would keep a thread for ever.
        alarm = threading.Timer(max(0.0, ends - time.monotonic()), connection.cut)
        alarm.start()
        self._connections.add(connection)
        try:
            target = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
            connection.request("POST", target, body, headers)
            answer = connection.getresponse()
            answer.read(LONGEST_ANSWER)
            connection.seconds_left()  # an answer that was cut off is none
            wait_ms = _wait_ms(answer.getheader("Retry-After", ""))
            return Answer(answer.status, str(answer.status), wait_ms)
        except (OSError, http.client.HTTPException):
            if time.monotonic() >= ends:
                raise TimeoutError from None
            raise
        finally:
            alarm.cancel()
            self._connections.discard(connection)
            connection.close()

    def _checked_address(self, host: str, port: int, *, with_tls: bool) -> str:
        """Return an address of a host, all of whose addresses may be called; raises Refused."""
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in found]
        is_allowed = [any(one in network for network in self._allowed) for one in addresses]

        if not with_tls and not all(is_allowed):
            raise Refused("the address is called by https only")
        for address, allowed in zip(addresses, is_allowed, strict=True):
            if not allowed and not is_global(address):
                raise Refused("the address leads into a network that is not public")
        return str(addresses[0])


def is_global(address: Address) -> bool:
    """Return whether an address is one of the public internet, and hides no other one."""
    if not address.is_global or address.is_multicast:
        return False
    return address.version == 4 or (address in _PUBLIC and address not in _6TO4)


class _Connection(http.client.HTTPSConnection):
    """A connection to an address that was checked, in the name of its host."""

    def __init__(self, host: str, port: int, address: str, ends: float, *, with_tls: bool) -> None:
        super().__init__(host, port, context=_tls())
        self._address = address
        self._ends = ends
        self._with_tls = with_tls
        # What `cut` ends; `sock` is None once an answer is to be read until the connection closes.
        self._wire: socket.socket | None = None

    def connect(self) -> None:
        """Connect to the address, and prove by TLS that the host is there."""
        self.sock = socket.create_connection((self._address, self.port), self.seconds_left())
        self._wire = self.sock
        if self._with_tls:
            self.sock = _tls().wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
            self._wire = self.sock
            # Only now, so that `cut` finds what the handshake reads from.
            self.sock.settimeout(self.seconds_left())
            self.sock.do_handshake()
        self.seconds_left()

    def seconds_left(self) -> float:
        """Return how long the call may still take; raises TimeoutError when its time is over."""
        seconds = self._ends - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds

    def cut(self) -> None:
        """End the connection in the middle of whatever is read or written, or once it is made."""
        self._ends = 0.0
        if self._wire is not None:
            with suppress(OSError):
                self._wire.shutdown(socket.SHUT_RDWR)


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _body(call: Call) -> bytes:
    """Return what is sent: no more than lists tell of a match."""
    data = {
        "match": call.match,
        "version": call.version,
        "seat": call.seat,
        "deadline": call.deadline,
    }
    return orjson.dumps({"type": call.event, "timestamp": timestamp(call.time), "data": data})


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _wait_ms(retry_after: str) -> int:
    """Return what Retry-After wants (RFC 9110, 10.2.3), in milliseconds; 0 for nothing readable."""
    if retry_after.isdecimal():
        return int(retry_after[:9]) * 1000
    with suppress(ValueError, OverflowError):
        seconds = parsedate_to_datetime(retry_after).timestamp() - time.time()
        return max(0, round(seconds * 1000))
    return 0
