"""Other ways to build a log of matches, as servers: Flask over a store of events.

The game is a counter. Each store adds a posted move at an expected version, and rebuilds a state
from its events. `python -m benchmarks.peer_servers` serves the store in PEER_STORE under the web
server of `benchmarks.bare`, with as many threads.

- `table`: a table in PostgreSQL, by plain SQL.
- `eventsourcing`: an application of that library. Its own environment variables name its place
  (PERSISTENCE_MODULE). SNAPSHOTS is the number of events between two snapshots, 0 for none.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import orjson
import psycopg
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.persistence import IntegrityError
from flask import Flask, Response, request
from psycopg_pool import ConnectionPool

from benchmarks.bare import THREADS, serve
from benchmarks.matches import SEATS
from tests.running import until

USER = "peers"
_PLACES = Path("/usr/lib/postgresql")  # Debian's directory for the versions of PostgreSQL
_ACCOUNT = "nobody"  # runs PostgreSQL, since that refuses to run as root
_PATIENCE_SECONDS = 60
_MOST_CONNECTIONS = 200

# Room for all measurements, so that no checkpoint falls into one. A commit is synced to the disk
# before its answer, by default.
_SETTINGS = {
    "listen_addresses": "",
    "max_connections": str(_MOST_CONNECTIONS),
    "shared_buffers": "512MB",
    "max_wal_size": "4GB",
}


class Stale(Exception):
    """A match is at another version than expected."""


# ---- a table ---------------------------------------------------------------------------------


class Table:
    """A table of events. Its key permits one event for each version, and ADD permits no gaps.

    A match begins at version 1, and each event makes the next one.
    """

    CREATE = """CREATE TABLE IF NOT EXISTS events (
        match uuid, version integer, event jsonb NOT NULL, PRIMARY KEY (match, version))"""
    OPEN = "INSERT INTO events VALUES (%s, 1, 'null')"
    ADD = """INSERT INTO events SELECT match, version + 1, %s FROM events
        WHERE match = %s AND version = %s ON CONFLICT DO NOTHING RETURNING version"""
    READ = "SELECT event FROM events WHERE match = %s AND version <= %s ORDER BY version"
    ALL = 2**31 - 1

    def __init__(self) -> None:
        """Open a connection for each thread, by PGHOST and PGDATABASE."""
        self._pool = ConnectionPool(
            min_size=THREADS, max_size=THREADS, kwargs={"autocommit": True}, open=True
        )

    @staticmethod
    def make() -> None:
        """Make the table."""
        with psycopg.connect() as connection:
            connection.execute(Table.CREATE)

    def open(self) -> str:
        """Open a match. Return its ID."""
        match = uuid4()
        with self._pool.connection() as connection:
            connection.execute(self.OPEN, [match], prepare=True)
        return match.hex

    def add(self, match: str, expected: int, payload: Any) -> int:
        """Store an event after an expected version. Return the new one, or raise Stale."""
        values = [orjson.dumps(payload).decode(), match, expected]
        with self._pool.connection() as connection:
            added = connection.execute(self.ADD, values, prepare=True).fetchone()
        if added is None:
            raise Stale
        version: int = added[0]
        return version

    def state(self, match: str, version: int | None) -> dict[str, int]:
        """Fold the events up to a version, as a game must: its rules are no SQL."""
        events = self._events(match, version or self.ALL)
        count = 0
        for _made in events[1:]:
            count += 1
        return {"version": len(events), "count": count}

    def history(self, match: str) -> list[Any]:
        """Return all moves."""
        return self._events(match, self.ALL)[1:]

    def _events(self, match: str, version: int) -> list[Any]:
        with self._pool.connection() as connection:
            rows = connection.execute(self.READ, [match, version], prepare=True).fetchall()
        return [payload for (payload,) in rows]


# ---- eventsourcing -----------------------------------------------------------------------------


class Counter(Aggregate):
    """A match as an aggregate of the library."""

    @event("Opened")
    def __init__(self) -> None:
        self.count = 0

    @event("Moved")
    def move(self, payload: Any) -> None:  # noqa: ARG002 - the event holds it
        """Count a move."""
        self.count += 1


class Aggregates:
    """Matches as aggregates, in the place that the environment names."""

    def __init__(self) -> None:
        class Matches(Application[UUID]):
            snapshotting_intervals = (
                {Counter: int(os.environ["SNAPSHOTS"])} if int(os.environ["SNAPSHOTS"]) else {}
            )

        self._matches = Matches()

    @staticmethod
    def make() -> None:
        """Make the tables."""
        os.environ["CREATE_TABLE"] = "yes"
        with closing(Aggregates()._matches):
            os.environ["CREATE_TABLE"] = "no"  # for the processes that serve

    def open(self) -> str:
        """Open a match."""
        counter = Counter()
        self._matches.save(counter)
        return counter.id.hex

    def add(self, match: str, expected: int, payload: Any) -> int:
        """Store an event of the aggregate, if it is at the expected version."""
        counter: Counter = self._matches.repository.get(UUID(match))
        if counter.version != expected:
            raise Stale
        counter.move(payload)
        try:
            self._matches.save(counter)
        except IntegrityError:
            raise Stale from None
        return counter.version

    def state(self, match: str, version: int | None) -> dict[str, int]:
        """Return the aggregate, at its head or at a version."""
        counter: Counter = self._matches.repository.get(UUID(match), version=version)
        return {"version": counter.version, "count": counter.count}

    def history(self, match: str) -> list[Any]:
        """Return all moves."""
        events: Iterator[Any] = iter(self._matches.events.get(UUID(match)))
        next(events)
        return [each.payload for each in events]


# ---- the routes --------------------------------------------------------------------------------

STORES: dict[str, type[Table | Aggregates]] = {"table": Table, "eventsourcing": Aggregates}


def app() -> Flask:
    """Return the application over the store in PEER_STORE."""
    return over(STORES[os.environ["PEER_STORE"]]())


def over(store: Table | Aggregates) -> Flask:
    """Return an application over a store, with Giornale's addresses."""
    peer = Flask(__name__)

    def answer(value: Any, status: int = 200) -> Response:
        return Response(orjson.dumps(value), status, mimetype="application/json")

    @peer.post("/v1/matches")
    def open_match() -> Response:
        seats = range(SEATS)
        tokens = {f"seat:{seat}": f"gio_{os.urandom(35).hex()}" for seat in seats}
        return answer({"match": store.open(), "seats": [*seats], "tokens": tokens}, 201)

    @peer.post("/v1/matches/<match>/moves")
    def move(match: str) -> Response:
        expected = int(request.headers["If-Match"].strip('"'))
        try:
            version = store.add(match, expected, orjson.loads(request.get_data()))
        except Stale:
            return answer({"expected": expected}, 409)
        return answer({"version": version}, 201)

    @peer.get("/v1/matches/<match>/state")
    def state(match: str) -> Response:
        return answer(store.state(match, request.args.get("version", type=int)))

    @peer.get("/v1/matches/<match>/commits")
    def history(match: str) -> Response:
        return answer(store.history(match))

    return peer


