"""Attacks on how matches come and stay: floods of openings, a full journal, one that went back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import OutOfMemoryError

from service.matches import automation, lifecycle
from service.matches.lifecycle import HOUR, Patience
from service.process.valkey import Server
from tests.attacks.conftest import MATCH_OF_BOTS, THREE_BOTS, delete_match
from tests.service.api.conftest import OPERATOR, Door, door_maker, json, opened, problem
from workers.bots import choose

ONE_HUMAN = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]
WEEK = 168 * HOUR
LONG = 120  # commits; so long a match is read from a snapshot, if there is one
FILLING = b"x" * 65_536


def test_a_list_of_an_unknown_game_costs_one_look(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many matches there are, the game's index is asked once and no head is read."""
    for _ in range(30):
        opened(door)

    asked_each_time: list[int] = []
    look = door.ctx.journal.events.overviews

    def counted_look(asked: Sequence[tuple[str, Sequence[str]]]) -> Any:
        asked_each_time.append(len(asked))
        return look(asked)

    monkeypatch.setattr(door.ctx.journal.events, "overviews", counted_look)
    answer = door.get("/v1/matches?game=chess&limit=2")

    assert json(answer)["matches"] == []
    assert asked_each_time == [0]


def test_a_flood_of_openings_goes_away_by_itself(door: Door) -> None:
    """Matches that nobody joins end, are revealed, and leave the list of what can be joined.

    The history tells that the house did it.
    """
    matches = [opened(door, seats=ONE_HUMAN).match for _ in range(60)]

    ended_each_round = [expire_a_week_later(door) for _ in range(3)]
    for match in matches:
        automation.act(door.ctx, match)
    to_join = json(door.get("/v1/matches?status=open"))

    assert ended_each_round == [50, 10, 0]
    assert to_join["matches"] == []
    assert history(door) == [
        ("owner", "open"),
        ("house", "expire"),
        ("house", "reveal"),
    ]


def expire_a_week_later(door: Door) -> int:
    """End what nobody has joined for a week, a week from now; return how many matches ended."""
    in_a_week = replace(door.ctx, clock=lambda: door.ctx.clock() + WEEK)
    return lifecycle.expire(in_a_week, Patience(WEEK, 0))


def history(door: Door) -> list[tuple[str, str]]:
    """Return who gave each command of a match, and its kind."""
    commits = json(door.get("commits"))["commits"]
    return [(commit["actor"], commit["command"]["type"]) for commit in commits]


@dataclass
class Full:
    """A service whose journal is filled to the brim, with one long match of bots.

    client: of the journal.   keys: how many the journal held when it was filled.
    """

    door: Door
    client: Redis
    keys: int


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Full]:
    """A service whose journal is full."""
    with (
        Server(tmp_path / "journal", memory_mb=8) as server,
        Redis.from_url(server.url) as client,
    ):
        door = door_maker(server.url, tmp_path)(OPERATOR_TOKEN=OPERATOR)
        opened(door, seats=THREE_BOTS, seed=None)
        while json(door.get())["version"] < LONG:
            automation.play_bots(door.ctx, door.match, choose)
            automation.act(door.ctx, door.match)

        fill(client)
        yield Full(door, client, client.dbsize())


def fill(client: Redis) -> None:
    """Fill a journal until it takes in no more."""
    while True:
        try:
            client.append("filling", FILLING)
        except OutOfMemoryError:
            return


def test_a_full_journal_refuses_and_is_still_read(full: Full) -> None:
    """An opening is answered 503, with the reason, and everything can be read; nothing is stored.

    A long match is read from its first commit, which would store a snapshot elsewhere. The operator
    can still delete; with room again, matches are opened.
    """
    door = full.door
    refused = door.post("/v1/matches", MATCH_OF_BOTS)
    assert problem(refused) == (503, "journal-unavailable")
    assert "full" in json(refused)["detail"]

    version = json(door.get())["version"]
    door.ctx.cache.heads.drop(door.match)
    past = f"state?version={version - 1}"
    for path in ("", "state", "commits", "record", past, "/v1/matches"):
        assert door.get(path).status_code == 200, path
    assert full.client.dbsize() <= full.keys

    delete_match(door)
    full.client.delete("filling")
    assert door.post("/v1/matches", MATCH_OF_BOTS).status_code == 201
