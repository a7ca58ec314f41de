"""Levels and pairs as they are named on the command line."""

import pytest

from workers.arena.fixtures import (
    BadRequest,
    Level,
    pairs_among,
    parse_level,
    parse_levels,
    parse_pair,
)
from workers.bots import LEVELS
from workers.bots.players import Budget


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("greedy", Level("greedy")),
        (" strong ", Level("strong")),
        ("quick:200", Level("quick", 200)),
    ],
)
def test_a_level_is_read_and_written(text: str, level: Level) -> None:
    """What is written is what was read, but for blanks."""
    assert parse_level(text) == level
    assert str(level) == text.strip()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("clever", "the levels are random, greedy, quick, strong", id="unknown"),
        pytest.param("", "the levels are", id="empty"),
        pytest.param("greedy:5", "greedy does not search", id="without-search"),
        pytest.param("quick:", "1 to 1000000 iterations", id="no-number"),
        pytest.param("quick:0", "1 to 1000000 iterations", id="none"),
        pytest.param("quick:1000001", "1 to 1000000 iterations", id="too-many"),
        pytest.param("quick:00000010000000", "1 to 1000000 iterations", id="leading-zeros"),
        pytest.param("quick:-3", "1 to 1000000 iterations", id="negative"),
        pytest.param("quick:" + "9" * 5000, "1 to 1000000 iterations", id="very-long"),
        pytest.param("quick:²", "1 to 1000000 iterations", id="other-digits"),
    ],
)
def test_a_wrong_level_is_refused(text: str, told: str) -> None:
    """The refusal says what is allowed."""
    with pytest.raises(BadRequest, match=told):
        parse_level(text)


def test_iterations_are_the_budget() -> None:
    """Without them a level thinks as long as everywhere else; its care it keeps."""
    assert Level("quick", 7).budget == Budget(iterations=7)
    assert Level("strong", 7).budget == Budget(iterations=7, careful=True)
    _player, usual = LEVELS["quick"]
    assert Level("quick").budget == usual


def test_a_pair_is_the_same_in_either_order() -> None:
    """The weaker level is the first, so a pair has one place in the directory and one seed."""
    weaker, stronger = parse_pair("quick:9,random")

    assert (str(weaker), str(stronger)) == ("random", "quick:9")
    assert parse_pair("random,quick:9") == (weaker, stronger)


def test_fewer_iterations_are_weaker() -> None:
    """Levels of the same name are ordered by how long they think."""
    weaker, stronger = parse_pair("quick:300,quick:20")
    assert (weaker.iterations, stronger.iterations) == (20, 300)

    weaker, stronger = parse_pair("quick,quick:20")
    assert (weaker.iterations, stronger.iterations) == (20, None)


@pytest.mark.parametrize("text", ["greedy", "random,greedy,quick", "greedy,greedy"])
def test_a_pair_is_two_levels(text: str) -> None:
    """One, three and twice the same are none."""
    with pytest.raises(BadRequest):
        parse_pair(text)


def test_every_two_levels_are_a_pair() -> None:
    """Four levels are six pairs, none of them twice."""
    pairs = pairs_among(parse_levels("strong,quick,greedy,random"))

    assert len(set(pairs)) == 6
    assert pairs[0] == parse_pair("random,greedy")


def test_one_level_alone_cannot_play() -> None:
    """There must be two."""
    with pytest.raises(BadRequest, match="two levels at least"):
        pairs_among(parse_levels("greedy"))
