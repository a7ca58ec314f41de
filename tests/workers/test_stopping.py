"""A worker that is stopped, or dies, while a bot thinks: the match goes on elsewhere."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.bootstrap import open_context
from service.config import Config
from service.jobs.queues import EXHIBITIONS, Queues
from service.ledger.commit import parse_commits
from service.matches import automation, records
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from tests.running import PATIENCE, until
from tests.service.process.test_single_processes import single_process

STRONG = {"kind": "bot", "level": "strong"}
MOVES_AFTERWARDS = 3


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> dict[str, str]:
    """The settings that the workers and this process share."""
    return {"journal_url": redis_url, "data": str(tmp_path)}


@pytest.fixture
def parts(settings: dict[str, str]) -> Iterator[tuple[Context, Queues]]:
    """The context and the queues of this process."""
    environ = {f"GIORNALE_{name.upper()}": value for name, value in settings.items()}
    ctx, queues = open_context(Config.load(environ))
    yield ctx, queues
    queues.redis.close()


def is_at_work(queues: Queues) -> bool:
    """Return whether a worker of the exhibitions has begun a job."""
    registry = queues.queues[EXHIBITIONS].started_job_registry
    return bool(queues.redis.zcard(registry.key))


def actors_of(ctx: Context, match: str) -> list[str]:
    """Return who made each commit, after the opening."""
    commits = parse_commits(ctx.journal.events.read(match))
    return [stored["commit"]["actor"] for stored in commits[1:]]


STOPS: dict[str, tuple[Any, int]] = {
    "told-to-stop": (signal.SIGTERM, 0),
    "killed": (signal.SIGKILL, -9),
}


@pytest.mark.parametrize(("stop", "exit_code"), STOPS.values(), ids=STOPS)
def test_a_worker_that_ends_while_a_bot_thinks_loses_nothing(
    settings: dict[str, str], parts: tuple[Context, Queues], stop: int, exit_code: int
) -> None:
    """The next worker goes on from the last commit: no move is lost, and none is made twice.

    Told to stop, a worker finishes its job, which hands the rest of the turn on. Killed, it leaves
    a job behind; the scheduler puts it into its queue again, since the match is still due.
    """
    ctx, queues = parts
    with single_process("worker", "exhibitions", **settings) as first:
        first.wait_for("the worker is ready")
        # Strong bots have far more to think of than one job may.
        match = open_new(ctx, OpenRequest("firenze", [STRONG] * 4)).loaded.id
        until(lambda: is_at_work(queues), "a bot to think")
        first.process.send_signal(stop)
        assert first.process.wait(PATIENCE) == exit_code
    left_at = actors_of(ctx, match)
    assert load(ctx, match).match.status.worker == "bots"

    with single_process("worker", "exhibitions", **settings) as second:
        second.wait_for("the worker is ready")
        automation.sweep(ctx, 0)
        enough = len(left_at) + MOVES_AFTERWARDS
        until(lambda: len(actors_of(ctx, match)) >= enough, "moves of the second worker")

    assert actors_of(ctx, match)[: len(left_at)] == left_at
    report = records.audit(ctx, match)
    assert report.wrong is None
    assert report.commits == load(ctx, match).version
