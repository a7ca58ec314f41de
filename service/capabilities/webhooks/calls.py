"""One webhook call: a POST to an address given by a stranger, within limits.

A call has two parts, and in each another server may hang: the question to a name server
(`WebhookClient.find`), and the connection (`WebhookClient.call`). Each question has a thread of its
own, because nothing can interrupt a question. The number of these threads is limited, and a process
ends without a wait for them.
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

SECONDS = 15.0  # limit of a whole call
LONGEST_ANSWER = 16 * 1024  # bytes read of an answer
QUESTIONS = 16  # most open questions for proven receivers, and as many again for all others
QUESTIONS_EACH = 2  # most of these about names of one registered domain


class AddressRefused(Exception):
    """An address that may not be called. The message gives the webhook's holder the reason."""


class Resolution(NamedTuple):
    """The result of resolving a webhook's address.

    address: address to connect to, "" for none.   failure: result of the call without an address.
    ends: deadline of the call (time.monotonic).
    """

    address: str
    failure: CallResult | None = None
    ends: float = 0.0


class Questions:
    """A limited number of open questions to name servers, each in a thread of its own.

    An abandoned question still counts until the system ends it, perhaps after a minute.
    """

    def __init__(self, most: int = QUESTIONS, each: int = QUESTIONS_EACH) -> None:
        self._most = most
        self._each = each
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()  # by registered domain
        self._waiting: set[SimpleQueue[Resolution]] = set()

    def ask(self, host: str, find: Callable[[], Resolution], seconds: float) -> Resolution:
        """Return the result of `find`, or a failure after `seconds`.

        Raises Overloaded if too many questions are open, or if there is no thread.
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
        """End the wait for all questions."""
        for outcome in list(self._waiting):
            outcome.put(_NOT_IN_TIME)

    def _close(self, domain: str) -> None:
        with self._lock:
            self._open[domain] -= 1
            if not self._open[domain]:
                del self._open[domain]


_NOT_IN_TIME = Resolution("", CallResult(0, "no answer in time"))


class WebhookClient:
    """Makes calls, signed as Standard Webhooks demands.

    signer: signs with the server's key, in addition to the webhook's secret. None: only the secret
    signs.
    allowed: networks that may be called although they are not public, also without TLS.
    """

    def __init__(self, signer: Signer | None, allowed: Sequence[Network] = ()) -> None:
        self._signer = signer
        self._allowed = allowed
        # Proven receivers have a limit of their own, which dead name servers of other receivers
        # cannot use up.
        self._questions = {is_proven: Questions() for is_proven in (True, False)}
        self._connections: set[Connection] = set()

    def find(self, url: str, *, is_proven: bool = False) -> Resolution:
        """Return the address of a URL if it may be called. Takes SECONDS at most.

        is_proven: the receiver was fast, so the limit is PROVEN_MS.
        Raises Overloaded if too many questions are open, or if there is no thread.
        """
        parts = urlsplit(url)
        host = parts.hostname or ""

        ends = time.monotonic() + SECONDS

        def find() -> Resolution:
            resolution = self._resolve(host, port_of(url), with_tls=parts.scheme == "https")
            return resolution._replace(ends=ends)

        if not may_have_port(url):
            return Resolution("", CallResult(0, "calls to this port are not allowed"))
        seconds = min(SECONDS, PROVEN_MS / 1000) if is_proven else SECONDS
        return self._questions[is_proven].ask(host, find, seconds)

    def call(
        self, call: Call, resolution: Resolution, may_go_on: Callable[[], bool] = lambda: True
    ) -> CallResult:
        """Make a call to a resolved address, and return its result. Failures are results, too.

        may_go_on: asked once the call has taken PROVEN_MS. False ends the call.
        """
        body = _body(call)
        began = time.monotonic()
        try:
            answer = self._post(call, resolution, body, may_go_on)
        except TimeoutError:
            answer = CallResult(0, "no answer in time")
        except (OSError, HTTPException, ValueError) as error:
            answer = CallResult(0, f"no connection ({type(error).__name__})")
        return replace(answer, took_ms=round((time.monotonic() - began) * 1000))

    def cut(self) -> None:
        """Cut the connections of all calls under way, and end the waits for name servers."""
        for questions in self._questions.values():
            questions.cut()
        for connection in list(self._connections):
            connection.cut()

    def _headers(self, call: Call, body: bytes) -> dict[str, str]:
        """Return the headers of a call with its id, its time and its signatures."""
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
        self, call: Call, resolution: Resolution, body: bytes, may_go_on: Callable[[], bool]
    ) -> CallResult:
        """Send a POST to the checked address, even if the host has another address by now."""
        limits = Limits(SECONDS, SECONDS, LONGEST_ANSWER)
        url = call.webhook.url
        connection = Connection(url, limits, address=resolution.address, ends=resolution.ends)
        self._connections.add(connection)
        try:
            review = Review(PROVEN_MS / 1000, may_go_on)
            reply = connection.post(body, self._headers(call, body), review)
        finally:
            self._connections.discard(connection)
        return CallResult(reply.status, str(reply.status), _wait_ms(reply.retry_after))

    def _resolve(self, host: str, port: int, *, with_tls: bool) -> Resolution:
        """Return an address of a host, or a failure if one of its addresses may not be called."""
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
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in infos]
        is_allowed = [any(one in network for network in self._allowed) for one in addresses]

        if not with_tls and not all(is_allowed):
            raise AddressRefused("the address may be called by https only")
        for address, allowed in zip(addresses, is_allowed, strict=True):
            if not allowed and not is_public(address):
                raise AddressRefused("the address leads into a network that is not public")
        return str(addresses[0])


def _body(call: Call) -> bytes:
    """Return the body of a call. A body says no more about a match than lists of matches do."""
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
    """Return the pause that Retry-After asks for (RFC 9110, 10.2.3), in milliseconds.

    Return 0 if the header is missing or unreadable.
    """
    if retry_after.isdecimal():
        return int(retry_after[:9]) * 1000
    with suppress(ValueError, OverflowError):
        seconds = parsedate_to_datetime(retry_after).timestamp() - time.time()
        return max(0, round(seconds * 1000))
    return 0
