"""A POSTed move against the minimum of a web service with a log, and the cost of its parts.

The same moves are posted, in turn, to Giornale and to a bare Flask route with one XADD, both under
Granian on the same Redis server. The clients are one process with raw sockets.

- One connection: moves a second.
- 16 connections, two web processes on both sides: moves a second, each connection as fast as it is
  answered. Then they come at half of Giornale's rate, on a timetable, to both. An answer counts
  from the due time of its request, so a slow service pays for requests that had to wait.
- One core: the processor time of a web process for a few matches and for more.
- One connection: the time of a move of a signing seat, and of one without a key.
- In this process, without sockets and threads: with and without chain, salts and receipts, with a
  clock. Also the processor time by raw connections to Redis and by redis-py's.
"""

import json
import os
import resource
import secrets
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple
from unittest import mock

from flask import Flask

from benchmarks.matches import HUMANS, SEATS, SEED, SeatMove, common_moves
from benchmarks.measure import Figures, Ratio, compare, limit, rate, show, worked
from benchmarks.sockets import Service, play, request_bytes
from benchmarks.web import Client, application, bare_service, open_match, seat_tokens, server, web
from domain.games import GAMES
from service.api.http.context import services_of
from service.app import create_app
from service.record import codec
from service.record.commit import Content, canonical
from tests.signing import ADA, BEA, CLEO, Player, proven

RUNS = 7
APP_RUNS = 9
FEW_MATCHES = 4
MANY_MATCHES = 12
MOVES = 250  # of a match at most
CLOCK = {"bank_s": 2_592_000, "move_s": 60, "level": "random"}

# As long as a seat's token, so that both services read as many bytes.
SOME_TOKENS = ["gio_" + "a" * 70] * SEATS


# ---- Against a bare route ------------------------------------------------------------------------


class Contest(NamedTuple):
    """Connections that play on a number of web processes, and the goals."""

    connections: int
    processes: int
    moves: int  # of each connection in a run
    goal: float
    p99_goal: float = 0  # at half of saturation. 0: not measured


CONTESTS = (Contest(1, 1, 250, 0.7), Contest(16, 2, 100, 0.6, 2))


def some_moves(game: str) -> list[SeatMove]:
    """Return the first moves of a match, the same for all measurements."""
    return common_moves(game)[:MOVES]


def requests_of(
    path: str, moves: Sequence[SeatMove], tokens: Sequence[str], first_version: int = 1
) -> list[bytes]:
    """Return the requests that post moves with the tokens of the seats, from a version on."""
    requests = []
    for version, one in enumerate(moves, first_version):
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {tokens[one.seat]}",
            "If-Match": f'"{version}"',
        }
        requests.append(request_bytes("POST", path, headers, json.dumps(one.move).encode()))
    return requests


def to_new_match(port: int, game: str, moves: Sequence[SeatMove]) -> list[bytes]:
    """Open a match. Return the requests that post moves in it."""
    client = Client(port)
    match = open_match(client, game, seed=SEED)
    client.connection.close()
    return requests_of(f"/v1/matches/{match['match']}/moves", moves, seat_tokens(match))


def to_new_stream(moves: Sequence[SeatMove]) -> list[bytes]:
    """Return the requests that add the same moves to a new stream of the bare service."""
    return requests_of(f"/{os.urandom(8).hex()}/moves", moves, SOME_TOKENS)


def against_bare(port: int, bare_port: int, contest: Contest, game: str) -> Figures:
    """Print moves a second of both, and the p99 at half of Giornale's rate. Return ratios."""
    moves = some_moves(game)[: contest.moves]
    each = range(contest.connections)
    services = {
        "bare": Service(bare_port, lambda: [to_new_stream(moves) for _ in each]),
        "giornale": Service(port, lambda: [to_new_match(port, game, moves) for _ in each]),
    }
    for one in services.values():
        one.rate()  # first requests cost more, and do not count

    many = "one connection" if contest.connections == 1 else f"{contest.connections} connections"
    fast = {name: one.rate for name, one in services.items()}
    rates = compare(f"{game}: {many}", "moves/s", RUNS, fast)
    name = f"{game}: POST move against a bare XADD, {many}"
    ratios: Figures = [Ratio(name, rates["giornale"] / rates["bare"], contest.goal)]

    if contest.p99_goal:
        half = rates["giornale"] / 2
        paced = {name: partial(one.slowest_ms, half) for name, one in services.items()}
        slowest = compare(f"{game}: p99 at {half:.0f} moves/s", "ms", RUNS, paced)
        name = f"{game}: p99 of a POSTed move at half of saturation against a bare XADD"
        ratios.append(limit(name, slowest["giornale"] / slowest["bare"], contest.p99_goal))
    return ratios


# ---- One core ------------------------------------------------------------------------------------


