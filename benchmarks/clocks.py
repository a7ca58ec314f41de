"""What clocks cost, and how late time runs out while schedulers are killed.

- Moves of two matches alike, one with a clock and one without, made in turn on the bundled server.
- A round of the scheduler over many matches whose time runs, and of which none is due.
- Matches whose time runs out one after the other, while the scheduler of `giornale serve` is killed
  (SIGKILL) every few seconds. Each must run out exactly once.
"""

import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from redis import Redis

from benchmarks.measure import Figures, limit, p99, show, timed
from benchmarks.web import server, settings, whole_service
from service.bootstrap import open_context
from service.config import Config
from service.jobs.queues import Queues
from service.journal.keys import Keys
from service.ledger.commit import match_id, milliseconds, parse_commit
from service.matches import automation, lobby, moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import Opened, OpenRequest, open_new
from service.matches.repository import load
from tests.running import RunningService, until
from workers import scheduler

SECRET = "s" * 32
GAME = "calimala"
SEATS = [{"kind": "human"}] * 3
RUNS = 15
MOVES = 60  # of each match in a run
MOVE_GOAL = 1.05

WAITING = 100_000  # matches
PARTITIONS = 256
ROUNDS = 200
ROUND_GOAL_MS = 5.0

EXPIRIES = 1_000
OPENING_SECONDS = 60.0  # in which their matches are opened
KILL_SECONDS = 5.0  # from one kill to the next
BANK_S = 5
LATE_GOAL_S = 2.0
PATIENCE_SECONDS = 120.0

LONG = {"bank_s": 2_592_000, "move_s": 60, "level": "random"}
SHORT = {"bank_s": BANK_S, "move_s": 0, "level": "random"}


@contextmanager
def parts() -> Iterator[tuple[Context, Queues, dict[str, str]]]:
    """Yield context and queues of a process on a bundled server, and their settings."""
    with server() as url, tempfile.TemporaryDirectory() as directory:
        environ = settings(url, directory, SECRET=SECRET, LOG_LEVEL="error")
        ctx, queues = open_context(Config.load(environ))
        yield ctx, queues, environ
        queues.redis.close()


# ---- a move --------------------------------------------------------------------------------------


def seconds_of_moves(ctx: Context, seed: str) -> tuple[float, float]:
    """Play two matches of a seed in turn; return the seconds of the moves with a clock, without."""
    timed_match = open_new(ctx, OpenRequest(GAME, SEATS, seed=seed, clock=LONG))
    plain_match = open_new(ctx, OpenRequest(GAME, SEATS, seed=seed))
    pair = [(timed_match, 0), (plain_match, 1)]

    seconds = [0.0, 0.0]
    for number in range(MOVES):
        for opened, place in pair if number % 2 else pair[::-1]:
            seconds[place] += _move(ctx, opened, number)
    return seconds[0], seconds[1]


def _move(ctx: Context, opened: Opened, number: int) -> float:
    """Make a move of a match, and let the house act; return the seconds of the move."""
    loaded = load(ctx, opened.loaded.id)
    if loaded.status.name != "running":
        return 0.0

    seat = loaded.status.seats[0]
    legal = moves.legal_moves(loaded, seat)
    submission = Submission(loaded.id, opened.tokens[f"seat:{seat}"])
    seconds = timed(partial(moves.move, ctx, submission, legal[number % len(legal)]))
    automation.act(ctx, loaded.id)
    return seconds


def compare_moves() -> float:
    """Return how much longer a move takes with a clock, as the median of all runs."""
    with parts() as (ctx, _queues, _environ):
        seconds_of_moves(ctx, "warm")
        runs = [seconds_of_moves(ctx, str(number)) for number in range(RUNS)]

    milliseconds_each = [1000 * statistics.median(run) / MOVES for run in zip(*runs, strict=True)]
    show("a move", dict(zip(("with a clock", "without"), milliseconds_each, strict=True)), "ms")
    return statistics.median(clock / plain for clock, plain in runs)


# ---- a round -------------------------------------------------------------------------------------


