"""The keeper: what waits too long is woken again, and what is left alone is ended."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pytest
from redis import Redis

from service.bootstrap import open_context
from service.config import Config
from service.jobs.queues import BOTS, EXHIBITIONS, Queues
from service.matches import automation
from service.matches.automation import PAUSES_MS
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from tests.service.journal.passing_time import make_older
from workers import scheduler
from workers.outage import Outage
from workers.recovery import LostJobs
from workers.scheduler import Forgetting, Rules

SECOND = 1000
HOUR = 3600 * SECOND
NOTHING_LISTENS = "redis://127.0.0.1:1/0"

BOT = {"kind": "bot", "level": "random"}
HUMAN = {"kind": "human"}
OPEN_SEAT = {"kind": "open"}
Seats = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Kept:
    """A keeper's parts: desk and queues on a real server."""

    ctx: Context
    queues: Queues
    lost_jobs: Forgetting
    rules: Rules

    def round(self, *, look: bool = True) -> int:
        """Make one round of the keeper, and return how many matches it has ended."""
        return scheduler.keep(self.ctx, self.queues, self.lost_jobs, self.rules, look=look)


@pytest.fixture
def kept(redis_url: str) -> Iterator[Kept]:
    """A keeper on a real server, with the usual settings."""
    environ = {
        "GIORNALE_JOURNAL_URL": redis_url,
        "GIORNALE_SECRET": "s" * 32,
    }
    config = Config.load(environ)
    ctx, queues = open_context(config)

    yield Kept(ctx, queues, LostJobs(queues), scheduler.rules_of(config))
    queues.redis.close()


def open_earlier(kept: Kept, redis_url: str, age_ms: int, seats: Seats) -> str:
    """Open a match so many milliseconds ago, wake nobody, and return its id."""
    ctx = kept.ctx
    earlier = replace(ctx, clock=lambda: ctx.clock() - age_ms, wake=lambda *_: None)
    match = open_new(earlier, OpenRequest("calimala", seats)).loaded.id

    let_pass(redis_url, age_ms)
    return match


def let_pass(redis_url: str, milliseconds: int) -> None:
    """Let time pass for the journal."""
    with Redis.from_url(redis_url, decode_responses=True) as client:
        make_older(client, milliseconds)


class Died:
    """Knows the jobs of workers that died."""

    def __init__(self, job_ids: list[str]) -> None:
        self._job_ids = job_ids

    def forget(self) -> list[str]:
        """Return them."""
        return self._job_ids


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


def test_two_keepers_wake_a_match_once(kept: Kept, redis_url: str) -> None:
    """Both look, and one job is there."""
    open_earlier(kept, redis_url, 2 * SECOND, [BOT, BOT, BOT])
    other = replace(kept, lost_jobs=LostJobs(kept.queues))
    for keeper_at_work in (kept, other, kept, other):
        keeper_at_work.round()

    assert sum(kept.queues.depths().values()) == 1


def test_what_a_keeper_has_claimed_is_woken_though_it_died(kept: Kept, redis_url: str) -> None:
    """It died, or was stopped, between claim and wake: the next look comes in seconds."""
    match = open_earlier(kept, redis_url, 2 * SECOND, [BOT, BOT, BOT])
    automation.sweep(replace(kept.ctx, wake=lambda *_: None), kept.rules.after_ms)
    kept.round()
    assert sum(kept.queues.depths().values()) == 0

    let_pass(redis_url, automation.LONGEST_PAUSE_MS)
    kept.round()

    assert kept.queues.queues[EXHIBITIONS].job_ids == [f"exhibition-{match}-1"]


def test_match_at_which_a_worker_died_is_tried_elsewhere(kept: Kept, redis_url: str) -> None:
    """It might kill one worker after the other; what it has done counts as a failure."""
    match = open_earlier(kept, redis_url, 0, [BOT, BOT, HUMAN])
    dying = replace(kept, lost_jobs=Died([f"bots-{match}-1"]))
    dying.round()

    [waiting] = kept.ctx.journal.pending.due(0, 9)
    assert (waiting.tries, waiting.error) == (1, "WorkerDied")
    assert sum(kept.queues.depths().values()) == 0, "it is not tried before its pause is over"

    let_pass(redis_url, PAUSES_MS[0])
    kept.round()

    assert kept.queues.queues[EXHIBITIONS].job_ids == [f"retry-{match}-1"]
    assert kept.queues.depths()[BOTS] == 0


def test_match_that_has_moved_on_since_is_not_blamed(kept: Kept, redis_url: str) -> None:
    """A process died at an earlier version of it, which another one has left behind."""
    match = open_earlier(kept, redis_url, 0, [BOT, BOT, HUMAN])
    dying = replace(kept, lost_jobs=Died([f"bots-{match}-2", f"house-{match}", "nonsense"]))
    dying.round()

    [waiting] = kept.ctx.journal.pending.due(0, 9)
    assert waiting.tries == 0


def test_keeper_says_that_it_is_at_work(kept: Kept) -> None:
    """Readiness asks for that."""
    kept.round()
    keeper_name = kept.queues.keeper()

    assert keeper_name is not None
    assert keeper_name.startswith("keeper-")


def test_round_without_redis_is_not_the_last(kept: Kept, caplog: pytest.LogCaptureFixture) -> None:
    """A keeper that cannot reach Redis says so once, goes on, and says when it is back."""
    away = Queues(NOTHING_LISTENS, b"s" * 32)
    without_redis = replace(kept, queues=away, lost_jobs=LostJobs(away))
    outage = Outage(logging.getLogger("workers.scheduler"), "the keeper")

    with caplog.at_level(logging.INFO, logger="workers"):
        for keeper_at_work in (kept, without_redis, without_redis, without_redis, kept, kept):
            scheduler.attempt(keeper_at_work.round, outage)

    told = [line.msg % line.args for line in caplog.records if line.name == "workers.scheduler"]
    assert told == ["the keeper waits for Redis", "the keeper has Redis again"]


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

    head = kept.ctx.journal.events.head(match)
    assert head is not None
    assert head.status == status
