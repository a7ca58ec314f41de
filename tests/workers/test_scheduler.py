"""The scheduler: overdue matches are enqueued again, and abandoned ones end."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Unreachable

from service.base.config import Config
from service.base.rounds import Outage
from service.bootstrap import open_context
from service.capabilities.webhooks import timers as hook_timers
from service.matches import automation
from service.matches.automation import PAUSES_MS
from service.matches.context import Context
from service.matches.lifecycle import HOUR
from service.matches.opening import OpenRequest, open_new
from service.store.jobs.queues import Queues
from service.store.jobs.table import BOTS, EXHIBITIONS, WEBHOOK_JOBS
from service.store.journal.keys import Keys
from service.store.journal.values import HOOK
from tests.service.store.journal.passing_time import make_older
from workers import app, scheduler
from workers.lost_jobs import Blaming, LostJobs
from workers.scheduler import Plan

SECOND = 1000
NOTHING_LISTENS = "redis://127.0.0.1:1/0"

BOT = {"kind": "bot", "level": "random"}
HUMAN = {"kind": "human"}
OPEN_SEAT = {"kind": "open"}
Seats = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Parts:
    """A scheduler's parts: context and queues on a real server."""

    ctx: Context
    queues: Queues
    lost_jobs: Blaming
    config: Config
    hooks: bool = False

    def round(self, *, look: bool = True) -> int:
        """Make one round of the scheduler, and return how many matches it has ended."""
        plan = Plan(
            self.ctx,
            app.timer_kinds(self.ctx, self.queues, hooks=self.hooks),
            app.steps(self.ctx, self.queues, self.lost_jobs, self.config.scheduler_after_ms),
            app.look_of(self.ctx, app.patience_of(self.config)),
        )
        return scheduler.make_round(plan, look=look)


@pytest.fixture
def parts(redis_url: str) -> Iterator[Parts]:
    """A scheduler on a real server, with the usual settings."""
    environ = {
        "GIORNALE_JOURNAL_URL": redis_url,
        "GIORNALE_SECRET": "s" * 32,
    }
    config = Config.load(environ)
    ctx, queues = open_context(config)

    yield Parts(ctx, queues, LostJobs(queues), config)
    queues.redis.close()


def open_earlier(parts: Parts, redis_url: str, age_ms: int, seats: Seats) -> str:
    """Open a match so many milliseconds ago without a job, and return its id."""
    ctx = parts.ctx
    earlier = replace(ctx, clock=lambda: ctx.clock() - age_ms, enqueue=lambda *_: None)
    match = open_new(earlier, OpenRequest("calimala", seats)).loaded.id

    let_pass(redis_url, age_ms)
    return match


def let_pass(redis_url: str, milliseconds: int) -> None:
    """Let time pass for the journal."""
    with Redis.from_url(redis_url, decode_responses=True) as client:
        make_older(client, milliseconds)


class Died:
    """Knows the jobs of dead workers."""

    def __init__(self, job_ids: list[str]) -> None:
        self._job_ids = job_ids

    def to_blame(self) -> list[str]:
        """Return these jobs."""
        return self._job_ids


@pytest.mark.parametrize(
    ("seats", "queue", "work"),
    [([BOT, BOT, HUMAN], BOTS, "bots"), ([BOT, BOT, BOT], EXHIBITIONS, "exhibition")],
    ids=["with-a-human", "bots-alone"],
)
def test_match_that_waits_too_long_is_woken(
    parts: Parts, redis_url: str, seats: Seats, queue: str, work: str
) -> None:
    """A web process died between append and enqueue: the pending index still knows the queue."""
    match = open_earlier(parts, redis_url, 2 * SECOND, seats)
    parts.round()

    assert parts.queues.queues[queue].job_ids == [f"{work}-{match}-1"]
    assert sum(parts.queues.depths().values()) == 1


def test_two_schedulers_enqueue_a_job_once_and_not_at_once(parts: Parts, redis_url: str) -> None:
    """A process that appended is about to enqueue the job, so a match may wait for a moment."""
    match = open_earlier(parts, redis_url, 0, [BOT, BOT, BOT])
    parts.round()
    assert sum(parts.queues.depths().values()) == 0

    let_pass(redis_url, 2 * SECOND)
    other = replace(parts, lost_jobs=LostJobs(parts.queues))
    for at_work in (parts, other, parts, other):
        at_work.round()
    assert parts.queues.queues[EXHIBITIONS].job_ids == [f"exhibition-{match}-1"]


def test_matches_claimed_by_a_dead_scheduler_are_enqueued(parts: Parts, redis_url: str) -> None:
    """A scheduler died, or was stopped, between claim and job: the next look comes in seconds."""
    match = open_earlier(parts, redis_url, 2 * SECOND, [BOT, BOT, BOT])
    automation.sweep(replace(parts.ctx, enqueue=lambda *_: None), parts.config.scheduler_after_ms)
    parts.round()
    assert sum(parts.queues.depths().values()) == 0

    let_pass(redis_url, automation.LONGEST_PAUSE_MS)
    parts.round()

    assert parts.queues.queues[EXHIBITIONS].job_ids == [f"exhibition-{match}-1"]


