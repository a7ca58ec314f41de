"""A flood of matches in which only bots sit.

It is bounded, and the bots of humans' matches do not wait for it.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from werkzeug.test import TestResponse

from service.matches import exhibitions
from tests.e2e.playing import client
from tests.running import RunningService, running_service, until
from tests.service.api.conftest import KEY, THREE, Door, Make, door_maker, json, problem

HUMAN = {"kind": "human"}
BOT = {"kind": "bot", "level": "random"}
GREEDY_BOT = {"kind": "bot", "level": "greedy"}
BOTS = [BOT, BOT, BOT]
OPENING = {"game": "calimala", "seats": BOTS}
WITH_KEY = {"Idempotency-Key": KEY}

# Seconds. A bot's turn takes a fraction of one; behind such a flood it took 30 and more.
PATIENCE = 10.0


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The whole service, where the bound of exhibitions is the only one on openings."""
    with running_service(tmp_path_factory.mktemp("data"), GIORNALE_OPENINGS="0") as serving:
        yield serving


def flood(anyone: httpx.Client) -> list[httpx.Response]:
    """Ask for a hundred matches of bots."""
    opening = {"game": "firenze", "seats": [GREEDY_BOT] * 4}
    return [anyone.post("/v1/matches", json=opening) for _ in range(100)]


def test_a_humans_bot_answers_within_its_usual_time(running: RunningService) -> None:
    """Some matches of a flood begin, the others are refused, and nobody else notices."""
    with client(running) as anyone:
        answers = flood(anyone)
        refused = [answer for answer in answers if answer.status_code == 503]
        assert {answer.status_code for answer in answers} == {201, 503}
        for answer in refused:
            assert answer.json()["type"] == "/problems/overloaded"
            assert int(answer.headers["Retry-After"]) > 0

        began = time.monotonic()
        opening = {"game": "calimala", "seats": [GREEDY_BOT, GREEDY_BOT, HUMAN]}
        opened = anyone.post("/v1/matches", json=opening).raise_for_status()
        path = f"/v1/matches/{opened.json()['id']}"

        def waits_for_the_human() -> bool:
            waiting_for = anyone.get(path).json()["waiting_for"]
            return not waiting_for["house"] and not waiting_for["bots"]

        until(waits_for_the_human, "the bots' turns")
        assert time.monotonic() - began < PATIENCE
        assert anyone.get("/readyz").status_code == 200


@pytest.fixture
def made(redis_url: str, tmp_path: Path) -> Make:
    """Makes a door with settings of its own, where no worker runs."""
    return door_maker(redis_url, tmp_path)


@pytest.fixture
def full(made: Make) -> Door:
    """A door where one match of bots waits already, and no second may."""
    door = made(EXHIBITIONS="1")
    open_match(door, BOTS)
    return door


def open_match(door: Door, seats: list[dict[str, str]]) -> None:
    """Open a match and keep its tokens."""
    answer = door.post("/v1/matches", {"game": "calimala", "seats": seats})
    assert answer.status_code == 201
    document = json(answer)
    door.match = document["id"]
    door.tokens = document["tokens"]


def put_bot_on_last_seat(door: Door, **more: Any) -> TestResponse:
    """Let the owner put a bot on seat 2."""
    return door.post("seats/2/bot", {}, "owner", **more)


def assert_refused(answer: TestResponse) -> None:
    """Check that there are matches of bots enough, and that the answer says when to come back."""
    assert problem(answer) == (503, "overloaded")
    assert answer.headers["Retry-After"] == str(exhibitions.RETRY_SECONDS)


def test_no_match_of_bots_is_opened_beyond_the_bound(full: Door) -> None:
    """The second one is refused."""
    assert_refused(full.post("/v1/matches", OPENING))


def test_no_bot_takes_the_last_humans_seat_beyond_the_bound(full: Door) -> None:
    """That would make a match of bots, too."""
    open_match(full, [BOT, BOT, HUMAN])
    assert_refused(put_bot_on_last_seat(full))


def test_no_match_of_bots_is_started_beyond_the_bound(made: Make) -> None:
    """What was prepared in the lobby does not count before, and is refused then."""
    door = made(EXHIBITIONS="1")
    open_match(door, [BOT, BOT, {"kind": "open"}])
    assert put_bot_on_last_seat(door).status_code == 201

    # Another door, because this one goes on with the match that was prepared.
    open_match(Door(door.client, door.desk), BOTS)
    assert_refused(door.post("start", None, "owner"))


def test_matches_with_a_human_are_opened_all_the_same(full: Door) -> None:
    """The bound is for matches that nobody waits for.

    A human may sit down, and a bot stand in for one of two.
    """
    open_match(full, [HUMAN, HUMAN, BOT])
    assert full.post("seats/1/bot", {}, "owner").status_code == 201


def test_a_repeat_is_answered_though_there_is_no_room(made: Make) -> None:
    """Who lost the answer gets it again, for an opening and for a bot on the last seat alike."""
    door = made(EXHIBITIONS="2")
    open_match(door, [BOT, BOT, HUMAN])
    assert put_bot_on_last_seat(door, headers=WITH_KEY).status_code == 201
    first = door.post("/v1/matches", OPENING, headers=WITH_KEY)
    assert first.status_code == 201
    assert_refused(door.post("/v1/matches", OPENING))

    assert put_bot_on_last_seat(door, headers=WITH_KEY).status_code == 201
    repeat = door.post("/v1/matches", OPENING, headers=WITH_KEY)
    assert repeat.status_code == 201
    assert repeat.data == first.data


def test_openings_are_limited_by_address(made: Make) -> None:
    """Of two a minute the third is refused; a repeated one counts, and is answered till then."""
    door = made(OPENINGS="2")
    opening = {"game": "calimala", "seats": THREE}
    first = door.post("/v1/matches", opening, headers=WITH_KEY)
    repeat = door.post("/v1/matches", opening, headers=WITH_KEY)
    third = door.post("/v1/matches", opening, headers=WITH_KEY)

    assert first.status_code == 201
    assert repeat.status_code == 201
    assert repeat.data == first.data
    assert problem(third) == (429, "rate-limited")
    assert 1 <= int(third.headers["Retry-After"]) <= 60


def test_another_address_may_still_open(made: Make) -> None:
    """The limit is one's own."""
    door = made(OPENINGS="1")
    opening = {"game": "calimala", "seats": THREE}
    assert door.post("/v1/matches", opening).status_code == 201
    assert door.post("/v1/matches", opening).status_code == 429

    elsewhere = {"REMOTE_ADDR": "127.0.0.2"}
    other = door.post("/v1/matches", opening, environ_overrides=elsewhere)
    assert other.status_code == 201


def test_what_opens_nothing_does_not_count(made: Make) -> None:
    """A request that is refused leaves the limit as it is."""
    door = made(OPENINGS="1")
    assert door.post("/v1/matches", {"game": "calimala"}).status_code == 422
    assert door.post("/v1/matches", {"game": "calimala", "seats": THREE}).status_code == 201
