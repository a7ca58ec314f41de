"""A POSTed move: against the least that a web service with a log can do, and what its parts cost.

The same moves are posted, in turn, to Giornale and to a bare Flask route that does one XADD, both
under Granian on the same Redis server.

- One connection: moves a second.
- 16 connections, two web processes on both sides: moves a second, each connection as fast as it is
  answered. Then the moves come at half of Giornale's rate, on a timetable, to both: an answer takes
  from the time when its request was due, so that who is slow pays for what had to wait. Clients,
  web processes and server share the machine, so the clients are one process with raw sockets.
- One core: the processor time of a web process for a few matches and for more.
- In this process, without sockets and threads: with and without chain, salts and receipts, and
  the processor time by raw connections to Redis and by redis-py's client.
"""

import json
import os
import resource
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from unittest import mock

from flask import Flask

from benchmarks.matches import HUMANS, SEATS, SEED, SeatMove, common_moves
from benchmarks.measure import Figures, Ratio, interleaved, limit, p99, rate, show, worked
from benchmarks.sockets import play, request_bytes
from benchmarks.web import (
    Client,
    application,
    bare_service,
    open_match,
    seat_tokens,
    server,
    web,
)
from domain.games import GAMES
from service.api.app import create_app
from service.api.http.context import services_of
from service.ledger import codec
from service.ledger.commit import Content, canonical

RUNS = 7
CROWD_RUNS = 3
APP_RUNS = 9
FEW_MATCHES = 4
MANY_MATCHES = 12
RAW_RUNS = 15
CONNECTIONS = 16
WEB_PROCESSES = 2
MOVES = 100  # of each of many connections in each run
GOAL = 0.7
CROWD_GOAL = 0.6
P99_GOAL = 2
AUDIT_GOAL = 0.85  # of the rate of moves without chain, salts and receipts

# As long as a seat's token, so that both services read as much.
SOME_TOKEN = "gio_" + "a" * 70


# ---- One connection ------------------------------------------------------------------------------


def post_all(client: Client, path: str, moves: Sequence[SeatMove], tokens: Sequence[str]) -> float:
    """Post moves, the first at version 1, with the tokens of the seats; return moves a second."""

    def post() -> None:
        for version, seat_move in enumerate(moves, 1):
            token = tokens[seat_move.seat]
            headers = {"If-Match": f'"{version}"'}
            status, _ = client.ask("POST", path, seat_move.move, token, **headers)
            assert status == 201

    return rate(len(moves), post)


def post_to_giornale(client: Client, game: str, moves: Sequence[SeatMove]) -> float:
    """Return how many moves a second are made in a new match."""
    match = open_match(client, game, seed=SEED)
    return post_all(client, f"/v1/matches/{match['id']}/moves", moves, seat_tokens(match))


def by_one_connection() -> Figures:
    """Print moves a second of both services; return the ratio of each game."""
    ratios: Figures = []
    with server() as url, web(url) as port, bare_service(url) as bare_port:
        for game in GAMES:
            rates = _rates_of_both(port, bare_port, game)
            show(f"{game}: one connection", rates, "moves/s")
            name = f"{game}: POST move against a bare XADD"
            ratios.append(Ratio(name, rates["giornale"] / rates["bare"], GOAL))
    return ratios


def _rates_of_both(port: int, bare_port: int, game: str) -> dict[str, float]:
    moves = common_moves(game)
    giornale = Client(port)
    bare = Client(bare_port)
    tokens = [SOME_TOKEN] * SEATS
    return interleaved(
        RUNS,
        {
            "bare": lambda: post_all(bare, f"/{os.urandom(8).hex()}/moves", moves, tokens),
            "giornale": lambda: post_to_giornale(giornale, game, moves),
        },
    )


# ---- Many connections ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Contender:
    """A service, and what makes the requests of each connection to it."""

    port: int
    prepare: Callable[[], list[list[bytes]]]

    def rate(self) -> float:
        """Post moves as fast as they are answered; return how many a second."""
        return play(self.port, self.prepare()).rate

    def slowest_ms(self, rate: float) -> float:
        """Post so many moves a second; return the p99 of their milliseconds."""
        return 1000 * p99(play(self.port, self.prepare(), rate).seconds)


def giornale(port: int, game: str, moves: Sequence[SeatMove]) -> Contender:
    """Return Giornale; each connection plays a new match."""

    def prepare() -> list[list[bytes]]:
        client = Client(port)
        matches = [open_match(client, game, seed=SEED) for _ in range(CONNECTIONS)]
        client.connection.close()
        return [
            _requests(f"/v1/matches/{match['id']}/moves", moves, seat_tokens(match))
            for match in matches
        ]

    return Contender(port, prepare)


def bare(port: int, moves: Sequence[SeatMove]) -> Contender:
    """Return the bare route; each connection adds to a new stream."""

    def prepare() -> list[list[bytes]]:
        tokens = [SOME_TOKEN] * SEATS
        streams = [os.urandom(8).hex() for _ in range(CONNECTIONS)]
        return [_requests(f"/{stream}/moves", moves, tokens) for stream in streams]

    return Contender(port, prepare)


def _requests(path: str, moves: Sequence[SeatMove], tokens: Sequence[str]) -> list[bytes]:
    """Return the requests that post moves, the first at version 1."""
    requests = []
    for version, one in enumerate(moves, 1):
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {tokens[one.seat]}",
            "If-Match": f'"{version}"',
        }
        requests.append(request_bytes("POST", path, headers, json.dumps(one.move).encode()))
    return requests


