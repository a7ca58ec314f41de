"""The growth of times with the number of matches, and with the length of a match.

One server for each number of matches is asked the same questions in turn. A question should take
as long on the largest as on the smallest, within a tenth. Then the restart of each server is
measured, as it is and after a rewrite of its file. A journal is filled with its own data about
matches: heads, streams, command IDs, feeds, clocks and indexes. Nothing is due in them.

Then matches of each game are played over HTTP, and looked at as they grow.
"""

import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from itertools import islice, product
from pathlib import Path
from statistics import median
from typing import Any

from redis.exceptions import ResponseError

from benchmarks.append import PARTITIONS, START, entry
from benchmarks.matches import HUMANS, SEED, common_moves, new_context
from benchmarks.measure import Curve, Figures, compare, limit, milliseconds, show
from benchmarks.web import Client, legal_move, open_match, port_of, post_move, whole_service
from domain.chance import FastChance
from domain.games import GAMES
from service.capabilities.clock import timers as clock_timers
from service.capabilities.webhooks import timers as hook_timers
from service.matches import automation, lifecycle, listing, moves as match_moves, timers
from service.matches.command_handler import Submission
from service.matches.context import MatchCache
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from service.ops.process.valkey import Server
from service.store.journal.encoding import append_arguments
from service.store.journal.redis import connect, open_journal
from service.store.journal.redis.store import RedisStore
from service.store.journal.redis.topology import open_servers
from service.store.journal.values import CLOCK, HOOK, Entry
from tests.running import until
from workers.timers import TIMERS_AT_ONCE

LEASES_MS = {CLOCK: clock_timers.LEASE_MS, HOOK: hook_timers.LEASE_MS}
NUMBERS = (100, 10_000, 100_000)
COMMITS = 20  # of each match that fills a journal
ROUNDS = 25
GAME = next(iter(GAMES))

LENGTHS = (25, 50, 100, 200, 300)  # commits. Most matches of Firenze end before the last
AROUND = 10  # moves up to each length. Their median counts
LOOKS = 15
MATCHES = 3
LOOKED_AT = {
    "the state": "state",
    "the state at the middle": "state?version={middle}",
    "the record": "record",
}

# Milliseconds by action, and by the number of commits of the match.
Times = dict[str, dict[int, list[float]]]

_AT_ONCE = 500  # commits in one round trip
_SEATS = {"seats": '[{"kind":"human"},{"kind":"human"},{"kind":"bot","level":"greedy"}]'}


# ---- Many matches --------------------------------------------------------------------------------


def fill(
    url: str, matches: range, commits: int, prepare: Callable[[Entry], Entry] = lambda one: one
) -> None:
    """Write matches of so many commits each into the journal on a server.

    prepare: returns the written form of each commit.
    """
    servers = open_servers(url)
    store = RedisStore(servers, PARTITIONS)
    places = product(matches, range(1, commits + 1))

    while batch := list(islice(places, _AT_ONCE)):
        with store.pipeline() as pipeline:
            for number, version in batch:
                status = _status_of(number) if version == commits else "running"
                one = entry(number, version, status)
                one = prepare(replace(one, metadata=_SEATS if version == 1 else {}))
                store.scripts.append(
                    keys=store.keys.of_append(one.match),
                    args=append_arguments(one, store.keys.channel(one.match)),
                    client=pipeline,
                )
            pipeline.execute()

    servers.close()


def _status_of(number: int) -> str:
    """Return the last status of a match: one of 50 is open, one of 20 runs."""
    if number % 50 == 0:
        return "open"
    return "running" if number % 20 == 0 else "ended"