# ---- PostgreSQL ----------------------------------------------------------------------------------


def program(name: str) -> str | None:
    """Return the path of the newest program of PostgreSQL. None if it is not installed."""
    paths = sorted(_PLACES.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    return str(paths[-1]) if paths else shutil.which(name)


def place(directory: Path, database: str) -> str:
    """Return the connection string of a database of the server in a directory."""
    return f"host={directory} user={USER} dbname={database}"


@contextmanager
def postgres() -> Iterator[Path]:
    """Run PostgreSQL in a directory of its own. Yield the directory, with its socket.

    It listens to nothing else. As root this runs it under another account.
    """
    account = {"user": _ACCOUNT, "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        if account:
            shutil.chown(directory, _ACCOUNT)
        data = directory / "data"
        initdb, server = program("initdb"), program("postgres")
        assert initdb is not None
        assert server is not None
        quiet: Mapping[str, Any] = {
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            "cwd": directory,
            **account,
        }
        options = ("--username", USER, "--auth", "trust", "--encoding", "UTF8", "--no-locale")
        subprocess.run([initdb, "--pgdata", str(data), *options], check=True, **quiet)

        settings = [f"--{key}={value}" for key, value in _SETTINGS.items()]
        socket_directory = f"--unix_socket_directories={directory}"
        process = subprocess.Popen([server, "-D", str(data), socket_directory, *settings], **quiet)
        try:
            until(lambda: _answers(directory), "PostgreSQL", _PATIENCE_SECONDS)
            yield directory
        finally:
            process.send_signal(signal.SIGINT)  # a fast shutdown
            process.wait(_PATIENCE_SECONDS)


def _answers(directory: Path) -> bool:
    try:
        with psycopg.connect(place(directory, "postgres")):
            return True
    except psycopg.OperationalError:
        return False


if __name__ == "__main__":
    # By this module's own name: the library writes it into its events.
    from benchmarks import peer_servers

    peer_servers.STORES[os.environ["PEER_STORE"]].make()
    serve(peer_servers.app)
