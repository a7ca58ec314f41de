"""More and more clients, to the knee and to twice the knee: `make load`.

Each client opens matches and posts moves one after the other, as fast as it is answered. The knee
is the smallest number of clients with at least 90 % of the highest rate of moves. At the knee and
at twice the knee the clients stay for a minute. Every answer must be a commit, or 429 or
503 for a request without effect. Afterwards every match must have just the acknowledged moves.
Then the clients go, and a single one must soon be answered as fast as before. At last the clients
of the knee stay for SOAK minutes, while the memory, the threads and the open files of the web
processes are watched.
"""

import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from typing import Any, NamedTuple

import httpx
from prometheus_client.parser import text_string_to_metric_families

from benchmarks.matches import SEED, common_moves
from benchmarks.measure import Curve, Figures, limit, p99
from benchmarks.moves import requests_of
from benchmarks.sockets import play
from benchmarks.web import Client, open_match, port_of, seat_tokens, whole_service
from domain.games import GAMES
from domain.seats import HOUSE_ACTOR
from tests.e2e.playing import history, is_one_chain
from tests.running import RunningService, address_of

NUMBERS = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # clients
STEP = 10.0  # seconds of each number of clients
STAY = 60.0  # seconds at the knee and beyond
SOAK = 15.0  # minutes
LOOK_SECONDS = 5.0  # between two looks at the measures
RECOVERY = 60  # seconds for which the service is watched after the load
# The watched measures, by the names of their metrics.
MEASURES = {
    "giornale_web_resident_memory_bytes": "memory",
    "giornale_web_threads": "threads",
    "giornale_web_open_fds": "open files",
}


class Stay(NamedTuple):
    """The results of some clients: moves a second, and milliseconds of a move."""

    clients: int
    rate: float
    median: float
    p99: float


def stay(service: RunningService, clients: int, seconds: float) -> Stay:
    """Let clients play for some seconds, print and return the results, and check their matches."""
    port = port_of(service)
    versions: dict[str, int] = {}
    games = list(islice(cycle(GAMES), clients))
    opened = [(Client(port, address_of(number)), game) for number, game in enumerate(games)]
    firsts = [open_match(client, game, SEED) for client, game in opened]
    until = time.monotonic() + seconds
    each = [
        one_client(client, game, first, until, versions)
        for (client, game), first in zip(opened, firsts, strict=True)
    ]
    played = play(port, each)

    result = Stay(clients, played.rate, statistics.median(played.times), p99(played.times))
    others = [f"{number} x {status}" for status, number in played.statuses.items() if status != 201]
    print(
        f"{clients:5} clients: {result.rate:5.0f} moves/s, median {result.median:6.1f} ms, "
        f"p99 {result.p99:7.1f} ms; {', '.join(others) or 'all answered 201'}",
        flush=True,
    )
    check(service.url, versions)
    return result


def one_client(
    client: Client, game: str, match: dict[str, Any], until: float, versions: dict[str, int]
) -> Iterator[bytes]:
    """Yield the moves of an open match and of those after it, one move at least.

    Notes the last acknowledged version of each match.
    """
    while True:
        path = f"/v1/matches/{match['match']}/moves"
        requests = requests_of(path, common_moves(game), seat_tokens(match))
        versions[match["match"]] = 1
        for version, request in enumerate(requests, 2):
            yield request  # the next one is taken once this one is acknowledged
            versions[match["match"]] = version
            if time.monotonic() >= until:
                return
        match = open_match(client, game, SEED)


def check(url: str, versions: dict[str, int]) -> None:
    """Compare every match with the answers to its client.

    A match must have the acknowledged moves, each once and each after the one before. Only commits
    of the house may follow.
    """
    with httpx.Client(base_url=url, timeout=60) as client:
        for match, version in versions.items():
            commits = history(client, match)
            assert len(commits) >= version, f"{match} lacks acknowledged moves"
            later = {commit["actor"] for commit in commits[version:]}
            assert later <= {HOUSE_ACTOR}, f"{match} has moves that nobody was answered"
            assert is_one_chain(commits), f"{match}: broken chain"


def recovery(service: RunningService, calm_p99: float) -> int:
    """Return the seconds until the p99 of one client is at most twice that before the load.

    RECOVERY if it takes longer.
    """
    for second in range(1, RECOVERY):
        if stay(service, 1, 1).p99 <= 2 * calm_p99:
            return second
    return RECOVERY


def soak(service: RunningService, clients: int) -> None:
    """Keep clients at work for some minutes. Print the resources of the web processes.

    The first third is left out: the processes fill their caches in it.
    """
    with watched(service.url) as samples:
        stay(service, clients, SOAK * 60)
    for measure, values in samples.items():
        third = len(values) // 3
        if not third:
            print(f"{measure}: too short for a comparison, at most {max(values):,.0f}")
            continue
        before = statistics.median(values[third : 2 * third])
        growth = statistics.median(values[2 * third :]) / before
        print(f"{measure}: at most {max(values):,.0f}, last third against second: {growth:.3f}")


@contextmanager
def watched(url: str) -> Iterator[dict[str, list[float]]]:
    """Look at a service's web processes every LOOK_SECONDS. Yield the values of each measure."""
    samples: dict[str, list[float]] = defaultdict(list)
    stopped = threading.Event()

    def look() -> None:
        while not stopped.wait(LOOK_SECONDS):
            text = httpx.get(f"{url}/metrics", timeout=30).text
            for family in text_string_to_metric_families(text):
                if family.name in MEASURES:
                    samples[MEASURES[family.name]].append(family.samples[0].value)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield samples
    finally:
        stopped.set()
        watcher.join()


def main() -> Figures:
    """Find the knee, stay there and beyond, see the service recover, then keep it under load."""
    with whole_service(WEB_WORKERS="2") as service:
        stay(service, 1, 2)  # first requests cost more, and do not count
        stays = [stay(service, number, STEP) for number in NUMBERS]
        most = max(one.rate for one in stays)
        knee = next(one.clients for one in stays if one.rate >= 0.9 * most)
        calm = stay(service, 1, STEP)

        print(f"\nthe knee is at {knee} clients")
        stay(service, knee, STAY)
        stay(service, 2 * knee, STAY)
        seconds = recovery(service, calm.p99)
        if SOAK:
            soak(service, knee)

    return [
        limit("load: seconds until one client is answered as before", seconds, 5),
        Curve("clients", "moves", "moves/s", {one.clients: one.rate for one in stays}),
        Curve("clients", "a move, median", "ms", {one.clients: one.median for one in stays}),
        Curve("clients", "a move, p99", "ms", {one.clients: one.p99 for one in stays}),
    ]
