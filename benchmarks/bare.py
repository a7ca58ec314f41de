"""The least that a web service can do: Flask routes without any checks.

One adds one entry to a stream, the least of a service with a log. The others answer what they were
given before, out of memory.
"""

import os
from collections.abc import Callable
from functools import partial

from flask import Flask, Response, request
from granian import Granian
from granian.constants import Interfaces
from redis import Redis

from service.ops.process.web import keep_to_one_core

THREADS = 8  # of each process: as many as Giornale lets work at once by default


def app() -> Flask:
    """Return the application, which writes to the server that BARE_REDIS names."""
    bare = Flask(__name__)
    redis = Redis.from_url(os.environ["BARE_REDIS"], protocol=2)
    given: dict[str, tuple[bytes, dict[str, str]]] = {}

    @bare.post("/<match>/moves")
    def add(match: str) -> tuple[dict[str, str], int]:
        entry = redis.xadd(match, {"c": request.get_data()})
        return {"id": str(entry)}, 201

    @bare.put("/given/<name>")
    def give(name: str) -> tuple[str, int]:
        given[name] = (request.get_data(), {"Content-Type": request.headers["Content-Type"]})
        return "", 204

    @bare.get("/given/<name>")
    def take(name: str) -> Response:
        body, headers = given[name]
        return Response(body, 200, headers)

    @bare.get("/unchanged")
    def unchanged() -> Response:
        return Response(status=304, headers={"ETag": request.headers["If-None-Match"]})

    return bare


def serve(load: Callable[[], Flask]) -> None:
    """Serve what each process loads, at BARE_PORT in BARE_WORKERS processes.

    Each keeps to one core, as Giornale's web processes do.
    """
    workers = int(os.environ["BARE_WORKERS"])
    numbers, given = os.pipe()  # each process takes a number out of it
    os.write(given, bytes(range(workers)))
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
    """Return what a process loads, once it keeps to one core."""
    [number] = os.read(numbers, 1)
    keep_to_one_core(number)
    return load()


if __name__ == "__main__":
    serve(app)
