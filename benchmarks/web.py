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
START_SECONDS = 20
STOP_SECONDS = 20
REQUEST_SECONDS = 30


@contextmanager
def server() -> Iterator[str]:
    """Run a bundled server; yield its URL."""
    with tempfile.TemporaryDirectory() as directory, Server(Path(directory)) as bundled:
        yield bundled.url


def settings(url: str, directory: str, **changed: str) -> dict[str, str]:
    """Return the settings of a web process for benchmarks, as environment variables.

    It logs as in production, takes seeds, and lets one client open any number of matches.
    """
    chosen = {
        "JOURNAL_URL": url,
        "DATA": directory,
        "ALLOW_SEED": "true",
        "OPENINGS": "0",
        **changed,
    }
    return {f"GIORNALE_{name}": value for name, value in chosen.items()}


@contextmanager
def web(url: str, **changed: str) -> Iterator[int]:
    """Run `giornale web` on a server, with some settings changed; yield the port.

    What it logs goes nowhere.
    """
    port = free_port(HOST, 0)
    with tempfile.TemporaryDirectory() as directory:
        environ = settings(url, directory, PORT=str(port), **changed)
        with running("service.cli", "web", **environ):
            await_port(port)
            yield port


@contextmanager
def running(module: str, *arguments: str, **environ: str) -> Iterator[None]:
    """Run a module in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        env=os.environ | environ,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


def await_port(port: int) -> None:
    """Return when somebody answers at a port."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection((HOST, port)).close()
        except OSError:
            if time.monotonic() > deadline:
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
        self.connection = http.client.HTTPConnection(HOST, self.port, timeout=REQUEST_SECONDS)

    def ask(
        self, method: str, path: str, body: Any = None, token: str = "", **headers: str
    ) -> tuple[int, Any]:
        """Return the status and the JSON of an answer."""
        if token:
            headers["Authorization"] = f"Bearer {token}"

        sent = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            sent = json.dumps(body)

        self.connection.request(method, path, sent, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content else None


def open_match(client: Client, game: str, seed: str | None = None) -> dict[str, Any]:
    """Open a match of three humans and return its document, with the tokens of the seats."""
    body: dict[str, Any] = {"game": game, "seats": [{"kind": "human"}] * 3}
    if seed is not None:
        body["seed"] = seed

    status, document = client.ask("POST", "/v1/matches", body)
    assert status == 201, document
    match: dict[str, Any] = document
    return match
