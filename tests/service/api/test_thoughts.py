"""Thoughts of bots: sealed until the revelation of the match, public after it."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from service.matches import automation
from service.matches.repository import load
from service.ops.backup import restore
from service.store.journal.memory import memory_journal
from tests.service.api.conftest import NDJSON, Door, json, links, opened, problem
from tests.service.ops.backup.conftest import back_up, quiet
from workers import bots
from workers.bots.players import Budget

QUICK = {"kind": "bot", "level": "quick"}
HUMAN = {"kind": "human"}
MOST_ITERATIONS = 8
FEW = Budget(iterations=MOST_ITERATIONS)
MOVES = 12
EVERYBODY = ("", "owner", "seat:2")


@pytest.fixture(autouse=True)
def _think_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quick bots think for 8 iterations, and so the same each time."""
    player, _usual = bots.LEVELS["quick"]
    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "quick": (player, FEW)})


@pytest.fixture
def running(door: Door) -> Door:
    """A match in which two bots have searched and a human has made moves. It still goes on."""
    opened(door, seats=[QUICK, QUICK, HUMAN])
    play(door)
    return door


def play(door: Door) -> None:
    """Let bots move, and humans make their first legal moves, beyond version MOVES."""
    while load(door.ctx, door.match).version <= MOVES:
        status = load(door.ctx, door.match).match.status
        if status.worker == "bots":
            automation.play_bots(door.ctx, door.match, bots.choose)
        else:
            door.move(f"seat:{status.seats[0]}")


def end(door: Door) -> None:
    """Abort the match, and let the house reveal it."""
    assert door.post("abort", {}, "owner").status_code == 201
    door.house()


@pytest.fixture
def over(running: Door) -> Door:
    """The same match after its end."""
    end(running)
    return running


def thoughts_of(door: Door, path: str = "thoughts") -> Any:
    """Return the thoughts on a page."""
    answer = door.get(path)
    assert answer.status_code == 200, answer.text
    return json(answer)["thoughts"]


def test_thoughts_are_sealed_until_the_revelation(running: Door) -> None:
    """Nobody can read thoughts, not even the owner, because a bot's moves disclose its cards.

    They stay sealed after the end, until the house reveals the secrets.
    """
    for who in EVERYBODY:
        refused = running.get("thoughts", who)
        assert problem(refused) == (409, "not-revealed")
        assert (json(refused)["rule"], json(refused)["rule_url"]) == ("M9", "/rules/match#M9")
        assert b"win_chance" not in refused.data

    running.post("abort", {}, "owner")
    assert problem(running.get("thoughts")) == (409, "not-revealed")

    running.house()
    assert thoughts_of(running)


def test_after_the_end_everybody_reads_the_thoughts_of_bots(over: Door, tmp_path: Path) -> None:
    """Each thought names the move that was made, and win chances from 0 to 1.

    A restored backup holds the same thoughts.
    """
    commits = {commit["version"]: commit for commit in json(over.get("commits"))["commits"]}
    thoughts = thoughts_of(over)
    assert len(thoughts) > 1

    versions = [thought["version"] for thought in thoughts]
    assert versions == sorted(set(versions))
    for thought in thoughts:
        commit = commits[thought["version"]]
        assert commit["actor"] == f"seat:{thought['seat']}"
        assert thought["level"] == "quick"
        assert 0 < thought["iterations"] <= MOST_ITERATIONS

        best = thought["best"]
        public = {name: value for name, value in commit["command"].items() if name != "seat"}
        assert 1 <= len(best) <= 3
        assert best[0]["move"].items() >= public.items()
        for candidate in best:
            assert 0 <= candidate["win_chance"] <= 1
            assert round(candidate["win_chance"], 3) == candidate["win_chance"]

    path = tmp_path / "backup"
    back_up(over.ctx.journal, path)
    target = memory_journal()
    restore.restore(target, restore.check(path, quiet), quiet, merge=False)

    assert target.metadata.dump(over.match) == over.ctx.journal.metadata.dump(over.match)
    assert (
        target.metadata.thoughts(over.match) == over.ctx.journal.metadata.thoughts(over.match) != []
    )


def test_thoughts_come_in_pages_and_as_lines(over: Door) -> None:
    """Link names the next page, and the lines are those of all pages."""
    all_of_them = thoughts_of(over)
    first = over.get("thoughts?limit=2")
    assert json(first)["thoughts"] == all_of_them[:2]
    assert json(first)["next"] == links(first)["next"]
    rest = over.get(links(first)["next"])
    assert json(rest)["thoughts"] == all_of_them[2:4]

    last = all_of_them[-1]["version"]
    assert thoughts_of(over, f"thoughts?after={last}") == []
    assert "Link" not in over.get(f"thoughts?after={last}").headers

    as_lines = over.get("thoughts.ndjson")
    assert as_lines.mimetype == NDJSON
    assert [orjson.loads(line) for line in as_lines.data.splitlines()] == all_of_them
