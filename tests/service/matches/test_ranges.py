"""The states of a span are those of its versions, one by one, and cost one fold of its commits."""

from random import Random

import pytest
from prometheus_client import REGISTRY

from service import answers
from service.journal.memory import memory_journal
from service.keys.tokens import Caller
from service.matches import views
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import at_version, load
from tests.service.journal.copies import copy_of_memory, put_back_in_memory
from tests.service.matches.conftest import as_caller, bots, humans, play_on
from tests.service.matches.test_going_back import (
    context_over,
    context_over_the_same,
    play_otherwise,
)

CALLERS = (Caller(), Caller("seat", 0), Caller("seat", 1))


def states(ctx: Context, match: str, caller: Caller, after: int, limit: int) -> list[answers.State]:
    """Return the states of a span of a match."""
    access = as_caller(ctx, match, caller)
    return views.states(ctx, access, views.of(access, after, limit))


def replayed() -> float:
    """Return how many commits were folded in this process."""
    return REGISTRY.get_sample_value("giornale_replayed_commits_total") or 0


@pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.name)
def test_a_whole_match_is_as_at_each_version(ctx: Context, caller: Caller) -> None:
    """Every state of a played match, in spans of any length, across all checkpoints."""
    opened = open_new(ctx, OpenRequest("calimala", [*humans(2), *bots(1)], seed="spans"))
    play_on(ctx, opened)
    match = opened.loaded.id
    last = load(ctx, match).version

    told: list[answers.State] = []
    chance = Random(7)
    while len(told) < last:
        told += states(ctx, match, caller, len(told), chance.randint(1, 120))

    fresh = context_over_the_same(ctx)
    one_by_one = [
        views.view(at_version(fresh, match, version), caller) for version in range(1, last + 1)
    ]
    assert told == one_by_one


def test_a_span_is_folded_once(ctx: Context) -> None:
    """A hundred states cost a hundred commits, and at most fifty on the way to the first."""
    opened = open_new(ctx, OpenRequest("calimala", [*humans(2), *bots(1)], seed="spans"))
    play_on(ctx, opened)
    match = opened.loaded.id
    states(ctx, match, Caller(), 0, 200)  # passes the checkpoints
    at_version(ctx, match, 200)

    before = replayed()
    told = states(ctx, match, Caller(), 110, 100)

    assert len(told) == 100
    assert replayed() - before <= 100 + 50


def test_a_span_of_a_journal_that_went_back_is_of_one_history() -> None:
    """What was remembered of the lost history is not continued with commits of the new one."""
    journal = memory_journal()
    opened = open_new(context_over(journal), OpenRequest("calimala", humans(3), seed="back"))
    match = opened.loaded.id
    ctx = context_over(journal)
    copy = copy_of_memory(journal)
    play_otherwise(ctx, opened, 70, Random(1))
    at_version(ctx, match, 60)

    put_back_in_memory(journal, copy)
    play_otherwise(context_over(journal), opened, 80, Random(2))

    told = states(ctx, match, Caller(), 55, 20)
    assert told == states(context_over(journal), match, Caller(), 55, 20)
