"""Let time pass for a journal without waiting."""

import time
from typing import Any

from service.store.journal.encoding import packed_gaps, read_gaps
from service.store.journal.keys import BEAT
from service.store.journal.values import Gap

_PARKED = float("inf")


class Clock:
    """The clock of a journal in memory. A test can put it forward."""

    def __init__(self) -> None:
        self.ahead = 0

    def __call__(self) -> int:
        """Return milliseconds since the epoch."""
        return time.time_ns() // 1_000_000 + self.ahead

    def put_forward(self, milliseconds: int) -> None:
        """Let so much time pass at once."""
        self.ahead += milliseconds


def make_older(client: Any, milliseconds: int) -> None:
    """Make all entries of waiting matches and of timers on a server so much older.

    This replaces the passing of time, since a server's own clock cannot be put forward.
    client: decodes its answers.
    """
    for part in ("pending", "late", "again", "timers"):
        for key in client.keys(f"giornale:*:{part}"):
            _make_scores_older(client, key, milliseconds)

    for key in client.keys(BEAT):
        last = int(client.hget(key, "last"))
        client.hset(key, "last", last - milliseconds)
        gaps = read_gaps(client.hget(key, "gaps") or "")
        moved = [Gap(gap.start - milliseconds, gap.end - milliseconds) for gap in gaps]
        client.hset(key, "gaps", packed_gaps(moved))

    for key in client.keys("giornale:*:failing"):
        for match, record in client.hgetall(key).items():
            version, tries, since, error = record.split("|")
            older = int(since) - milliseconds
            client.hset(key, match, f"{version}|{tries}|{older}|{error}")


def _make_scores_older(client: Any, key: str, milliseconds: int) -> None:
    for match, score in client.zrange(key, 0, -1, withscores=True):
        if score != _PARKED:
            client.zadd(key, {match: score - milliseconds})