def by_many_connections(game: str, web_port: int, bare_port: int) -> Figures:
    """Print moves a second of both, and the slowest percentile at half of it; return ratios."""
    moves = common_moves(game)[:MOVES]
    contenders = {"bare": bare(bare_port, moves), "giornale": giornale(web_port, game, moves)}
    for contender in contenders.values():
        contender.rate()  # what only the first requests pay does not count

    rates = interleaved(CROWD_RUNS, {name: one.rate for name, one in contenders.items()})
    show(f"{game}: {CONNECTIONS} connections", rates, "moves/s")

    half = rates["giornale"] / 2
    paced = {name: partial(one.slowest_ms, half) for name, one in contenders.items()}
    slowest = interleaved(CROWD_RUNS, paced)
    show(f"{game}: p99 at {half:.0f} moves/s", slowest, "ms")

    against = "against a bare XADD"
    name = f"{game}: POST move {against}, {CONNECTIONS} connections"
    of_p99 = f"{game}: p99 of a POSTed move at half of saturation {against}"
    return [
        Ratio(name, rates["giornale"] / rates["bare"], CROWD_GOAL),
        limit(of_p99, slowest["giornale"] / slowest["bare"], P99_GOAL),
    ]


# ---- One core ------------------------------------------------------------------------------------


def seconds_for(url: str, game: str, moves: Sequence[SeatMove], matches: int) -> float:
    """Return the processor seconds of a web process: its start, and the moves of some matches."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with web(url) as port:
        client = Client(port)
        for _ in range(matches):
            post_to_giornale(client, game, moves)
        client.connection.close()

    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def by_one_core() -> None:
    """Print how many moves a second one core of a web process makes; its start is left out."""
    for game in GAMES:
        moves = common_moves(game)
        with server() as url:
            few = seconds_for(url, game, moves, FEW_MATCHES)
            many = seconds_for(url, game, moves, MANY_MATCHES)

        more = (MANY_MATCHES - FEW_MATCHES) * len(moves)
        show(f"{game}: one core of a web process", {"makes": more / (many - few)}, "moves/s")


# ---- In this process -----------------------------------------------------------------------------


def poster(app: Flask, game: str, moves: Sequence[SeatMove]) -> Callable[[], None]:
    """Open a match in an application; return what posts all its moves."""
    client = app.test_client()
    body = {"game": game, "seats": HUMANS, "seed": SEED}
    match = client.post("/v1/matches", json=body).get_json()
    path = f"/v1/matches/{match['id']}/moves"
    headers = [{"Authorization": f"Bearer {token}"} for token in seat_tokens(match)]

    def post() -> None:
        for version, one in enumerate(moves, 1):
            wanted = {**headers[one.seat], "If-Match": f'"{version}"'}
            answer = client.post(path, json=one.move, headers=wanted)
            assert answer.status_code == 201

    return post


def bare_write(new: codec.NewCommit, _key: bytes) -> codec.Written:
    """Write a commit as `codec.write` does, without hashes and salts."""
    messages = codec.split(new.command, new.events)
    content: Content = {
        "match": new.match,
        "version": new.version,
        "time": new.time,
        "actor": new.actor,
        "command": messages.command,
        "events": messages.events,
        "prev": new.prev,
        "view": new.view,
        "secrets": {},
    }
    commit_bytes = codec.stored_bytes(canonical(content), "", messages.parts)
    return codec.Written(commit_bytes, {"commit": content, "hash": "", "secrets": messages.parts})


def with_and_without_audit(app: Flask, unsigned: Flask, game: str) -> Ratio:
    """Print the rate of moves with and without all that makes them auditable; return the ratio.

    unsigned: an application that signs no receipts.
    """
    moves = common_moves(game)

    def without() -> float:
        with mock.patch.object(codec, "write", bare_write):
            return rate(len(moves), poster(unsigned, game, moves))

    contenders = {"with": lambda: rate(len(moves), poster(app, game, moves)), "without": without}
    rates = interleaved(APP_RUNS, contenders)
    show(f"{game}: chain, salts and receipts", rates, "moves/s")

    name = f"{game}: rate with chain, salts and receipts"
    return Ratio(name, rates["with"] / rates["without"], AUDIT_GOAL)


def by_raw_connections(app: Flask, game: str) -> None:
    """Print the processor time of a move by raw connections and by redis-py's client."""
    moves = common_moves(game)
    events: Any = services_of(app).ctx.journal.events
    raw = events._store.raw

    def microseconds(connection: object) -> float:
        events._store.raw = connection
        return worked(poster(app, game, moves)) / len(moves) * 1e6

    contenders = {"raw": lambda: microseconds(raw), "redis-py": lambda: microseconds(None)}
    show(f"{game}: processor time of a move", interleaved(RAW_RUNS, contenders), "us")
    events._store.raw = raw


def in_this_process() -> Figures:
    """Measure what the parts of a move cost; return the ratios."""
    ratios: Figures = []
    with application() as app:
        services = services_of(app)
        ctx = replace(services.ctx, signer=None)
        unsigned = create_app(services.config, replace(services, ctx=ctx))
        for game in GAMES:
            ratios.append(with_and_without_audit(app, unsigned, game))
            by_raw_connections(app, game)
    return ratios


def main() -> Figures:
    """Measure each game in all ways; return the ratios."""
    ratios = by_one_connection()
    with (
        server() as url,
        web(url, WEB_WORKERS=str(WEB_PROCESSES)) as port,
        bare_service(url, WEB_PROCESSES) as bare_port,
    ):
        for game in GAMES:
            ratios += by_many_connections(game, port, bare_port)
    by_one_core()
    return ratios + in_this_process()
