"""The directory of an arena: what is done stays done, nothing foreign gets in, times are counts."""

import math
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tests.workers.arena.made import made_result
from workers.arena import results
from workers.arena.fixtures import BadResults, OtherArena
from workers.arena.results import ThinkingTime, line_of, result_of, together

TIME = ThinkingTime(decisions=2, processor=0.5, iterations=9, longest=0.4, counts={3: 1, 250: 1})
FIRST = made_result(1, [2, 1], times={"random": TIME})
SECOND = made_result(2, [1, 2], pair="random,quick:5")
SECONDS = st.floats(1e-6, 100)


def test_results_are_there_at_the_next_opening(tmp_path: Path) -> None:
    """A line that a writer has not ended is no result."""
    assert line_of(FIRST).count(b"\n") == 1
    assert result_of(line_of(FIRST)) == FIRST

    with results.opened_store(tmp_path, 1) as first_time:
        first_time.add(FIRST)
    with (tmp_path / results.RESULTS_FILE).open("ab") as file:
        file.write(line_of(SECOND)[:-20])
    assert results.read(tmp_path) == [FIRST]

    with results.opened_store(tmp_path, 1) as second_time:
        assert second_time.results == [FIRST]
        second_time.add(SECOND)
    assert results.read(tmp_path) == [FIRST, SECOND]
    assert results.seed_in(tmp_path) == 1


def test_a_directory_has_one_seed_and_one_arena_at_a_time(tmp_path: Path) -> None:
    with (
        results.opened_store(tmp_path, 1),
        pytest.raises(OtherArena, match="at work"),
        results.opened_store(tmp_path, 1),
    ):
        pass

    with pytest.raises(OtherArena, match="go on with --seed 1"), results.opened_store(tmp_path, 2):
        pass
    with results.opened_store(tmp_path, 1) as afterwards:
        assert afterwards.results == []


@pytest.mark.parametrize(
    "line", [b"{}", b"[]", b"no JSON", b'{"pair":["random"]}', b'{"pair":[1,2]}', b""]
)
def test_a_wrong_line_is_named(tmp_path: Path, line: bytes) -> None:
    (tmp_path / results.RESULTS_FILE).write_bytes(line_of(FIRST) + line + b"\n" + line_of(SECOND))

    with pytest.raises(BadResults, match="line 2 of"):
        results.read(tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{}", "does not say with which seed"),
        (b"no JSON", "does not say with which seed"),
        (b'{"format":2,"seed":1}', "another release"),
    ],
)
def test_a_wrong_head_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / results.ARENA_FILE).write_bytes(content)

    with pytest.raises(BadResults, match=reason):
        results.seed_in(tmp_path)


# ---- thinking time -------------------------------------------------------------------------------


def measured(seconds: list[float]) -> ThinkingTime:
    """Return what is kept of decisions that took so long, with three iterations each."""
    time = ThinkingTime()
    for one in seconds:
        time.add(one, processor=one / 2, iterations=3)
    return time


@given(st.lists(SECONDS, min_size=1, max_size=50), st.sampled_from([0.5, 0.99]))
def test_a_quantile_is_nearly_exact(seconds: list[float], share: float) -> None:
    """It is off by 2.5 % at most, and never longer than the longest."""
    exact = sorted(seconds)[math.ceil(share * len(seconds)) - 1]
    found = measured(seconds).quantile(share)

    assert found == pytest.approx(exact, rel=0.026)
    assert found <= max(seconds)
    assert ThinkingTime().quantile(share) == 0


@given(st.lists(SECONDS), st.lists(SECONDS))
def test_two_matches_together_are_all_their_decisions(
    first: list[float], second: list[float]
) -> None:
    whole = together([measured(first), measured(second)])
    at_once = measured(first + second)

    assert whole.counts == at_once.counts
    assert whole.decisions == at_once.decisions == len(first + second)
    assert whole.iterations == at_once.iterations == 3 * whole.decisions
    assert whole.longest == at_once.longest
    assert whole.processor == pytest.approx(at_once.processor)
