"""A flood of matches in which only bots sit is bounded, and no human's match waits for it."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from werkzeug.test import TestResponse

from service.config import Config
from service.matches import lobby
from tests.attacks.conftest import BOT, MATCH_OF_BOTS
from tests.e2e.playing import client
from tests.running import RunningService, running_service, until
from tests.service.api.conftest import KEY, THREE, Door, Make, opened, problem

GREEDY = {"kind": "bot", "level": "greedy"}
HUMAN = {"kind": "human"}
FLOOD = {"game": "firenze", "seats": [GREEDY] * 4}
WITH_A_HUMAN = {"game": "calimala", "seats": [GREEDY, GREEDY, HUMAN]}
MATCH_OF_HUMANS = {"game": "calimala", "seats": THREE}
WITH_KEY = {"Idempotency-Key": KEY}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The whole service without a limit of openings: the bound of exhibitions alone protects it."""
    with running_service(tmp_path_factory.mktemp("data"), GIORNALE_OPENINGS="0") as serving:
        yield serving


def test_a_humans_bot_waits_for_no_flood(running: RunningService) -> None:
    """Of a hundred matches of bots some begin, the rest is told when to come back.

    The turns of bots beside a human are over before those matches are; nobody else notices.
    """
    with client(running) as anyone:
        answers = [anyone.post("/v1/matches", json=FLOOD) for _ in range(100)]

        answer = anyone.post("/v1/matches", json=WITH_A_HUMAN).raise_for_status()
        until(lambda: waits_for_a_human(anyone, answer.json()["id"]), "the bots' turns")
        played = [answer for answer in answers if answer.status_code == 201]
        left = [anyone.get(answer.headers["Location"]).json()["status"] for answer in played]
        readiness = anyone.get("/readyz").status_code

    refused = [answer for answer in answers if answer.status_code == 503]
    assert {answer.status_code for answer in answers} == {201, 503}
    assert answers[-1] in refused
    assert {answer.json()["type"] for answer in refused} == {"/problems/overloaded"}
    assert min(int(answer.headers["Retry-After"]) for answer in refused) > 0
    assert "running" in left
    assert readiness == httpx.codes.OK


def waits_for_a_human(anyone: httpx.Client, match: str) -> bool:
    """Return whether a match waits neither for the house nor for bots."""
    waiting_for: dict[str, Any] = anyone.get(f"/v1/matches/{match}").json()["waiting_for"]
    return not waiting_for["house"] and not waiting_for["bots"]


@pytest.fixture
def one_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """One match of bots may wait, at a door where no worker runs."""
    monkeypatch.setattr(Config, "exhibitions", 1)


def opens(door: Door, body: Any, **more: Any) -> TestResponse:
    return door.post("/v1/matches", body, **more)


def is_refused(answer: TestResponse) -> bool:
    """Return whether an answer says that enough bots are at work, and when to try again."""
    if problem(answer) != (503, "overloaded"):
        return False
    return answer.headers.get("Retry-After") == str(lobby.RETRY_SECONDS)


@pytest.mark.usefixtures("one_may_wait")
def test_no_way_leads_around_the_bound(made: Make) -> None:
    """Neither an opening, nor a bot on the last human's seat, nor a start in the lobby.

    The bound is for matches that nobody waits for: a bot may stand in for one of two humans.
    """
    door = made()
    opened(door, seats=[BOT, BOT, {"kind": "open"}], seed=None)
    assert door.post("seats/2/bot", {}, "owner").status_code == 201
    assert opens(door, MATCH_OF_BOTS).status_code == 201

    opening = opens(door, MATCH_OF_BOTS)
    start = door.post("start", None, "owner")
    opened(door, seats=[BOT, BOT, HUMAN], seed=None)
    last_human = door.post("seats/2/bot", {}, "owner")
    opened(door, seats=[HUMAN, HUMAN, BOT], seed=None)
    one_of_two = door.post("seats/1/bot", {}, "owner")

    assert is_refused(opening)
    assert is_refused(start)
    assert is_refused(last_human)
    assert one_of_two.status_code == 201


def test_a_repeat_is_answered_though_there_is_no_room(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lost answer, to an opening or for a bot on the last human's seat, is given again."""
    monkeypatch.setattr(Config, "exhibitions", 2)
    door = made()
    opened(door, seats=[BOT, BOT, HUMAN], seed=None)
    assert door.post("seats/2/bot", {}, "owner", headers=WITH_KEY).status_code == 201
    first = opens(door, MATCH_OF_BOTS, headers=WITH_KEY)
    assert is_refused(opens(door, MATCH_OF_BOTS))

    again = opens(door, MATCH_OF_BOTS, headers=WITH_KEY)
    bot_again = door.post("seats/2/bot", {}, "owner", headers=WITH_KEY)

    assert (first.status_code, again.status_code, bot_again.status_code) == (201, 201, 201)
    assert again.data == first.data


def test_openings_are_limited_by_address(made: Make) -> None:
    """The third opening in a minute is refused; a repeated one counts and is answered till then.

    What opens nothing does not count, and other addresses may still open.
    """
    door = made(OPENINGS="2")
    assert opens(door, {"game": "calimala"}).status_code == 422

    first = opens(door, MATCH_OF_HUMANS, headers=WITH_KEY)
    repeat = opens(door, MATCH_OF_HUMANS, headers=WITH_KEY)
    third = opens(door, MATCH_OF_HUMANS, headers=WITH_KEY)
    other = opens(door, MATCH_OF_HUMANS, environ_overrides={"REMOTE_ADDR": "127.0.0.2"})

    assert (first.status_code, repeat.status_code, other.status_code) == (201, 201, 201)
    assert repeat.data == first.data
    assert problem(third) == (429, "rate-limited")
    assert 1 <= int(third.headers["Retry-After"]) <= 60
