"""More and more clients, to the knee and to twice the knee: `make load`.

Each client opens matches and posts moves one after the other, as fast as it is answered. The knee
is the smallest number of clients that makes nearly as many moves a second as any number. At the
knee and at twice the knee the clients stay for a minute. Every answer must be a commit, or 429 or
503, which say that nothing was done; afterwards every match must hold just the moves that were
acknowledged. Then the clients go, and one that is left must soon be answered as fast as before. At
last the clients of the knee stay for SOAK minutes, while the memory, the threads and the open files
of the web processes are watched.
"""

import asyncio
import statistics
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import httpx
from prometheus_client.parser import text_string_to_metric_families

from benchmarks.matches import HUMANS, SEED, SeatMove, common_moves
from benchmarks.measure import Curve, Figures, p99
from benchmarks.web import whole_service
from domain.games import GAMES
from domain.seats import HOUSE_ACTOR
from tests.e2e.playing import history, is_one_chain

NUMBERS = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # clients
STEP = 10.0  # seconds of each number of clients
STAY = 60.0  # seconds at the knee and beyond
SOAK = 15.0  # minutes
NEARLY = 0.9
CALM_SECONDS = 5  # in which the service should be itself again after the load
SLOWER = 2  # p99 of one client after the load may be so many times what it was before
LONGEST_PAUSE_SECONDS = 1.0
# What is watched, by the name of its metric.
MEASURES = {
    "giornale_web_resident_memory_bytes": "memory",
    "giornale_web_threads": "threads",
    "giornale_web_open_fds": "open files",
}


# ---- Clients -------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What some clients were answered in some seconds.

    answers: how many of each status; 0 stands for a connection that broke.
    moves: the seconds of each move that was acknowledged, from the first try on.
    versions: the last acknowledged version of each match.
    """

    clients: int
    seconds: float
    answers: Counter[int] = field(default_factory=Counter)
    moves: list[float] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Moves that were acknowledged in a second."""
        return len(self.moves) / self.seconds

    @property
    def median_ms(self) -> float:
        """Half of the moves took at most so many milliseconds."""
        return 1000 * statistics.median(self.moves)

    @property
    def p99_ms(self) -> float:
        """Of a hundred moves 99 took at most so many milliseconds."""
        return 1000 * p99(self.moves)

    def __str__(self) -> str:
        """Return it as a line."""
        others = [f"{count} x {status}" for status, count in self.answers.items() if status != 201]
        return (
            f"{self.clients:5} clients: {self.rate:5.0f} moves/s, median {self.median_ms:6.1f} ms, "
            f"p99 {self.p99_ms:7.1f} ms; {', '.join(others) or 'all answered 201'}"
        )


@dataclass(frozen=True)
class Player:
    """One client: what it plays, and where it notes what it was answered."""

    session: aiohttp.ClientSession
    game: str
    moves: Sequence[SeatMove]
    tally: Tally

    async def play(self, until: float) -> None:
        """Play match after match until a time of the monotonic clock."""
        while time.monotonic() < until:
            body = {"game": self.game, "seats": HUMANS, "seed": SEED}
            opened = await self._post("/v1/matches", body, {})
            self.tally.versions[opened["id"]] = 1
            await self._play_match(opened, until)

    async def _play_match(self, opened: dict[str, Any], until: float) -> None:
        """Post the moves of a match, or as many as there is time for."""
        path = f"/v1/matches/{opened['id']}/moves"
        for version, seat_move in enumerate(self.moves, 1):
            if time.monotonic() >= until:
                return

            token = opened["tokens"][f"seat:{seat_move.seat}"]
            headers = {"Authorization": f"Bearer {token}", "If-Match": f'"{version}"'}
            start = time.monotonic()
            await self._post(path, seat_move.move, headers)

            self.tally.moves.append(time.monotonic() - start)
            self.tally.versions[opened["id"]] = version + 1

    async def _post(self, path: str, body: Any, headers: dict[str, str]) -> Any:
        """Send a request until it is done, always with the same key; return the answer."""
        headers = {**headers, "Idempotency-Key": str(uuid.uuid4())}
        while True:
            pause = LONGEST_PAUSE_SECONDS
            try:
                async with self.session.post(path, json=body, headers=headers) as answer:
                    content = await answer.json(content_type=None)
            except (aiohttp.ClientError, TimeoutError):
                self.tally.answers[0] += 1
            else:
                self.tally.answers[answer.status] += 1
                if answer.status == 201:
                    return content
                assert answer.status in (429, 503), f"{path}: {answer.status} {content}"
                pause = min(pause, float(answer.headers.get("Retry-After", pause)))
            await asyncio.sleep(pause)


