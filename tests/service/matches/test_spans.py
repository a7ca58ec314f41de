"""The states of a span are those of its versions, one by one, and cost one fold of its commits."""

from random import Random

import pytest
from prometheus_client import REGISTRY

from service.journal.memory import MemoryJournal
from service.keys.tokens import Caller
from service.matches import reading, spans
from service.matches.desk import Desk
from service.matches.loading import at_version, load
from service.matches.opening import Wish, open_new
from tests.service.journal.copies import copy_of_memory, put_back_in_memory
from tests.service.matches.conftest import bots, humans, play_on
from tests.service.matches.test_going_back import desk_over, desk_over_the_same, play_otherwise

CALLERS = (Caller(), Caller("seat", 0), Caller("seat", 1))


def states(
    desk: Desk, match: str, caller: Caller, after: int, limit: int
) -> list[dict[str, object]]:
    """Return the states of a span of a match."""
    loaded = load(desk, match)
    return spans.states(desk, loaded, caller, spans.of(loaded, after, limit))


def replayed() -> float:
    """Return how many commits were folded in this process."""
    return REGISTRY.get_sample_value("giornale_replayed_commits_total") or 0


@pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.name)
def test_a_whole_match_is_as_at_each_version(desk: Desk, caller: Caller) -> None:
    """Every state of a played match, in spans of any length, across all checkpoints."""
    opened = open_new(desk, Wish("calimala", [*humans(2), *bots(1)], seed="spans"))
    play_on(desk, opened)
    match = opened.loaded.id
    last = load(desk, match).version

    told: list[dict[str, object]] = []
    chance = Random(7)
    while len(told) < last:
        told += states(desk, match, caller, len(told), chance.randint(1, 120))

    fresh = desk_over_the_same(desk)
    one_by_one = [
        reading.view(at_version(fresh, match, version), caller) for version in range(1, last + 1)
    ]
    assert told == one_by_one


def test_a_span_is_folded_once(desk: Desk) -> None:
    """A hundred states cost a hundred commits, and at most fifty on the way to the first."""
    opened = open_new(desk, Wish("calimala", [*humans(2), *bots(1)], seed="spans"))
    play_on(desk, opened)
    match = opened.loaded.id
    states(desk, match, Caller(), 0, 200)  # passes the checkpoints
    at_version(desk, match, 200)

    before = replayed()
    told = states(desk, match, Caller(), 110, 100)

    assert len(told) == 100
    assert replayed() - before <= 100 + 50


def test_a_span_of_a_journal_that_went_back_is_of_one_history() -> None:
    """What was remembered of the lost history is not continued with commits of the new one."""
    journal = MemoryJournal()
    opened = open_new(desk_over(journal), Wish("calimala", humans(3), seed="back"))
    match = opened.loaded.id
    desk = desk_over(journal)
    copy = copy_of_memory(journal)
    play_otherwise(desk, opened, 70, Random(1))
    at_version(desk, match, 60)

    put_back_in_memory(journal, copy)
    play_otherwise(desk_over(journal), opened, 80, Random(2))

    told = states(desk, match, Caller(), 55, 20)
    assert told == states(desk_over(journal), match, Caller(), 55, 20)
