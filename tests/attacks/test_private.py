"""Attacks on private and deleted matches: nobody learns of them, and nothing of one is left."""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Any

import pytest
from redis import Redis
from werkzeug.test import TestResponse

from service.matches import automation
from service.matches.access import enter
from service.matches.context import Context, MatchCache
from service.matches.following import Follower, FollowerCursor, follow
from service.matches.repository import load, write_snapshot
from service.record import record
from service.store.journal.notifications import Notifications
from service.store.journal.ports import Journal
from tests.attacks.conftest import BOT, THREE_BOTS, delete_match, post_record
from tests.running import until
from tests.service.api.conftest import OPERATOR, THREE, Door, json, opened, problem
from tests.service.api.test_refusals import OF_A_MATCH, Route, json_of
from tests.service.store.journal.ports import journal_of_calls
from workers.bots import choose

NEVER = "a" * 26  # the id of no match
OF_THE_REQUEST = {"X-Request-Id", "RateLimit"}
READS_OF_THE_MATCH = {"events.tail", "events.read", "metadata.snapshot"}


def noting(journal: Journal, questions: list[str]) -> Journal:
    """Return a journal that notes its calls, one name of a method after another."""

    def noted(name: str, *arguments: Any, **keywords: Any) -> Any:
        questions.append(name)
        return attrgetter(name)(journal)(*arguments, **keywords)

    return journal_of_calls(noted)


def put_context(door: Door, **changed: Any) -> None:
    """Let the application work with another context."""
    door.change(ctx=replace(door.ctx, **changed))


HIDDEN: dict[str, Callable[[Door], None]] = {
    "remembered": lambda _: None,
    "not-remembered": lambda door: put_context(door, cache=MatchCache()),
    "deleted": delete_match,
}


@pytest.fixture(params=list(HIDDEN))
def hidden(door: Door, request: pytest.FixtureRequest) -> Door:
    """A private match, running or deleted."""
    opened(door, seats=[*THREE[1:], {"kind": "open"}], visibility="private")
    assert door.get("state", "owner").status_code == 200
    HIDDEN[request.param](door)
    return door


@pytest.mark.whole
@pytest.mark.parametrize("with_token", [False, True], ids=["no-token", "made-up-token"])
def test_a_private_match_is_answered_as_one_that_never_was(hidden: Door, with_token: bool) -> None:
    """Except for the id, the answer has the same bytes, after the same questions to the journal.

    Equal questions take equal time. The match itself is not read for the answer.
    """
    questions: list[str] = []
    put_context(hidden, journal=noting(hidden.ctx.journal, questions))

    def answer_for(match: str, route: Route) -> tuple[Any, list[str]]:
        token = f"gio_{match}_{'a' * 43}" if with_token else ""
        questions.clear()
        answer = route.send(hidden, token, match=match, json=json_of(route))
        return without(match, answer), list(questions)

    for name, route in OF_A_MATCH.items():
        of_the_match = answer_for(hidden.match, route)
        of_none = answer_for(NEVER, route)

        assert of_the_match == of_none, name
        assert READS_OF_THE_MATCH.isdisjoint(of_none[1]), name


def without(match: str, answer: TestResponse) -> tuple[int, str, dict[str, str]]:
    """Return an answer without the id of the match and the headers of the single request."""
    headers = {name: text for name, text in answer.headers if name not in OF_THE_REQUEST}
    return answer.status_code, answer.text.replace(match, "MATCH"), headers


def test_a_private_match_is_shown_only_to_its_tokens(hidden: Door) -> None:
    """Its tokens open it while it is there, also in a process without any memory of it.

    After its deletion a stranger gets 404, its token 401, and only the operator learns of it.
    """
    answer = hidden.get("", "owner")

    if hidden.ctx.journal.events.head(hidden.match) is not None:
        assert answer.status_code == 200
        assert json(answer)["match"] == hidden.match
    else:
        assert problem(hidden.get("state")) == (404, "not-found")
        assert problem(answer) == (401, "unauthorized")
        assert problem(hidden.delete("", OPERATOR)) == (410, "match-deleted")


