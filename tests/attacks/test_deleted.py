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
from service.matches.cache import MatchCache
from service.matches.context import Context
from service.matches.following import Follower, Place, follow
from service.matches.repository import load, write_snapshot
from tests.attacks.bots import BOT, MATCH_OF_BOTS, THREE_BOTS, play_out
from tests.attacks.operators import OPERATOR, delete_match, post_record
from tests.running import until
from tests.service.api.conftest import Door, json, opened, problem
from workers.bots import choose

KEY_OF_THE_OPENING = "the-one-key-of-this-opening"
SECONDS_TO_END = 10


@dataclass
class Deleted:
    """A match that was played to its end and deleted.

    lines: of its record.   remembered: the match as a process had loaded it.
    """

    door: Door
    lines: list[bytes]
    remembered: Loaded


@pytest.fixture
def deleted(operated: Door) -> Deleted:
    """A match of bots that is deleted."""
    opened(operated, seats=THREE_BOTS, seed=None, key=KEY_OF_THE_OPENING)
    play_out(operated.ctx, operated.match)

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


def test_whoever_asks_for_a_deleted_match_is_told_so(deleted: Deleted) -> None:
    """Every operation answers 410 with the time: to the owner and to a token made up."""
    door = deleted.door
    made_up = f"gio_{door.match}_{'a' * 43}"

    for method, path, body in ASKED:
        for who in ("owner", made_up):
            answer = door.ask(method, path, who, json=body)

            assert problem(answer) == (410, "match-deleted"), (method, path, who, answer.text)
            assert json(answer)["deleted"].startswith("20")


def test_a_stranger_is_told_that_a_match_was_deleted(deleted: Deleted) -> None:
    """Whoever asks without a token is told so, too."""
    assert deleted.door.get().status_code == 410


def test_a_deleted_match_is_not_deleted_twice(deleted: Deleted) -> None:
    """The operator who asks again is told that it was deleted."""
    assert deleted.door.delete("", OPERATOR).status_code == 410


def test_a_deleted_match_stands_in_no_list(deleted: Deleted) -> None:
    """Whoever lists matches does not see it."""
    assert json(deleted.door.get("/v1/matches"))["matches"] == []


def test_nothing_of_a_deleted_match_is_left(deleted: Deleted, redis_url: str) -> None:
    """Its only key is the tombstone, and no list of the journal names it."""
    match = deleted.door.match
    with Redis.from_url(redis_url) as client:
        keys = client.keys(f"*{match}*")
        listed_ids = [member for key in lists_of(client) for member in client.zrange(key, 0, -1)]

    assert [key.rpartition(b":")[2] for key in keys] == [b"deleted"]
    assert [member for member in listed_ids if match.encode() in member] == []


def lists_of(client: Redis) -> list[Any]:
    """Return the keys of the lists of matches in a journal."""
    return [key for key in client.keys("giornale:{*") if client.type(key) == b"zset"]


def test_the_tombstone_names_the_operators_key(deleted: Deleted, redis_url: str) -> None:
    """Of a deleted match is kept by whose key it was deleted, told by the key's digest."""
    with Redis.from_url(redis_url) as client:
        [key] = client.keys("*:deleted")
        tombstone = client.get(key).decode()

    digest = hashlib.sha256(OPERATOR.encode()).hexdigest()
    assert tombstone.endswith(f"|{digest[:16]}")


def test_the_record_of_a_deleted_match_is_not_taken_in(deleted: Deleted) -> None:
    """Its record does not bring it back, and the answer says why."""
    answer = post_record(deleted.door, deleted.lines)

    assert problem(answer) == (409, "match-exists")
    assert "was deleted" in json(answer)["detail"]
    assert deleted.door.get().status_code == 410


def test_the_opening_of_a_deleted_match_is_not_repeated(deleted: Deleted) -> None:
    """The repeat of its opening does not bring it back, and the answer says why."""
    headers = {"Idempotency-Key": KEY_OF_THE_OPENING}
    answer = deleted.door.post("/v1/matches", MATCH_OF_BOTS, headers=headers)

    assert problem(answer) == (422, "idempotency-key-reused")
    assert "deleted" in json(answer)["detail"]
    assert deleted.door.get().status_code == 410


# What a process does next that still remembers a deleted match; `desk` is that process's.
Step = Callable[[Door, Context], None]


def house_acts(door: Door, ctx: Context) -> None:
    automation.act(ctx, door.match)


def bots_play(door: Door, ctx: Context) -> None:
    automation.play_bots(ctx, door.match, choose)


def a_seat_moves(door: Door, ctx: Context) -> None:
    assert door.post("moves", {"type": "pass"}, "seat:0").status_code == 410


def somebody_reads(door: Door, ctx: Context) -> None:
    assert door.get("state").status_code == 410


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(house_acts, id="house"),
        pytest.param(bots_play, id="bots"),
        pytest.param(a_seat_moves, id="mover"),
        pytest.param(somebody_reads, id="reader"),
    ],
)
def test_a_process_that_remembers_a_deleted_match_notices(operated: Door, step: Step) -> None:
    """A process that remembers match and tokens sees at its next step that the match is gone.

    It writes nothing.
    """
    opened(operated, seats=[{"kind": "human"}, BOT, BOT], seed=None)
    match = operated.match
    other = replace(operated.ctx, cache=MatchCache())
    load(other, match)
    for token in operated.tokens.values():
        enter(other, match, token)
    delete_match(operated)
    operated.change(ctx=other)

    step(operated, other)

    assert other.journal.events.head(match) is None
    assert other.journal.events.read(match) == []
    assert other.cache.heads.get(match) is None


def test_a_late_snapshot_keeps_no_secret_of_a_deleted_match(deleted: Deleted) -> None:
    """A process that had read the match before it was deleted stores nothing of it afterwards."""
    door = deleted.door

    write_snapshot(door.ctx, deleted.remembered)

    assert door.ctx.journal.metadata.snapshot(door.match) is None


def test_a_stream_of_a_deleted_match_ends(operated: Door, redis_url: str) -> None:
    """Followers are woken by the deletion and are let go, long before the next heartbeat."""
    opened(operated, seed=None)
    wakes = Notifications(redis_url)
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
        for told in follow(operated.ctx, wakes, follower, Place(1, loaded.hash)):
            assert told == b""
        ended.set()

    threading.Thread(target=follow_to_the_end, daemon=True).start()
    with Redis.from_url(redis_url) as client:
        until(lambda: is_followed(client, operated.match), "the follower")
    delete_match(operated)

    assert ended.wait(SECONDS_TO_END)


def is_followed(client: Redis, match: str) -> bool:
    """Return whether somebody waits for the wakes of a match."""
    channel = f"giornale:wake:{match}"
    followers = dict(client.pubsub_numsub(channel))
    return bool(followers.get(channel.encode()))
