"""The deleted match that comes back: by its record, by its opening, by whoever remembers it."""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from redis import Redis

from service.journal.keys import wake_channel
from service.journal.wakes import Wakes
from service.ledger import record
from service.ledger.replay import Loaded
from service.matches import house
from service.matches.desk import Desk
from service.matches.following import Follower, follow
from service.matches.loading import load
from service.matches.snapshots import write_snapshot
from tests.attacks.importing import BOTS, OPERATOR, play_to_the_end, send_record
from tests.running import until
from tests.service.api.conftest import Door, json, opened, problem
from workers.bots import choose

OPENING_KEY = "the-one-key-of-this-opening"


@dataclass(frozen=True, slots=True)
class Deleted:
    """A match that was deleted.

    record: as it was exported before.
    remembered: as a process had loaded it before.
    """

    door: Door
    record: list[bytes]
    remembered: Loaded


def delete(door: Door) -> None:
    """Let the operator delete the match."""
    assert door.ask("DELETE", "", OPERATOR).status_code == 204


@pytest.fixture
def deleted(operated: Door) -> Deleted:
    """A match of bots, played to its end and deleted."""
    opened(operated, seats=BOTS, seed=None, key=OPENING_KEY)
    play_to_the_end(operated.desk, operated.match)

    lines = record.lines(operated.get("record").data)
    remembered = load(operated.desk, operated.match)
    delete(operated)
    return Deleted(operated, lines, remembered)


# Each operation of a match: method, path, body.
OPERATIONS: list[tuple[str, str, dict[str, Any] | None]] = [
    ("GET", "", None),
    ("GET", "state", None),
    ("GET", "moves", None),
    ("GET", "commits", None),
    ("GET", "commits/1", None),
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
    """Every operation answers 410 with the time, to the owner and to a token made up."""
    door = deleted.door
    made_up = f"gio_{door.match}_{'a' * 43}"
    for method, path, body in OPERATIONS:
        more = {} if body is None else {"json": body}
        for who in ("owner", made_up):
            answer = door.ask(method, path, who, **more)
            assert problem(answer) == (410, "match-deleted"), (method, path, who)
            assert json(answer)["deleted"].startswith("20")


def test_a_stranger_and_the_operator_are_told_of_a_deletion(deleted: Deleted) -> None:
    """Without a token, and with the operator's, the answer is the same; no list tells the match."""
    door = deleted.door
    assert door.get().status_code == 410
    assert door.ask("DELETE", "", OPERATOR).status_code == 410
    assert json(door.get("/v1/matches"))["matches"] == []


def test_nothing_of_a_deleted_match_is_left(deleted: Deleted, redis_url: str) -> None:
    """Its only key is the tombstone, and no index of the journal names it."""
    match = deleted.door.match.encode()
    with Redis.from_url(redis_url) as client:
        [key] = client.keys(b"*" + match + b"*")
        assert key.endswith(b":deleted")
        tombstone = client.get(key).decode()

        for index in client.keys("giornale:{*"):
            if client.type(index) == b"zset":
                members = client.zrange(index, 0, -1)
                assert not any(match in member for member in members)

    digest = hashlib.sha256(OPERATOR.encode()).hexdigest()
    assert tombstone.endswith("|" + digest[:16])


def test_the_record_of_a_deleted_match_is_not_imported(deleted: Deleted) -> None:
    """The refusal says that it was deleted."""
    answer = send_record(deleted.door, deleted.record)
    assert problem(answer) == (409, "match-exists")
    assert "was deleted" in json(answer)["detail"]
    assert deleted.door.get().status_code == 410


def test_the_opening_of_a_deleted_match_is_not_repeated(deleted: Deleted) -> None:
    """Its key is used up, and the refusal says why."""
    body = {"game": "calimala", "seats": BOTS}
    headers = {"Idempotency-Key": OPENING_KEY}
    answer = deleted.door.post("/v1/matches", body, headers=headers)
    assert problem(answer) == (422, "idempotency-key-reused")
    assert "deleted" in json(answer)["detail"]
    assert deleted.door.get().status_code == 410


def let_house_act(door: Door, other: Desk) -> None:
    """Let a worker of another process do what the house must."""
    house.act(other, door.match)


def let_bots_play(door: Door, other: Desk) -> None:
    """Let a worker of another process play for the bots."""
    house.play_bots(other, door.match, choose)


def send_move(door: Door, _other: Desk) -> None:
    """Send a move through another process."""
    assert door.post("moves", {"type": "pass"}, "seat:0").status_code == 410


def read_state(door: Door, _other: Desk) -> None:
    """Read the state through another process."""
    assert door.get("state").status_code == 410


@pytest.mark.parametrize("step", [let_house_act, let_bots_play, send_move, read_state])
def test_a_process_that_remembers_a_deleted_match_notices(
    operated: Door, step: Callable[[Door, Desk], None]
) -> None:
    """Another process with the match on its shelf sees at its next step that it is gone.

    It writes nothing.
    """
    opened(operated, seats=[{"kind": "human"}, *BOTS[1:]], seed=None)
    own = operated.desk
    other = replace(own, shelf=type(own.shelf)(8), holders=dict(own.holders))
    load(other, operated.match)
    delete(operated)

    operated.client.application.extensions["desk"] = other
    step(operated, other)
    assert other.journal.head(operated.match) is None
    assert other.journal.read(operated.match) == []
    assert other.shelf.get(operated.match) is None


def test_a_late_snapshot_keeps_no_secret_of_a_deleted_match(deleted: Deleted) -> None:
    """A process that had read the match before it was deleted stores nothing of it afterwards."""
    desk = deleted.door.desk
    write_snapshot(desk, deleted.remembered)
    assert desk.journal.snapshot(deleted.door.match) is None


def test_a_stream_of_a_deleted_match_ends(operated: Door, redis_url: str) -> None:
    """Followers are woken by the deletion and are let go, long before the next heartbeat."""
    opened(operated, seed=None)
    wakes = Wakes(redis_url)
    follower = Follower(operated.match, token=None, beat=60.0, render=lambda _: b"")
    ended = threading.Event()

    def follow_to_the_end() -> None:
        for _ in follow(operated.desk, wakes, follower, after=1):
            pass
        ended.set()

    threading.Thread(target=follow_to_the_end, daemon=True).start()
    channel = wake_channel(operated.match)
    with Redis.from_url(redis_url) as client:

        def is_followed() -> bool:
            [(_, subscribers)] = client.pubsub_numsub(channel)
            return bool(subscribers)

        until(is_followed, "the follower")

    delete(operated)
    assert ended.wait(10)