async def crowd(url: str, moves: Mapping[str, Sequence[SeatMove]], tally: Tally) -> None:
    """Have the clients of a tally play the games in turn."""
    until = time.monotonic() + tally.seconds
    games = list(moves)
    async with asyncio.TaskGroup() as group:
        for number in range(tally.clients):
            game = games[number % len(games)]
            group.create_task(_one_client(url, game, moves[game], tally, until))


async def _one_client(
    url: str, game: str, moves: Sequence[SeatMove], tally: Tally, until: float
) -> None:
    async with aiohttp.ClientSession(url) as session:
        await Player(session, game, moves, tally).play(until)


def check(url: str, tally: Tally) -> None:
    """Compare every match with what its client was answered.

    A match holds the moves that were acknowledged, each once and each upon the one before. What
    follows upon the last of them is the house's.
    """
    with httpx.Client(base_url=url, timeout=60) as client:
        for match, version in tally.versions.items():
            commits = history(client, match)
            assert len(commits) >= version, f"{match} lacks acknowledged moves"
            later = {commit["actor"] for commit in commits[version:]}
            assert later <= {HOUSE_ACTOR}, f"{match} has moves that nobody was answered"
            assert is_one_chain(commits), f"{match}: broken chain"


# ---- The service meanwhile -----------------------------------------------------------------------


@contextmanager
def watched(url: str) -> Iterator[dict[str, list[float]]]:
    """Look at a service's web processes every few seconds; yield what is seen of each measure."""
    seen: dict[str, list[float]] = defaultdict(list)
    done = threading.Event()

    def look() -> None:
        while not done.wait(5):
            text = httpx.get(f"{url}/metrics", timeout=30).text
            for family in text_string_to_metric_families(text):
                if family.name in MEASURES:
                    seen[MEASURES[family.name]].append(family.samples[0].value)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()


@dataclass(frozen=True)
class Service:
    """A whole service that limits nobody, and what is played there."""

    url: str
    moves: Mapping[str, Sequence[SeatMove]]

    def stay(self, clients: int, seconds: float) -> Tally:
        """Have clients play for some seconds, print what came of it, and check their matches."""
        tally = Tally(clients, seconds)
        asyncio.run(crowd(self.url, self.moves, tally))
        print(tally, flush=True)
        check(self.url, tally)
        return tally

    def recovery(self, calm_p99_ms: float) -> int:
        """Return after how many seconds one client is answered about as fast as before the load."""
        for second in range(1, 61):
            if self.stay(1, 1).p99_ms <= SLOWER * calm_p99_ms:
                return second
        raise AssertionError("after a minute a client still waits longer than before the load")

    def soak(self, clients: int) -> None:
        """Keep clients at work for some minutes; print what the web processes used.

        The first third is left out: in it the processes fill what they remember.
        """
        with watched(self.url) as seen:
            self.stay(clients, SOAK * 60)
        for measure, values in seen.items():
            third = len(values) // 3
            before = statistics.median(values[third : 2 * third])
            growth = statistics.median(values[2 * third :]) / before
            print(f"{measure}: at most {max(values):,.0f}, last third against second: {growth:.3f}")


def main() -> Figures:
    """Find the knee, stay there and beyond, see the service recover, then keep it under load."""
    moves = {game: common_moves(game) for game in GAMES}
    with whole_service(WEB_WORKERS="2") as running:
        service = Service(running.url, moves)
        service.stay(1, 2)  # what only the first requests pay does not count
        stays = [service.stay(number, STEP) for number in NUMBERS]
        most = max(stay.rate for stay in stays)
        knee = next(stay.clients for stay in stays if stay.rate >= NEARLY * most)
        calm = service.stay(1, STEP)

        print(f"\nthe knee is at {knee} clients")
        service.stay(knee, STAY)
        service.stay(2 * knee, STAY)
        seconds = service.recovery(calm.p99_ms)
        print(f"one client is answered as before after {seconds} s (goal: {CALM_SECONDS} s)")
        if SOAK:
            service.soak(knee)

    return [
        Curve("clients", "moves", "moves/s", {stay.clients: stay.rate for stay in stays}),
        Curve("clients", "a move, median", "ms", {stay.clients: stay.median_ms for stay in stays}),
        Curve("clients", "a move, p99", "ms", {stay.clients: stay.p99_ms for stay in stays}),
    ]
