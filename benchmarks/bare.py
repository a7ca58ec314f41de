"""The minimum of a web service: Flask routes without any checks.

One adds one entry to a stream, the minimum of a service with a log. The others answer from memory
with bytes that were sent before.
"""

import os
from collections.abc import Callable
from functools import partial

from flask import Flask, Response, request
from granian import Granian
from granian.constants import Interfaces
from redis import Redis

from service.ops.process.web import keep_to_one_core

THREADS = 8  # of each process: Giornale's default number of threads for requests


def app() -> Flask:
    """Return the application. It writes to the server in BARE_REDIS."""
    bare = Flask(__name__)
    redis = Redis.from_url(os.environ["BARE_REDIS"], protocol=2)
    responses: dict[str, tuple[bytes, dict[str, str]]] = {}

    @bare.post("/<match>/moves")
    def add(match: str) -> tuple[dict[str, str], int]:
        entry = redis.xadd(match, {"c": request.get_data()})
        return {"id": str(entry)}, 201

    @bare.put("/given/<name>")
    def give(name: str) -> tuple[str, int]:
        responses[name] = (request.get_data(), {"Content-Type": request.headers["Content-Type"]})
        return "", 204

    @bare.get("/given/<name>")
    def take(name: str) -> Response:
        body, headers = responses[name]
        return Response(body, 200, headers)

    @bare.get("/unchanged")
    def unchanged() -> Response:
        return Response(status=304, headers={"ETag": request.headers["If-None-Match"]})

    return bare


def serve(load: Callable[[], Flask]) -> None:
    """Serve the application at BARE_PORT in BARE_WORKERS processes. Each process loads it.

    Each keeps to one core, like Giornale's web processes.
    """
    workers = int(os.environ["BARE_WORKERS"])
    numbers, writer = os.pipe()  # each process takes a number out of it
    os.write(writer, bytes(range(workers)))
    Granian(
        "benchmarks.bare:app",
        address="127.0.0.1",
        port=int(os.environ["BARE_PORT"]),
        interface=Interfaces.WSGI,
        workers=workers,
        blocking_threads=THREADS,
        websockets=False,
        log_enabled=False,
    ).serve(target_loader=partial(_on_one_core, numbers, load), wrap_loader=False)


def _on_one_core(numbers: int, load: Callable[[], Flask]) -> Flask:
    """Keep to one core, then return the loaded application."""
    [number] = os.read(numbers, 1)
    keep_to_one_core(number)
    return load()


if __name__ == "__main__":
    serve(app)
