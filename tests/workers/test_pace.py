"""How long bots think: within their job, less while many wait, and each match in its turn."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from domain.chance import Chance
from domain.game import Game
from service.jobs.queues import BOTS, TIMEOUTS, Queues
from service.journal.memory import memory_journal
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from workers import bots, process
from workers.bots import players
from workers.bots.players import JOB_SECONDS, UNHURRIED, Budget, Thought, TimeBudget, time_budget
from workers.worker import make_worker

NOW = 1_800_000_000_000
STRONG = {"kind": "bot", "level": "strong"}
HUMAN = {"kind": "human"}
ONE_SECOND = Budget(seconds=1.0)

pytestmark = pytest.mark.usefixtures("_handlers_put_back")


class Watch:
    """A clock that only thoughts move on; what it shows, in seconds."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.seconds


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    """The clock of jobs; the strong level takes as long as it may, by this clock."""
    made = Watch()

    def take_the_time(
        game: Game[Any], imagined: Any, seat: int, chance: Chance, budget: Budget
    ) -> Thought:
        made.seconds += budget.seconds or 0.0
        return players.think_greedily(game, imagined, seat, chance, budget)

    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "strong": (take_the_time, ONE_SECOND)})
    monkeypatch.setattr(bots, "monotonic", made)
    return made


@pytest.fixture
def queues(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queues]:
    """Empty queues, of which the jobs know."""
    made = Queues(redis_url, b"s" * 32)
    monkeypatch.setattr(process, "queues", lambda: made)
    yield made
    made.redis.close()


@pytest.fixture
def ctx(queues: Queues, monkeypatch: pytest.MonkeyPatch) -> Context:
    """A context that enqueues into the real queues, and that the jobs find."""
    made = Context(memory_journal(), b"s" * 32, lambda: NOW, queues.enqueue, allow_seed=True)
    monkeypatch.setattr(process, "ctx", lambda: made)
    return made


def opened(ctx: Context, seed: str) -> str:
    """Open a match of Firenze in which strong bots and a human sit; return its id."""
    seats = [STRONG, STRONG, STRONG, HUMAN]
    return open_new(ctx, OpenRequest("firenze", seats, seed=seed)).loaded.id


def waiting_in(queues: Queues) -> list[str]:
    """Return the matches whose jobs wait for a worker of the bots, in their order."""
    return [job.args[0] for job in queues.queues[BOTS].jobs]


def do_one_job(queues: Queues) -> None:
    """Let a worker of the bots do one job."""
    make_worker(BOTS, queues).work(burst=True, max_jobs=1, logging_level=None)


def test_a_job_ends_before_it_must() -> None:
    """The last thought is bounded by what is left; even a whole one more would end in time."""
    longest = max(usual.seconds or 0.0 for _player, usual in bots.LEVELS.values())
    assert JOB_SECONDS + longest < TIMEOUTS[BOTS] - 1

    assert UNHURRIED.of_move(ONE_SECOND, 10.0) == ONE_SECOND
    assert UNHURRIED.of_move(ONE_SECOND, 0.25) == Budget(seconds=0.25)
    assert UNHURRIED.of_move(Budget(iterations=7), 0.25) == Budget(iterations=7)


SHARES = {
    "nobody-waits": (0, 4, 1.0),
    "as-many-as-may": (4, 4, 1.0),
    "twice-as-many": (8, 4, 0.5),
    "a-flood": (400, 4, 0.01),
    "never-in-a-hurry": (400, 0, 1.0),
}


@pytest.mark.parametrize(("waiting", "unhurried", "share"), SHARES.values(), ids=SHARES)
def test_bots_think_less_while_many_wait(waiting: int, unhurried: int, share: float) -> None:
    """From the bound on, all matches together wait as long as that many would."""
    hurried = time_budget(waiting, unhurried, lambda: 0.0)

    assert hurried.share == share
    assert hurried.of_move(ONE_SECOND, 10.0) == Budget(seconds=share)


def test_a_hurry_is_of_those_who_wait_now(
    ctx: Context, queues: Queues, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker counts the jobs in the bots' queue when it begins one."""
    hasty = replace(ctx, unhurried=1)
    monkeypatch.setattr(process, "ctx", lambda: hasty)
    budgets: list[TimeBudget] = []
    monkeypatch.setattr(bots, "play_with", lambda _ctx, _match, time: budgets.append(time))
    for seed in ("one", "two", "three"):
        opened(ctx, seed)
    for _job in range(3):
        do_one_job(queues)

    assert [one.share for one in budgets] == [0.5, 1.0, 1.0]
    assert {one.until - watch() for one in budgets} == {JOB_SECONDS}


def test_a_long_turn_goes_to_the_end_of_the_queue(
    ctx: Context, queues: Queues, watch: Watch
) -> None:
    """Two matches of strong bots: each has its seconds in turn, and no move waits for a whole turn.

    This is the fair share: after its deadline a match stands behind all who wait.
    """
    first = opened(ctx, "first")
    second = opened(ctx, "second")
    assert waiting_in(queues) == [first, second]

    began = watch()
    do_one_job(queues)

    assert watch() - began == pytest.approx(JOB_SECONDS)
    assert waiting_in(queues) == [second, first]
    made = load(ctx, first).version - 1
    assert made == JOB_SECONDS / 1.0
    assert load(ctx, second).version == 1

    do_one_job(queues)
    assert waiting_in(queues) == [first, second]
    assert load(ctx, second).version - 1 == made


def test_a_late_job_makes_one_short_move(ctx: Context, watch: Watch) -> None:
    """On a machine so busy that the time is over at once, matches go on all the same."""
    match = opened(ctx, "late")
    late = TimeBudget(until=watch() - 60.0, share=1.0, clock=watch)

    began = watch()
    bots.play_with(ctx, match, late)

    assert load(ctx, match).version == 2
    assert 0 < watch() - began < 0.1
