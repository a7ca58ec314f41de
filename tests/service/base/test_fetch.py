"""Limits of `service.base.fetch`: bytes, time, redirects, addresses, threads."""

import socket
import threading
import time
import urllib.error
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from werkzeug import Request, Response

from service.base import fetch
from service.base.fetch import Connection, FetchFailed, Limits, Review, StatusRefused
from tests.running import no_threads
from tests.service.ops.cli.site import served_by

Talk = Callable[[socket.socket], None]

AMPLE = Limits(60.0, 60.0, 100)
SHORT = Limits(60.0, 0.3, 10**9)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
BUSY = b"HTTP/1.1 503 Busy\r\nRetry-After: 9\r\nContent-Length: 2\r\n\r\n{}"
HEAD = b"HTTP/1.1 200 OK\r\nX-More: "
ENDLESS = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"


@contextmanager
def serving(talk: Talk) -> Iterator[str]:
    """Serve one connection. Yield its URL."""
    sockets: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        sockets.append(server)

        def serve() -> None:
            with suppress(OSError), server.accept()[0] as connection:
                sockets.append(connection)
                talk(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/path?of=me"
        for one in sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        thread.join(60)


def saying(content: bytes) -> Talk:
    """Return a talk that reads a request and sends these bytes."""

    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(content)

    return talk


def dripping(beginning: bytes) -> Talk:
    """Return a talk that sends a byte every 10 ms after a beginning, until the client hangs up."""

    def talk(connection: socket.socket) -> None:
        connection.sendall(beginning)
        while True:
            time.sleep(0.01)
            connection.sendall(b"x")

    return talk


# ---- post ----------------------------------------------------------------------------------------


def test_a_post_sends_target_headers_and_body() -> None:
    """A post's target has the query. Its Host header has the port unless it is the scheme's own."""
    heard: list[bytes] = []

    def talk(connection: socket.socket) -> None:
        while not b"".join(heard).endswith(b"body"):
            heard.append(connection.recv(65536))
        connection.sendall(
            OK.replace(b"200", b"503").replace(b"\r\n\r\n", b"\r\nRetry-After: 9\r\n\r\n")
        )

    with serving(talk) as url:
        reply = Connection(url, AMPLE).post(b"body", {"X-Test": "yes"})

    request = b"".join(heard)
    host = url.removeprefix("http://").partition("/")[0]
    assert request.startswith(b"POST /path?of=me HTTP/1.1\r\n")
    assert f"Host: {host}\r\n".encode() in request
    assert b"X-Test: yes\r\n" in request
    assert reply == (503, "9", b"{}")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://a.example:80/", "a.example"),
        ("https://a.example/", "a.example"),
        ("https://a.example:80/", "a.example:80"),
    ],
)
def test_the_host_header_leaves_the_usual_port_out(url: str, host: str) -> None:
    """The Host header leaves the usual port out (RFC 9110, 7.2)."""
    connection = Connection(url, AMPLE)
    connection.putrequest("POST", "/")
    assert f"Host: {host}".encode() in connection._buffer  # type: ignore[attr-defined]


def test_a_post_reads_no_more_than_its_bytes() -> None:
    """A post reads no more of the answer than its bytes."""
    with serving(saying(ENDLESS + b"x" * 1000)) as url:
        assert len(Connection(url, AMPLE).post(b"", {}).body) == AMPLE.most_bytes


def test_a_post_follows_no_redirect() -> None:
    """A post that is redirected returns the redirect as its answer."""
    moved = b"HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
    with serving(saying(moved)) as url:
        assert Connection(url, AMPLE).post(b"", {}).status == 307


@pytest.mark.parametrize("beginning", [b"", HEAD, ENDLESS, b"\x16\x03\x03"])
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("has_deadline", [True, False])
def test_a_server_that_drips_is_cut_off(
    beginning: bytes, scheme: str, *, has_deadline: bool
) -> None:
    """A server that sends single bytes is cut off in the status line, a header, the body or TLS."""
    with serving(dripping(beginning)) as url:
        ends = time.monotonic() + SHORT.seconds if has_deadline else None
        began = time.monotonic()
        with pytest.raises(OSError):
            Connection(url.replace("http", scheme), SHORT, ends=ends).post(b"", {})
        assert time.monotonic() - began < 30


