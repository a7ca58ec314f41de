"""One call of a webhook: a POST to an address that a stranger has named, within bounds.

A call has two parts, since each may hang on somebody else: the question to a name server
(`WebhookClient.find`), and the connection (`WebhookClient.call`). Each question has a thread of its
own, because nothing can interrupt it. Such threads are bounded, and a process ends without waiting
for them.
"""

import base64
import hmac
import ipaddress
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from queue import Empty, SimpleQueue
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson

from service.base.errors import Overloaded
from service.base.fetch import Connection, Limits, Review, port_of
from service.capabilities.webhooks.special_networks import Network, is_public, registered_domain
from service.capabilities.webhooks.use_cases import PROVEN_MS, Call, CallResult, may_have_port
from service.record.commit import timestamp
from service.store.keys.signer import Signer

SECONDS = 15.0  # for one call in all
LONGEST_ANSWER = 16 * 1024  # bytes that are read of one
QUESTIONS = 16  # at once to name servers, for proven receivers, and as many for all others
QUESTIONS_EACH = 2  # of them about names of one registered domain


class AddressRefused(Exception):
    """An address that is not called; the message says why, in words that its owner may see."""


class Resolution(NamedTuple):
    """Where a webhook's address leads.

    address: that is called, "" if none is.   failure: why not.
    ends: when the call must be over (time.monotonic).
    """

    address: str
    failure: CallResult | None = None
    ends: float = 0.0


class Questions:
    """Questions to name servers that are open: each in a thread of its own, so many at once.

    One that nobody waits for any more holds its place until the name server is given up, which may
    take a minute.
    """

    def __init__(self, most: int = QUESTIONS, each: int = QUESTIONS_EACH) -> None:
        self._most = most
        self._each = each
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()  # by registered domain
        self._waiting: set[SimpleQueue[Resolution]] = set()

    def ask(self, host: str, find: Callable[[], Resolution], seconds: float) -> Resolution:
        """Return what `find` finds, within so many seconds.

        Raises Overloaded if there is no room for the question.
        """
        domain = registered_domain(host)
        outcome: SimpleQueue[Resolution] = SimpleQueue()
        with self._lock:
            if self._open.total() >= self._most or self._open[domain] >= self._each:
                raise Overloaded("too many questions to name servers are open")
            self._open[domain] += 1
            self._waiting.add(outcome)

        def answer() -> None:
            try:
                outcome.put(find())
            finally:
                self._close(domain)

        try:
            threading.Thread(target=answer, name="resolver", daemon=True).start()
        except RuntimeError:
            self._waiting.discard(outcome)
            self._close(domain)
            raise Overloaded("the system gives no more threads") from None
        try:
            return outcome.get(timeout=seconds)
        except Empty:
            return _NOT_IN_TIME
        finally:
            self._waiting.discard(outcome)

    def cut(self) -> None:
        """Let nobody wait any longer."""
        for outcome in list(self._waiting):
            outcome.put(_NOT_IN_TIME)

    def _close(self, domain: str) -> None:
        with self._lock:
            self._open[domain] -= 1
            if not self._open[domain]:
                del self._open[domain]


_NOT_IN_TIME = Resolution("", CallResult(0, "no answer in time"))


class WebhookClient:
    """Makes calls, signed as Standard Webhooks has it.

    signer: signs with the server's key; None: only the webhook's secret does.
    allowed: networks that may be called although they are not global, also without TLS.
    """

    def __init__(self, signer: Signer | None, allowed: Sequence[Network] = ()) -> None:
        self._signer = signer
        self._allowed = allowed
        # Receivers with a dead name server leave those of the proven ones alone.
        self._questions = {is_proven: Questions() for is_proven in (True, False)}
        self._connections: set[Connection] = set()

    def find(self, url: str, *, is_proven: bool = False) -> Resolution:
        """Return the address that a URL leads to, if it may be called; takes SECONDS at the most.

        is_proven: the receiver was fast, so two seconds are enough.   Raises Overloaded if there is
        no room for the question.
        """
        parts = urlsplit(url)
        host = parts.hostname or ""

        ends = time.monotonic() + SECONDS

        def find() -> Resolution:
            found = self._found(host, port_of(url), with_tls=parts.scheme == "https")
            return found._replace(ends=ends)

        if not may_have_port(url):
            return Resolution("", CallResult(0, "the port is not called"))
        seconds = min(SECONDS, PROVEN_MS / 1000) if is_proven else SECONDS
        return self._questions[is_proven].ask(host, find, seconds)

    def call(
        self, call: Call, found: Resolution, may_go_on: Callable[[], bool] = lambda: True
    ) -> CallResult:
        """Make a call to an address that was found, and return how it went; never raises.

        may_go_on: asked once the call has taken PROVEN_MS; if it may not, it is ended.
        """
        body = _body(call)
        began = time.monotonic()
        try:
            answer = self._post(call, found, body, may_go_on)
        except TimeoutError:
            answer = CallResult(0, "no answer in time")
        except (OSError, HTTPException, ValueError) as error:
            answer = CallResult(0, f"no connection ({type(error).__name__})")
        return replace(answer, took_ms=round((time.monotonic() - began) * 1000))

    def cut(self) -> None:
        """End the connections of all calls under way, and wait for no name server."""
        for questions in self._questions.values():
            questions.cut()
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

    def _post(
        self, call: Call, found: Resolution, body: bytes, may_go_on: Callable[[], bool]
    ) -> CallResult:
        """Send a POST to the address that was checked, whatever its name leads to meanwhile."""
        limits = Limits(SECONDS, SECONDS, LONGEST_ANSWER)
        url = call.webhook.url
        connection = Connection(url, limits, address=found.address, ends=found.ends)
        self._connections.add(connection)
        try:
            review = Review(PROVEN_MS / 1000, may_go_on)
            reply = connection.post(body, self._headers(call, body), review)
        finally:
            self._connections.discard(connection)
        return CallResult(reply.status, str(reply.status), _wait_ms(reply.retry_after))

    def _found(self, host: str, port: int, *, with_tls: bool) -> Resolution:
        """Return an address of a host, unless one of its addresses may not be called."""
        try:
            return Resolution(self._checked_address(host, port, with_tls=with_tls))
        except AddressRefused as error:
            return Resolution("", CallResult(0, str(error)))
        except (OSError, ValueError) as error:
            return Resolution("", CallResult(0, f"no connection ({type(error).__name__})"))

    def _checked_address(self, host: str, port: int, *, with_tls: bool) -> str:
        """Return an address of a host.

        Raises AddressRefused if one of its addresses may not be called.
        """
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in found]
        is_allowed = [any(one in network for network in self._allowed) for one in addresses]

        if not with_tls and not all(is_allowed):
            raise AddressRefused("the address is called by https only")
        for address, allowed in zip(addresses, is_allowed, strict=True):
            if not allowed and not is_public(address):
                raise AddressRefused("the address leads into a network that is not public")
        return str(addresses[0])


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
