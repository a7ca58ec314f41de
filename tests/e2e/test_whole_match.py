"""A person with curl and two bots: a whole match over HTTP, scoring held by a worker, history and any version read."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from domain.games import GAMES
from tests.e2e.playing import client, history, to_end
from tests.running import RunningService, running_service, until


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The whole service on a directory of its own."""
    with running_service(tmp_path_factory.mktemp("data"), GIORNALE_ALLOW_SEED="true") as serving:
        yield serving


def play(me: httpx.Client, match: str) -> int:
    """Make a legal move whenever the seat may act, to the end; return how many moves it made."""
    made = 0

    def turn_or_end() -> dict[str, Any] | None:
        state: dict[str, Any] = me.get(f"/v1/matches/{match}/moves").raise_for_status().json()
        over = not state["moves"] and me.get(f"/v1/matches/{match}").json()["status"] == "finished"
        return state if state["moves"] or over else None

    while (state := until(turn_or_end, "the seat's turn or the end"))["moves"]:
        move = state["moves"][made % len(state["moves"])]
        headers = {"If-Match": f'"{state["version"]}"'}
        answer = me.post(f"/v1/matches/{match}/moves", json=move, headers=headers)
        if answer.status_code != httpx.codes.PRECONDITION_FAILED:
            assert answer.status_code == httpx.codes.CREATED, answer.text
            made += 1
    return made


@pytest.mark.parametrize("game", GAMES)
def test_a_human_and_two_bots_play_a_whole_match(running: RunningService, game: str) -> None:
    """Opened, played, scored by a worker, ended, revealed; every version readable; the history without a gap."""
    seats = [
        {"kind": "human", "name": "Ann"},
        {"kind": "bot", "level": "greedy"},
        {"kind": "bot", "level": "random"},
    ]
    with client(running) as anyone:
        opened = anyone.post("/v1/matches", json={"game": game, "seats": seats, "seed": "e2e"})
        assert opened.status_code == httpx.codes.CREATED
        match, token = opened.json()["id"], opened.json()["tokens"]["seat:0"]
        with client(running, token) as me:
            assert play(me, match) > 10
        document = to_end(anyone, match)
        commits = history(anyone, match)
        assert [one["version"] for one in commits] == list(range(1, document["version"] + 1))
        assert {one["actor"] for one in commits} == {"owner", "house", "seat:0", "seat:1", "seat:2"}
        assert {one["actor"] for one in commits if one["command"]["type"] == "score"} == {"house"}
        assert commits[-1]["command"]["type"] == "reveal"
        assert sorted(document["outcome"]) == ["points", "ranks"]
        for version in (1, document["version"] // 2, document["version"]):
            state = anyone.get(f"/v1/matches/{match}/state", params={"version": version}).json()
            assert (state["version"], state["time"]) == (version, commits[version - 1]["time"])


def test_the_service_is_ready_when_it_says_so(running: RunningService) -> None:
    """Right after the URL is printed, /livez and /readyz say yes."""
    with client(running) as anyone:
        assert anyone.get("/livez").status_code == httpx.codes.OK
        assert anyone.get("/readyz").status_code == httpx.codes.OK


def test_what_is_measured_is_told(running: RunningService) -> None:
    """Requests served by Granian's worker processes are counted in /metrics."""
    with client(running) as anyone:
        anyone.get("/v1/games")
        told = anyone.get("/metrics").text
    assert re.search(
        r'^giornale_request_seconds_count\{operation="listGames",status="200"\} [1-9]',
        told,
        re.MULTILINE,
    )
