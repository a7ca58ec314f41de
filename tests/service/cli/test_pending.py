"""`giornale pending`: who waits, who has failed, and how to have it tried again."""

import json
import re

import pytest

from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from tests.service.cli.conftest import Run

BOTS = [{"kind": "bot", "level": "random"}] * 3
PAUSE = [60_000]


@pytest.fixture
def matches(served: Context) -> list[str]:
    """One match that waits, one that has failed and one that is parked."""
    opened = [open_new(served, OpenRequest("calimala", BOTS)).loaded.id for _ in range(3)]
    _waits, failed, parked = opened
    served.journal.pending.fail(failed, "ValueError", PAUSE)
    served.journal.pending.fail(parked, "KeyError", [])
    return opened


def test_all_that_wait_are_listed(run: Run, matches: list[str]) -> None:
    """For whom, for how long, how often they have failed, by what, and whether they are parked."""
    result = run("pending")

    assert result.exit_code == 0
    title, *lines, summary = result.stdout.splitlines()
    assert title.split() == ["match", "waits", "for", "waited", "tries", "error", "parked"]
    told = {line.split()[0]: re.split(r"  +", line) for line in lines}
    endings = {match: cells[1:2] + cells[3:] for match, cells in told.items()}
    waits, failed, parked = matches
    assert endings == {
        waits: ["exhibition", "0", "-", "no"],
        failed: ["exhibition", "1", "ValueError", "no"],
        parked: ["exhibition", "1", "KeyError", "yes"],
    }
    assert summary == "2 wait, 1 are parked"


def test_the_list_is_told_to_programs_too(run: Run, matches: list[str]) -> None:
    """As JSON, with what there is beside the matches shown."""
    told = json.loads(run("pending", "--json", "--limit", "1").stdout)

    assert (told["waiting"], told["parked"]) == (2, 1)
    assert 0 <= told["longest_wait_ms"] < 60_000
    [shown] = told["matches"]
    assert shown["match"] in matches
    assert shown.keys() == {"match", "work", "waited_ms", "tries", "error", "parked"}


def test_a_match_is_freed(run: Run, served: Context, matches: list[str]) -> None:
    """Once; a second time it has not failed."""
    *_others, parked = matches

    result = run("pending", "retry", parked)
    assert (result.exit_code, result.stdout) == (0, f"{parked}: is tried again\n")
    assert served.journal.pending.totals()[:2] == (3, 0)

    again = run("pending", "retry", parked)
    assert (again.exit_code, again.stderr) == (1, f"Error: match {parked} has not failed\n")


def test_all_are_freed(run: Run, served: Context, matches: list[str]) -> None:
    """Those that have failed are named, and no others."""
    _waits, failed, parked = matches

    result = run("pending", "retry", "--all")
    assert set(result.stdout.splitlines()) == {
        f"{failed}: is tried again",
        f"{parked}: is tried again",
    }
    assert [waiting.tries for waiting in served.journal.pending.due(0, 9)] == [0, 0, 0]

    assert run("pending", "retry", "--all").stdout == "no match has failed\n"


@pytest.mark.parametrize("arguments", [[], ["a" * 26, "--all"]], ids=["neither", "both"])
def test_it_is_said_what_is_to_be_tried_again(
    run: Run, served: Context, arguments: list[str]
) -> None:
    """Nothing is freed by a command that says too little or too much."""
    result = run("pending", "retry", *arguments)

    assert result.exit_code == 2
    assert "name a match, or say --all" in result.stderr
