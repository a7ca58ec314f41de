"""The keeper: what waits too long is woken again, and what is left alone is ended."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pytest
from redis import Redis

from service.bootstrap import open_desk
from service.config import Config
from service.jobs.queues import BOTS, EXHIBITIONS, Queues
from service.matches.desk import Desk
from service.matches.opening import Wish, open_new
from tests.service.journal.passing_time import make_older
from workers import keeper
from workers.keeper import Rules
from workers.recovery import LostJobs

SECOND = 1000
HOUR = 3600 * SECOND
PARTITIONS = 256
NOTHING_LISTENS = "redis://127.0.0.1:1/0"

BOT = {"kind": "bot", "level": "random"}
HUMAN = {"kind": "human"}
OPEN_SEAT = {"kind": "open"}
Seats = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Kept:
    """A keeper's parts: desk and queues on a real server."""

    desk: Desk
    queues: Queues
    lost_jobs: LostJobs
    rules: Rules

    def round(self, *, look: bool = True) -> int:
        """Make one round of the keeper, and return how many matches it has ended."""
        return keeper.keep(self.desk, self.queues, self.lost_jobs, self.rules, look=look)


@pytest.fixture
def kept(redis_url: str) -> Iterator[Kept]:
    """A keeper on a real server, with the usual settings."""
    environ = {
        "GIORNALE_JOURNAL_URL": redis_url,
        "GIORNALE_SECRET": "s" * 32,
    }
    config = Config.load(environ)
    desk, queues = open_desk(config)

    yield Kept(desk, queues, LostJobs(queues), keeper.rules_of(config))
    queues.redis.close()


def open_earlier(kept: Kept, redis_url: str, age_ms: int, seats: Seats) -> str:
    """Open a match so many milliseconds ago, wake nobody, and return its id."""
    desk = kept.desk
    earlier = replace(desk, clock=lambda: desk.clock() - age_ms, wake=lambda *_: None)
    match = open_new(earlier, Wish("calimala", seats)).loaded.id

    with Redis.from_url(redis_url, decode_responses=True) as client:
        make_older(client, PARTITIONS, age_ms)
    return match


@pytest.mark.parametrize(
    ("seats", "queue", "work"),
    [([BOT, BOT, HUMAN], BOTS, "bots"), ([BOT, BOT, BOT], EXHIBITIONS, "exhibition")],
    ids=["with-a-human", "bots-alone"],
)
def test_match_that_waits_too_long_is_woken(
    kept: Kept, redis_url: str, seats: Seats, queue: str, work: str
) -> None:
    """A web process died between append and enqueue: the pending index still knows the queue."""
    match = open_earlier(kept, redis_url, 2 * SECOND, seats)
    kept.round()

    assert kept.queues.queues[queue].job_ids == [f"{work}-{match}-1"]
    assert sum(kept.queues.depths().values()) == 1


def test_match_that_waits_for_a_moment_is_left_alone(kept: Kept, redis_url: str) -> None:
    """Whoever appended is about to wake it."""
    open_earlier(kept, redis_url, 0, [BOT, BOT, BOT])
    kept.round()

    assert sum(kept.queues.depths().values()) == 0


def test_keeper_says_that_it_is_at_work(kept: Kept) -> None:
    """Readiness asks for that."""
    kept.round()
    keeper_name = kept.queues.keeper()

    assert keeper_name is not None
    assert keeper_name.startswith("keeper-")


def test_round_without_redis_is_not_the_last(kept: Kept, caplog: pytest.LogCaptureFixture) -> None:
    """A keeper that cannot reach Redis says so and tries again in the next round."""
    away = Queues(NOTHING_LISTENS)
    with caplog.at_level(logging.WARNING):
        keeper.attempt(kept.desk, away, LostJobs(away), kept.rules)

    assert caplog.messages == ["the keeper waits for Redis"]


@pytest.mark.parametrize(
    ("hours", "ended", "status"),
    [(168, 1, "aborted"), (167, 0, "open")],
    ids=["a-week", "an-hour-less"],
)
def test_match_that_is_left_alone_is_ended(
    kept: Kept, redis_url: str, hours: int, ended: int, status: str
) -> None:
    """The keeper lets the house end it after the time that is set: a week if it has not started."""
    match = open_earlier(kept, redis_url, hours * HOUR, [HUMAN, OPEN_SEAT, OPEN_SEAT])

    assert kept.round(look=False) == 0, "it was not to look"
    assert kept.round() == ended

    head = kept.desk.journal.head(match)
    assert head is not None
    assert head.status == status
