"""Many clients at once, and what came of it."""

import asyncio
import statistics
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import aiohttp

from benchmarks.load.players import Player, Tally
from benchmarks.matches import SeatMove
from benchmarks.measure import p99
from domain.seats import HOUSE_ACTOR

_PAGE = 500


@dataclass(frozen=True)
class Crowd:
    """Where clients play, and what: each game in turn."""

    url: str
    moves: Mapping[str, Sequence[SeatMove]]

    def play(self, clients: int, seconds: float) -> "Outcome":
        """Have so many clients play for so long; raises UnexpectedAnswer."""
        return asyncio.run(self._play(clients, seconds))

    async def _play(self, clients: int, seconds: float) -> "Outcome":
        tally = Tally()
        until = time.monotonic() + seconds
        games = list(self.moves)

        async with asyncio.TaskGroup() as group:
            for number in range(clients):
                game = games[number % len(games)]
                player = Player(self.url, game, self.moves[game], tally)
                group.create_task(player.play(until))

        return Outcome(clients, seconds, tally)

    def check(self, outcome: "Outcome") -> None:
        """Compare every match with what its client was told; raises AssertionError.

        A match holds the moves that were acknowledged, each once and each upon the one before. What
        follows upon the last of them is the house's.
        """
        asyncio.run(self._check(outcome.tally.versions))

    async def _check(self, versions: dict[str, int]) -> None:
        async with aiohttp.ClientSession(self.url) as session:
            for match_id, version in versions.items():
                commits = await _commits(session, match_id)
                check_moves(match_id, commits, version)
                check_chain(match_id, commits)


@dataclass(frozen=True)
class Outcome:
    """What a number of clients were told in some seconds."""

    clients: int
    seconds: float
    tally: Tally

    @property
    def rate(self) -> float:
        """Moves that were acknowledged in a second."""
        return len(self.tally.seconds) / self.seconds

    @property
    def median_ms(self) -> float:
        """Half of the moves took at most so many milliseconds."""
        return 1000 * statistics.median(self.tally.seconds)

    @property
    def p99_ms(self) -> float:
        """Of a hundred moves 99 took at most so many milliseconds."""
        return 1000 * p99(self.tally.seconds)

    @property
    def sent_away(self) -> Counter[int]:
        """How many answers there were of each status but "created"."""
        return Counter(
            {status: count for status, count in self.tally.answers.items() if status != 201}
        )

    def __str__(self) -> str:
        others = ", ".join(f"{count} x {status}" for status, count in self.sent_away.items())
        return (
            f"{self.clients:5} clients: {self.rate:5.0f} moves/s, median {self.median_ms:6.1f} ms, "
            f"p99 {self.p99_ms:7.1f} ms; {others or 'all answered 201'}"
        )


async def _commits(session: aiohttp.ClientSession, match_id: str) -> list[dict[str, str]]:
    """Return the commits of a match, page after page."""
    commits: list[dict[str, str]] = []
    while True:
        path = f"/v1/matches/{match_id}/commits?after={len(commits)}&limit={_PAGE}"
        async with session.get(path) as answer:
            page = await answer.json()
        if not page["commits"]:
            return commits
        commits += page["commits"]


def check_moves(match_id: str, commits: Sequence[dict[str, str]], version: int) -> None:
    """Check that a match has all commits up to a version, and after it none of a player."""
    assert len(commits) >= version, (
        f"{match_id} has {len(commits)} commits, but {version} were acknowledged"
    )
    for number, commit in enumerate(commits[version:], version + 1):
        assert commit["actor"] == HOUSE_ACTOR, f"{match_id}: nobody was told of commit {number}"


def check_chain(match_id: str, commits: Sequence[dict[str, str]]) -> None:
    """Check that each commit names the hash of the one before."""
    hash_before = ""
    for number, commit in enumerate(commits, 1):
        assert commit["prev"] == hash_before, f"{match_id}: commit {number} has another predecessor"
        hash_before = commit["hash"]
