"""A flood of a web process over loopback, and somebody else who uses it meanwhile."""

import http.client
import json
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from service.ops.process.preflight import free_port
from tests.running import PATIENCE, processes, until

HOST = "127.0.0.1"
OTHER_FILES = 200  # that a test may have open beside its connections
PIECE_BYTES = 65_536
THREE = {"game": "firenze", "seats": [{"kind": "human"}] * 3}


@dataclass
class Answer:
    """The answer, and its duration in seconds."""

    status: int
    headers: dict[str, str]
    body: bytes
    took: float


@dataclass
class Target:
    """A web process that is attacked."""

    port: int
    pid: int

    def ask(self, method: str, path: str, body: Any = None, *, address: str = HOST) -> Answer:
        """Return the answer to a request on a new connection from an address of the loopback."""
        connection = http.client.HTTPConnection(
            HOST, self.port, timeout=PATIENCE, source_address=(address, 0)
        )
        sent_body = None if body is None else json.dumps(body)
        headers = {"Content-Type": "application/json"}

        began = time.monotonic()
        try:
            connection.request(method, path, sent_body, headers)
            answer = connection.getresponse()
            received = answer.read()
        finally:
            connection.close()

        return Answer(
            status=answer.status,
            headers={name.lower(): value for name, value in answer.getheaders()},
            body=received,
            took=time.monotonic() - began,
        )

    def open_match(self) -> str:
        """Open a match. Return its path."""
        answer = self.ask("POST", "/v1/matches", THREE)
        assert answer.status == 201, answer
        return f"/v1/matches/{json.loads(answer.body)['match']}"

    def measure(self, name: str) -> float:
        """Return the sum of a measure."""
        exposition = self.ask("GET", "/metrics").body.decode()

        total = 0.0
        for line in exposition.splitlines():
            if line.startswith(name):
                _, _, value = line.rpartition(" ")
                total += float(value)
        return total

    def descriptors(self) -> int:
        """Return the number of the worker process's open files."""
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    def lives(self) -> float:
        """Return the seconds until /livez answers. Fail if it does not answer well."""
        answer = self.ask("GET", "/livez")
        assert answer.status == 200
        return answer.took


@contextmanager
def target(
    url: str, directory: Path, *, files: str = "unlimited", **settings: str
) -> Iterator[Target]:
    """Run `giornale web` on a journal.

    files: how many it may open, as `ulimit` takes it. By default as many as the test.
    """
    port = free_port(HOST, 0)
    all_settings = {
        "JOURNAL_URL": url,
        "DATA": str(directory),
        "PORT": str(port),
        "RATE_LIMIT": "0",
        "OPENINGS": "0",
        **settings,
    }
    variables = {f"GIORNALE_{name}": value for name, value in all_settings.items()}

    command = [sys.executable, "-m", "workers.giornale", "web"]
    if files != "unlimited":
        command = ["/bin/sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *command]
    process = subprocess.Popen(command, env=os.environ | variables, stderr=subprocess.DEVNULL)
    try:
        until(lambda: _answers(port), "the web process")
        yield Target(port, _child_of(process.pid))
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _child_of(parent: int) -> int:
    """Return the id of the first child process of another."""
    for pid, (its_parent, _command) in processes().items():
        if its_parent == parent:
            return pid
    raise AssertionError(f"process {parent} has started no other")


def _answers(port: int) -> bool:
    try:
        return Target(port, 0).ask("GET", "/livez").status == 200
    except OSError:
        return False


@contextmanager
def connections(
    port: int, number: int, payload: bytes, *, receive_buffer: int = 0
) -> Iterator[list[socket.socket]]:
    """Hold open so many connections. Each has sent some bytes and says no more."""
    need_files(number + OTHER_FILES)
    with ExitStack() as open_sockets:
        sockets = []
        for _ in range(number):
            connection = open_sockets.enter_context(socket.socket())
            if receive_buffer:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)

            connection.settimeout(PATIENCE)
            connection.connect((HOST, port))
            connection.sendall(payload)
            sockets.append(connection)
        yield sockets


def need_files(number: int) -> None:
    """Raise this process's limit of open files, or skip the test if that is not allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= number:
        return

    if hard != resource.RLIM_INFINITY and hard < number:
        pytest.skip(f"the machine allows {hard} open files, the test needs {number}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (number, hard))


def rest(connection: socket.socket) -> bytes:
    """Return everything received until the other side ends the connection."""
    received = b""
    while True:
        try:
            piece = connection.recv(PIECE_BYTES)
        except ConnectionResetError:
            return received
        if not piece:
            return received
        received += piece


def for_seconds(seconds: float, check: Callable[[], None]) -> None:
    """Repeat a check for some seconds, without a pause."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        check()
