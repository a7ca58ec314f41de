"""The scheduler: what waits too long is enqueued again, what is left alone ends or is archived.

And log and ratings are kept.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Unreachable

from service.archive.archive import Archive
from service.archive.journal import with_archive
from service.archive.places import open_place
from service.bootstrap import open_context
from service.config import Config
from service.jobs.queues import BOTS, EXHIBITIONS, HOOKS, Queues
from service.journal.errors import ArchiveUnavailable
from service.journal.keys import Keys
from service.journal.memory import memory_journal
from service.journal.values import HOOK
from service.log.index import Index
from service.log.ratings import Ratings
from service.matches import automation, lifecycle, lobby
from service.matches.automation import PAUSES_MS
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.lifecycle import DAY, HOUR, Patience, expire
from service.matches.opening import Opened, OpenRequest, open_new
from tests import toy
from tests.running import until
from tests.service.journal.passing_time import make_older
from tests.service.log.conftest import House, run_out
from tests.service.log.test_sequencer import go_back
from tests.service.matches.conftest import Clock
from tests.service.matches.test_players import House as RatedHouse
from tests.service.rated import ADA, BEN, fold_now, played
from workers import scheduler
from workers.process import Outage
from workers.scheduler import (
    LOOK_AGAIN_MS,
    RATE_AGAIN_SECONDS,
    RATE_SECONDS,
    SEQUENCE_AGAIN_SECONDS,
    SEQUENCE_SECONDS,
    Archiving,
    Blaming,
    LostJobs,
    Rating,
    Rules,
    Sequencing,
)

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
    rules: Rules

    def round(self, *, look: bool = True) -> int:
        """Make one round of the scheduler, and return how many matches it has ended."""
        return scheduler.make_round(self.ctx, self.queues, self.lost_jobs, self.rules, look=look)


@pytest.fixture
def parts(redis_url: str) -> Iterator[Parts]:
    """A scheduler on a real server, with the usual settings."""
    environ = {
        "GIORNALE_JOURNAL_URL": redis_url,
        "GIORNALE_SECRET": "s" * 32,
    }
    config = Config.load(environ)
    ctx, queues = open_context(config)

    yield Parts(ctx, queues, LostJobs(queues), scheduler.rules_of(config))
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
    """Knows the jobs of workers that died."""

    def __init__(self, job_ids: list[str]) -> None:
        self._job_ids = job_ids

    def to_blame(self) -> list[str]:
        """Return them."""
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
    """Who has appended is about to enqueue the job, so a match may wait for a moment."""
    match = open_earlier(parts, redis_url, 0, [BOT, BOT, BOT])
    parts.round()
    assert sum(parts.queues.depths().values()) == 0

    let_pass(redis_url, 2 * SECOND)
    other = replace(parts, lost_jobs=LostJobs(parts.queues))
    for at_work in (parts, other, parts, other):
        at_work.round()
    assert parts.queues.queues[EXHIBITIONS].job_ids == [f"exhibition-{match}-1"]


def test_what_a_scheduler_has_claimed_is_enqueued_though_it_died(
    parts: Parts, redis_url: str
) -> None:
    """It died, or was stopped, between claim and job: the next look comes in seconds."""
    match = open_earlier(parts, redis_url, 2 * SECOND, [BOT, BOT, BOT])
    automation.sweep(replace(parts.ctx, enqueue=lambda *_: None), parts.rules.after_ms)
    parts.round()
    assert sum(parts.queues.depths().values()) == 0

    let_pass(redis_url, automation.LONGEST_PAUSE_MS)
    parts.round()

    assert parts.queues.queues[EXHIBITIONS].job_ids == [f"exhibition-{match}-1"]


def test_match_at_which_a_worker_died_is_tried_elsewhere(parts: Parts, redis_url: str) -> None:
    """It might kill one worker after the other; what it has done counts as a failure."""
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
    """A process died at an earlier version of it, which another one has left behind."""
    match = open_earlier(parts, redis_url, 0, [BOT, BOT, HUMAN])
    dying = replace(parts, lost_jobs=Died([f"bots-{match}-2"]))
    dying.round()

    [waiting] = parts.ctx.journal.pending.due(0, 9)
    assert waiting.tries == 0


def test_match_that_waits_for_nobody_any_more_is_forgotten(parts: Parts, redis_url: str) -> None:
    """A process of an earlier release has left it in the index: it is not looked at for ever."""
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
    """A scheduler that cannot reach Redis says so once, goes on, and says when it is back."""
    away = Queues(NOTHING_LISTENS, b"s" * 32)
    without_redis = replace(parts, queues=away, lost_jobs=LostJobs(away))
    outage = Outage(logging.getLogger("workers.scheduler"), "the scheduler")

    with caplog.at_level(logging.INFO, logger="workers"):
        for at_work in (parts, without_redis, without_redis, without_redis, parts, parts):
            scheduler.attempt(at_work.round, outage)

    said = [line.getMessage() for line in caplog.records if line.name == "workers.scheduler"]
    assert said == ["the scheduler waits for Redis", "the scheduler has Redis again"]
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
    """The scheduler lets the house end it after the time set: a week if it has not started."""
    match = open_earlier(parts, redis_url, hours * HOUR, [HUMAN, OPEN_SEAT, OPEN_SEAT])

    assert parts.round(look=False) == 0, "it was not to look"
    assert parts.round() == ended

    head = parts.ctx.journal.events.head(match)
    assert head is not None
    assert head.status == status


def test_webhooks_stay_due_until_they_are_switched_on(parts: Parts, redis_url: str) -> None:
    """Whose turn it was all the time is called then, without another commit."""
    match = open_earlier(parts, redis_url, 0, [HUMAN] * 3)
    parts.ctx.journal.timers.ring(HOOK, match)
    parts.round()
    let_pass(redis_url, 2 * HOUR)
    assert parts.queues.queues[HOOKS].job_ids == []

    replace(parts, rules=replace(parts.rules, hooks=True)).round()

    [job_id] = parts.queues.queues[HOOKS].job_ids
    assert job_id.startswith(f"hook-{match}-")


def test_webhooks_that_the_queues_did_not_take_are_due_again_at_once(
    parts: Parts, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are not taken for handed over, and so wait for no lease."""
    calling = replace(parts, rules=replace(parts.rules, hooks=True))
    matches = [open_earlier(parts, redis_url, 0, [HUMAN] * 3) for _ in range(3)]
    for match in matches:
        parts.ctx.journal.timers.ring(HOOK, match)

    put = parts.queues.put

    def take_one(*arguments: Any) -> None:
        if parts.queues.depth(HOOKS):
            raise Unreachable("away")
        put(*arguments)

    with monkeypatch.context() as away:
        away.setattr(parts.queues, "put", take_one)
        with pytest.raises(Unreachable):
            calling.round()
    let_pass(redis_url, 2 * SECOND)
    calling.round()

    rung = sorted(job_id.split("-")[1] for job_id in parts.queues.queues[HOOKS].job_ids)
    assert rung == sorted(matches)


