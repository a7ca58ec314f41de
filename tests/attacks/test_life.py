"""Attacks on how matches come and stay: floods of openings and of bots, and a full journal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis import Redis
from redis.exceptions import OutOfMemoryError
from werkzeug.test import TestResponse

from service.base.config import Config
from service.matches import automation, lifecycle, lobby
from service.matches.lifecycle import HOUR, Patience
from service.ops.process.valkey import Server
from tests.attacks.conftest import BOT, MATCH_OF_BOTS, THREE_BOTS, delete_match
from tests.e2e.playing import client
from tests.running import RunningService, running_service, until
from tests.service.api.conftest import (
    KEY,
    OPERATOR,
    THREE,
    Door,
    Make,
    door_maker,
    json,
    opened,
    problem,
)
from workers.bots import choose

ONE_HUMAN = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]
WEEK = 168 * HOUR
LONG = 120  # commits. So long a match is read from a snapshot, if there is one
FILLING = b"x" * 65_536


def test_a_list_of_an_unknown_game_costs_one_look(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many matches there are, the game's index is asked once and no head is read."""
    for _ in range(30):
        opened(door)

    asked_each_time: list[int] = []
    look = door.ctx.journal.events.overviews

    def counted_look(lookups: Sequence[tuple[str, Sequence[str]]]) -> Any:
        asked_each_time.append(len(lookups))
        return look(lookups)

    monkeypatch.setattr(door.ctx.journal.events, "overviews", counted_look)
    answer = door.get("/v1/matches?game=firenze&limit=2")

    assert json(answer)["matches"] == []
    assert asked_each_time == [0]


def test_a_flood_of_openings_goes_away_by_itself(door: Door) -> None:
    """Matches that nobody joins end, are revealed, and leave the list of joinable ones.

    The history names the house as the actor.
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
    """End matches that nobody has joined for a week, a week from now. Return their number."""
    in_a_week = replace(door.ctx, clock=lambda: door.ctx.clock() + WEEK)
    return lifecycle.expire(in_a_week, Patience(WEEK, 0))


def history(door: Door) -> list[tuple[str, str]]:
    """Return the actor and the kind of each command of a match."""
    commits = json(door.get("commits"))["commits"]
    return [(commit["actor"], commit["command"]["type"]) for commit in commits]


@dataclass
class Full:
    """A service with a full journal, with one long match of bots.

    client: of the journal. keys: the number of its keys when it was filled.
    """

    door: Door
    client: Redis
    keys: int


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Full]:
    """A service with a full journal."""
    with (
        Server(tmp_path / "journal", memory_mb=8) as server,
        Redis.from_url(server.url) as client,
        door_maker(server.url, tmp_path) as make,
    ):
        door = make(OPERATOR_TOKEN=OPERATOR)
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
    """An opening is answered 503, with the reason, and everything can be read. Nothing is stored.

    A long match is read from its first commit. Elsewhere such a read stores a snapshot. The
    operator can still delete. With room again, matches are opened.
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


@pytest.mark.whole
def test_a_humans_bot_waits_for_no_flood(running: RunningService) -> None:
    """Of a hundred matches of bots some begin, the rest is told when to come back.

    The turns of bots beside a human are over while one of those matches still runs. The service
    stays ready.
    """
    with client(running) as anyone:
        answers = [anyone.post("/v1/matches", json=FLOOD) for _ in range(100)]

        answer = anyone.post("/v1/matches", json=WITH_A_HUMAN).raise_for_status()
        until(lambda: waits_for_a_human(anyone, answer.json()["match"]), "the bots' turns")
        played = [answer for answer in answers if answer.status_code == 201]
        statuses = [anyone.get(answer.headers["Location"]).json()["status"] for answer in played]
        readiness = anyone.get("/readyz").status_code

    refused = [answer for answer in answers if answer.status_code == 503]
    assert {answer.status_code for answer in answers} == {201, 503}
    assert answers[-1] in refused
    assert {answer.json()["type"] for answer in refused} == {"/problems/overloaded"}
    assert min(int(answer.headers["Retry-After"]) for answer in refused) > 0
    assert "running" in statuses
    assert readiness == httpx.codes.OK


def waits_for_a_human(anyone: httpx.Client, match: str) -> bool:
    """Return True if a match waits neither for the house nor for bots."""
    waiting_for: dict[str, Any] = anyone.get(f"/v1/matches/{match}").json()["waiting_for"]
    return not waiting_for["house"] and not waiting_for["bots"]


@pytest.fixture
def one_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """One match of bots may wait, at a door without a worker."""
    monkeypatch.setattr(Config, "exhibitions", 1)


def opens(door: Door, body: Any, **more: Any) -> TestResponse:
    return door.post("/v1/matches", body, **more)


def is_refused(answer: TestResponse) -> bool:
    """Return True if an answer is "overloaded", with the time to try again."""
    if problem(answer) != (503, "overloaded"):
        return False
    return answer.headers.get("Retry-After") == str(lobby.RETRY_SECONDS)


@pytest.mark.usefixtures("one_may_wait")
def test_no_way_leads_around_the_bound(make_door: Make) -> None:
    """An opening, a start in the lobby and a bot on the last human's seat are refused.

    The bound is for matches without waiting players: a bot may stand in for one of two humans.
    """
    door = make_door(REPLACE_AFTER_HOURS="0")
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
    make_door: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lost answer, to an opening or for a bot on the last human's seat, is given again."""
    monkeypatch.setattr(Config, "exhibitions", 2)
    door = make_door(REPLACE_AFTER_HOURS="0")
    opened(door, seats=[BOT, BOT, HUMAN], seed=None)
    assert door.post("seats/2/bot", {}, "owner", headers=WITH_KEY).status_code == 201
    first = opens(door, MATCH_OF_BOTS, headers=WITH_KEY)
    assert is_refused(opens(door, MATCH_OF_BOTS))

    again = opens(door, MATCH_OF_BOTS, headers=WITH_KEY)
    bot_again = door.post("seats/2/bot", {}, "owner", headers=WITH_KEY)

    assert (first.status_code, again.status_code, bot_again.status_code) == (201, 201, 201)
    assert again.data == first.data


def test_openings_are_limited_by_address(make_door: Make) -> None:
    """With two openings in a minute, the third request is refused. A repeated request counts, too.

    A request that opens nothing does not count, and other addresses may still open.
    """
    door = make_door(OPENINGS="2")
    assert opens(door, {"game": "calimala"}).status_code == 422

    first = opens(door, MATCH_OF_HUMANS, headers=WITH_KEY)
    repeat = opens(door, MATCH_OF_HUMANS, headers=WITH_KEY)
    third = opens(door, MATCH_OF_HUMANS, headers=WITH_KEY)
    other = opens(door, MATCH_OF_HUMANS, environ_overrides={"REMOTE_ADDR": "127.0.0.2"})

    assert (first.status_code, repeat.status_code, other.status_code) == (201, 201, 201)
    assert repeat.data == first.data
    assert problem(third) == (429, "rate-limited")
    assert 1 <= int(third.headers["Retry-After"]) <= 60
