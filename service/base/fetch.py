"""Requests to other servers, bounded in bytes, time and redirects.

The other server may be slow, broken or hostile. The timeout of a socket starts again with each
byte, so it does not limit a server that sends a byte now and then. There are two bounded requests:

    Connection.post   one POST, no redirect, no proxy. An alarm shuts the socket down at the
                      deadline, even in the middle of a read or a write. The address may be given.
                      Then the name is not looked up, but the TLS certificate must still be for the
                      name.
    get               a GET for a command, over redirects and the proxies of the environment. A
                      thread sends it, because nothing interrupts a DNS query. At the deadline `get`
                      leaves the thread behind. The thread ends with the process at the latest.
"""

import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPException, IncompleteRead, InvalidURL
from queue import Empty, Queue
from typing import IO, Any, NamedTuple
from urllib.parse import urlsplit

PORTS = {"http": 80, "https": 443}


def port_of(url: str) -> int:
    """Return the port of an http or https URL. Raises ValueError for an invalid port."""
    parts = urlsplit(url)
    return parts.port or PORTS["https" if parts.scheme == "https" else "http"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a request.

    step_seconds: limit to connect to one address, and for each wait for bytes in `get` and in a
        POST without TLS. A `Connection` with a deadline has no such limit.
    seconds: limit of the whole request. In `Connection` this time begins once the socket is
        connected, unless a deadline was given.
    most_bytes: limit of the body.
    """

    step_seconds: float
    seconds: float
    most_bytes: int


# ---- one POST ------------------------------------------------------------------------------------


class Reply(NamedTuple):
    """An answer: status, header Retry-After ("" without one), at most `most_bytes` of the body."""

    status: int
    retry_after: str
    body: bytes


class Review(NamedTuple):
    """A question to the caller while a request runs.

    after_seconds: time until the question.   may_go_on: returns False to end the request.
    """

    after_seconds: float
    may_go_on: Callable[[], bool]


class Connection(HTTPConnection):
    """A connection for one POST, with TLS if the URL is https. Another thread may cut it.

    address: address to connect to in place of the name's addresses.
    ends: deadline of the whole request, by `time.monotonic`, in place of `limits.seconds`.
    Raises ValueError for a URL with an invalid port.
    """

    def __init__(
        self, url: str, limits: Limits, *, address: str = "", ends: float | None = None
    ) -> None:
        parts = urlsplit(url)
        self.default_port = PORTS["https" if parts.scheme == "https" else "http"]
        super().__init__(parts.hostname or "", port_of(url))
        self._target = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        self._has_tls = parts.scheme == "https"
        self._limits = limits
        self._address = address
        self._ends = ends
        # For `cut`, since `sock` is None while an answer is read until the connection closes.
        self._wire: socket.socket | None = None
        self._is_cut = False

    def post(self, body: bytes, headers: Mapping[str, str], review: Review | None = None) -> Reply:
        """Send a POST, close the connection, and return the answer. Follows no redirect.

        Raises TimeoutError at the deadline and after `cut`, other OSErrors, and HTTPException.
        """
        is_over = threading.Event()
        try:
            if self._ends is None:
                self._reach()  # starts the time of the request
            self._start_alarm(review, is_over)
            self.connect()
            self.request("POST", self._target, body, dict(headers))
            response = self.getresponse()
            content = response.read(self._limits.most_bytes)
            self._seconds_left()  # raises for an answer that was cut off
            return Reply(response.status, response.getheader("Retry-After", ""), content)
        except (OSError, HTTPException):
            if self._is_cut:
                raise TimeoutError("the answer was cut off") from None
            raise
        finally:
            is_over.set()
            self.close()

    def connect(self) -> None:
        """Connect. For https, demand a TLS certificate for the URL's name."""
        if self._wire is None:
            self._reach()
        if self._has_tls:
            self.sock = _tls().wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
            self._wire = self.sock
            # Only now, so that `cut` finds the socket of the handshake.
            self.sock.settimeout(self._seconds_left())
            self.sock.do_handshake()
        self._seconds_left()

    def cut(self) -> None:
        """End the connection in the middle of a read or a write, or as soon as it is made."""
        self._is_cut = True
        self._ends = 0.0
        if self._wire is not None:
            with suppress(OSError):
                self._wire.shutdown(socket.SHUT_RDWR)

    def _reach(self) -> None:
        """Open the socket. Then start the time of the request, unless a deadline was given."""
        seconds = self._limits.step_seconds if self._ends is None else self._seconds_left()
        self.sock = socket.create_connection((self._address or self.host, self.port), seconds)
        self._wire = self.sock
        if self._ends is None:
            self._ends = time.monotonic() + self._limits.seconds

    def _seconds_left(self) -> float:
        """Return the time left until the deadline. Raises TimeoutError after the deadline."""
        seconds = (self._ends or 0.0) - time.monotonic()
        if seconds <= 0:
            self._is_cut = True
            raise TimeoutError
        return seconds

    def _start_alarm(self, review: Review | None, is_over: threading.Event) -> None:
        """Cut the connection at the deadline, or when a review says that it may not go on.

        Raises OSError if the system gives no more threads.
        """
        ends = self._ends or 0.0

        def watch() -> None:
            if review is not None:
                if is_over.wait(min(review.after_seconds, ends - time.monotonic())):
                    return
                if not review.may_go_on():
                    self.cut()
                    return
            if not is_over.wait(ends - time.monotonic()):
                self.cut()

        try:
            threading.Thread(target=watch, name="fetch alarm", daemon=True).start()
        except RuntimeError as error:
            raise OSError(str(error)) from None


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


# ---- a GET of a command --------------------------------------------------------------------------


class FetchFailed(Exception):
    """The request failed. The message names the URL and gives the reason in plain words."""


class StatusRefused(FetchFailed):
    """The server answered with a status that is no success."""

    def __init__(self, url: str, status: int, reason: str) -> None:
        super().__init__(f"{url}: the server answered {status}, {reason}")
        self.status = status


def get(url: str, headers: Mapping[str, str], limits: Limits) -> bytes:
    """Return the body of the answer to a GET of an http or https URL. Raises FetchFailed.

    Redirects lead only to http and https. A request with Authorization is not redirected to another
    origin.
    """
    request = urllib.request.Request(url, headers=dict(headers))  # noqa: S310

    answers: Queue[bytes | Exception] = Queue()
    thread = threading.Thread(
        target=lambda: answers.put(_answer_to(request, limits)), name="fetch", daemon=True
    )
    try:
        thread.start()
    except RuntimeError as error:
        raise FetchFailed(f"{url}: {error}") from None
    try:
        answer = answers.get(timeout=limits.seconds)
    except Empty:
        reason = f"its answer was not complete within {limits.seconds} seconds"
        raise FetchFailed(f"{url}: {reason}") from None

    if isinstance(answer, Exception):
        raise answer
    return answer


def _answer_to(request: urllib.request.Request, limits: Limits) -> bytes | Exception:
    """Return the body of the answer to a request, or the error that `get` raises."""
    url = request.full_url
    try:
        with _OPENER.open(request, timeout=limits.step_seconds) as answer:
            content: bytes = answer.read(limits.most_bytes + 1)
            missing = answer.length
    except urllib.error.HTTPError as error:
        error.close()
        return StatusRefused(url, error.code, error.reason)
    except (OSError, HTTPException, ValueError) as error:
        return FetchFailed(f"{url}: {_in_words(error, limits)}")
    except Exception as error:  # noqa: BLE001 - `get` raises it
        return error

    if len(content) > limits.most_bytes:
        return FetchFailed(f"{url}: its answer has more than {limits.most_bytes} bytes")
    if missing:
        return FetchFailed(f"{url}: its answer was cut short by {missing} bytes")
    return content


def _in_words(error: Exception, limits: Limits) -> str:
    """Return the reason of a failure in an operator's words."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    match cause:
        case TimeoutError():
            return f"it did not answer within {limits.step_seconds} seconds"
        case socket.gaierror():
            return "no such host"
        case ssl.SSLCertVerificationError():
            return f"its certificate is not trusted: {cause.verify_message}"
        case ssl.SSLError():
            return "the server does not speak TLS. Try http:// in place of https://"
        case ConnectionRefusedError():
            return "no server answers there"
        case ConnectionError() | IncompleteRead():
            return "the connection broke before the end of the answer"
        case InvalidURL():
            return f"it is not an address: {cause}"
        case HTTPException():
            return "the server does not speak HTTP"
        case OSError() if cause.strerror:
            return cause.strerror
    return str(cause)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but none with a token to another origin (RFC 9110, 15.4)."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], *details: Any
    ) -> urllib.request.Request | None:
        """Return the new request. Raises FetchFailed for a forbidden redirect.

        details: code, message and headers of the answer, and the new URL, as urllib hands them
        over.
        """
        *_answer, new_url = details
        refusal = _refusal(req, new_url)
        if refusal:
            fp.close()
            raise FetchFailed(f"{req.full_url} redirects to {refusal}")

        return super().redirect_request(req, fp, *details)


def _refusal(request: urllib.request.Request, url: str) -> str:
    """Return the reason against a redirect to a URL, "" if it is allowed."""
    if urlsplit(url).scheme not in PORTS:
        return f"{url}, not a web address"

    has_token = request.has_header("Authorization")
    if has_token and _origin(url) != _origin(request.full_url):
        advice = "give that address, if you trust it, or no token"
        return f"another server, {url}. The token is not sent there: {advice}"

    return ""


def _origin(url: str) -> tuple[str, str | None, int | None]:
    """Return scheme, host and port of a URL (RFC 6454)."""
    parts = urlsplit(url)
    port = parts.port or PORTS.get(parts.scheme)
    return parts.scheme, parts.hostname, port


_OPENER = urllib.request.build_opener(_Redirects)
