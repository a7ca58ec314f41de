"""Advice over HTTP: for a seat that must act, in matches opened with advice (M14)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from domain.chance import FastChance
from service.capabilities.advice import jobs, use_cases as advice
from service.matches.context import Context, MatchCache
from service.matches.repository import load
from service.store.jobs.table import ADVICE
from tests.service.api.conftest import Door, json, opened, problem, waiting, work
from workers import bots
from workers.bots.players import Budget

MOST_ITERATIONS = 8
FEW = Budget(iterations=MOST_ITERATIONS)
HUMAN = {"kind": "human"}


@pytest.fixture(autouse=True)
def _think_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """The strong bot thinks for 8 iterations, and so gives the same advice each time."""
    player, _usual = bots.LEVELS["strong"]
    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "strong": (player, FEW)})


@pytest.fixture
def advised(door: Door, as_worker: None) -> Door:
    """A match of three humans who may ask for advice."""
    return opened(door, advice=True)


def actor(door: Door) -> str:
    """Return a seat to act."""
    return f"seat:{door.waiting_seats()[0]}"


def advice_of(door: Door, who: str) -> Any:
    """Return the advice for a seat, once a worker has thought."""
    door.post("advice", None, who)
    work(door, ADVICE)
    answer = door.get("advice", who)
    assert answer.status_code == 200, answer.text
    return json(answer)


def test_advice_is_asked_for_thought_up_and_told(advised: Door) -> None:
    """The answer is 202 until a worker has thought.

    Then it has the best moves, ready to be posted.
    """
    who = actor(advised)
    assert problem(advised.get("advice", who)) == (404, "not-found")

    first = advised.post("advice", None, who)
    assert first.status_code == 202
    assert first.headers["Retry-After"] == "1"
    assert first.headers["Location"] == f"/v1/matches/{advised.match}/advice"
    assert json(advised.get("advice", who)) == json(first)
    assert json(first)["status"] == "thinking"
    assert json(first)["best"] == []

    work(advised, ADVICE)
    second = advised.get("advice", who)
    content = json(second)

    assert second.status_code == 200
    assert second.headers["Cache-Control"] == "no-store"
    assert "Retry-After" not in second.headers
    assert json(advised.post("advice", None, who)) == content
    assert content["match"] == advised.match
    assert content["version"] == 1
    assert f"seat:{content['seat']}" == who
    assert content["level"] == "strong"
    assert content["status"] == "ready"
    assert 0 < content["iterations"] <= MOST_ITERATIONS
    assert 1 <= len(content["best"]) <= 3

    legal_moves = advised.moves(who)
    for candidate in content["best"]:
        assert candidate["move"] in legal_moves
        assert 0 <= candidate["win_chance"] <= 1
    assert advised.post("moves", content["best"][0]["move"], who).status_code == 201


def test_asking_again_is_one_job(advised: Door) -> None:
    """Repeated requests of a seat at one version are one job. Each seat has a job of its own."""
    seats = advised.waiting_seats()
    for _time in range(3):
        for seat in seats:
            assert advised.post("advice", None, f"seat:{seat}").status_code == 202

    assert waiting(advised, ADVICE) == len(seats)
    work(advised, ADVICE)
    for seat in seats:
        assert advised.get("advice", f"seat:{seat}").status_code == 200
    assert waiting(advised, ADVICE) == 0


def test_advice_holds_for_its_version_alone(advised: Door) -> None:
    """After the next commit a seat must ask again, and a late job stores nothing.

    Another seat does not get the advice, since advice depends on the cards of its seat.
    """
    who = actor(advised)
    content = advice_of(advised, who)
    other = next(f"seat:{seat}" for seat in advised.waiting_seats() if f"seat:{seat}" != who)

    assert advised.get("advice", other).status_code == 404
    to_the_other = advised.post("advice", None, other)
    assert to_the_other.status_code == 202
    assert json(to_the_other)["seat"] == int(other.removeprefix("seat:"))
    assert json(to_the_other)["best"] == []
    advised.move(who)
    late = json(advised.get())["version"]
    work(advised, ADVICE)

    assert advised.get("advice", other).status_code == 404
    asked_again = advised.post("advice", None, other)
    assert asked_again.status_code == 202
    assert json(asked_again)["version"] == late == content["version"] + 1
    assert advised.services.queues.redis.keys(f"giornale:sealed:advice:{advised.match}:*") == [
        f"giornale:sealed:advice:{advised.match}:{who.removeprefix('seat:')}".encode()
    ]


def give_to_a_bot(door: Door) -> None:
    """Let a bot stand in for seat 0. Its human is absent then."""
    assert door.post("seats/0/bot", {}, "owner").status_code == 201


def abort(door: Door) -> None:
    """End the match."""
    assert door.post("abort", {}, "owner").status_code == 201


LACKING = [HUMAN, HUMAN, {"kind": "open"}]

# Settings of the match, events after the opening, the caller, and the refusal.
REFUSED: dict[str, tuple[dict[str, Any], Callable[[Door], object], str, tuple[int, str, str]]] = {
    "without-the-option": ({}, bool, "seat:0", (409, "no_advice", "M14")),
    "not-to-act": ({"game": "firenze"}, bool, "seat:1", (409, "not_awaited", "M14")),
    "not-started": ({"seats": LACKING}, bool, "seat:0", (409, "not_started", "M4")),
    "over": ({}, abort, "seat:0", (409, "match_over", "M5")),
    "held-by-a-bot": ({}, give_to_a_bot, "seat:0", (409, "seat_held_by_bot", "M6")),
    "a-spectator": ({"visibility": "private"}, bool, "spectator", (403, "", "")),
    "the-owner": ({"visibility": "private"}, bool, "owner", (403, "", "")),
}


@pytest.mark.parametrize(
    ("wishes", "happens", "who", "refusal"), REFUSED.values(), ids=list(REFUSED)
)
def test_advice_is_refused_outside_its_conditions(
    door: Door,
    wishes: dict[str, Any],
    happens: Callable[[Door], object],
    who: str,
    refusal: tuple[int, str, str],
) -> None:
    """Advice is for a human's seat that must act, in a running match opened with advice (M14)."""
    opened(door, **{"advice": refusal[1] != "no_advice", **wishes})
    happens(door)

    refused = door.post("advice", None, who)

    content = json(refused)
    assert (refused.status_code, content.get("code", ""), content.get("rule", "")) == refusal
    assert waiting(door, ADVICE) == 0


