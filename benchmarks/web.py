"""The processes of benchmarks: a server, web processes on it or the bare one, and a client."""

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flask import Flask

from service.app import create_app
from service.base.config import Config
from service.ops.process.preflight import free_port
from service.ops.process.valkey import Server
from tests.running import LOOPBACK, RunningService, running_service, until

HOST = LOOPBACK
PYTHON = (sys.executable, "-m")  # runs a module
PATIENCE_SECONDS = 60  # until a process serves, or has ended
REQUEST_SECONDS = 30

# Every request is counted as in production, and none exceeds the limit.
NO_BOUND = {"RATE_LIMIT": "100000000", "ADDRESS_LIMIT": "100000000"}


# ---- Services ------------------------------------------------------------------------------------


@contextmanager
def server() -> Iterator[str]:
    """Run a bundled server. Yield its URL."""
    with tempfile.TemporaryDirectory() as directory, server_in(Path(directory)) as url:
        yield url


@contextmanager
def server_in(directory: Path) -> Iterator[str]:
    """Run a bundled server on a directory. Yield its URL."""
    with Server(directory) as bundled:
        yield bundled.url


def settings(url: str, directory: str, **changed: str) -> dict[str, str]:
    """Return the settings of a web process for benchmarks, as environment variables.

    It logs as in production, takes seeds, and lets one client open any number of matches.
    """
    chosen = {"JOURNAL_URL": url, "DATA": directory, "ALLOW_SEED": "true", "OPENINGS": "0"}
    return {f"GIORNALE_{name}": value for name, value in (chosen | changed).items()}


@contextmanager
def web(url: str, **changed: str) -> Iterator[int]:
    """Run `giornale web` on a server, with some settings changed. Yield the port."""
    port = free_port(HOST, 0)
    with tempfile.TemporaryDirectory() as directory:
        environ = settings(url, directory, PORT=str(port), **changed)
        with running(port, *PYTHON, "workers.giornale", "web", **environ):
            yield port


@contextmanager
def bare_service(url: str, processes: int = 1) -> Iterator[int]:
    """Run the bare routes on a server, in so many web processes. Yield the port."""
    port = free_port(HOST, 0)
    environ = {"BARE_REDIS": url, "BARE_PORT": str(port), "BARE_WORKERS": str(processes)}
    with running(port, *PYTHON, "benchmarks.bare", **environ):
        yield port


@contextmanager
def application() -> Iterator[Flask]:
    """Yield the web application in this process, over a bundled server."""
    with server() as url, tempfile.TemporaryDirectory() as directory:
        environ = settings(url, directory, RATE_LIMIT="0", LOG_LEVEL="error")
        yield create_app(Config.load(environ))


@contextmanager
def whole_service(**changed: str) -> Iterator[RunningService]:
    """Run `giornale serve` on a directory of its own, without limits for clients."""
    with tempfile.TemporaryDirectory() as directory:
        limits = {"RATE_LIMIT": "0", "ADDRESS_LIMIT": "0", "ALLOW_SEED": "true", "OPENINGS": "0"}
        chosen = {f"GIORNALE_{name}": value for name, value in (limits | changed).items()}
        with running_service(Path(directory), **chosen) as service:
            yield service


@contextmanager
def running(port: int, *command: str, **environ: str) -> Iterator[None]:
    """Run a program in another process that serves at a port. Its logs are dropped."""
    process = subprocess.Popen(
        command,
        env=os.environ | environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def answers() -> bool:
        with socket.socket() as connection:
            return connection.connect_ex((HOST, port)) == 0

    try:
        until(answers, f"an answer at port {port}", PATIENCE_SECONDS)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


# ---- A client ------------------------------------------------------------------------------------


@dataclass
class Client:
    """One persistent connection, from an address of this machine."""

    port: int
    address: str = HOST
    connection: http.client.HTTPConnection = field(init=False)

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection(
            HOST, self.port, timeout=REQUEST_SECONDS, source_address=(self.address, 0)
        )

    def ask(
        self, method: str, path: str, body: Any = None, token: str = "", **headers: str
    ) -> tuple[int, Any]:
        """Return the status and the JSON of an answer."""
        if token:
            headers["Authorization"] = f"Bearer {token}"
        headers["Content-Type"] = "application/json"
        body_text = None if body is None else json.dumps(body)
        self.connection.request(method, path, body_text, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content else None

    def fetch(
        self, method: str, path: str, body: Any = None, token: str = "", **headers: str
    ) -> Any:
        """Return the JSON of an answer. Raises AssertionError for a refusal."""
        status, answer = self.ask(method, path, body, token, **headers)
        assert status in (200, 201), answer
        return answer

    def read(self, path: str, **headers: str) -> tuple[bytes, http.client.HTTPMessage]:
        """Return the bytes and headers of an answer with the status 200."""
        self.connection.request("GET", path, headers=headers)
        answer = self.connection.getresponse()
        content = answer.read()
        assert answer.status == 200, content
        return content, answer.headers


def port_of(service: RunningService) -> int:
    """Return the port of a service."""
    return int(service.url.rstrip("/").rpartition(":")[2])


def open_match(client: Client, game: str, seed: str | None = None) -> dict[str, Any]:
    """Open a match of three humans and return its document, with the tokens of the seats."""
    body = {"game": game, "seats": [{"kind": "human"}] * 3, "seed": seed}
    if seed is None:
        del body["seed"]
    match: dict[str, Any] = client.fetch("POST", "/v1/matches", body)
    return match


def seat_tokens(match: dict[str, Any]) -> list[str]:
    """Return the tokens of a match by seat."""
    return [match["tokens"][f"seat:{seat}"] for seat in range(len(match["seats"]))]


def legal_move(client: Client, match: dict[str, Any], number: int) -> tuple[str, Any] | None:
    """Return the token of a seat that is to act and one of its moves. None if none is to act."""
    path = f"/v1/matches/{match['match']}"
    seats = client.fetch("GET", path)["waiting_for"]["seats"]
    if not seats:
        return None

    token = match["tokens"][f"seat:{seats[0]}"]
    moves = client.fetch("GET", f"{path}/moves", token=token)["moves"]
    return token, moves[number % len(moves)]


def post_move(client: Client, match: dict[str, Any], token: str, move: Any) -> int:
    """Make a move. Return the version after it."""
    commit = client.fetch("POST", f"/v1/matches/{match['match']}/moves", move, token)
    version: int = commit["version"]
    return version
