"""`giornale match`: what the operator sees of matches; one goes for good when they are sure."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from service.archive.archive import Archive
from service.archive.places import open_place
from service.ledger.commit import Json
from service.matches import automation, lifecycle, lobby
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import Opened, OpenRequest, open_new
from tests.service.cli.conftest import Run
from tests.service.cli.shelf import match_in
from tests.service.toy_matches import move, play_on

HUMAN = {"kind": "human", "name": "Ada\n\x1b[2J"}
BOT = {"kind": "bot", "level": "greedy"}
OPEN = {"kind": "open"}
DAY_MS = 86_400_000

pytestmark = pytest.mark.usefixtures("toy_game")


def test_a_match_is_deleted_when_one_is_sure(run: Run, served: Context, file: Path) -> None:
    """It is asked for; a no leaves the match as it is, a yes deletes it for good."""
    match = match_in(file)
    run("import", file)

    refused = run("match", "delete", match, input="n\n")
    assert refused.exit_code == 1
    assert served.journal.events.head(match) is not None
    at_stake = r"toy, finished, 8 commits \(\d+ kB\), idle for \d+ \w+, waits for nobody"
    assert re.match(f"{match}: {at_stake}\nDelete it for ever", refused.stdout)

    confirmed = run("match", "delete", match, input="y\n")
    assert confirmed.stdout.endswith(f"{match}: deleted\n")
    assert served.journal.events.head(match) is None

    tombstone = served.journal.lifecycle.deleted(match)
    assert tombstone is not None
    assert tombstone.by == "command line"

    again = run("match", "delete", match, "--yes")
    imported = run("import", file)
    assert again.exit_code == imported.exit_code == 1
    assert "was deleted" in again.stderr
    assert "nothing was imported" in imported.stderr


def ago(ctx: Context, days: int) -> Context:
    """Return a context in which it is some days earlier."""
    return replace(ctx, clock=lambda: ctx.clock() - days * DAY_MS)


def begin(ctx: Context, *seats: Json, visibility: str = "public") -> Opened:
    """Open a match of the toy."""
    return open_new(ctx, OpenRequest("toy", list(seats), {"rounds": 2}, visibility=visibility))


@pytest.fixture
def matches(served: Context) -> dict[str, str]:
    """Matches of every status, by what is to be told of whom they wait for."""
    running = begin(ago(served, 9), HUMAN, HUMAN)
    move(ago(served, 5), running, 0, "keep")
    with_bots = begin(ago(served, 4), BOT, HUMAN, visibility="private")
    lobby = begin(ago(served, 3), HUMAN, OPEN)
    ended = begin(served, BOT, BOT)
    play_on(served, ended)
    return {
        "seat 1": running.loaded.id,
        "seat 0 (bots)": with_bots.loaded.id,
        "players for seat 1": lobby.loaded.id,
        "nobody": ended.loaded.id,
    }


def test_a_lobby_waits_for_players_and_then_for_its_owner(run: Run, served: Context) -> None:
    """Seats are told by their numbers."""
    opened = open_new(served, OpenRequest("calimala", [HUMAN, OPEN, OPEN]))
    match = opened.loaded.id
    assert "waits for  players for seats 1, 2\n" in run("match", "show", match).stdout

    for seat in (1, 2):
        lobby.join(served, Submission(match, None), seat, {"name": "", "entropy": ""})
    assert "waits for  its owner to start it\n" in run("match", "show", match).stdout


def listed(run: Run, *options: str) -> list[Json]:
    """Return the matches that a list tells to programs."""
    found = json.loads(run("match", "list", "--json", *options).stdout)
    matches: list[Json] = found["matches"]
    return matches


def test_matches_are_listed_with_whom_they_wait_for(run: Run, matches: dict[str, str]) -> None:
    """Private ones too; the one that was moved in last stands first."""
    result = run("match", "list")
    assert result.exit_code == 0, result.output

    title, *lines, total = result.stdout.splitlines()
    assert re.split(r"  +", title) == [
        "match", "game", "status", "commits", "size", "idle", "waits for",
    ]  # fmt: skip
    cells = [re.split(r"  +", line) for line in lines]
    assert [one[0] for one in cells] == list(matches.values())[::-1]
    assert {one[-1]: one[0] for one in cells} == matches
    assert {one[1] for one in cells} == {"toy"}
    assert [one[2] for one in cells] == ["finished", "open", "running", "running"]
    assert [one[5] for one in cells][1:] == ["3 d", "4 d", "5 d"]
    assert total == "4 of 4 matches"


def test_a_list_tells_programs_the_same(run: Run, served: Context, matches: dict[str, str]) -> None:
    """With the size in bytes, and the idle time in milliseconds."""
    told = {one["id"]: one for one in listed(run)}
    assert told.keys() == set(matches.values())

    for match, one in told.items():
        assert one["bytes"] == sum(map(len, served.journal.events.read(match)))
        assert one["archived"] is None
    assert told[matches["players for seat 1"]]["idle_ms"] >= 3 * DAY_MS
    assert told[matches["seat 0 (bots)"]]["waiting_for"]["bots"] == [0]


@pytest.mark.parametrize(
    ("options", "awaited"),
    [
        (["--status", "running"], ["seat 0 (bots)", "seat 1"]),
        (["--idle", "100h"], ["seat 1"]),
        (["--idle", "6d"], []),  # since the last move, not since it was opened
        (["--idle", "4d", "--status", "open"], []),
        (["--limit", "1"], ["nobody"]),
        (["--game", "firenze"], []),
    ],
    ids=" ".join,
)
def test_a_list_can_be_narrowed(
    run: Run, matches: dict[str, str], options: list[str], awaited: list[str]
) -> None:
    """By status, game and idle time, and to a number."""
    assert [one["id"] for one in listed(run, *options)] == [matches[one] for one in awaited]


def test_a_match_is_shown(run: Run, served: Context, matches: dict[str, str]) -> None:
    """All of the list, its seats, and how it goes with the bots; no name moves the cursor."""
    match = matches["seat 0 (bots)"]
    served.journal.pending.fail(match, "ValueError", [])

    lines = dict(
        re.split(r"  +", line, maxsplit=1)
        for line in run("match", "show", match).stdout.splitlines()
    )
    assert lines["match"] == match
    assert lines["game"] == "toy, private"
    assert lines["status"] == "running"
    assert lines["moved"].endswith("idle for 4 d")
    assert lines["waits for"] == "seat 0 (bots)"
    assert re.fullmatch(r"for \d+ \w+, failures: 1 \(ValueError\), parked", lines["pending"])
    assert lines["seat 0"] == "bot greedy"
    assert lines["seat 1"] == r"human Ada\u000a\u001b[2J"

    told = json.loads(run("match", "show", match, "--json").stdout)
    assert told["pending"]["parked"] is True
    assert told["id"] == match


def test_a_match_is_shown_with_its_clock(run: Run, served: Context) -> None:
    """When the first seat's time runs out, and what each had left at the last commit (M15)."""
    clock = {"bank_s": 7200, "move_s": 0, "level": "random"}
    opened = open_new(served, OpenRequest("toy", [HUMAN, HUMAN], {"rounds": 1}, clock=clock))
    automation.act(served, opened.loaded.id)

    shown = run("match", "show", opened.loaded.id)
    lines = dict(re.split(r"  +", line, maxsplit=1) for line in shown.stdout.splitlines())
    told = json.loads(run("match", "show", opened.loaded.id, "--json").stdout)
    assert told["clock"]["left_ms"] == [7_200_000, 7_200_000]
    assert lines["time runs out"] == told["deadline"] == told["clock"]["due"]
    assert lines["seat 0"].endswith(", 2 h left at the last commit")


def test_an_archived_match_is_shown_without_its_file(
    run: Run, served: Context, environ: dict[str, str], matches: dict[str, str]
) -> None:
    """Its size is in its marker, so also a match whose file is lost can be looked at."""
    match = matches["nobody"]
    size = sum(map(len, served.journal.events.read(match)))
    place = open_place(str(Path(environ["GIORNALE_DATA"], "archive")))
    lifecycle.archive(served, Archive(place), match)
    [packed] = Path(environ["GIORNALE_DATA"], "archive").rglob("*.zst")
    packed.unlink()

    told = json.loads(run("match", "show", match, "--json").stdout)
    assert told["bytes"] == size
    assert told["archived"] is not None
    assert "archived   20" in run("match", "show", match).stdout
