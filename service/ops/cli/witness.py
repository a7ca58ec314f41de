"""`giornale log witness`: a witness as a server of its own.

The server is that of the standard library, with a thread for each connection: a witness answers a
request now and then, and a signature may wait for the disk. The server of the web processes would
need settings, a journal and a pool of processes.
"""

import io
import logging
import signal
import socket
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Any

import click

from service.base.addresses import address_key
from service.ops.cli import interruptible
from service.ops.cli.errors import lines_in
from service.ops.process import logs
from service.record.commit import clock
from service.record.tlog.checkpoint import ED25519, BadNote, Verifier, read_verifier
from service.store.tlog.witness import MOST_BYTES, PATH, Witness, WitnessReply, WitnessUnusable

_log = logging.getLogger(__name__)

REQUEST_SECONDS = 5.0  # from the wait for the first byte to the last byte of the body
AT_ONCE = 32  # connections. Further ones are closed immediately
EACH_AT_ONCE = AT_ONCE // 2  # connections of one address (IPv6: of a /64 network), maybe a proxy's
CROWDED = AT_ONCE // 2  # from this number of connections on, each is closed after its answer
_NO_TARGET = WitnessReply(404, b"there is nothing here\n")
_NO_LENGTH = WitnessReply(411, b"the header Content-Length is needed, a number\n")
_TOO_LONG = WitnessReply(413, b"the body is too long\n")
_TOO_SLOW = WitnessReply(408, b"the body took too long\n")


class WitnessServer(ThreadingHTTPServer):
    """The server of a witness.

    prefix: first part of the path, such as /witness, or "".
    seconds: longest time for a request to arrive.
    """

    block_on_close = False  # the library would also wait for unstarted threads
    request_queue_size = 2 * AT_ONCE

    def __init__(
        self,
        address: tuple[str, int],
        witness: Witness,
        prefix: str = "",
        seconds: float = REQUEST_SECONDS,
    ) -> None:
        """Listen on an address. Raises OSError."""
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()  # connections by address
        self._answering: set[threading.Thread] = set()
        self._is_over = threading.Event()
        handler = partial(_Handler, witness, prefix + PATH, seconds, self._must_close)
        super().__init__(address, handler)

        self.url = f"http://{_in_url(address[0])}:{self.server_port}{prefix}"

    def shutdown(self) -> None:
        """Take no more requests, and wait until the loop has ended."""
        self._is_over.set()
        super().shutdown()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, or close the connection if there are too many."""
        address = address_key(client_address[0])
        with self._lock:
            has_room = self._open.total() < AT_ONCE and self._open[address] < EACH_AT_ONCE
            if has_room:
                self._open[address] += 1
        if not has_room:
            self.shutdown_request(request)
            return
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address)
        )
        self._answering.add(thread)
        try:
            thread.start()
        except BaseException:
            self._answering.discard(thread)
            self._give_back(address)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and count the connection as closed."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._give_back(address_key(client_address[0]))
            self._answering.discard(threading.current_thread())

    def server_close(self) -> None:
        """Close, and wait until running answers are sent."""
        super().server_close()
        for thread in list(self._answering):
            thread.join()

    def _give_back(self, address: str) -> None:
        with self._lock:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

    def _must_close(self) -> bool:
        """Return True if a connection is to end after its answer, to make room for others."""
        with self._lock:
            return self._is_over.is_set() or self._open.total() >= CROWDED

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """Log a failed connection."""
        _log.info("connection failed", exc_info=True)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class _InTime(io.RawIOBase):
    """The bytes that a socket receives before a deadline. Each request sets a new deadline."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection = connection
        self._seconds = seconds
        self.restart()

    def restart(self) -> None:
        """Set a new deadline."""
        self._ends = monotonic() + self._seconds

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Receive some bytes. Raises TimeoutError at the deadline."""
        seconds_left = self._ends - monotonic()
        if seconds_left <= 0:
            raise TimeoutError
        self._connection.settimeout(seconds_left)
        return self._connection.recv_into(buffer)


class _Handler(BaseHTTPRequestHandler):
    """One connection to the witness."""

    protocol_version = "HTTP/1.1"
    server_version = "giornale-witness"
    sys_version = ""
    error_content_type = "text/plain; charset=utf-8"
    error_message_format = "%(message)s\n"

    def __init__(
        self,
        witness: Witness,
        path: str,
        seconds: float,
        must_close: Callable[[], bool],
        *connection: Any,
    ) -> None:
        self._must_close = must_close
        self._witness = witness
        self._path = path
        self._seconds = seconds
        super().__init__(*connection)  # answers all requests of the connection

    def setup(self) -> None:
        """Read with a deadline. A timeout of the socket would restart with each byte."""
        super().setup()
        self._in_time = _InTime(self.connection, self._seconds)
        self.rfile = io.BufferedReader(self._in_time)

    def handle_one_request(self) -> None:
        """Answer one request with a new deadline."""
        self._in_time.restart()
        super().handle_one_request()

    def do_POST(self) -> None:
        """Answer `add-checkpoint`."""
        reply = self._reply()
        if self._must_close():
            self.close_connection = True
        self.connection.settimeout(self._seconds)
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.media_type)
        self.send_header("Content-Length", str(len(reply.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(reply.body)

    def _reply(self) -> WitnessReply:
        """Return the answer. If the body was not read, the connection is closed afterwards."""
        length = self.headers.get("Content-Length", "")
        is_number = length.isascii() and length.isdigit() and len(length) <= 9
        if not is_number or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            return _NO_LENGTH
        if int(length) > MOST_BYTES:
            self.close_connection = True
            return _TOO_LONG
        try:
            body = self.rfile.read(int(length))
        except TimeoutError:
            self.close_connection = True
            return _TOO_SLOW

        if self.path != self._path:
            return _NO_TARGET
        return self._witness.add_checkpoint(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Leave requests out of the log. The witness logs its own events."""