KEY_OF_THE_OPENING = "the-one-key-of-this-opening"
SECONDS_TO_END = 50  # less than one beat


def test_nothing_of_a_deleted_match_is_left_or_comes_back(door: Door, redis_url: str) -> None:
    """Its only key is the tombstone. The tombstone names the operator's key by its digest.

    Its record is not imported, and its opening is not repeated. The answers tell the reason. A
    process with an earlier read of it stores nothing of it afterwards.
    """
    opened(door, seats=THREE_BOTS, key=KEY_OF_THE_OPENING)
    door.post("abort", None, "owner")
    door.house()
    lines = record.lines(door.get("record").data)
    remembered = load(door.ctx, door.match)
    delete_match(door)

    taken_in = post_record(door, lines)
    headers = {"Idempotency-Key": KEY_OF_THE_OPENING}
    opening = {"game": "calimala", "seats": THREE_BOTS, "seed": "seed"}
    repeated = door.post("/v1/matches", opening, headers=headers)
    write_snapshot(door.ctx, remembered)

    assert problem(taken_in) == (409, "match-exists")
    assert "was deleted" in json(taken_in)["detail"]
    assert problem(repeated) == (422, "idempotency-key-reused")
    assert "deleted" in json(repeated)["detail"]
    assert json(door.get())["deleted"].startswith("20")
    assert json(door.get("/v1/matches"))["matches"] == []

    with Redis.from_url(redis_url) as client:
        keys = client.keys(f"*{door.match}*")
        lists = [key for key in client.keys("giornale:{*") if client.type(key) == b"zset"]
        members = [member for key in lists for member in client.zrange(key, 0, -1)]
        [tombstone_key] = client.keys("*:deleted")
        tombstone = client.get(tombstone_key).decode()

    assert keys == [tombstone_key]
    assert [member for member in members if door.match.encode() in member] == []
    assert tombstone.endswith(f"|{hashlib.sha256(OPERATOR.encode()).hexdigest()[:16]}")


# The next act of a process that still caches a deleted match. `ctx` is that process's.
STEPS: dict[str, Callable[[Door, Context], object]] = {
    "house": lambda door, ctx: automation.act(ctx, door.match),
    "bots": lambda door, ctx: automation.play_bots(ctx, door.match, choose),
    "mover": lambda door, _: problem(door.post("moves", {"type": "pass"}, "seat:0")),
    "reader": lambda door, _: problem(door.get("state")),
}
SAID = {"mover": (410, "match-deleted"), "reader": (410, "match-deleted")}


@pytest.mark.parametrize("step", STEPS)
def test_a_process_that_remembers_a_deleted_match_notices(door: Door, step: str) -> None:
    """A process that remembers match and tokens sees that the match is gone, and writes nothing."""
    opened(door, seats=[{"kind": "human"}, BOT, BOT])
    match = door.match
    other = replace(door.ctx, cache=MatchCache())
    load(other, match)
    for token in door.tokens.values():
        enter(other, match, token)
    delete_match(door)
    door.change(ctx=other)

    message = STEPS[step](door, other)

    assert message == SAID.get(step, message)
    assert other.journal.events.head(match) is None
    assert other.journal.events.read(match) == []
    assert other.cache.heads.get(match) is None


def test_a_stream_of_a_deleted_match_ends(door: Door, redis_url: str) -> None:
    """The deletion wakes a follower and ends its stream before the next heartbeat."""
    opened(door)
    notifications = Notifications(redis_url)
    ended = threading.Event()

    def follow_to_the_end() -> None:
        follower = Follower(
            match=door.match,
            token=None,
            beat=60.0,
            render=lambda _: b"",
            rewritten=lambda _: b"rewritten",
        )
        loaded = load(door.ctx, door.match)
        for news in follow(door.ctx, notifications, follower, FollowerCursor(1, loaded.hash)):
            assert news == b""
        ended.set()

    threading.Thread(target=follow_to_the_end, daemon=True).start()
    channel = f"giornale:wake:{door.match}"
    with Redis.from_url(redis_url) as client:
        until(lambda: client.pubsub_numsub(channel)[0][1], "the follower")
    delete_match(door)

    assert ended.wait(SECONDS_TO_END)
