"""The keeper: what waits too long is woken again."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pytest

from service.bootstrap import open_desk
from service.config import Config
from service.jobs.queues import BOTS, EXHIBITIONS, Queues
from service.matches.desk import Desk
from service.matches.opening import Wish, open_new
from workers import context, keeper
from workers.recovery import LostJobs

SECOND = 1000
BOTS_ALONE = [{"kind": "bot", "level": "random"}] * 3
WITH_A_HUMAN = [*BOTS_ALONE[1:], {"kind": "human"}]


@pytest.fixture
def desk(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """The keeper's desk on a real server."""
    config = Config.load({"GIORNALE_JOURNAL_URL": redis_url, "GIORNALE_SECRET": "s" * 32})
    made, queues = open_desk(config)
    for name, value in (("config", config), ("desk", made), ("queues", queues)):
        monkeypatch.setattr(context, name, lambda value=value: value)
    yield made
    queues.redis.close()


def forgotten_match(desk: Desk, age: int, seats: Sequence[Mapping[str, str]] = BOTS_ALONE) -> str:
    """Open a match whose bots nobody wakes, so many milliseconds ago; return its id."""
    then = replace(desk, clock=lambda: desk.clock() - age, wake=lambda *_: None)
    return open_new(then, Wish("calimala", seats)).loaded.id


@pytest.mark.parametrize(
    ("seats", "queue", "work"),
    [(WITH_A_HUMAN, BOTS, "bots"), (BOTS_ALONE, EXHIBITIONS, "exhibition")],
    ids=["with-a-human", "bots-alone"],
)
def test_match_that_waits_too_long_is_woken(
    desk: Desk, seats: Sequence[Mapping[str, str]], queue: str, work: str
) -> None:
    """The web process died between append and enqueue: the pending index still knows, and which queue it is for."""
    match = forgotten_match(desk, 2 * SECOND, seats)
    keeper.keep(LostJobs(context.queues()))
    assert context.queues().queues[queue].job_ids == [f"{work}-{match}-1"]
    assert sum(context.queues().depths().values()) == 1


def test_match_that_waits_for_a_moment_is_left_alone(desk: Desk) -> None:
    """Whoever appended is about to wake it himself."""
    forgotten_match(desk, 0)
    keeper.keep(LostJobs(context.queues()))
    assert context.queues().depths()[BOTS] == 0


def test_keeper_says_that_it_is_at_work(desk: Desk) -> None:
    """Readiness asks for that."""
    keeper.keep(LostJobs(context.queues()))
    assert (context.queues().keeper() or "").startswith("keeper-")


def test_round_without_redis_is_not_the_last(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A keeper that cannot reach Redis says so and tries again in the next round."""
    away = Queues("redis://127.0.0.1:1/0")
    monkeypatch.setattr(context, "queues", lambda: away)
    with caplog.at_level(logging.WARNING):
        keeper.attempt(LostJobs(away))
    assert caplog.messages == ["the keeper waits for Redis"]


def test_match_that_is_left_alone_is_ended(desk: Desk) -> None:
    """The keeper lets the house end it after the time that is set, a week for one that nobody has started."""
    seats = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]
    ages = {168: "aborted", 167: "open"}
    for hours, status in ages.items():
        long_ago = desk.clock() - hours * 3600 * SECOND
        then = replace(desk, clock=partial(int, long_ago))
        match = open_new(then, Wish("calimala", seats)).loaded.id
        assert keeper.keep(LostJobs(context.queues()), look=False) == 0
        assert keeper.attempt(LostJobs(context.queues())) == (status == "aborted")
        head = desk.journal.head(match)
        assert head is not None
        assert head.status == status
