"""The directory of an arena: what is done stays done, and nothing foreign gets in."""

from pathlib import Path

import pytest

from tests.workers.arena.made import made_result
from workers.arena import results
from workers.arena.fixtures import BadResults, OtherArena
from workers.arena.results import ThinkingTime, line_of, result_of

TIME = ThinkingTime(decisions=2, processor=0.5, iterations=9, longest=0.4, counts={3: 1, 250: 1})
FIRST = made_result(1, [2, 1], times={"random": TIME})
SECOND = made_result(2, [1, 2], pair="random,quick:5")


def test_a_result_is_read_as_it_was_written() -> None:
    """A line is one line, and holds everything."""
    line = line_of(FIRST)

    assert line.count(b"\n") == 1
    assert result_of(line) == FIRST


def test_results_are_there_at_the_next_opening(tmp_path: Path) -> None:
    """Whoever opens the directory again finds what was added, and adds to it."""
    with results.opened_store(tmp_path, 1) as first_time:
        first_time.add(FIRST)
    with results.opened_store(tmp_path, 1) as second_time:
        assert second_time.results == [FIRST]
        second_time.add(SECOND)

    assert results.read(tmp_path) == [FIRST, SECOND]
    assert results.seed_in(tmp_path) == 1


def test_a_torn_line_is_no_result(tmp_path: Path) -> None:
    """A writer that was ended in the middle of a line has not done that match."""
    torn = line_of(SECOND)[:-20]
    with results.opened_store(tmp_path, 1) as first_time:
        first_time.add(FIRST)
    with (tmp_path / results.RESULTS_FILE).open("ab") as file:
        file.write(torn)
    assert results.read(tmp_path) == [FIRST]

    with results.opened_store(tmp_path, 1) as second_time:
        second_time.add(SECOND)

    assert results.read(tmp_path) == [FIRST, SECOND]


def test_another_seed_is_refused(tmp_path: Path) -> None:
    """Matches of two seeds are not mixed; the refusal names the right one."""
    with results.opened_store(tmp_path, 1):
        pass

    with pytest.raises(OtherArena, match="go on with --seed 1"), results.opened_store(tmp_path, 2):
        pass


def test_two_arenas_do_not_share_a_directory(tmp_path: Path) -> None:
    """The second is refused as long as the first is at work."""
    with (
        results.opened_store(tmp_path, 1),
        pytest.raises(OtherArena, match="at work"),
        results.opened_store(tmp_path, 1),
    ):
        pass

    with results.opened_store(tmp_path, 1) as afterwards:
        assert afterwards.results == []


@pytest.mark.parametrize(
    "line", [b"{}", b"[]", b"no JSON", b'{"pair":["random"]}', b'{"pair":[1,2]}', b""]
)
def test_a_wrong_line_is_named(tmp_path: Path, line: bytes) -> None:
    """What is no result is not passed over in silence."""
    (tmp_path / results.RESULTS_FILE).write_bytes(line_of(FIRST) + line + b"\n" + line_of(SECOND))

    with pytest.raises(BadResults, match="line 2 of"):
        results.read(tmp_path)


def test_a_directory_without_results_is_no_arena(tmp_path: Path) -> None:
    """There is nothing to report."""
    with pytest.raises(BadResults, match="there are no results"):
        results.read(tmp_path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{}", "does not say with which seed"),
        (b"no JSON", "does not say with which seed"),
        (b'{"format":2,"seed":1}', "another release"),
    ],
)
def test_a_wrong_head_is_refused(tmp_path: Path, content: bytes, told: str) -> None:
    """The file that says the seed must be what the arena has written."""
    (tmp_path / results.ARENA_FILE).write_bytes(content)

    with pytest.raises(BadResults, match=told):
        results.seed_in(tmp_path)
