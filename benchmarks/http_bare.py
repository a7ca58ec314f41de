"""The least that a web service with a log can do: a Flask route that adds one entry to a stream."""

import os

from flask import Flask, request
from granian import Granian
from granian.constants import Interfaces
from redis import Redis


def app() -> Flask:
    """Return the application."""
    bare = Flask(__name__)
    redis = Redis.from_url(os.environ["BARE_REDIS"], protocol=2)

    @bare.post("/<match>/moves")
    def add(match: str) -> tuple[dict[str, str], int]:
        entry = redis.xadd(match, {"c": request.get_data()})
        return {"id": str(entry)}, 201

    return bare


if __name__ == "__main__":
    Granian(
        "benchmarks.http_bare:app",
        address="127.0.0.1",
        port=int(os.environ["BARE_PORT"]),
        interface=Interfaces.WSGI,
        blocking_threads=8,
        websockets=False,
        log_enabled=False,
    ).serve(target_loader=app, wrap_loader=False)
