"""The least that a web service with a log can do: a Flask route that adds one entry to a stream."""

import os

from flask import Flask, request
from granian import Granian
from granian.constants import Interfaces
from redis import Redis


def app() -> Flask:
    """Return the application, which writes to the server that BARE_REDIS names."""
    bare = Flask(__name__)
    redis = Redis.from_url(os.environ["BARE_REDIS"], protocol=2)

    @bare.post("/<match>/moves")
    def add(match: str) -> tuple[dict[str, str], int]:
        entry = redis.xadd(match, {"c": request.get_data()})
        return {"id": str(entry)}, 201

    return bare


def main() -> None:
    """Serve at BARE_PORT until a signal comes, with as many threads as Giornale by default."""
    web = Granian(
        "benchmarks.http_bare:app",
        address="127.0.0.1",
        port=int(os.environ["BARE_PORT"]),
        interface=Interfaces.WSGI,
        blocking_threads=8,
        websockets=False,
        log_enabled=False,
    )
    web.serve(target_loader=app, wrap_loader=False)


if __name__ == "__main__":
    main()