def test_a_match_whose_worker_died_is_tried_elsewhere(parts: Parts, redis_url: str) -> None:
    """The match might kill one worker after the other. Each death counts as a failure."""
    match = open_earlier(parts, redis_url, 0, [BOT, BOT, HUMAN])
    dying = replace(parts, lost_jobs=Died([f"bots-{match}-1"]))
    dying.round()

    [waiting] = parts.ctx.journal.pending.due(0, 9)
    assert (waiting.tries, waiting.error) == (1, "WorkerDied")
    assert sum(parts.queues.depths().values()) == 0, "it is not tried before its pause is over"

    let_pass(redis_url, PAUSES_MS[0])
    parts.round()

    assert parts.queues.queues[EXHIBITIONS].job_ids == [f"retry-{match}-1"]
    assert parts.queues.depths()[BOTS] == 0


def test_match_that_has_moved_on_since_is_not_blamed(parts: Parts, redis_url: str) -> None:
    """The lost job was of another version of the match, so the match is not blamed."""
    match = open_earlier(parts, redis_url, 0, [BOT, BOT, HUMAN])
    dying = replace(parts, lost_jobs=Died([f"bots-{match}-2"]))
    dying.round()

    [waiting] = parts.ctx.journal.pending.due(0, 9)
    assert waiting.tries == 0


def test_match_that_waits_for_nobody_any_more_is_forgotten(parts: Parts, redis_url: str) -> None:
    """A process of an earlier release has left the match in the index. A round removes it."""
    match = open_earlier(parts, redis_url, 0, [HUMAN, HUMAN, HUMAN])
    keys = Keys(Config.load({}).partitions)
    with Redis.from_url(redis_url) as client:
        client.zadd(keys.pending[keys.partition_of(match)], {match: 1})
    assert parts.ctx.journal.pending.totals().waiting == 1

    parts.round()

    assert parts.ctx.journal.pending.totals().waiting == 0
    assert sum(parts.queues.depths().values()) == 0


def test_round_without_redis_is_not_the_last(
    parts: Parts, caplog: pytest.LogCaptureFixture
) -> None:
    """A scheduler that cannot reach Redis says so once, goes on, and says when Redis is back."""
    away = Queues(NOTHING_LISTENS, b"s" * 32)
    without_redis = replace(parts, queues=away, lost_jobs=LostJobs(away))
    outage = Outage(logging.getLogger("workers.scheduler"), "scheduler")

    with caplog.at_level(logging.INFO, logger="workers"):
        for at_work in (parts, without_redis, without_redis, without_redis, parts, parts):
            scheduler.attempt(at_work.round, outage)

    messages = [line.getMessage() for line in caplog.records if line.name == "workers.scheduler"]
    assert messages == ["paused: waiting for Redis", "Redis available again"]
    scheduler_name = parts.queues.scheduler()
    assert scheduler_name is not None, "readiness asks for it"
    assert scheduler_name.startswith("scheduler-")


@pytest.mark.parametrize(
    ("hours", "ended", "status"),
    [(168, 1, "aborted"), (167, 0, "open")],
    ids=["a-week", "an-hour-less"],
)
def test_match_that_is_left_alone_is_ended(
    parts: Parts, redis_url: str, hours: int, ended: int, status: str
) -> None:
    """The house ends a match after the time set: a week if the match has not started."""
    match = open_earlier(parts, redis_url, hours * HOUR, [HUMAN, OPEN_SEAT, OPEN_SEAT])

    assert parts.round(look=False) == 0, "it was not to look"
    assert parts.round() == ended

    head = parts.ctx.journal.events.head(match)
    assert head is not None
    assert head.status == status


def test_webhooks_stay_due_until_they_are_switched_on(parts: Parts, redis_url: str) -> None:
    """Once webhooks are on, players awaited all the time are called without another commit."""
    match = open_earlier(parts, redis_url, 0, [HUMAN] * 3)
    parts.ctx.journal.timers.ring(HOOK, match)
    parts.round()
    let_pass(redis_url, 2 * HOUR)
    assert parts.queues.queues[WEBHOOK_JOBS].job_ids == []

    replace(parts, hooks=True).round()

    [job_id] = parts.queues.queues[WEBHOOK_JOBS].job_ids
    assert job_id.startswith(f"hook-{match}-")


def test_webhooks_refused_by_the_queues_are_due_again_at_once(
    parts: Parts, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refused webhooks do not count as handed over, and so wait for no lease."""
    calling = replace(parts, hooks=True)
    matches = [open_earlier(parts, redis_url, 0, [HUMAN] * 3) for _ in range(3)]
    for match in matches:
        parts.ctx.journal.timers.ring(HOOK, match)

    put = parts.queues.put

    def take_one(*arguments: Any) -> None:
        if parts.queues.depth(WEBHOOK_JOBS):
            raise Unreachable("away")
        put(*arguments)

    with monkeypatch.context() as away:
        away.setattr(parts.queues, "put", take_one)
        with pytest.raises(Unreachable):
            calling.round()
    let_pass(redis_url, 2 * SECOND)
    calling.round()

    rung = sorted(job_id.split("-")[1] for job_id in parts.queues.queues[WEBHOOK_JOBS].job_ids)
    assert rung == sorted(matches)


def test_jobs_that_no_worker_takes_do_not_pile_up(
    parts: Parts, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If webhooks are on and no worker calls them, MOST_HOOK_JOBS jobs wait and no more."""
    monkeypatch.setattr(hook_timers, "MOST_HOOK_JOBS", 2)
    calling = replace(parts, hooks=True)
    match = open_earlier(parts, redis_url, 0, [HUMAN] * 3)
    parts.ctx.journal.timers.ring(HOOK, match)

    for _ in range(4):
        calling.round()
        let_pass(redis_url, HOUR)

    assert parts.queues.depth(WEBHOOK_JOBS) == 2
