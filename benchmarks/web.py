"""A web process on a bundled server of its own, and a client who plays through the door."""

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from service.process.address import free_port
from service.process.valkey import Server

HOST = "127.0.0.1"
_START_SECONDS = 20


@contextmanager
def server() -> Iterator[str]:
    """Run a bundled server; yield its URL."""
    with tempfile.TemporaryDirectory() as directory, Server(Path(directory)) as running:
        yield running.url


@contextmanager
def web(url: str, **settings: str) -> Iterator[int]:
    """Run `giornale web` on a server, logging as in production but to nowhere; yield the port."""
    port = free_port(HOST, 0)
    with tempfile.TemporaryDirectory() as directory:
        told = {
            "JOURNAL_URL": url,
            "DATA": directory,
            "PORT": str(port),
            "ALLOW_SEED": "true",
            **settings,
        }
        told.setdefault("OPENINGS", "0")
        with running(
            "service.cli",
            "web",
            **{f"GIORNALE_{name}": value for name, value in told.items()},
        ):
            await_port(port)
            yield port


@contextmanager
def running(module: str, *arguments: str, **environ: str) -> Iterator[None]:
    """Run a module in a process of its own."""
    command = [sys.executable, "-m", module, *arguments]
    process = subprocess.Popen(command, env=os.environ | environ, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(_START_SECONDS)


def await_port(port: int) -> None:
    """Return when somebody answers."""
    ends = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection((HOST, port)).close()
        except OSError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.05)
        else:
            return


@dataclass
class Client:
    """One connection that is kept open."""

    port: int
    connection: http.client.HTTPConnection = field(init=False)

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection(HOST, self.port, timeout=30)

    def ask(
        self, method: str, path: str, body: Any = None, token: str = "", **headers: str
    ) -> tuple[int, Any]:
        """Return the status and the JSON of an answer."""
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        data = answer.read()
        return answer.status, json.loads(data) if data else None


def open_match(client: Client, game: str) -> dict[str, Any]:
    """Open a match of three humans."""
    status, match = client.ask(
        "POST", "/v1/matches", {"game": game, "seats": [{"kind": "human"}] * 3}
    )
    assert status == 201, match
    opened: dict[str, Any] = match
    return opened
