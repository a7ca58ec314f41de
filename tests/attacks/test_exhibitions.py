"""A flood of matches in which only bots sit: it is bounded, and the bots of humans' matches do not wait for it."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.matches import exhibitions
from tests.e2e.playing import client
from tests.running import RunningService, running_service, until
from tests.service.api.conftest import KEY, THREE, Door, Make, door_maker, json

FLOOD = {"game": "firenze", "seats": [{"kind": "bot", "level": "greedy"}] * 4}
BOTS = [{"kind": "bot", "level": "random"}] * 3
PATIENCE = (
    10.0  # seconds; a bot's turn takes a fraction of one, and took 30 and more behind such a flood
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The whole service, where openings are not limited, so that the bound of exhibitions alone protects it."""
    with running_service(tmp_path_factory.mktemp("data"), GIORNALE_OPENINGS="0") as serving:
        yield serving


def test_a_humans_bot_answers_within_its_usual_time(running: RunningService) -> None:
    """A hundred matches of bots are asked for; some begin, the others are refused, and nobody else notices."""
    with client(running) as anyone:
        answers = [anyone.post("/v1/matches", json=FLOOD) for _ in range(100)]
        refused = [
            answer for answer in answers if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE
        ]
        assert {answer.status_code for answer in answers} == {201, 503}
        assert {answer.json()["type"] for answer in refused} == {"/problems/overloaded"}
        assert all(int(answer.headers["Retry-After"]) > 0 for answer in refused)

        began = time.monotonic()
        seats = [
            {"kind": "bot", "level": "greedy"},
            {"kind": "bot", "level": "greedy"},
            {"kind": "human"},
        ]
        match = (
            anyone.post("/v1/matches", json={"game": "calimala", "seats": seats})
            .raise_for_status()
            .json()["id"]
        )

        def waits_for_the_human() -> bool:
            waiting = anyone.get(f"/v1/matches/{match}").json()["waiting_for"]
            return bool(not waiting["house"] and not waiting["bots"])

        until(waits_for_the_human, "the bots' turns")
        assert time.monotonic() - began < PATIENCE
        assert anyone.get("/readyz").status_code == httpx.codes.OK


@pytest.fixture
def made(redis_url: str, tmp_path: Path) -> Make:
    """Makes a door with settings of its own, where no worker runs."""
    return door_maker(redis_url, tmp_path)


@pytest.fixture
def full(made: Make) -> Door:
    """A door where one match of bots waits already, and no second may."""
    door = made(EXHIBITIONS="1")
    assert door.post("/v1/matches", {"game": "calimala", "seats": BOTS}).status_code == 201
    return door


def opened(door: Door, seats: list[dict[str, str]]) -> None:
    """Open a match and keep its tokens."""
    made = json(door.post("/v1/matches", {"game": "calimala", "seats": seats}))
    door.match, door.tokens = made["id"], made["tokens"]


def is_refused(answer: Any) -> bool:
    """Return whether an answer says that there are matches of bots enough, and when to come back."""
    return (answer.status_code, json(answer)["type"], answer.headers.get("Retry-After")) == (
        503,
        "/problems/overloaded",
        str(exhibitions.RETRY_SECONDS),
    )


def test_no_way_leads_around_the_bound(full: Door) -> None:
    """Not by opening, not by a bot on the last human's seat, not by starting what was prepared in the lobby."""
    assert is_refused(full.post("/v1/matches", {"game": "calimala", "seats": BOTS}))

    opened(full, [*BOTS[1:], {"kind": "human"}])
    assert is_refused(full.post("seats/2/bot", {}, "owner"))

    full.desk.journal._store.client.flushall()  # type: ignore[attr-defined]
    opened(full, [*BOTS[1:], {"kind": "open"}])
    assert full.post("seats/2/bot", {}, "owner").status_code == 201
    prepared, tokens = full.match, full.tokens
    opened(full, BOTS)
    full.match, full.tokens = prepared, tokens
    assert is_refused(full.post("start", None, "owner"))


def test_matches_with_a_human_are_opened_all_the_same(full: Door) -> None:
    """The bound is for matches that nobody waits for; a human may sit down, and a bot stand in for one of two."""
    opened(full, [{"kind": "human"}, {"kind": "human"}, BOTS[0]])
    assert full.post("seats/1/bot", {}, "owner").status_code == 201


def test_a_repeat_is_answered_though_there_is_no_room(made: Make) -> None:
    """Who lost the answer gets it again, for an opening and for a bot on the last seat alike."""
    door, key, body = (
        made(EXHIBITIONS="2"),
        {"Idempotency-Key": KEY},
        {"game": "calimala", "seats": BOTS},
    )
    opened(door, [*BOTS[1:], {"kind": "human"}])
    assert door.post("seats/2/bot", {}, "owner", headers=key).status_code == 201
    first = door.post("/v1/matches", body, headers=key)
    assert first.status_code == 201

    assert is_refused(door.post("/v1/matches", body))
    repeats = [
        door.post("seats/2/bot", {}, "owner", headers=key),
        door.post("/v1/matches", body, headers=key),
    ]
    assert [repeat.status_code for repeat in repeats] == [201, 201]
    assert repeats[1].data == first.data


def test_openings_are_limited_by_address(made: Make) -> None:
    """Two a minute: the third is refused; a repeated one counts and is answered till then; others may still open."""
    door = made(OPENINGS="2")
    body, key = {"game": "calimala", "seats": THREE}, {"Idempotency-Key": KEY}
    assert door.post("/v1/matches", {"game": "calimala"}).status_code == 422, (
        "what opens nothing does not count"
    )
    answers = [door.post("/v1/matches", body, headers=key) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert answers[1].data == answers[0].data
    assert json(answers[2])["type"] == "/problems/rate-limited"
    assert 1 <= int(answers[2].headers["Retry-After"]) <= 60
    other = door.client.post("/v1/matches", json=body, environ_base={"REMOTE_ADDR": "127.0.0.2"})
    assert other.status_code == 201
