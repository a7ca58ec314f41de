"""An import killed in the middle: whoever dies, the match is there whole or not at all, and can be imported again."""

import gzip
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

import pytest
from redis import Redis

from service.journal.redis import open_journal
from service.ledger import record
from service.ledger.canonical import canonical
from service.process.valkey import Server
from tests.records import make
from tests.running import PATIENCE

LINES = record.lines(gzip.decompress((make.HOME / "calimala" / "1-3-00.ndjson.gz").read_bytes()))
MATCH = record.read_line(LINES[0])[0]["commit"]["match"]
PARTITIONS = 256


class Gate:
    """Stands between an import and its server: lets so many bytes pass to the server, then strikes and is shut."""

    def __init__(
        self, server: str, limit: int = sys.maxsize, strike: Callable[[], object] = lambda: None
    ) -> None:
        self.strike = strike
        self.passed = 0
        self._server = server
        self._limit = limit
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}/0"
        self._threads: list[threading.Thread] = []
        self._spawn(self._accept)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        shut(self._listener)
        for thread in self._threads:
            thread.join(PATIENCE)

    def _spawn(self, work: Callable[..., None], *sockets: socket.socket) -> None:
        self._threads.append(threading.Thread(target=work, args=sockets))
        self._threads[-1].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                with ExitStack() as failed:
                    failed.callback(shut, near)
                    far = connected(self._server)
                    failed.pop_all()
                self._spawn(self._up, near, far)
                self._spawn(self._down, near, far)

    def _up(self, near: socket.socket, far: socket.socket) -> None:
        with suppress(OSError):
            while self.passed < self._limit and (data := near.recv(4096)):
                far.sendall(data[: self._limit - self.passed])
                self.passed += min(len(data), self._limit - self.passed)
        if self.passed == self._limit:
            self.strike()
            shut(self._listener)
        shut(near, far)

    def _down(self, near: socket.socket, far: socket.socket) -> None:
        with suppress(OSError):
            while data := far.recv(65536):
                near.sendall(data)
        shut(near, far)


def shut(*sockets: socket.socket) -> None:
    """Close sockets, waking whoever waits at them."""
    for one in sockets:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()


def connected(url: str) -> socket.socket:
    """Return a connection to the server of a URL."""
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return socket.create_connection((parts.hostname, parts.port))
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(unquote(parts.path))
        return connection.dup()


def command(url: str, directory: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    """Start `giornale` on a journal, as from a shell."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIORNALE_")}
    environ = {**plain, "GIORNALE_JOURNAL_URL": url, "GIORNALE_DATA": str(directory)}
    line = [sys.executable, "-m", "service.cli", *arguments]
    return subprocess.Popen(line, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(url: str, directory: Path, *arguments: str) -> bytes:
    """Run `giornale` to its good end and return what it printed."""
    process = command(url, directory, *arguments)
    out, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, error.decode()
    return out


def stored(url: str) -> list[bytes]:
    """Return the commits of the match that the server holds."""
    journal = open_journal(url, PARTITIONS)
    try:
        return journal.read(MATCH)
    finally:
        journal.close()


@pytest.fixture
def file(tmp_path: Path) -> str:
    """The record as a file."""
    (tmp_path / "record.ndjson").write_bytes(b"".join(LINES))
    return str(tmp_path / "record.ndjson")


@pytest.fixture
def length(redis_url: str, file: str, tmp_path: Path) -> int:
    """How many bytes an import sends to its server, which is left empty."""
    with Gate(redis_url) as gate:
        run(gate.url, tmp_path, "import", file)
    with Redis.from_url(redis_url) as client:
        client.flushall()
    return gate.passed


def check_whole(url: str, directory: Path, file: str) -> None:
    """Assert that the match can be imported, verifies, and comes out as it went in."""
    run(url, directory, "import", file)
    assert stored(url) == [canonical(record.read_line(line)[0]) for line in LINES]
    assert run(url, directory, "export", MATCH) == b"".join(LINES)
    assert run(url, directory, "verify", MATCH).startswith(b"right:")


@pytest.mark.parametrize("part", [0.05, 0.5, 0.99])
def test_an_import_killed_in_the_middle_leaves_nothing_and_is_made_again(
    redis_url: str, length: int, file: str, tmp_path: Path, part: float
) -> None:
    """SIGKILL of the importing process with so much of its transaction sent."""
    with Gate(redis_url, int(part * length)) as gate:
        process = command(gate.url, tmp_path, "import", file)
        gate.strike = process.kill
        process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGKILL
    assert stored(redis_url) == []
    check_whole(redis_url, tmp_path, file)


@pytest.mark.parametrize("part", [0.05, 0.99, 1])
def test_a_server_killed_in_the_middle_of_an_import_holds_all_or_nothing(
    length: int, file: str, tmp_path: Path, part: float
) -> None:
    """SIGKILL of the server with so much of the transaction received; started again, it takes the record."""
    with (
        Server(tmp_path / "journal") as server,
        Gate(server.url, int(part * length), lambda: os.kill(server.pid, signal.SIGKILL)) as gate,
    ):
        command(gate.url, tmp_path, "import", file).communicate(timeout=PATIENCE)
    with Server(tmp_path / "journal") as again:
        assert len(stored(again.url)) in (0, len(LINES))
        check_whole(again.url, tmp_path, file)
