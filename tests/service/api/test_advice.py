"""Advice through the door: for the seat that must act, in matches opened with it (M14)."""

import signal
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from domain.chance import FastChance
from service.jobs import requests as jobs
from service.jobs.queues import ADVICE, Queues
from service.jobs.requests import KEEP_SECONDS
from service.ledger.commit import parse_commit
from service.matches import advice, lifecycle
from service.matches.context import Context, MatchCache
from service.matches.repository import load
from tests.service.api.conftest import OPERATOR, Door, json, opened, problem
from workers import bots, process
from workers.bots.players import Budget
from workers.worker import make_worker

MOST_ITERATIONS = 8
FEW = Budget(iterations=MOST_ITERATIONS)
HANDLED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
HUMAN = {"kind": "human"}
BOT = {"kind": "bot", "level": "random"}


@pytest.fixture(autouse=True)
def _think_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots that search think the same each time, and not for long."""
    player, _usual = bots.LEVELS["strong"]
    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "strong": (player, FEW)})


@pytest.fixture
def advised(door: Door, monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    """A match of three humans who may ask for advice; this process may think as a worker would."""
    handlers = {number: signal.getsignal(number) for number in HANDLED_SIGNALS}
    parts = (door.ctx, door.services.queues)
    monkeypatch.setattr(process, "_context_and_queues", lambda: parts)
    yield opened(door, advice=True)

    for number, handler in handlers.items():
        signal.signal(number, handler)


def work(door: Door) -> None:
    """Let a worker give all the advice that is asked for."""
    queues: Queues = door.services.queues
    make_worker(ADVICE, queues).work(burst=True, logging_level=None)


def waiting(door: Door) -> int:
    """Return how many jobs wait for a worker."""
    queues: Queues = door.services.queues
    return queues.depths()[ADVICE]


def actor(door: Door) -> str:
    """Return a seat that must act."""
    return f"seat:{door.waiting_seats()[0]}"


def advice_of(door: Door, who: str) -> Any:
    """Return what a seat is advised, once a worker has thought."""
    door.get("advice", who)
    work(door)
    answer = door.get("advice", who)
    assert answer.status_code == 200, answer.text
    return json(answer)


def test_advice_is_asked_for_thought_up_and_told(advised: Door) -> None:
    """202 until a worker has thought, then the best moves; each may be posted as it stands."""
    who = actor(advised)
    first = advised.get("advice", who)
    assert first.status_code == 202
    assert first.headers["Retry-After"] == "1"
    assert json(first)["status"] == "thinking"
    assert json(first)["best"] == []

    work(advised)
    second = advised.get("advice", who)
    told = json(second)

    assert second.status_code == 200
    assert second.headers["Cache-Control"] == "no-store"
    assert "Retry-After" not in second.headers
    assert told["match"] == advised.match
    assert told["version"] == 1
    assert f"seat:{told['seat']}" == who
    assert told["level"] == "strong"
    assert told["status"] == "ready"
    assert 0 < told["iterations"] <= MOST_ITERATIONS
    assert 1 <= len(told["best"]) <= 3

    legal_moves = advised.moves(who)
    for candidate in told["best"]:
        assert candidate["move"] in legal_moves
        assert 0 <= candidate["win_chance"] <= 1
    assert advised.post("moves", told["best"][0]["move"], who).status_code == 201


def test_asking_again_is_one_job(advised: Door) -> None:
    """However often a seat asks at one version; each seat has one of its own."""
    seats = advised.waiting_seats()
    for _time in range(3):
        for seat in seats:
            assert advised.get("advice", f"seat:{seat}").status_code == 202

    assert waiting(advised) == len(seats)
    work(advised)
    for seat in seats:
        assert advised.get("advice", f"seat:{seat}").status_code == 200
    assert waiting(advised) == 0


def test_advice_holds_for_its_version_alone(advised: Door) -> None:
    """After the next commit it is thought up anew, and a late job keeps nothing."""
    who = actor(advised)
    told = advice_of(advised, who)
    other = next(f"seat:{seat}" for seat in advised.waiting_seats() if f"seat:{seat}" != who)

    advised.get("advice", other)
    advised.move(who)
    late = json(advised.get())["version"]
    work(advised)

    asked_again = advised.get("advice", other)
    assert asked_again.status_code == 202
    assert json(asked_again)["version"] == late == told["version"] + 1
    assert advised.services.queues.redis.keys(f"giornale:sealed:advice:{advised.match}:*") == [
        f"giornale:sealed:advice:{advised.match}:{who.removeprefix('seat:')}".encode()
    ]


def test_nobody_thinks_about_a_match_that_is_gone(advised: Door) -> None:
    """What was asked before it was deleted is dropped, and is no failure."""
    advised.get("advice", actor(advised))
    lifecycle.delete(advised.ctx, advised.match, OPERATOR)
    work(advised)

    queues: Queues = advised.services.queues
    assert waiting(advised) == 0
    assert queues.failures()[ADVICE] == 0
    assert queues.redis.keys("giornale:sealed:advice:*") == []


def test_what_is_kept_goes_away_by_itself(advised: Door) -> None:
    """One answer a seat at most, and not for long."""
    who = actor(advised)
    advice_of(advised, who)
    redis: Any = advised.services.queues.redis

    [key] = redis.keys("giornale:sealed:advice:*")
    assert 0 < redis.ttl(key) <= KEEP_SECONDS


def test_what_is_kept_is_for_nobody_else_to_read(advised: Door) -> None:
    """Whoever reads the queues' Redis finds neither a move nor a chance there."""
    who = actor(advised)
    told = advice_of(advised, who)
    redis: Any = advised.services.queues.redis
    [key] = redis.keys("giornale:sealed:advice:*")

    content = redis.get(key)
    for candidate in told["best"]:
        assert candidate["move"]["type"].encode() not in content
    assert b"win_chance" not in content


