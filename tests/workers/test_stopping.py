"""A worker that is stopped, or dies, while a bot thinks: the match goes on elsewhere."""

import signal
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from service.bootstrap import open_desk
from service.config import Config
from service.jobs.queues import BOTS, Queues
from service.ledger.commit import parse_commits
from service.matches import audits, house
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Wish, open_new
from tests.running import PATIENCE, until
from tests.service.process.test_single_processes import single_process
from workers.recovery import LostJobs

STRONG = {"kind": "bot", "level": "strong"}
SEATS = [STRONG, STRONG, STRONG, {"kind": "human"}]


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> dict[str, str]:
    """The settings that the workers and this process share."""
    return {"journal_url": redis_url, "data": str(tmp_path)}


@pytest.fixture
def parts(settings: dict[str, str]) -> Iterator[tuple[Desk, Queues]]:
    """The desk and the queues of this process."""
    environ = {f"GIORNALE_{name.upper()}": value for name, value in settings.items()}
    desk, queues = open_desk(Config.load(environ))
    yield desk, queues
    queues.redis.close()


def is_at_work(queues: Queues) -> bool:
    """Return whether a worker of the bots has begun a job."""
    registry = queues.queues[BOTS].started_job_registry
    return bool(queues.redis.zcard(registry.key))


def opened(desk: Desk) -> str:
    """Open a match in which strong bots have more to think of than one job may; return its id."""
    return open_new(desk, Wish("firenze", SEATS, seed="bots first")).loaded.id


def actors_of(desk: Desk, match: str) -> list[str]:
    """Return who made each commit, after the opening."""
    commits = parse_commits(desk.journal.read(match))
    return [stored["commit"]["actor"] for stored in commits[1:]]


def wait_for_the_human(desk: Desk, match: str) -> None:
    """Wait until no bot must move any more, then check the whole history."""
    until(lambda: load(desk, match).match.standing.work == "", "the bots' turns")

    report = audits.audit(desk, match)
    assert report.wrong is None
    assert report.commits == load(desk, match).version


def turns_of(actors: list[str]) -> list[str]:
    """Return whose turns there were, a bot's moves in a row being one."""
    return [actor for actor, _moves in groupby(actors)]


STOPS: dict[str, tuple[Any, int]] = {
    "told-to-stop": (signal.SIGTERM, 0),
    "killed": (signal.SIGKILL, -9),
}


@pytest.mark.parametrize(("stop", "exit_code"), STOPS.values(), ids=STOPS)
def test_a_worker_that_ends_while_a_bot_thinks_loses_nothing(
    settings: dict[str, str], parts: tuple[Desk, Queues], stop: int, exit_code: int
) -> None:
    """The next worker goes on from the last commit: no move is lost, and none is made twice.

    Told to stop, a worker finishes its job, which hands the rest of the turn on. Killed, it leaves
    a job behind, which the keeper forgets; then it wakes the match again.
    """
    desk, queues = parts
    with single_process("worker", "bots", **settings) as first:
        first.wait_for("the worker is ready")
        match = opened(desk)
        until(lambda: is_at_work(queues), "a bot to think")
        first.process.send_signal(stop)
        assert first.process.wait(PATIENCE) == exit_code
    left_at = actors_of(desk, match)
    assert load(desk, match).match.standing.work == "bots"

    lost_jobs = LostJobs(queues)
    lost_jobs.forget()
    lost_jobs.forget()
    with single_process("worker", "bots", **settings) as second:
        second.wait_for("the worker is ready")
        house.sweep(desk, 0)
        wait_for_the_human(desk, match)

    actors = actors_of(desk, match)
    assert actors[: len(left_at)] == left_at
    assert turns_of(actors) == ["seat:0", "seat:1", "seat:2"]
