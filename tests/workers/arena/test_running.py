"""Several processes play the same matches as one, and end when they are not wanted any more."""

import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest

from workers.arena.fixtures import Fixture, MatchFailed, fixtures, parse_pair
from workers.arena.playing import play, run
from workers.arena.results import Result

PAIR = parse_pair("random,greedy")
FIXTURES = list(fixtures({"firenze": [2]}, [PAIR], 3))


def without_times(results: list[Result]) -> list[Result]:
    """Return results without what differs from one run to the next."""
    plain = [replace(result, times={}) for result in results]
    return sorted(plain, key=lambda result: result.fixture.number)


def records(directory: Path) -> dict[Path, bytes]:
    """Return all records by their paths in the directory."""
    return {
        path.relative_to(directory): path.read_bytes() for path in directory.rglob("*.ndjson.zst")
    }


def test_two_processes_play_what_one_plays(tmp_path: Path) -> None:
    """Records are equal to the byte, and results but for the time that they took."""
    alone = [play(fixture, 1, tmp_path / "alone") for fixture in FIXTURES]
    together = list(run(FIXTURES, 1, tmp_path / "together", 2))

    assert without_times(alone) == without_times(together)
    assert records(tmp_path / "alone") == records(tmp_path / "together")
    assert len(records(tmp_path / "alone")) == len(FIXTURES)


def test_stopping_ends_the_processes(tmp_path: Path) -> None:
    """Whoever takes one result and no more waits for no other match, and leaves no process."""
    endless = list(fixtures({"firenze": [2]}, [PAIR], 2000))
    results = run(endless, 1, tmp_path, 1)
    next(results)

    results.close()  # type: ignore[attr-defined]

    assert multiprocessing.active_children() == []
    assert len(records(tmp_path)) < len(endless)


def test_what_fails_in_a_match_is_told(tmp_path: Path) -> None:
    """The arena does not go on without a match that cannot be played."""
    unplayable = Fixture("firenze", 9, PAIR, 1)

    with pytest.raises(MatchFailed, match="Firenze takes 2 to 4 seats, not 9"):
        list(run([unplayable], 1, tmp_path, 1))
    assert multiprocessing.active_children() == []


def test_a_process_that_is_killed_is_told(tmp_path: Path) -> None:
    """When the system ends a process, such as for want of memory, the arena does not hang."""
    results = run(list(fixtures({"firenze": [2]}, [PAIR], 2000)), 1, tmp_path, 1)
    next(results)

    [process] = multiprocessing.active_children()
    process.kill()

    with pytest.raises(MatchFailed, match="ended from outside"):
        list(results)


def test_nothing_to_play_is_no_result(tmp_path: Path) -> None:
    """An arena in which everything is there starts no process."""
    assert list(run([], 1, tmp_path, 2)) == []