def test_jobs_that_no_worker_takes_do_not_pile_up(
    parts: Parts, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where webhooks are switched on and no worker calls them, only so many jobs wait."""
    monkeypatch.setattr(scheduler, "MOST_HOOK_JOBS", 2)
    calling = replace(parts, rules=replace(parts.rules, hooks=True))
    match = open_earlier(parts, redis_url, 0, [HUMAN] * 3)
    parts.ctx.journal.timers.ring(HOOK, match)

    for _ in range(4):
        calling.round()
        let_pass(redis_url, HOUR)

    assert parts.queues.depth(HOOKS) == 2


# ---- what has ended is archived ------------------------------------------------------------------

NEVER = Patience(open=0, running=0)
AFTER = 30 * DAY


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still."""
    return Clock()


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An archive in its own directory."""
    return Archive(open_place(str(tmp_path / "archive")))


@pytest.fixture
def ctx(clock: Clock, archive: Archive) -> Context:
    """A context whose journal notes ends, as where an age is set."""
    journal = with_archive(memory_journal(), archive, look=True)
    return Context(journal, b"s" * 32, clock, enqueue=lambda *_: None, allow_seed=True)


@pytest.fixture
def archiving(ctx: Context, archive: Archive) -> Archiving:
    """What archives thirty days after the end; its thread does not run."""
    return Archiving(ctx, archive, AFTER)


def open_match(ctx: Context) -> Opened:
    """Open a match of humans."""
    return open_new(ctx, OpenRequest("calimala", [HUMAN] * 3))


def end(ctx: Context, opened: Opened) -> str:
    """Abort a match and reveal it; return its id."""
    match = opened.loaded.id
    lobby.abort(ctx, Submission(match, opened.tokens["owner"]))
    automation.act(ctx, match)
    return match


def rounds(ctx: Context, archiving: Archiving, patience: Patience = NEVER) -> int:
    """Let the scheduler look once and archive what is due; return how many have left."""
    expire(ctx, patience, archiving.look)
    return archiving.take()


def test_a_match_leaves_when_it_is_old_enough(
    ctx: Context, archiving: Archiving, clock: Clock
) -> None:
    """Not before, and not while it is played; once is enough."""
    played = open_match(ctx).loaded.id
    ended = end(ctx, open_match(ctx))
    assert rounds(ctx, archiving) == 0

    clock.now += AFTER - 1
    assert rounds(ctx, archiving) == 0
    assert ctx.journal.index.idle(clock.now, 9) == []

    clock.now += 1
    assert rounds(ctx, archiving) == 1
    assert ctx.journal.lifecycle.archived(ended) is not None
    assert ctx.journal.lifecycle.archived(played) is None

    clock.now += LOOK_AGAIN_MS
    assert rounds(ctx, archiving) == 0
    assert ended not in ctx.journal.index.idle(clock.now + 99 * DAY, 9)


def test_a_match_that_is_ended_for_its_age_is_archived_later(
    ctx: Context, archiving: Archiving, clock: Clock
) -> None:
    """The house reveals it after the scheduler has ended it, or just while it does."""
    patience = Patience(open=HOUR, running=HOUR)
    match = open_match(ctx).loaded.id
    clock.now += HOUR
    expire(ctx, patience, archiving.look)
    assert ctx.journal.index.idle(clock.now + LOOK_AGAIN_MS, 9) == [match]

    automation.act(ctx, match)
    clock.now += LOOK_AGAIN_MS
    rounds(ctx, archiving, patience)
    clock.now += AFTER
    assert rounds(ctx, archiving, patience) == 1


@pytest.mark.parametrize("error", [ArchiveUnavailable("match", "no room"), ValueError()])
def test_a_match_that_cannot_leave_stops_no_other(
    ctx: Context,
    archiving: Archiving,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    """It stays in the journal, the log says so, and it is tried again."""
    unlucky, lucky = (end(ctx, open_match(ctx)) for _ in range(2))
    clock.now += AFTER
    archive = lifecycle.archive

    def fail_for_one(*given: Any) -> Any:
        if unlucky in given:
            raise error
        return archive(*given)

    with monkeypatch.context() as patch:
        patch.setattr(lifecycle, "archive", fail_for_one)
        assert rounds(ctx, archiving) == 1
    assert ctx.journal.lifecycle.archived(unlucky) is None
    assert ctx.journal.lifecycle.archived(lucky) is not None
    assert "a match could not be archived" in caplog.messages

    clock.now += LOOK_AGAIN_MS
    assert rounds(ctx, archiving) == 1
    assert ctx.journal.lifecycle.archived(unlucky) is not None


def test_the_thread_archives_what_is_handed_over_and_ends(
    ctx: Context, archiving: Archiving, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scheduler itself does not wait for it."""
    ended = end(ctx, open_match(ctx))
    clock.now += AFTER
    archiving.start()

    expire(ctx, NEVER, archiving.look)
    until(lambda: ctx.journal.lifecycle.archived(ended), "the match to leave")
    # The queue seems to hold one more, which the thread has just taken.
    monkeypatch.setattr(archiving._waiting, "empty", lambda: False)
    archiving.stop(5)
    assert not archiving._thread.is_alive()


@pytest.mark.parametrize(("age", "is_archived"), [("", False), ("0", False), ("1h", True)])
def test_the_scheduler_archives_only_where_an_age_is_set(
    ctx: Context, age: str, is_archived: bool
) -> None:
    """Unset means never."""
    config = Config.load({"GIORNALE_ARCHIVE_AFTER": age})
    assert (scheduler._archiving(config, ctx) is not None) == is_archived


def test_a_full_queue_is_no_obstacle(
    ctx: Context, archive: Archive, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What finds no room is looked at again."""
    monkeypatch.setattr("workers.scheduler.MOST_WAITING", 1)
    archiving = Archiving(ctx, archive, AFTER)
    for _ in range(3):
        end(ctx, open_match(ctx))
    clock.now += AFTER
    assert rounds(ctx, archiving) == 1
    clock.now += LOOK_AGAIN_MS
    assert rounds(ctx, archiving) == 1


# ---- the log -----------------------------------------------------------------------------------


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A house with a log."""
    return House(tmp_path / "house")


@pytest.fixture
def sequencing(parts: Parts, house: House) -> Sequencing:
    """What gives its commits their positions; no thread is started."""
    ctx = replace(parts.ctx, journal=house.journal, log=house.log)
    return Sequencing(ctx, house.sequencer())


def test_commits_get_positions_that_are_found_at_once(house: House, sequencing: Sequencing) -> None:
    """The index of the machine has them before anybody asks."""
    house.fill(5)
    assert sequencing.attempt() == SEQUENCE_SECONDS
    house.check_all_sealed()
    assert house.log._index.size(house.log.state().key) == 5


def test_what_is_wrong_with_the_log_is_logged_once_while_it_lasts(
    house: House, sequencing: Sequencing, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Though commits get their positions, as where only the index cannot be written."""
    index = house.log._index
    for _ in range(2):
        house.log._index = Index(tmp_path)  # a directory
        for _ in range(3):
            house.commit("m0")
            assert sequencing.attempt() == SEQUENCE_AGAIN_SECONDS
            assert str(tmp_path) in house.journal.order.state().stopped

        house.log._index = index
        assert sequencing.attempt() == SEQUENCE_SECONDS
        assert house.journal.order.state().stopped == ""

    said = [one for one in caplog.records if one.message == "the log stands still"]
    assert [str(tmp_path) in one.__dict__["reason"] for one in said] == [True, True]
    house.check_all_sealed()


def test_a_loss_that_the_log_meets_is_noted(house: House, sequencing: Sequencing) -> None:
    """The journal says that it has gone back, until its operator accepts that."""
    house.fill(20)
    sequencing.attempt()
    go_back(house, 1)
    assert sequencing.attempt() == SEQUENCE_AGAIN_SECONDS
    generation = house.journal.lifecycle.generation()
    assert generation is not None
    assert generation.gone_back is not None
    sequencing.attempt()
    assert "gone back" in house.journal.order.state().stopped


# ---- ratings -------------------------------------------------------------------------------------


@pytest.fixture
def rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RatedHouse:
    """A house in which a match of two keys has ended."""
    toy.install(monkeypatch)
    house = RatedHouse(tmp_path / "rated")
    house.put(played(ADA, BEN))
    run_out(house.sequencer)
    return house


def test_players_are_rated_and_deleted_matches_forgotten(rated: RatedHouse) -> None:
    """Each round looks for what has ended, and now and then for what is gone."""
    rating = Rating(rated.ctx)
    assert rating.attempt() == RATE_SECONDS
    assert len(rated.ladder()) == 2

    [match] = rated.records
    lifecycle.delete(rated.ctx, match, "operator")
    rating._next_look = 0.0
    rating.attempt()
    fold_now(rated.kept)
    assert rated.ladder() == []


def test_what_is_in_the_way_of_ratings_is_logged_once_while_it_lasts(
    rated: RatedHouse, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """And nothing is lost by it."""
    rating = Rating(rated.ctx)
    for _ in range(2):
        rating._kept = Ratings(tmp_path)  # a directory
        for _ in range(3):
            assert rating.attempt() == RATE_AGAIN_SECONDS
        rating._kept = rated.kept
        assert rating.attempt() == RATE_SECONDS
    said = [one for one in caplog.records if one.message == "the ratings stand still"]
    assert [str(tmp_path) in one.__dict__["reason"] for one in said] == [True, True]
    assert len(rated.ladder()) == 2
