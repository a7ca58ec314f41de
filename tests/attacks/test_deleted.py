"""Attacks on deleted matches: nothing of one is left, and nothing brings it back."""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from redis import Redis

from service.journal.notifications import Notifications
from service.ledger import record
from service.ledger.replay import Loaded
from service.matches import automation
from service.matches.access import enter
from service.matches.context import Context, MatchCache
from service.matches.following import Follower, Place, follow
from service.matches.repository import load, write_snapshot
from tests.attacks.conftest import (
    BOT,
    MATCH_OF_BOTS,
    OPERATOR,
    THREE_BOTS,
    delete_match,
    post_record,
)
from tests.running import until
from tests.service.api.conftest import Door, json, opened, problem
from workers.bots import choose

KEY_OF_THE_OPENING = "the-one-key-of-this-opening"
SECONDS_TO_END = 10


@dataclass
class Deleted:
    """A match that had ended and was deleted.

    lines: of its record.   remembered: the match as a process had loaded it.
    """

    door: Door
    lines: list[bytes]
    remembered: Loaded


@pytest.fixture
def deleted(operated: Door) -> Deleted:
    """A match of bots that its owner aborts, and the operator deletes."""
    opened(operated, seats=THREE_BOTS, seed=None, key=KEY_OF_THE_OPENING)
    operated.post("abort", None, "owner")
    operated.house()

    lines = record.lines(operated.get("record").data)
    remembered = load(operated.ctx, operated.match)
    delete_match(operated)
    return Deleted(operated, lines, remembered)


# What can be asked for: method, path and body.
ASKED: list[tuple[str, str, Any]] = [
    ("GET", "", None),
    ("GET", "state", None),
    ("GET", "moves", None),
    ("GET", "commits", None),
    ("GET", "commits/1", None),
    ("GET", "story", None),
    ("GET", "states", None),
    ("GET", "record", None),
    ("GET", "audit", None),
    ("GET", "audit/1", None),
    ("GET", "stream", None),
    ("GET", "diff?from=1&to=2", None),
    ("POST", "moves", {"type": "pass"}),
    ("POST", "start", {}),
    ("POST", "abort", {}),
    ("POST", "tokens", {}),
    ("DELETE", "tokens/owner", None),
    ("DELETE", "players/0", None),
    ("POST", "seats/0", {}),
    ("DELETE", "seats/0", None),
    ("POST", "seats/0/bot", {"level": "random"}),
    ("DELETE", "seats/0/bot", None),
]


def test_everybody_is_told_that_a_match_was_deleted(deleted: Deleted) -> None:
    """Every operation answers 410 with the time: to the owner and to a token made up."""
    door = deleted.door
    made_up = f"gio_{door.match}_{'a' * 43}"

    for method, path, body in ASKED:
        for who in ("owner", made_up):
            answer = door.ask(method, path, who, json=body)
            assert problem(answer) == (410, "match-deleted"), (method, path, who, answer.text)
            assert json(answer)["deleted"].startswith("20")

    # So is somebody without a token, and the operator who deletes it again.
    assert door.get().status_code == 410
    assert door.delete("", OPERATOR).status_code == 410
    assert json(door.get("/v1/matches"))["matches"] == []


def test_nothing_of_a_deleted_match_is_left(deleted: Deleted, redis_url: str) -> None:
    """Its only key is the tombstone, which names the operator's key by its digest."""
    match = deleted.door.match
    with Redis.from_url(redis_url) as client:
        keys = client.keys(f"*{match}*")
        lists = [key for key in client.keys("giornale:{*") if client.type(key) == b"zset"]
        members = [member for key in lists for member in client.zrange(key, 0, -1)]
        [tombstone_key] = client.keys("*:deleted")
        tombstone = client.get(tombstone_key).decode()

    assert keys == [tombstone_key]
    assert [member for member in members if match.encode() in member] == []
    assert tombstone.endswith(f"|{hashlib.sha256(OPERATOR.encode()).hexdigest()[:16]}")


def test_nothing_brings_a_deleted_match_back(deleted: Deleted) -> None:
    """Its record is not taken in, and its opening is not repeated; the answers say why."""
    door = deleted.door

    taken_in = post_record(door, deleted.lines)
    headers = {"Idempotency-Key": KEY_OF_THE_OPENING}
    repeated = door.post("/v1/matches", MATCH_OF_BOTS, headers=headers)
    write_snapshot(door.ctx, deleted.remembered)

    assert problem(taken_in) == (409, "match-exists")
    assert "was deleted" in json(taken_in)["detail"]
    assert problem(repeated) == (422, "idempotency-key-reused")
    assert "deleted" in json(repeated)["detail"]
    assert door.get().status_code == 410
    # A process that had read it before stores nothing of it afterwards.
    assert door.ctx.journal.metadata.snapshot(door.match) is None


# What a process does next that still remembers a deleted match; `ctx` is that process's.
STEPS: dict[str, Callable[[Door, Context], object]] = {
    "house": lambda door, ctx: automation.act(ctx, door.match),
    "bots": lambda door, ctx: automation.play_bots(ctx, door.match, choose),
    "mover": lambda door, _: problem(door.post("moves", {"type": "pass"}, "seat:0")),
    "reader": lambda door, _: problem(door.get("state")),
}
SAID = {"mover": (410, "match-deleted"), "reader": (410, "match-deleted")}


@pytest.mark.parametrize("step", STEPS)
def test_a_process_that_remembers_a_deleted_match_notices(operated: Door, step: str) -> None:
    """A process that remembers match and tokens sees that the match is gone, and writes nothing."""
    opened(operated, seats=[{"kind": "human"}, BOT, BOT], seed=None)
    match = operated.match
    other = replace(operated.ctx, cache=MatchCache())
    load(other, match)
    for token in operated.tokens.values():
        enter(other, match, token)
    delete_match(operated)
    operated.change(ctx=other)

    said = STEPS[step](operated, other)

    assert said == SAID.get(step, said)
    assert other.journal.events.head(match) is None
    assert other.journal.events.read(match) == []
    assert other.cache.heads.get(match) is None


def test_a_stream_of_a_deleted_match_ends(operated: Door, redis_url: str) -> None:
    """Followers are woken by the deletion and are let go, long before the next heartbeat."""
    opened(operated, seed=None)
    notifications = Notifications(redis_url)
    ended = threading.Event()

    def follow_to_the_end() -> None:
        follower = Follower(
            match=operated.match,
            token=None,
            beat=60.0,
            render=lambda _: b"",
            rewritten=lambda _: b"rewritten",
        )
        loaded = load(operated.ctx, operated.match)
        for news in follow(operated.ctx, notifications, follower, Place(1, loaded.hash)):
            assert news == b""
        ended.set()

    threading.Thread(target=follow_to_the_end, daemon=True).start()
    channel = f"giornale:wake:{operated.match}"
    with Redis.from_url(redis_url) as client:
        until(lambda: client.pubsub_numsub(channel)[0][1], "the follower")
    delete_match(operated)

    assert ended.wait(SECONDS_TO_END)
