"""The fault proxy does to connections what each of its modes says."""

import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.campaign.proxying import FaultProxy
from tests.running import until

SOON_SECONDS = 0.3


class Echo(socketserver.ThreadingUnixStreamServer):
    """A server that answers each line with the same line, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self, path: Path) -> None:
        self.asked: list[bytes] = []
        super().__init__(str(path), EchoHandler)


class EchoHandler(socketserver.StreamRequestHandler):
    """One connection of the server."""

    def handle(self) -> None:
        assert isinstance(self.server, Echo)
        with suppress(OSError):
            for line in self.rfile:
                self.server.asked.append(line)
                self.wfile.write(line)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the sockets lie."""
    return tmp_path_factory.mktemp("p")


@pytest.fixture(scope="module")
def server(directory: Path) -> Iterator[Echo]:
    """A server behind the proxy."""
    with Echo(directory / "server.sock") as echo:
        thread = threading.Thread(target=echo.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield echo
        echo.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def proxy(directory: Path, server: Echo) -> Iterator[FaultProxy]:
    """A proxy in front of the server."""
    address_file = directory / "server.url"
    address_file.write_text(f"unix://{directory}/server.sock")
    with FaultProxy(directory, address_file) as running:
        yield running


@pytest.fixture
def client(directory: Path, proxy: FaultProxy, server: Echo) -> Iterator[socket.socket]:
    """A connection through the proxy that has been used once."""
    proxy.heal()
    server.asked.clear()

    def connect() -> socket.socket | None:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(SOON_SECONDS)
        connection.connect(str(directory / "journal.sock"))
        with suppress(OSError):
            if ask(connection, b"hello\n") == b"hello\n":
                return connection
        connection.close()
        return None

    with until(connect, "the proxy to be healed") as connection:
        yield connection


def ask(connection: socket.socket, line: bytes) -> bytes:
    """Send a line and return what comes back, b"" at the end; raises OSError."""
    connection.sendall(line)
    return connection.recv(100)


def is_in_effect(proxy: FaultProxy, mode: str, milliseconds: int = 0) -> None:
    """Order a mode for the journal, and wait until the proxy must have read the order."""
    proxy.order("journal", mode, milliseconds)
    time.sleep(0.1)


def test_pass(client: socket.socket) -> None:
    """Everything is handed on."""
    assert ask(client, b"more\n") == b"more\n"


def test_delay(proxy: FaultProxy, client: socket.socket) -> None:
    """An answer comes later by as much as was ordered."""
    is_in_effect(proxy, "delay", 150)
    began = time.monotonic()
    assert ask(client, b"late\n") == b"late\n"
    assert time.monotonic() - began >= 0.15


def test_drop(proxy: FaultProxy, server: Echo, client: socket.socket) -> None:
    """The server has done what was asked, and the client loses its connection instead of hearing.

    That is an append which is made and whose answer is lost.
    """
    is_in_effect(proxy, "drop")
    with suppress(ConnectionResetError):
        assert ask(client, b"append\n") == b""
    assert b"append\n" in server.asked


def test_reset(proxy: FaultProxy, server: Echo, client: socket.socket) -> None:
    """An open connection is cut, and what is sent now does not reach the server."""
    is_in_effect(proxy, "reset")
    with suppress(BrokenPipeError, ConnectionResetError):
        assert ask(client, b"gone\n") == b""
    assert b"gone\n" not in server.asked


def test_hang(proxy: FaultProxy, client: socket.socket) -> None:
    """Nothing comes while it hangs, and everything afterwards."""
    is_in_effect(proxy, "hang")
    with pytest.raises(TimeoutError):
        ask(client, b"waits\n")

    proxy.order("journal", "pass")
    assert client.recv(100) == b"waits\n"


def test_half_open(proxy: FaultProxy, server: Echo, client: socket.socket) -> None:
    """The client's side stays open and silent, and ends when the fault ends."""
    is_in_effect(proxy, "half_open")
    with pytest.raises(TimeoutError):
        ask(client, b"anybody?\n")
    assert b"anybody?\n" not in server.asked

    proxy.order("journal", "pass")
    with suppress(ConnectionResetError):
        assert client.recv(100) == b""


def test_the_other_door_is_untouched(directory: Path, proxy: FaultProxy, client: object) -> None:
    """A fault of the journal's connections leaves those of the queues alone."""
    is_in_effect(proxy, "reset")
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(SOON_SECONDS)
        connection.connect(str(directory / "queue.sock"))
        assert ask(connection, b"queue\n") == b"queue\n"
