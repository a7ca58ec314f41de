"""A lying proxy before a player: signatures protect from such a server."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from service.record.commit import canonical

Json = dict[str, Any]

SIGNATURE = "Giornale-Signature"
FALSE_HASH = "ee" * 32
_HOP_HEADERS = ("connection", "transfer-encoding", "content-length", "keep-alive", "date", "server")
_JSON = "application/json"

# Takes a path without its query, and the body of an answer with 200 or 422. Returns the sent body.
Lie = Callable[[str, bytes], bytes]


class LyingProxy:
    """Passes on requests and answers, and lies as a test wants.

    signatures: of all requests with one, or with the proof of a join, in order. bodies: of the same
    requests. refused: the number of requests refused by a lie. lie: changes answers. refusal: the
    status of the answer to each signed request instead of passing it on. 0: it is passed on.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._server = (parts.hostname, parts.port)
        self.signatures: list[str] = []
        self.bodies: list[bytes] = []
        self.refused = 0
        self.lie: Lie = lambda _path, body: body
        self.refusal = 0

        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def __getattr__(self, name: str) -> Any:
                if name.startswith("do_"):
                    return lambda: proxy.answer(self)
                raise AttributeError(name)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def serve(self) -> None:
        """Serve until it is closed."""
        self._http.serve_forever(poll_interval=0.01)

    def forget(self) -> None:
        """Forget the signatures received so far."""
        self.signatures.clear()
        self.bodies.clear()

    def close(self) -> None:
        """End."""
        self._http.shutdown()
        self._http.server_close()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer a request as the server does, or by a lie."""
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        signature = request.headers.get(SIGNATURE) or _proof_in(body)
        if signature is not None:
            self.signatures.append(signature)
            self.bodies.append(body)
        if signature is not None and self.refusal:
            self.refused += 1
            self._send(request, self.refusal, _problem(self.refusal))
            return

        connection = HTTPConnection(*self._server, timeout=60)
        with suppress(OSError):
            headers = {
                name: value for name, value in request.headers.items() if name != "Connection"
            }
            headers.pop("Accept-Encoding", None)
            connection.request(request.command, request.path, body, headers)
            self._hand_on(request, connection)
        connection.close()
        request.close_connection = True

    def _hand_on(self, request: BaseHTTPRequestHandler, connection: HTTPConnection) -> None:
        response = connection.getresponse()
        kind = response.headers.get("Content-Type", "")
        headers = [
            (name, value)
            for name, value in response.headers.items()
            if name.lower() not in _HOP_HEADERS
        ]
        if "event-stream" not in kind:
            body = response.read()
            if response.status in (200, 422) and "json" in kind:
                body = self.lie(urlsplit(request.path).path, body)
            self._send(request, response.status, body, headers)
            return
        request.send_response(response.status)
        for name, value in [*headers, ("Connection", "close")]:
            request.send_header(name, value)
        request.end_headers()
        while piece := response.read1(65_536):
            request.wfile.write(piece)
            request.wfile.flush()

    @staticmethod
    def _send(
        request: BaseHTTPRequestHandler,
        status: int,
        body: bytes,
        headers: list[tuple[str, str]] | None = None,
    ) -> None:
        request.send_response(status)
        kind = "application/problem+json"
        for name, value in headers or [("Content-Type", kind)]:
            request.send_header(name, value)
        request.send_header("Connection", "close")
        if status not in (204, 304):
            request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        if status not in (204, 304) and request.command != "HEAD":
            request.wfile.write(body)
        request.close_connection = True


def _proof_in(body: bytes) -> str | None:
    """Return the proof of a join, None for other requests."""
    value = json.loads(body) if body else None
    proof: str | None = value.get("proof") if isinstance(value, dict) else None
    return proof


def _problem(status: int) -> bytes:
    kind = {412: "stale-version", 409: "illegal-move"}.get(status, "about:blank")
    return json.dumps(
        {"type": f"/problems/{kind}", "title": "No", "status": status, "detail": "A lie."}
    ).encode()


@contextmanager
def lying_proxy(url: str) -> Iterator[LyingProxy]:
    """A running proxy, ended at the end."""
    proxy = LyingProxy(url)
    thread = threading.Thread(target=proxy.serve)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join()


# ---- lies ----------------------------------------------------------------------------------------


def other_hash(path: str, body: bytes) -> bytes:
    """Tell a false hash in every answer with a match or its states."""
    value = None if path.endswith(("/record", ".ndjson")) else json.loads(body)
    if not isinstance(value, dict) or "/matches/" not in path:
        return body
    for part in value.get("states", [value]):
        if "hash" in part:
            part["hash"] = FALSE_HASH
    return json.dumps(value).encode()


def broken_link(path: str, body: bytes) -> bytes:
    """Tell a history whose last commit names another one before it, and has a fitting hash."""
    if not path.endswith("/record"):
        return body
    return _retold(body, lambda content: content.update(prev=FALSE_HASH))


def other_commit(path: str, body: bytes) -> bytes:
    """Tell a last commit that its hash does not fit."""
    if not path.endswith("/record"):
        return body
    *others, last = body.splitlines(keepends=True)
    line = json.loads(last)
    line["data"]["commit"]["command"]["type"] = "another"
    return b"".join([*others, canonical(line) + b"\n"])


def other_view(path: str, body: bytes) -> bytes:
    """Tell another table than the commit's sealed one."""
    value = None if path.endswith(("/record", ".ndjson")) else json.loads(body)
    states = value.get("states", [value]) if isinstance(value, dict) else []
    for state in states:
        if isinstance(state, dict) and isinstance(state.get("state"), dict):
            state["state"]["turn"] = 99
    return body if value is None else json.dumps(value).encode()


def _retold(body: bytes, change: Callable[[Json], object]) -> bytes:
    *others, last = body.splitlines(keepends=True)
    line = json.loads(last)
    change(line["data"]["commit"])
    line["data"]["hash"] = hashlib.sha256(canonical(line["data"]["commit"])).hexdigest()
    return b"".join([*others, canonical(line) + b"\n"])