def questions(url: str, matches: int) -> dict[str, Callable[[], object]]:
    """Return every question to a server by its name. Each call asks something new."""
    ctx = new_context(open_journal(url))
    opened = open_new(ctx, OpenRequest(GAME, HUMANS, seed=SEED))
    match_id = opened.loaded.id
    moves = iter(common_moves(GAME))
    middle = (START + matches // 2 * 1000, "")

    def move() -> None:
        seat_move = next(moves)
        token = opened.tokens[f"seat:{seat_move.seat}"]
        match_moves.move(ctx, Submission(match_id, token), seat_move.move)

    def scheduler() -> None:
        automation.sweep(ctx, 0)
        lifecycle.expire(ctx, lifecycle.Patience(open=0, running=0))
        timers.beat(ctx)
        ctx.journal.timers.claim(LEASES_MS, TIMERS_AT_ONCE)

    return {
        "open a match": lambda: open_new(ctx, OpenRequest(GAME, HUMANS)),
        "make a move": move,
        "load a match": lambda: load(replace(ctx, cache=MatchCache(matches=1)), match_id),
        "first page of 50": lambda: listing.public(ctx, "", None, None, 50),
        "page of 50 from the middle": lambda: listing.public(ctx, "", None, middle, 50),
        "scheduler's round, nothing due": scheduler,
    }


def restart(directory: Path, matches: int) -> None:
    """Print the start times of a server, before and after a rewrite of its file."""
    took = {}
    for state in ("as it was", "rewritten"):
        start = time.perf_counter()
        with Server(directory) as server, connect(server.url) as client:
            took[state] = time.perf_counter() - start
            with suppress(ResponseError):  # it may have begun by itself
                client.bgrewriteaof()
            until(partial(is_rewritten, client), "the file is rewritten", 600)
    show(f"start with {matches:,} matches", took, "s")


def is_rewritten(client: Any) -> bool:
    """Return True if a server rewrites no file now. A rewrite makes its syncs slow."""
    about = client.info("persistence")
    return not (about["aof_rewrite_in_progress"] or about["aof_rewrite_scheduled"])


def many_matches() -> Figures:
    """Fill the servers, ask, restart them. Return the growth of times, and their curves."""
    figures: Figures = []
    with tempfile.TemporaryDirectory() as directory:
        places = {number: Path(directory, str(number)) for number in NUMBERS}
        with ExitStack() as servers:
            questions_of = {}
            for number, place in places.items():
                server = servers.enter_context(Server(place))
                fill(server.url, range(number), COMMITS)
                questions_of[number] = questions(server.url, number)

            for name in questions_of[NUMBERS[0]]:
                contenders = {
                    f"{number:,} matches": partial(milliseconds, by_name[name])
                    for number, by_name in questions_of.items()
                }
                took = list(compare(name, "ms", ROUNDS, contenders).values())
                figures.append(limit(f"{name}, many matches against few", took[-1] / took[0], 1.1))
                figures.append(Curve("matches", name, "ms", dict(zip(NUMBERS, took, strict=True))))
        for number, place in places.items():
            restart(place, number)
    return figures


# ---- Long matches --------------------------------------------------------------------------------


def grow(client: Client, game: str, seed: int, times: Times) -> None:
    """Play a match of humans at random, to its end or the last length. Note times on the way."""
    match = open_match(client, game, seed=f"growth {seed}")
    path = f"/v1/matches/{match['match']}"
    chance = FastChance(seed)
    version = 1

    def awaits_no_house() -> bool:
        return not client.fetch("GET", path)["waiting_for"]["house"]

    while version < LENGTHS[-1]:
        until(awaits_no_house, "the house has acted")
        choice = legal_move(client, match, chance.below(1_000_000))
        if choice is None:
            return

        start = time.perf_counter()
        version = post_move(client, match, *choice)
        took = 1000 * (time.perf_counter() - start)
        for length in LENGTHS:
            if length - AROUND < version <= length:
                times["a move"][length].append(took)
        if version in LENGTHS:
            for name, what in LOOKED_AT.items():
                look = partial(client.read, f"{path}/{what.format(middle=version // 2)}")
                times[name][version] += [milliseconds(look) for _ in range(LOOKS)]


def long_matches() -> Figures:
    """Play a few matches of each game. Return the milliseconds by the number of commits."""
    curves: Figures = []
    with whole_service() as service:
        for game in GAMES:
            times: Times = {name: defaultdict(list) for name in ("a move", *LOOKED_AT)}
            for seed in range(MATCHES):
                grow(Client(port_of(service)), game, seed, times)
            for name, by_length in times.items():
                points = {length: median(by_length[length]) for length in sorted(by_length)}
                curves.append(Curve("commits", f"{game}: {name}", "ms", points))
    return curves


def main() -> Figures:
    """Measure many matches and long matches. Return ratios and curves."""
    return many_matches() + long_matches()