def seconds_for(url: str, game: str, matches: int) -> float:
    """Return the processor seconds of a web process: its start, and the moves of some matches."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with web(url) as port:
        for _ in range(matches):
            play(port, [to_new_match(port, game, some_moves(game))])

    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def by_one_core(game: str) -> None:
    """Print the moves a second of one core of a web process, without its start."""
    with server() as url:
        few, many = (seconds_for(url, game, number) for number in (FEW_MATCHES, MANY_MATCHES))

    more = (MANY_MATCHES - FEW_MATCHES) * len(some_moves(game))
    show(f"{game}: one core of a web process", {"makes": more / (many - few)}, "moves/s")


# ---- Signatures ----------------------------------------------------------------------------------


def signed_against_unsigned(port: int, game: str) -> Ratio:
    """Print the times of a move with a signature and without. Return the ratio (M18)."""
    ways = {
        "without keys": partial(microseconds_of_a_move, port, game, []),
        "signed": partial(microseconds_of_a_move, port, game, [ADA, BEA, CLEO]),
    }
    times = compare(f"{game}: a move, over one connection", "us", RUNS, ways)
    name = f"{game}: signed move against one without a key"
    return limit(name, times["signed"] / times["without keys"], 1.1)


def microseconds_of_a_move(port: int, game: str, players: Sequence[Player]) -> float:
    """Return the median time of a move in a match, from the request to the answer.

    players: of the seats, with keys. If it is empty, nobody signs. The client's signing time is
    left out.
    """
    plans = [{"kind": "human", "key": player.key} for player in players] or HUMANS
    client = Client(port)
    once = secrets.token_hex(16)
    body = proven({"game": game, "seats": plans, "seed": SEED}, once)
    match = client.fetch("POST", "/v1/matches", body, **{"Idempotency-Key": once})
    tokens, prev = seat_tokens(match), match["hash"]

    times = []
    for version, one in enumerate(some_moves(game), 1):
        headers = {"If-Match": f'"{version}"'}
        if players:
            command = {**one.move, "seat": one.seat}
            signature = players[one.seat].sign(match["match"], version + 1, prev, command)
            headers["Giornale-Signature"] = signature
        start = time.perf_counter()
        path = f"/v1/matches/{match['match']}/moves"
        commit = client.fetch("POST", path, one.move, tokens[one.seat], **headers)
        times.append(time.perf_counter() - start)
        prev = commit["hash"]
    client.connection.close()
    return 1e6 * statistics.median(times)


# ---- In this process -----------------------------------------------------------------------------


def post_in(app: Flask, game: str, **options: Any) -> Callable[[], None]:
    """Open a match in an application with options. Return a function that posts all its moves."""
    client = app.test_client()
    body = {"game": game, "seats": HUMANS, "seed": SEED, **options}
    match = client.post("/v1/matches", json=body).get_json()
    path = f"/v1/matches/{match['match']}/moves"
    headers = [{"Authorization": f"Bearer {token}"} for token in seat_tokens(match)]

    def post() -> None:
        for version, one in enumerate(some_moves(game), 1):
            own_headers = {**headers[one.seat], "If-Match": f'"{version}"'}
            answer = client.post(path, json=one.move, headers=own_headers)
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


def measure_parts(app: Flask, unsigned: Flask, game: str) -> Figures:
    """Print the cost of a move with and without its parts. Return the ratios.

    unsigned: an application that signs no receipts.
    """
    number = len(some_moves(game))
    events: Any = services_of(app).ctx.journal.events
    raw = events._store.raw

    def without_audit() -> float:
        with mock.patch.object(codec, "write", bare_write):
            return rate(number, post_in(unsigned, game))

    ways = {
        "as it is": lambda: rate(number, post_in(app, game)),
        "without chain, salts and receipts": without_audit,
        "with a clock": lambda: rate(number, post_in(app, game, clock=CLOCK)),
    }
    rates = compare(f"{game}: in one process", "moves/s", APP_RUNS, ways)

    def microseconds(connection: object) -> float:
        events._store.raw = connection
        return 1000 * worked(post_in(app, game)) / number

    connections = {"raw": partial(microseconds, raw), "redis-py": partial(microseconds, None)}
    compare(f"{game}: processor time by connections", "us", APP_RUNS, connections)
    events._store.raw = raw

    as_it_is = rates["as it is"]
    audit = as_it_is / rates["without chain, salts and receipts"]
    return [
        Ratio(f"{game}: rate with chain, salts and receipts", audit, 0.85),
        limit(f"{game}: move with a clock against without", as_it_is / rates["with a clock"], 1.05),
    ]


def in_this_process() -> Figures:
    """Measure the cost of the parts of a move. Return the ratios."""
    with application() as app:
        services = services_of(app)
        ctx = replace(services.ctx, signer=None)
        unsigned = create_app(services.config, replace(services, ctx=ctx))
        return [ratio for game in GAMES for ratio in measure_parts(app, unsigned, game)]


def main() -> Figures:
    """Measure each game in all ways. Return the ratios."""
    ratios: Figures = []
    for contest in CONTESTS:
        with (
            server() as url,
            web(url, WEB_WORKERS=str(contest.processes)) as port,
            bare_service(url, contest.processes) as bare_port,
        ):
            for game in GAMES:
                ratios += against_bare(port, bare_port, contest, game)

    with server() as url, web(url) as port:
        ratios += [signed_against_unsigned(port, game) for game in GAMES]

    for game in GAMES:
        by_one_core(game)
    return ratios + in_this_process()