def test_a_silent_server_is_cut_off() -> None:
    """A silent server is cut off at the request's deadline, before the 60 seconds of a step."""

    def talk(connection: socket.socket) -> None:
        while connection.recv(65536):
            pass

    cut_off = pytest.raises(TimeoutError, match="the answer was cut off")
    with serving(talk) as url, cut_off:
        Connection(url, SHORT).post(b"", {})


def test_a_deadline_in_the_past_sends_nothing() -> None:
    """A pinned request whose deadline has passed sends nothing."""
    heard: list[bytes] = []
    late = pytest.raises(TimeoutError)
    with serving(lambda connection: heard.append(connection.recv(1))) as url, late:
        Connection(url, AMPLE, ends=time.monotonic() - 1).post(b"", {})
    assert b"".join(heard) == b""


def test_another_thread_cuts_a_handshake() -> None:
    """Another thread can cut a handshake with a server that never speaks TLS."""
    is_accepted, is_over = threading.Event(), threading.Event()

    def talk(connection: socket.socket) -> None:
        connection.recv(1)
        is_accepted.set()
        is_over.wait(60)

    with serving(talk) as url, ThreadPoolExecutor() as threads:
        connection = Connection(url.replace("http", "https"), AMPLE)
        posting = threads.submit(connection.post, b"", {})
        assert is_accepted.wait(60)
        connection.cut()
        assert isinstance(posting.exception(60), TimeoutError)
        is_over.set()


@pytest.mark.parametrize("may_go_on", [True, False])
def test_a_review_ends_a_request_or_lets_it_go_on(*, may_go_on: bool) -> None:
    """A review is asked after its time, and not for a faster answer. It may end the request."""
    is_requested = threading.Event()

    def review() -> bool:
        is_requested.set()
        return may_go_on

    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        assert is_requested.wait(60)
        if may_go_on:
            connection.sendall(OK)
        else:
            connection.recv(1)

    with serving(talk) as url:
        connection = Connection(url, AMPLE)
        if may_go_on:
            assert connection.post(b"", {}, Review(0.05, review)).status == 200
        else:
            with pytest.raises(TimeoutError):
                connection.post(b"", {}, Review(0.05, review))

    is_requested.clear()
    with serving(saying(OK)) as url:
        assert Connection(url, AMPLE).post(b"", {}, Review(60.0, review)).status == 200
    assert not is_requested.is_set()


