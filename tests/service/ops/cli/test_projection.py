"""examples/projection: a ladder that is folded from the feed, killed, resumed and built anew."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

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

# The program with small pages, which is killed when it has written its second match and before it
# has committed that.
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

# A line of the feed that says that the server has lost commits, folded as it follows.
GONE_BACK = """
import sys
import ladder
from giornale_client import Client

database = ladder.opened(sys.argv[2])
[seen] = database.execute("SELECT seen FROM progress").fetchone()
log, time = "4f2a9c1e", "2026-01-01T00:00:00Z"
line = {"log": log, "position": seen, "generation": "two", "gone_back": time}
ladder.fold(Client(sys.argv[1]), database, {"commits": [line], "next": seen + 1, "log": log})
"""


def played(ctx: Context, visibility: str = "public", *, to_end: bool = True) -> str:
    """Play a match of a human and a bot; return its id."""
    opened = open_new(ctx, OpenRequest("toy", SEATS, {"rounds": 2}, visibility=visibility))
    if to_end:
        play_on(ctx, opened)
    return opened.loaded.id


def run(*arguments: str | Path) -> int:
    """Run Python beside the example; return its exit code."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(EXAMPLE), str(ROOT)])}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, env=environment, timeout=PATIENCE, check=False).returncode


def folded(url: str, file: Path) -> str:
    """Run the program to the end of the feed; return its tables as SQL."""
    assert run(EXAMPLE / "ladder.py", url, file, "--once") == 0
    with closing(sqlite3.connect(file)) as database:
        return "\n".join(database.iterdump())


def rows(file: Path, query: str) -> list[Any]:
    """Ask a database."""
    with closing(sqlite3.connect(file)) as database:
        return database.execute(query).fetchall()


def test_a_ladder_that_was_killed_goes_on_and_is_what_one_built_anew_is(
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
    [(seen,)] = rows(resumed, "SELECT seen FROM progress")
    assert len(half) == 1, "the second match was written, and not committed"

    whole = folded(url, resumed)
    [(seen_at_the_end,)] = rows(resumed, "SELECT seen FROM progress")
    assert 0 < seen < seen_at_the_end
    assert folded(url, tmp_path / "anew.db") == whole
    assert folded(url, resumed) == whole
    assert rows(resumed, "SELECT DISTINCT match FROM results ORDER BY match") == [
        (match,) for match in matches
    ]


def test_a_ladder_says_what_the_matches_say(
    here: Context, url: str, seal: Seal, tmp_path: Path
) -> None:
    """Wins, matches and points by game; a human who is named like a bot has a line of their own."""
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
    """Lines of the feed stay, and their match is no longer there."""
    gone, kept = played(here), played(here)
    lifecycle.delete(here, gone, "tests")
    seal()
    file = tmp_path / "ladder.db"
    folded(url, file)
    assert rows(file, "SELECT DISTINCT match FROM results") == [(kept,)]


def test_a_ladder_reads_its_matches_again_when_the_server_has_gone_back(
    here: Context, url: str, seal: Seal, tmp_path: Path
) -> None:
    """What is no longer so goes. Without that line no match is read again."""
    gone, kept = played(here), played(here)
    seal()
    file = tmp_path / "ladder.db"
    folded(url, file)
    lifecycle.delete(here, gone, "tests")
    folded(url, file)
    query = "SELECT DISTINCT match FROM results ORDER BY match"
    assert rows(file, query) == [(match,) for match in sorted([gone, kept])]

    assert run("-c", GONE_BACK, url, file) == 0
    assert rows(file, query) == [(kept,)]


def test_a_ladder_begins_anew_with_another_log(
    here: Context, url: str, seal: Seal, tmp_path: Path
) -> None:
    """Positions of another log count for nothing, so no commit is lost and none counts twice."""
    played(here)
    seal()
    file = tmp_path / "ladder.db"
    whole = folded(url, file)
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE progress SET log = '4f2a9c1e', seen = 999")
        gone = "SELECT 'gone', seat, game, kind, who, points, rank FROM results"
        database.execute(f"INSERT INTO results {gone}")
    assert folded(url, file) == whole


def test_a_ladder_of_the_release_before_goes_on(
    here: Context, url: str, seal: Seal, tmp_path: Path
) -> None:
    """A file without the ID of a log takes that of the server."""
    played(here)
    seal()
    file = tmp_path / "ladder.db"
    folded(url, file)
    progress = rows(file, "SELECT seen, log FROM progress")
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("ALTER TABLE progress DROP COLUMN log")
    folded(url, file)
    assert rows(file, "SELECT seen FROM progress") == [progress[0][:1]]

    played(here)
    seal()
    folded(url, file)
    [(seen, log)] = rows(file, "SELECT seen, log FROM progress")
    assert (seen > progress[0][0], log) == (True, progress[0][1])


def _outcome(ctx: Context, match: str) -> tuple[list[int], list[int]]:
    """Return points and ranks of a finished match by seat."""
    loaded = load(ctx, match)
    result = outcome(loaded)
    assert result is not None
    return result["points"], result["ranks"]