# ---- the command ---------------------------------------------------------------------------------


@click.command()
@click.argument("data", type=click.Path(path_type=Path, file_okay=False))
@click.option("--log", "keys", multiple=True, help="Verifier key of a log to watch. Repeatable.")
@click.option(
    "--logs",
    "file",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="File of such keys, one a line. Lines that begin with # are comments.",
)
@click.option("--name", default="", help="Permanent name of the key, such as example.org/witness.")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(0, 65535), default=8100, show_default=True)
@click.option("--prefix", default="", help="Path before /add-checkpoint, such as /witness.")
def witness(
    data: Path, keys: tuple[str, ...], file: Path | None, name: str, **listening: Any
) -> None:
    """Watch logs as a witness.

    The protocol is C2SP tlog-witness. Key and state are in the directory DATA. A checkpoint is
    signed only if it extends the last one. Give the printed key to the operators of the logs, and
    to verifiers of proofs.
    """
    watched = _watched(keys, file)
    prefix = listening["prefix"]
    if prefix and (not prefix.startswith("/") or prefix.endswith("/")):
        raise click.UsageError("--prefix must begin with / and must not end with it")

    with interruptible():
        try:
            own = Witness(data, name, watched, clock)
            server = WitnessServer((listening["host"], listening["port"]), own, prefix)
        except (WitnessUnusable, OSError) as error:
            raise click.ClickException(str(error)) from None

    logs.setup("INFO")
    _stop_at_signals(server)
    click.echo(str(own.verifier))
    click.echo(server.url)
    with server:
        server.serve_forever(poll_interval=0.2)


def _watched(keys: tuple[str, ...], file: Path | None) -> list[Verifier]:
    """Return the keys of the logs to watch."""
    listed = lines_in(file) if file else []
    watched = [_log_key(text) for text in (*keys, *listed)]
    if not watched:
        raise click.UsageError("name a log to watch: --log KEY, or --logs FILE")
    return watched


def _log_key(text: str) -> Verifier:
    try:
        key = read_verifier(text)
    except BadNote as error:
        raise click.UsageError(f"{text}: {error}") from None
    if key.kind != ED25519:
        raise click.UsageError(f"{text}: this is not the key of a log")
    return key


def _stop_at_signals(server: WitnessServer) -> None:
    """Have SIGTERM and SIGINT end the server after its running answers.

    A signal that comes before the server's loop begins ends the loop at once.
    """
    is_to_stop = SimpleQueue[None]()  # its `put` may interrupt itself, unlike `Event.set`

    def shut_down() -> None:
        is_to_stop.get()
        server.shutdown()

    def stop(*_signal: object) -> None:
        is_to_stop.put(None)

    # `shutdown` waits for the end of the loop. This thread runs the loop, so another thread calls
    # `shutdown`. That thread is started now: at a signal the system may refuse one.
    threading.Thread(target=shut_down, daemon=True).start()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