def test_a_pinned_address_is_connected_to_whatever_the_name_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A request with a pinned address connects to it, and does not look the name up."""
    look_up = socket.getaddrinfo
    hosts: list[str] = []
    own_thread = threading.get_ident()

    def note(host: str, *more: Any, **keywords: Any) -> Any:
        # Threads of earlier tests may connect to their servers at the same time.
        if threading.get_ident() == own_thread:
            hosts.append(host)
        return look_up(host, *more, **keywords)

    monkeypatch.setattr(socket, "getaddrinfo", note)
    with serving(saying(OK)) as url:
        pinned = url.replace("127.0.0.1", "name.example")
        assert Connection(pinned, AMPLE, address="127.0.0.1").post(b"", {}).status == 200
    assert hosts == ["127.0.0.1"]


def test_a_post_asks_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A post asks no proxy, because a proxy would look the name up itself."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with serving(saying(OK)) as url:
        assert Connection(url, AMPLE).post(b"", {}).status == 200


def test_a_post_without_an_alarm_is_not_sent() -> None:
    """Without an alarm nothing would end a post, so it is not sent."""
    heard: list[bytes] = []
    talk = lambda connection: heard.append(connection.recv(1))  # noqa: E731
    refused = pytest.raises(OSError, match="can't start new thread")
    with serving(talk) as url, no_threads(), refused:
        Connection(url, AMPLE).post(b"", {})
    assert b"".join(heard) == b""


# ---- get -----------------------------------------------------------------------------------------


@pytest.fixture
def hops() -> list[str]:
    """Requested paths."""
    return []


@pytest.fixture
def site(hops: list[str]) -> Iterator[str]:
    """A site redirecting /N to /N-1. Its /0 is the answer."""

    @Request.application
    def application(request: Request) -> Response:
        hops.append(request.path)
        number = int(request.path[1:])
        if number:
            return Response(status=302, headers={"Location": f"/{number - 1}"})
        return Response(b"here")

    yield from served_by(application)


def test_a_get_follows_ten_redirects(site: str, hops: list[str]) -> None:
    """A get follows ten redirects, and refuses the eleventh."""
    assert fetch.get(f"{site}/10", {}, AMPLE) == b"here"
    hops.clear()
    with pytest.raises(StatusRefused) as refused:
        fetch.get(f"{site}/11", {}, AMPLE)
    assert refused.value.status == 302
    assert len(hops) == 11


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("ftp://127.0.0.1/x", "redirects to ftp://127.0.0.1/x, not a web address"),
        ("file:///etc/passwd", "Redirection to url 'file:///etc/passwd' is not allowed"),
        ("http://127.0.0.1:1/x", "another server, http://127.0.0.1:1/x. The token is not sent"),
    ],
)
def test_a_get_with_a_token_does_not_leave_its_origin(location: str, words: str) -> None:
    """A get with a token does not follow a redirect to another origin.

    The error names the target.
    """
    moved = f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
    with serving(saying(moved.encode())) as url, pytest.raises(FetchFailed, match=words):
        fetch.get(url, {"Authorization": "Bearer x"}, AMPLE)


def test_a_get_takes_no_more_than_its_bytes() -> None:
    """A get fails if the answer has one byte more than its limit."""
    for length in (AMPLE.most_bytes, AMPLE.most_bytes + 1):
        with serving(saying(ENDLESS + b"x" * length)) as url:
            if length == AMPLE.most_bytes:
                assert len(fetch.get(url, {}, AMPLE)) == length
            else:
                with pytest.raises(FetchFailed, match="its answer has more than 100 bytes"):
                    fetch.get(url, {}, AMPLE)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"220 mail ready\r\n", "the server does not speak HTTP"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}",
            "its answer was cut short by 97 bytes",
        ),
        (b"HTTP/1.1 404 Lost\r\nContent-Length: 0\r\n\r\n", "the server answered 404, Lost"),
        (b"", "the connection broke before the end of the answer"),
    ],
)
def test_a_failure_names_url_and_reason(answer: bytes, words: str) -> None:
    with serving(saying(answer)) as url, pytest.raises(FetchFailed) as failed:
        fetch.get(url, {}, AMPLE)
    assert str(failed.value) == f"{url}: {words}"


@pytest.mark.parametrize("beginning", [HEAD, ENDLESS])
def test_a_get_ends_at_its_deadline(beginning: bytes) -> None:
    """A get ends at its deadline, also if the server sends single bytes until then."""
    late = pytest.raises(FetchFailed, match=r"was not complete within 0\.3 seconds")
    with serving(dripping(beginning)) as url, late:
        fetch.get(url, {}, SHORT)


def test_a_get_ends_while_a_name_server_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of a get begins with the question to the name server, and ends it if that hangs."""
    release = threading.Event()

    def hang(*_: Any, **__: Any) -> Any:
        release.wait(60)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    with pytest.raises(FetchFailed, match="was not complete"):
        fetch.get("http://dead.example/", {}, SHORT)
    release.set()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (TimeoutError("timed out"), "it did not answer within 60.0 seconds"),
        (ConnectionResetError(104, "reset"), "the connection broke"),
        (OSError(113, "No route to host"), "No route to host"),
    ],
)
def test_a_broken_connection_is_explained(
    monkeypatch: pytest.MonkeyPatch, error: OSError, words: str
) -> None:
    """A broken connection is explained while connecting, wrapped by urllib, or while reading."""
    for raised in (error, urllib.error.URLError(error)):

        def fail(*_: object, raised: Exception = raised, **_more: object) -> None:
            raise raised

        monkeypatch.setattr(fetch._OPENER, "open", fail)
        with pytest.raises(FetchFailed, match=words):
            fetch.get("http://127.0.0.1/", {}, AMPLE)


def test_a_get_without_a_thread_says_so() -> None:
    """A get that can have no thread says so, and sends nothing."""
    with no_threads(), pytest.raises(FetchFailed, match="can't start new thread"):
        fetch.get("http://127.0.0.1/", {}, AMPLE)
