"""Attacks on how matches come and stay: floods of openings, a full journal, one that went back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import OutOfMemoryError

from service.api.app import create_app
from service.config import Config
from service.matches import automation, lifecycle
from service.matches.lifecycle import HOUR, Patience
from service.process.valkey import Server
from tests.attacks.bots import MATCH_OF_BOTS, THREE_BOTS
from tests.attacks.conftest import door_of
from tests.attacks.operators import OPERATOR, delete_match
from tests.service.api.conftest import Door, json, opened, problem
from workers.bots import choose

ONE_HUMAN = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]
WEEK = 168 * HOUR
LONG = 120  # commits; so long a match is read from a snapshot, if there is one
FILLING = b"x" * 65_536

Backup = dict[Any, Any]  # each key of a journal and its value, as the server dumps it


def test_a_list_of_an_unknown_game_costs_one_look(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many matches there are, the game's index is asked once and no head is read."""
    for _ in range(30):
        opened(door, seed=None)

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
    """Matches that nobody joins end, are revealed, and leave the list of what can be joined."""
    matches = [opened(door, seats=ONE_HUMAN, seed=None).match for _ in range(60)]

    ended_each_round = [expire_a_week_later(door) for _ in range(3)]
    for match in matches:
        automation.act(door.ctx, match)

    assert ended_each_round == [50, 10, 0]
    to_join = json(door.get("/v1/matches?status=open"))
    assert to_join["matches"] == []


def expire_a_week_later(door: Door) -> int:
    """End what nobody has joined for a week, a week from now; return how many matches ended."""
    in_a_week = replace(door.ctx, clock=lambda: door.ctx.clock() + WEEK)
    patience = Patience(WEEK, 0)
    return lifecycle.expire(in_a_week, patience)


def test_the_house_ends_a_match_that_nobody_joins(door: Door) -> None:
    """The history tells that the house ended the match and revealed its secrets."""
    opened(door, seats=ONE_HUMAN, seed=None)

    expire_a_week_later(door)
    automation.act(door.ctx, door.match)

    assert history(door) == [
        ("owner", "open"),
        ("house", "expire"),
        ("house", "reveal"),
    ]


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
        door = operated_on(server, tmp_path)
        opened(door, seats=THREE_BOTS, seed=None)
        play_until_long(door)

        fill(client)
        yield Full(door, client, client.dbsize())


def operated_on(server: Server, directory: Path) -> Door:
    """Return the door of a service that has an operator, on a journal of its own."""
    settings = {
        "GIORNALE_JOURNAL_URL": server.url,
        "GIORNALE_DATA": str(directory),
        "GIORNALE_SECRET": "x" * 32,
        "GIORNALE_OPERATOR_TOKEN": OPERATOR,
    }
    return door_of(create_app(Config.load(settings)))


def play_until_long(door: Door) -> None:
    """Let house and bots act until the match is long."""
    while json(door.get())["version"] < LONG:
        automation.play_bots(door.ctx, door.match, choose)
        automation.act(door.ctx, door.match)


def fill(client: Redis) -> None:
    """Fill a journal until it takes in no more."""
    while True:
        try:
            client.append("filling", FILLING)
        except OutOfMemoryError:
            return


def test_a_full_journal_refuses_and_says_why(full: Full) -> None:
    """An opening is answered 503, with the reason, and leaves nothing behind."""
    answer = full.door.post("/v1/matches", MATCH_OF_BOTS)

    assert problem(answer) == (503, "journal-unavailable")
    assert "full" in json(answer)["detail"]
    assert full.client.dbsize() <= full.keys


def test_a_full_journal_is_still_read(full: Full) -> None:
    """Everything can be read.

    A long match is read from its first commit, which would store a snapshot: it stores none.
    """
    door = full.door
    version = json(door.get())["version"]
    door.ctx.cache.heads.drop(door.match)

    for path in (
        "",
        "state",
        "commits",
        "record",
        f"state?version={version - 1}",
        "/v1/matches",
    ):
        assert door.get(path).status_code == 200, path
    assert full.client.dbsize() <= full.keys


def test_the_operator_makes_room_in_a_full_journal(full: Full) -> None:
    """A match can be deleted while the journal is full; with room again, matches are opened."""
    assert full.door.post("/v1/matches", MATCH_OF_BOTS).status_code == 503

    delete_match(full.door)
    full.client.delete("filling")

    assert full.door.post("/v1/matches", MATCH_OF_BOTS).status_code == 201


def test_a_journal_put_back_is_shown_as_it_is(door: Door, redis_url: str) -> None:
    """A process that remembers commits which a restored backup lacks shows the backup.

    It does so at once and to everybody.
    """
    opened(door, seed=None)
    with Redis.from_url(redis_url) as client:
        backup = backup_of(client)
        move_on(door)
        put_back(client, backup)

    document = json(door.get())
    state = json(door.get("state"))
    assert document["version"] == 1
    assert state["version"] == 1
    assert len(history(door)) == 1


def move_on(door: Door) -> None:
    """Make one move in a match that has just begun, and let the process remember it."""
    seat = door.waiting_seats()[0]

    moved = door.move(f"seat:{seat}")

    assert moved.status_code == 201
    assert json(door.get())["version"] > 1


def backup_of(client: Redis) -> Backup:
    """Return all that a journal holds."""
    return {key: client.dump(key) for key in client.keys("*")}


def put_back(client: Redis, backup: Backup) -> None:
    """Let a journal hold what a backup holds and nothing else."""
    client.flushall()
    for key, dump in backup.items():
        client.restore(key, 0, dump)
