"""Attacks on a whole journal: floods of openings and lists, a full server, a backup put back."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import OutOfMemoryError

from service.api.app import create_app
from service.config import Config
from service.matches import expiry, house
from service.matches.expiry import HOUR, Patience
from service.process.valkey import Server
from tests.attacks.conftest import door_of
from tests.attacks.importing import BOTS, OPERATOR
from tests.service.api.conftest import Door, json, opened, problem
from workers.bots import choose

WEEK = 168 * HOUR
OPEN = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]
OPENING = {"game": "calimala", "seats": BOTS}


def version_of(door: Door) -> int:
    """Return the version that the match is at."""
    version: int = json(door.get())["version"]
    return version


def test_a_list_of_an_unknown_game_costs_one_look(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many matches there are, no head is read but those of the game."""
    for _ in range(30):
        opened(door, seed=None)

    looks: list[int] = []
    overviews = door.desk.journal.overviews

    def counted_overviews(asked: Sequence[tuple[str, Sequence[str]]]) -> Any:
        looks.append(len(asked))
        return overviews(asked)

    monkeypatch.setattr(door.desk.journal, "overviews", counted_overviews)
    assert json(door.get("/v1/matches?game=chess&limit=2"))["matches"] == []
    assert looks == [0]


def test_a_flood_of_openings_goes_away_by_itself(door: Door) -> None:
    """Matches that nobody joins end, are revealed, and leave the list of what can be joined."""
    matches = [opened(door, seats=OPEN, seed=None).match for _ in range(60)]

    a_week_later = replace(door.desk, clock=lambda: door.desk.clock() + WEEK)
    rounds = [expiry.expire(a_week_later, Patience(WEEK, 0)) for _ in range(3)]
    assert rounds == [50, 10, 0]

    for match in matches:
        house.act(door.desk, match)
    assert json(door.get("/v1/matches?status=open"))["matches"] == []

    commits = json(door.get("commits"))["commits"]
    assert [commit["command"]["type"] for commit in commits] == ["open", "expire", "reveal"]
    assert [commit["actor"] for commit in commits] == ["owner", "house", "house"]


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Server]:
    """A server with little memory."""
    with Server(tmp_path / "journal", memory_mb=8) as server:
        yield server


@pytest.fixture
def full(small: Server, environ: dict[str, str]) -> Door:
    """The door of a service with a match of 120 commits, whose journal is filled to the brim.

    The match is so long that whoever reads it from its first commit would store a snapshot.
    """
    settings = {"GIORNALE_JOURNAL_URL": small.url, "GIORNALE_OPERATOR_TOKEN": OPERATOR}
    door = door_of(create_app(Config.load(environ | settings)))
    opened(door, seats=BOTS, seed=None)
    while version_of(door) < 120:
        house.play_bots(door.desk, door.match, choose)
        door.house()

    fill(small)
    return door


def fill(server: Server) -> None:
    """Take all memory that a server has left, with a key of its own."""
    with Redis.from_url(server.url) as client:
        while True:
            try:
                client.append("filling", b"x" * 65536)
            except OutOfMemoryError:
                break


def key_count(server: Server) -> int:
    """Return how many keys a server holds."""
    with Redis.from_url(server.url) as client:
        return int(client.dbsize())


def test_a_full_journal_says_why_it_refuses(full: Door, small: Server) -> None:
    """It answers 503 to an opening, of which nothing is stored."""
    keys_before = key_count(small)
    answer = full.post("/v1/matches", OPENING)
    assert key_count(small) <= keys_before
    assert problem(answer) == (503, "journal-unavailable")
    assert "full" in json(answer)["detail"]


def test_a_full_journal_is_still_read(full: Door, small: Server) -> None:
    """Everything can be read, by a process that remembers nothing, too; nothing is stored."""
    version = version_of(full)
    keys_before = key_count(small)
    full.desk.shelf.drop(full.match)

    for path in ("", "state", "commits", "record", f"state?version={version - 1}"):
        assert full.get(path).status_code == 200, path
    assert full.get("/v1/matches").status_code == 200
    assert key_count(small) <= keys_before


def test_deletion_makes_room_in_a_full_journal(full: Door, small: Server) -> None:
    """It is done on a full server; with room again, a match is opened."""
    assert full.ask("DELETE", "", OPERATOR).status_code == 204
    with Redis.from_url(small.url) as client:
        client.delete("filling")
    assert full.post("/v1/matches", OPENING).status_code == 201


def test_a_journal_put_back_is_shown_as_it_is(door: Door, redis_url: str) -> None:
    """A process that remembers commits which a restored backup lacks shows the backup at once."""
    opened(door, seed=None)
    with Redis.from_url(redis_url) as client:
        backup = {key: client.dump(key) for key in client.keys("*")}
        [seat, *_] = door.waiting_seats()
        assert door.move(f"seat:{seat}").status_code == 201
        assert version_of(door) > 1

        client.flushall()
        for key, value in backup.items():
            client.restore(key, 0, value)

    assert version_of(door) == 1
    assert json(door.get("state"))["version"] == 1
    assert len(json(door.get("commits"))["commits"]) == 1