def test_too_much_advice_is_refused(advised: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is 503 while too many requests wait. A repeat of a waiting request is accepted."""
    monkeypatch.setattr(jobs, "MOST_ADVICE_WAITING", 1)
    first, second, *_ = [f"seat:{seat}" for seat in advised.waiting_seats()]
    assert advised.post("advice", None, first).status_code == 202

    refused = advised.post("advice", None, second)

    assert problem(refused) == (503, "overloaded")
    assert refused.headers["Retry-After"] == str(jobs.ADVICE_RETRY_SECONDS)
    assert advised.post("advice", None, first).status_code == 202


def in_another_world(ctx: Context, match: str, seat: int) -> Context:
    """Return a context with another state of the match, and the same view for a seat."""
    loaded = load(ctx, match)
    game = loaded.match.game
    other_state = game.imagine(loaded.match.state, seat, FastChance(b"another world"))
    assert game.view(other_state, seat) == game.view(loaded.match.state, seat)
    assert other_state != loaded.match.state

    cache = MatchCache()
    cache.put(replace(loaded, match=replace(loaded.match, state=other_state)))
    return replace(ctx, cache=cache)


def test_advice_does_not_depend_on_hidden_state(advised: Door) -> None:
    """If two states differ only in parts hidden from a seat, its advice is the same in both."""
    ctx = advised.ctx
    for _round in range(9):
        seat = advised.waiting_seats()[0]
        version = load(ctx, advised.match).version
        other = in_another_world(ctx, advised.match, seat)

        here = advice.advise(ctx, advised.match, version, seat, bots.choose)
        there = advice.advise(other, advised.match, version, seat, bots.choose)
        assert here is not None
        assert there == here
        advised.move(f"seat:{seat}")


def test_a_bot_that_compares_nothing_names_one_move(
    advised: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Advice by the greedy bot is one move, without iterations and without a win chance."""
    who = actor(advised)
    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "strong": bots.LEVELS["greedy"]})

    content = advice_of(advised, who)

    [only] = content["best"]
    assert only["move"] in advised.moves(who)
    assert only["win_chance"] is None
    assert content["iterations"] == 0
