"""The least that a web service can do: Flask routes without any checks.

One adds one entry to a stream, the least of a service with a log. The others answer what they were
given before, out of memory.
"""

import os
from collections.abc import Callable

from flask import Flask, Response, request
from granian import Granian
from granian.constants import Interfaces
from redis import Redis

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
    """Serve what each process loads, at BARE_PORT in BARE_WORKERS processes."""
    Granian(
        "benchmarks.bare:app",
        address="127.0.0.1",
        port=int(os.environ["BARE_PORT"]),
        interface=Interfaces.WSGI,
        workers=int(os.environ["BARE_WORKERS"]),
        blocking_threads=THREADS,
        websockets=False,
        log_enabled=False,
    ).serve(target_loader=load, wrap_loader=False)


if __name__ == "__main__":
    serve(app)
