"""The keeper: what waits too long is woken again."""

import logging
from collections.abc import Iterator
from dataclasses import replace

import pytest

from service.compose import open_desk
from service.config import Config
from service.jobs import BOTS, Queues
from service.matches.desk import Desk
from service.matches.opening import Wish, open_new
from workers import context, keeper
from workers.lost import Lost

SECOND = 1000


@pytest.fixture
def desk(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """The keeper's desk on a real server."""
    config = Config.load({"GIORNALE_JOURNAL_URL": redis_url, "GIORNALE_SECRET": "s" * 32})
    made, queues = open_desk(config)
    for name, value in (("config", config), ("desk", made), ("queues", queues)):
        monkeypatch.setattr(context, name, lambda value=value: value)
    yield made
    queues.redis.close()


def forgotten_match(desk: Desk, age: int) -> str:
    """Open a match whose bots nobody wakes, so many milliseconds ago; return its id."""
    then = replace(desk, clock=lambda: desk.clock() - age, wake=lambda *_: None)
    return open_new(then, Wish("calimala", [{"kind": "bot", "level": "random"}] * 3)).loaded.id


def test_match_that_waits_too_long_is_woken(desk: Desk) -> None:
    """The web process died between append and enqueue: the pending index still knows."""
    match = forgotten_match(desk, 2 * SECOND)
    keeper.keep(Lost(context.queues()))
    assert context.queues().queues[BOTS].job_ids == [f"bots-{match}-1"]


def test_match_that_waits_for_a_moment_is_left_alone(desk: Desk) -> None:
    """Whoever appended is about to wake it himself."""
    forgotten_match(desk, 0)
    keeper.keep(Lost(context.queues()))
    assert context.queues().depths()[BOTS] == 0


def test_keeper_says_that_it_is_at_work(desk: Desk) -> None:
    """Readiness asks for that."""
    keeper.keep(Lost(context.queues()))
    assert (context.queues().keeper() or "").startswith("keeper-")


def test_round_without_redis_is_not_the_last(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """A keeper that cannot reach Redis says so and tries again in the next round."""
    away = Queues("redis://127.0.0.1:1/0")
    monkeypatch.setattr(context, "queues", lambda: away)
    with caplog.at_level(logging.WARNING):
        keeper.attempt(Lost(away))
    assert caplog.messages == ["the keeper waits for Redis"]
