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

from service.config import Config
from service.matches import lobby
from tests.attacks.bots import BOT, MATCH_OF_BOTS
from tests.e2e.playing import client
from tests.running import RunningService, running_service, until
from tests.service.api.conftest import KEY, THREE, Door, Make, door_maker, opened, problem

GREEDY = {"kind": "bot", "level": "greedy"}
HUMAN = {"kind": "human"}
FLOOD = {"game": "firenze", "seats": [GREEDY] * 4}
WITH_A_HUMAN = {"game": "calimala", "seats": [GREEDY, GREEDY, HUMAN]}

# Seconds. A bot's turn takes a fraction of one, and took 30 and more behind such a flood.
PATIENCE = 10.0


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The whole service without a limit of openings: the bound of exhibitions alone protects it."""
    with running_service(tmp_path_factory.mktemp("data"), GIORNALE_OPENINGS="0") as serving:
        yield serving


def flood(anyone: httpx.Client) -> list[httpx.Response]:
    """Ask for a hundred matches of bots."""
    return [anyone.post("/v1/matches", json=FLOOD) for _ in range(100)]


def test_of_a_flood_some_begin_and_the_rest_is_told_to_come_back(running: RunningService) -> None:
    """A refused opening says that the service has enough to do, and when to try again."""
    with client(running) as anyone:
        answers = flood(anyone)

    assert {answer.status_code for answer in answers} == {201, 503}
    refused = [answer for answer in answers if answer.status_code == 503]
    assert {answer.json()["type"] for answer in refused} == {"/problems/overloaded"}
    assert min(int(answer.headers["Retry-After"]) for answer in refused) > 0


def test_a_humans_bot_answers_within_its_usual_time(running: RunningService) -> None:
    """During a flood of matches of bots nobody else notices anything."""
    with client(running) as anyone:
        assert flood(anyone)[-1].status_code == 503

        began = time.monotonic()
        answer = anyone.post("/v1/matches", json=WITH_A_HUMAN).raise_for_status()
        match = answer.json()["id"]
        until(lambda: waits_for_a_human(anyone, match), "the bots' turns")
        took = time.monotonic() - began

        assert took < PATIENCE
        assert anyone.get("/readyz").status_code == httpx.codes.OK


def waits_for_a_human(anyone: httpx.Client, match: str) -> bool:
    """Return whether a match waits neither for the house nor for bots."""
    waiting_for: dict[str, Any] = anyone.get(f"/v1/matches/{match}").json()["waiting_for"]
    return not waiting_for["house"] and not waiting_for["bots"]


@pytest.fixture
def made(redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a door where no worker runs, and where one match of bots may wait."""
    monkeypatch.setattr(Config, "exhibitions", 1)
    return door_maker(redis_url, tmp_path)


def open_bots(door: Door) -> None:
    """Open a match of bots."""
    assert door.post("/v1/matches", MATCH_OF_BOTS).status_code == 201


@pytest.fixture
def full(made: Make) -> Door:
    """A door where one match of bots waits already, and no second may."""
    door = made()
    open_bots(door)
    return door


def is_refused(answer: TestResponse) -> bool:
    """Return whether an answer says that enough bots are at work, and when to try again."""
    if problem(answer) != (503, "overloaded"):
        return False
    return answer.headers.get("Retry-After") == str(lobby.RETRY_SECONDS)


def test_no_opening_leads_around_the_bound(full: Door) -> None:
    """A second match of bots is not opened."""
    assert is_refused(full.post("/v1/matches", MATCH_OF_BOTS))


def test_no_bot_on_the_last_humans_seat_leads_around_the_bound(full: Door) -> None:
    """A match with one human does not become one of bots."""
    opened(full, seats=[BOT, BOT, HUMAN], seed=None)

    assert is_refused(full.post("seats/2/bot", {}, "owner"))


def test_no_start_leads_around_the_bound(made: Make) -> None:
    """A match of bots that was prepared in the lobby does not start."""
    door = made()
    opened(door, seats=[BOT, BOT, {"kind": "open"}], seed=None)
    assert door.post("seats/2/bot", {}, "owner").status_code == 201
    open_bots(door)

    assert is_refused(door.post("start", None, "owner"))


def test_matches_with_a_human_are_opened_all_the_same(full: Door) -> None:
    """The bound is for matches that nobody waits for: a bot may stand in for one of two humans."""
    opened(full, seats=[HUMAN, HUMAN, BOT], seed=None)

    assert full.post("seats/1/bot", {}, "owner").status_code == 201


def test_a_repeat_of_an_opening_is_answered_though_there_is_no_room(made: Make) -> None:
    """Whoever lost the answer gets it again, to the byte."""
    door = made()
    headers = {"Idempotency-Key": KEY}
    first = door.post("/v1/matches", MATCH_OF_BOTS, headers=headers)
    assert first.status_code == 201
    assert is_refused(door.post("/v1/matches", MATCH_OF_BOTS))

    repeat = door.post("/v1/matches", MATCH_OF_BOTS, headers=headers)

    assert repeat.status_code == 201
    assert repeat.data == first.data


def test_a_repeat_of_a_bot_is_answered_though_there_is_no_room(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever lost the answer for a bot on the last human's seat gets it again."""
    monkeypatch.setattr(Config, "exhibitions", 2)
    door = made()
    headers = {"Idempotency-Key": KEY}
    opened(door, seats=[BOT, BOT, HUMAN], seed=None)
    assert door.post("seats/2/bot", {}, "owner", headers=headers).status_code == 201
    open_bots(door)
    assert is_refused(door.post("/v1/matches", MATCH_OF_BOTS))

    repeat = door.post("seats/2/bot", {}, "owner", headers=headers)

    assert repeat.status_code == 201


MATCH_OF_HUMANS = {"game": "calimala", "seats": THREE}


@pytest.fixture
def limited(made: Make) -> Door:
    """A door where each address may open two matches a minute."""
    return made(OPENINGS="2")


def test_openings_are_limited_by_address(limited: Door) -> None:
    """The third opening in a minute is refused; a repeated one counts and is answered till then."""
    headers = {"Idempotency-Key": KEY}

    first = limited.post("/v1/matches", MATCH_OF_HUMANS, headers=headers)
    repeat = limited.post("/v1/matches", MATCH_OF_HUMANS, headers=headers)
    third = limited.post("/v1/matches", MATCH_OF_HUMANS, headers=headers)

    assert first.status_code == 201
    assert repeat.status_code == 201
    assert repeat.data == first.data
    assert problem(third) == (429, "rate-limited")
    assert 1 <= int(third.headers["Retry-After"]) <= 60


def test_what_opens_nothing_does_not_count(limited: Door) -> None:
    """A refused opening takes nothing from the two that an address may make."""
    assert limited.post("/v1/matches", {"game": "calimala"}).status_code == 422

    assert open_statuses(limited, 3) == [201, 201, 429]


def test_other_addresses_may_still_open(limited: Door) -> None:
    """What one address has opened takes nothing from another."""
    assert open_statuses(limited, 3) == [201, 201, 429]

    other_address = {"REMOTE_ADDR": "127.0.0.2"}
    other = limited.post("/v1/matches", MATCH_OF_HUMANS, environ_overrides=other_address)

    assert other.status_code == 201


def open_statuses(door: Door, times: int) -> list[int]:
    """Open matches of humans; return the statuses of the answers."""
    answers = [door.post("/v1/matches", MATCH_OF_HUMANS) for _ in range(times)]
    return [answer.status_code for answer in answers]
