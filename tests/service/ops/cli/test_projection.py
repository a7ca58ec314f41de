"""examples/projection: a ladder that is folded from the feed, killed, resumed and built anew."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from service.matches import lifecycle
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from service.record.replay import outcome
from tests.running import PATIENCE
from tests.service.ops.cli.conftest import Seal
from tests.service.toy_matches import play_on

ROOT = Path(__file__).parents[4]
EXAMPLE = ROOT / "examples/projection"

SEATS = [{"kind": "human", "name": "greedy"}, {"kind": "bot", "level": "greedy"}]

# The program with small pages, killed between the write of its second match and the commit.
KILLED = """
import os, signal, sys
import ladder
from giornale_client import Client

kept, keep = set(), ladder.keep

def keep_or_die(database, match, rows):
    keep(database, match, rows)
    kept.add(match)
    if len(kept) == 2:
        os.kill(os.getpid(), signal.SIGKILL)

ladder.PAGE, ladder.keep = 4, keep_or_die
ladder.follow(Client(sys.argv[1]), ladder.opened(sys.argv[2]), once=True)
"""

# A line of the feed about a loss of commits by the server, folded as it follows.
GONE_BACK = """
import sys
import ladder
from giornale_client import Client

database = ladder.opened(sys.argv[2])
[path] = database.execute("SELECT next FROM progress").fetchone()
line = {"log": "4f2a9c1e", "position": 0, "generation": "two", "gone_back": "2026-01-01T00:00:00Z"}
ladder.fold(Client(sys.argv[1]), database, {"commits": [line], "next": path})
"""


def played(ctx: Context, visibility: str = "public", *, to_end: bool = True) -> str:
    """Play a match of a human and a bot. Return its id."""
    opened = open_new(ctx, OpenRequest("toy", SEATS, {"rounds": 2}, visibility=visibility))
    if to_end:
        play_on(ctx, opened)
    return opened.loaded.id


def run(*arguments: str | Path) -> int:
    """Run Python beside the example. Return its exit code."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(EXAMPLE), str(ROOT)])}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, env=environment, timeout=PATIENCE, check=False).returncode


def folded(url: str, file: Path) -> str:
    """Run the program to the end of the feed. Return its tables as SQL."""
    assert run(EXAMPLE / "ladder.py", url, file, "--once") == 0
    with closing(sqlite3.connect(file)) as database:
        return "\n".join(database.iterdump())


def rows(file: Path, query: str) -> list[Any]:
    """Return the rows of a query."""
    with closing(sqlite3.connect(file)) as database:
        return database.execute(query).fetchall()


@pytest.mark.whole
def test_a_killed_ladder_resumes_and_equals_one_built_anew(
    here: Context, url: str, seal: Seal, tmp_path: Path
) -> None:
    """A SIGKILL between the fold and the commit loses nothing and counts nothing twice."""
    matches = sorted(played(here) for _ in range(3))
    played(here, "private")
    played(here, to_end=False)
    seal()

    resumed = tmp_path / "resumed.db"
    assert run("-c", KILLED, url, resumed) == -signal.SIGKILL
    half = rows(resumed, "SELECT DISTINCT match FROM results")
    [(stored,)] = rows(resumed, "SELECT next FROM progress")
    assert len(half) == 1, "the second match was written, and not committed"

    whole = folded(url, resumed)
    [(stored_at_the_end,)] = rows(resumed, "SELECT next FROM progress")
    assert None not in (stored, stored_at_the_end)
    assert stored != stored_at_the_end
    anew = folded(url, tmp_path / "anew.db")
    assert anew.replace("limit=1000", "limit=4") == whole, "a URL keeps the limit of its first page"
    assert folded(url, resumed) == whole
    assert rows(resumed, "SELECT DISTINCT match FROM results ORDER BY match") == [
        (match,) for match in matches
    ]


def test_a_ladder_counts_wins_matches_and_points(
    here: Context, url: str, seal: Seal, tmp_path: Path
) -> None:
    """Wins, matches and points by game. A human named like a bot has a line of their own."""
    outcomes = [_outcome(here, played(here)) for _ in range(2)]
    seal()
    file = tmp_path / "ladder.db"
    folded(url, file)

    expected = {
        (
            "toy",
            seat["kind"],
            "greedy",
            sum(ranks[number] == 1 for _, ranks in outcomes),
            len(outcomes),
            sum(points[number] for points, _ in outcomes),
        )
        for number, seat in enumerate(SEATS)
    }
    assert set(rows(file, "SELECT * FROM ladder")) == expected


def test_a_ladder_that_is_built_anew_forgets_deleted_matches(
    here: Context, url: str, seal: Seal, tmp_path: Path
) -> None:
    """The feed still has lines of a deleted match. A new ladder leaves the match out."""
    gone, other = played(here), played(here)
    lifecycle.delete(here, gone, "tests")
    seal()
    file = tmp_path / "ladder.db"
    folded(url, file)
    assert rows(file, "SELECT DISTINCT match FROM results") == [(other,)]


@pytest.mark.whole
def test_a_ladder_reads_matches_again_after_the_servers_loss(
    here: Context, url: str, seal: Seal, tmp_path: Path
) -> None:
    """After a line about a loss the ladder drops deleted matches. Without the line they stay."""
    gone, other = played(here), played(here)
    seal()
    file = tmp_path / "ladder.db"
    folded(url, file)
    lifecycle.delete(here, gone, "tests")
    folded(url, file)
    query = "SELECT DISTINCT match FROM results ORDER BY match"
    assert rows(file, query) == [(match,) for match in sorted([gone, other])]

    assert run("-c", GONE_BACK, url, file) == 0
    assert rows(file, query) == [(other,)]


def test_a_ladder_begins_anew_with_another_log(
    here: Context, url: str, seal: Seal, tmp_path: Path
) -> None:
    """Positions of another log count for nothing, so no commit is lost and none counts twice."""
    played(here)
    seal()
    file = tmp_path / "ladder.db"
    whole = folded(url, file)
    with closing(sqlite3.connect(file)) as database, database:
        elsewhere = "/v1/commits?after=999&log=4f2a9c1e"
        database.execute("UPDATE progress SET next = ?", (elsewhere,))
        gone = "SELECT 'gone', seat, game, kind, who, points, rank FROM results"
        database.execute(f"INSERT INTO results {gone}")
    assert folded(url, file) == whole


def _outcome(ctx: Context, match: str) -> tuple[list[int], list[int]]:
    """Return points and ranks of a finished match by seat."""
    loaded = load(ctx, match)
    result = outcome(loaded)
    assert result is not None
    return result["points"], result["ranks"]