def test_no_seat_reads_what_another_is_advised(advised: Door) -> None:
    """A seat's advice tells of its cards: another seat gets its own, or none."""
    first, second, *_ = [f"seat:{seat}" for seat in advised.waiting_seats()]
    advice_of(advised, first)

    to_the_other = advised.get("advice", second)

    assert to_the_other.status_code == 202
    assert json(to_the_other)["seat"] == int(second.removeprefix("seat:"))
    assert json(to_the_other)["best"] == []


def code_of(door: Door, who: str) -> tuple[int, str, str]:
    """Return status, code and rule of a refusal."""
    refused = door.get("advice", who)
    told = json(refused)
    return refused.status_code, told["code"], told["rule"]


def test_without_the_option_there_is_no_advice(match: Door) -> None:
    """Most matches are opened without it (M14)."""
    assert json(match.get())["advice"] is False
    assert code_of(match, actor(match)) == (409, "no_advice", "M14")
    assert waiting(match) == 0


def test_a_seat_that_need_not_act_is_not_advised(door: Door) -> None:
    """It could be told what comes, at the cost of a second of the machine."""
    opened(door, "firenze", advice=True)
    acting = actor(door)
    others = [f"seat:{seat}" for seat in range(3) if f"seat:{seat}" != acting]

    for who in others:
        assert code_of(door, who) == (409, "not_awaited", "M14")
    assert waiting(door) == 0


def test_a_match_that_does_not_run_gives_no_advice(door: Door) -> None:
    """Before the start, and after the end."""
    opened(door, seats=[HUMAN, HUMAN, {"kind": "open"}], advice=True)
    assert code_of(door, "seat:0") == (409, "not_started", "M4")

    door.post("abort", {}, "owner")
    assert code_of(door, "seat:0") == (409, "match_over", "M5")


def test_a_seat_that_a_bot_holds_is_not_advised(advised: Door) -> None:
    """Its human is absent."""
    who = actor(advised)
    number = who.removeprefix("seat:")
    assert advised.post(f"seats/{number}/bot", {}, "owner").status_code == 201

    assert code_of(advised, who) == (409, "seat_held_by_bot", "M6")