def round_ms() -> float:
    """Return the milliseconds of a round in which nothing is due, in the median."""
    rules = scheduler.rules_of(Config.load({}))
    with parts() as (ctx, queues, environ):
        _set_timers(environ["GIORNALE_JOURNAL_URL"])
        see = partial(scheduler.see_to_timers, ctx, queues, rules)
        rounds = [1000 * timed(see) for _ in range(ROUNDS)]

    figures = {"median": statistics.median(rounds), "p99": p99(rounds)}
    show(f"a round over {WAITING:,}", figures, "ms")
    return figures["median"]


def _set_timers(url: str) -> None:
    """Let the time of many matches run out in a day."""
    keys = Keys(PARTITIONS)
    tomorrow = round(time.time() * 1000) + 86_400_000
    with Redis.from_url(url) as client, client.pipeline(transaction=False) as pipeline:
        for number in range(WAITING):
            match = match_id(number.to_bytes(16))
            timers = keys.timers[keys.partition_of(match)]
            pipeline.zadd(timers, {f"clock:{match}": tomorrow + number})
        pipeline.execute()


# ---- time runs out -------------------------------------------------------------------------------


def lateness() -> list[float]:
    """Return by how many seconds each time ran out late, while schedulers were killed.

    The owner of a match aborts it then, so that no bot takes time away from the others.
    """
    with (
        parts() as (ctx, _queues, environ),
        whole_service(JOURNAL_URL=environ["GIORNALE_JOURNAL_URL"], SECRET=SECRET) as service,
    ):
        opened: list[str] = []
        going_on: dict[str, Opened] = {}
        killer = _Killer(service)

        began = time.monotonic()
        while len(opened) < EXPIRIES:
            one = open_new(ctx, OpenRequest(GAME, SEATS, clock=SHORT))
            opened.append(one.loaded.id)
            going_on[one.loaded.id] = one
            _abort_what_is_out(ctx, going_on)
            killer.look()
            pause = began + len(opened) * OPENING_SECONDS / EXPIRIES - time.monotonic()
            time.sleep(max(0.0, pause))

        def all_are_out() -> bool:
            killer.look()
            _abort_what_is_out(ctx, going_on)
            return not going_on

        until(all_are_out, "the last one", PATIENCE_SECONDS)
        show("while time ran out", {"killed": killer.kills}, "schedulers")
        return [late for match in opened for late in _late(ctx, match)]


def _abort_what_is_out(ctx: Context, going_on: dict[str, Opened]) -> None:
    """Abort the matches in which time has run out."""
    matches = list(going_on)
    for match, head in zip(matches, ctx.journal.events.heads(matches), strict=True):
        if head is not None and head.version > 1:
            one = going_on.pop(match)
            lobby.abort(ctx, Submission(match, one.tokens["owner"]))


class _Killer:
    """Kills the scheduler of a service every few seconds."""

    def __init__(self, service: RunningService) -> None:
        self.kills = 0
        self._service = service
        self._next = time.monotonic() + KILL_SECONDS

    def look(self) -> None:
        """Kill the scheduler if it is time."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + KILL_SECONDS
        process = self._service.children().get("scheduler")
        if process is not None:
            os.kill(process, signal.SIGKILL)
            self.kills += 1


def _late(ctx: Context, match: str) -> list[float]:
    """Return by how many seconds time ran out late in a match, for each seat once."""
    late: dict[int, float] = {}
    for stored in ctx.journal.events.read(match):
        content = parse_commit(stored)["commit"]
        made = milliseconds(content["time"])
        for event in content["events"]:
            if event["type"] != "time_ran_out":
                continue
            if event["seat"] in late or made < event["due"]:
                sys.exit(f"the time of {event['seat']} in {match} ran out twice, or too soon")
            late[event["seat"]] = (made - event["due"]) / 1000

    if not late:
        sys.exit(f"time never ran out in {match}")
    return list(late.values())


def main() -> Figures:
    """Print all figures; return their ratios to what they are to be."""
    ratio = compare_moves()
    waiting = round_ms()
    late = lateness()
    figures = {"median": statistics.median(late), "p99": p99(late), "most": max(late)}
    show(f"{len(late):,} times ran out late by", figures, "s")
    return [
        limit("move with a clock against one without", ratio, MOVE_GOAL),
        limit(f"round over {WAITING:,} running clocks against 5 ms", waiting / ROUND_GOAL_MS, 1.0),
        limit("p99 of lateness under SIGKILL against 2 s", p99(late) / LATE_GOAL_S, 1.0),
    ]
