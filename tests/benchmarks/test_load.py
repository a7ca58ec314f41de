"""The load: its checks find what must not happen, and its figures say what was seen."""

from collections import Counter

import pytest

from benchmarks.load.crowd import Outcome, check_chain, check_moves
from benchmarks.load.footprint import Footprint
from benchmarks.load.players import Tally


def history(*actors: str) -> list[dict[str, str]]:
    """Return a match's commits, one for each actor, each upon the one before."""
    return [
        {"actor": actor, "prev": str(number - 1) if number > 1 else "", "hash": str(number)}
        for number, actor in enumerate(actors, 1)
    ]


def test_a_match_holds_what_was_acknowledged_and_what_the_house_did() -> None:
    """Commits of the house may follow upon the last move."""
    commits = history("owner", "seat:0", "house")

    check_moves("match", commits, version=2)
    check_chain("match", commits)


def test_a_move_that_was_lost_is_found() -> None:
    """A match has fewer commits than its client was told of."""
    with pytest.raises(AssertionError, match="has 1 commits, but 2 were acknowledged"):
        check_moves("match", history("owner"), version=2)


def test_a_move_that_was_doubled_is_found() -> None:
    """A move that nobody was told of follows upon the last one."""
    with pytest.raises(AssertionError, match="nobody was told of commit 3"):
        check_moves("match", history("owner", "seat:0", "seat:0"), version=2)


def test_a_broken_chain_is_found() -> None:
    """A commit names another hash than that of the one before."""
    commits = history("owner", "seat:0")
    commits[1]["prev"] = "another"

    with pytest.raises(AssertionError, match="commit 2 has another predecessor"):
        check_chain("match", commits)


def test_growth_compares_the_last_third_with_the_second() -> None:
    """What the processes take at their beginning does not count."""
    footprint = Footprint({"memory": [1, 1, 100, 100, 110, 110]})

    assert footprint.growth() == {"memory": 1.1}
    assert footprint.largest() == {"memory": 110}


def test_an_outcome_says_how_fast_and_who_was_sent_away() -> None:
    """Answers that are no commit are counted by their status."""
    tally = Tally(Counter({201: 4, 503: 2}), [0.001, 0.001, 0.002, 0.003])
    outcome = Outcome(clients=2, seconds=2.0, tally=tally)

    assert outcome.rate == 2.0
    assert outcome.sent_away == {503: 2}
    assert str(outcome).endswith("2 x 503")