def test_too_much_advice_is_refused(advised: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """As audits are; whoever waits already goes on waiting."""
    monkeypatch.setattr(jobs, "MOST_ADVICE_WAITING", 1)
    first, second, *_ = [f"seat:{seat}" for seat in advised.waiting_seats()]
    assert advised.get("advice", first).status_code == 202

    refused = advised.get("advice", second)

    assert problem(refused) == (503, "overloaded")
    assert refused.headers["Retry-After"] == str(jobs.ADVICE_RETRY_SECONDS)
    assert advised.get("advice", first).status_code == 202


def test_everybody_is_told_whether_there_is_advice(advised: Door) -> None:
    """In the match, in lists, and in the history from its first commit on."""
    assert json(advised.get())["advice"] is True
    [listed] = json(advised.get("/v1/matches"))["matches"]
    assert listed["advice"] is True

    opening = json(advised.get("commits/1"))
    assert opening["command"]["advice"] is True
    assert opening["events"][0]["advice"] is True
    [line, *_] = json(advised.get("story"))["lines"]
    assert "humans may ask for advice" in line["sentences"][0]["text"]
    assert line["sentences"][0]["rules"] == ["M14"]


def test_an_imported_match_tells_of_its_advice(advised: Door) -> None:
    """In the list, too, where nothing but the record says so."""
    who = actor(advised)
    advised.move(who)
    advised.post("abort", {}, "owner")
    advised.house()
    journal = advised.ctx.journal
    for name in ("advice", "seats"):
        journal.metadata.put(advised.match, {name: None})

    for _look in range(2):
        [listed] = json(advised.get("/v1/matches"))["matches"]
        assert listed["advice"] is True
    assert journal.metadata.field(advised.match, "advice") == "true"


def test_a_match_without_advice_is_stored_as_before(match: Door) -> None:
    """No byte of its first commit tells of an option that it does not have."""
    first = parse_commit(match.ctx.journal.events.read(match.match)[0])

    assert "advice" not in first["commit"]["command"]
    assert "advice" not in first["commit"]["events"][0]
    assert json(match.get("/v1/matches"))["matches"][0]["advice"] is False


def test_a_repeated_opening_knows_whether_there_was_advice(door: Door) -> None:
    """The same key with another option is another request."""
    headers = {"Idempotency-Key": "an-opening-with-advice"}
    with_advice = {"game": "calimala", "seats": [HUMAN] * 3, "advice": True}
    without = {**with_advice, "advice": False}
    first = door.post("/v1/matches", with_advice, headers=headers)
    assert first.status_code == 201

    assert door.post("/v1/matches", with_advice, headers=headers).data == first.data
    assert problem(door.post("/v1/matches", without, headers=headers))[0] == 422


def in_another_world(ctx: Context, match: str, seat: int) -> Context:
    """Return a desk where all that a seat cannot see is another, and nothing else is."""
    loaded = load(ctx, match)
    game = loaded.match.game
    other_state = game.imagine(loaded.match.state, seat, FastChance(b"another world"))
    assert game.view(other_state, seat) == game.view(loaded.match.state, seat)
    assert other_state != loaded.match.state

    cache = MatchCache()
    cache.put(replace(loaded, match=replace(loaded.match, state=other_state)))
    return replace(ctx, cache=cache)


def test_advice_does_not_depend_on_what_the_seat_cannot_see(advised: Door) -> None:
    """In two worlds that differ in the other hands alone, it is the same to the last digit."""
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


def test_a_seat_without_a_choice_is_told_its_one_move(
    advised: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is weighed then, and no chance of winning is made up."""
    who = actor(advised)
    monkeypatch.setattr(bots, "LEVELS", {**bots.LEVELS, "strong": bots.LEVELS["greedy"]})

    told = advice_of(advised, who)

    [only] = told["best"]
    assert only["move"] in advised.moves(who)
    assert only["win_chance"] is None
    assert told["iterations"] == 0


@pytest.mark.parametrize("who", ["spectator", "owner"])
def test_advice_is_for_seats(door: Door, who: str) -> None:
    """Who may see the match all the same is told to use the token of a seat."""
    opened(door, advice=True, visibility="private")

    assert problem(door.get("advice", who)) == (403, "forbidden")
