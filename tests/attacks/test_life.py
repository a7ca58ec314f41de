"""Attacks on how matches come, stay and go: squatting imports, floods of openings, a full journal, deleted matches."""

import hashlib
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from redis import Redis
from redis.exceptions import OutOfMemoryError

from service.api.app import create_app
from service.config import Config
from service.journal.memory import MemoryJournal
from service.journal.wakes import Wakes
from service.ledger import record
from service.ledger.replay import Loaded
from service.matches import expiry, house
from service.matches.desk import Desk
from service.matches.expiry import HOUR, Patience
from service.matches.following import Follower, follow
from service.matches.loading import load
from service.matches.opening import Wish, open_new
from service.matches.records import export
from service.matches.snapshots import write_snapshot
from service.process.valkey import Server
from tests.service.api.conftest import Door, json, opened
from workers.bots import choose

NDJSON = "application/x-ndjson"
OPERATOR = "o" * 40
SOON = 1_800_000_000_000
PAST = 1_600_000_000_000  # in the year 2020
FUTURE = 4_000_000_000_000  # in the year 2096
BOTS = [{"kind": "bot", "level": "random"}] * 3
OPEN = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]


def forged_elsewhere(began: int) -> list[bytes]:
    """Play a match of bots on a server of one's own, whose clock says what one likes, and return its record."""
    ticks: Iterator[int] = count(began, 1000)
    desk = Desk(MemoryJournal(), b"e" * 32, lambda: next(ticks), lambda *_: None)
    match = open_new(desk, Wish("calimala", BOTS)).loaded.id
    while (waiting := load(desk, match).match.standing.work) != "":
        if waiting == "house":
            house.act(desk, match)
        else:
            house.play_bots(desk, match, choose)
    return list(export(desk, match, None))


@pytest.fixture(scope="module")
def squatter() -> list[bytes]:
    """The record of a match that a stranger has played alone, in the year 2020 as they say."""
    return forged_elsewhere(PAST)


def send(door: Door, lines: list[bytes], who: str = "") -> Any:
    """Post a record."""
    return door.ask("POST", "/v1/records", who, data=b"".join(lines), content_type=NDJSON)


# ---- records from strangers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["", OPERATOR], ids=["nobody", "somebody"])
def test_a_stranger_imports_nothing(door: Door, squatter: list[bytes], who: str) -> None:
    """Where no operator's token is set the operation is off for everybody, and says how it is turned on."""
    answer = send(door, squatter, who)
    assert (answer.status_code, json(answer)["type"]) == (403, "/problems/forbidden")
    assert "GIORNALE_OPERATOR_TOKEN" in json(answer)["detail"]
    assert "giornale import" in json(answer)["detail"]
    assert json(door.get("/v1/matches"))["matches"] == []


@pytest.fixture
def operated(environ: dict[str, str]) -> Door:
    """The door of a service that has an operator."""
    app: Flask = create_app(Config.load({**environ, "GIORNALE_OPERATOR_TOKEN": OPERATOR}))
    return Door(app.test_client(), app.extensions["desk"])


@pytest.mark.parametrize(
    ("header", "code"),
    [
        pytest.param(None, 401, id="missing"),
        pytest.param("Basic " + OPERATOR, 401, id="another-scheme"),
        pytest.param("Bearer", 401, id="empty"),
        pytest.param("Bearer " + OPERATOR[:-1], 403, id="too-short"),
        pytest.param("Bearer " + OPERATOR + "o", 403, id="too-long"),
        pytest.param("Bearer \xe9\xff", 403, id="no-ascii"),
        pytest.param(f"Bearer gio_{'a' * 26}_{'a' * 43}", 403, id="a-seat's"),
    ],
)
def test_only_the_operators_token_opens(
    operated: Door, squatter: list[bytes], header: str | None, code: int
) -> None:
    """Whatever else stands in the header is refused before the body is looked at."""
    headers = {} if header is None else {"Authorization": header}
    for method, path in (("POST", "/v1/records"), ("DELETE", f"/v1/matches/{'a' * 26}")):
        answer = operated.ask(
            method, path, headers=headers, data=b"".join(squatter), content_type=NDJSON
        )
        assert answer.status_code == code, answer.text
        assert OPERATOR not in answer.text
    assert json(operated.get("/v1/matches"))["matches"] == []


def test_a_match_from_the_future_is_not_taken(operated: Door) -> None:
    """A record whose times are still to come is refused: it would stand on top of every list."""
    answer = send(operated, forged_elsewhere(FUTURE), OPERATOR)
    assert (answer.status_code, json(answer)["code"]) == (422, "future")
    assert json(operated.get("/v1/matches"))["matches"] == []


def test_a_record_stands_in_the_list_where_it_was_imported(
    operated: Door, squatter: list[bytes]
) -> None:
    """Whatever times it claims, it says when it was imported and by whose key, and later matches stand above it."""
    before = opened(operated, seed=None).match
    imported = json(send(operated, squatter, OPERATOR))["match"]
    after = opened(operated, seed=None).match
    for query in ("", "?game=calimala"):
        listed = json(operated.get(f"/v1/matches{query}"))["matches"]
        assert [one["id"] for one in listed] == [after, imported, before]
    assert ["imported" in one for one in listed] == [False, True, False]
    operated.match = imported
    shown = json(operated.get())
    assert shown["created"] < "2021" < shown["imported"]["at"]
    assert shown["imported"]["at"] == listed[1]["imported"]
    assert shown["imported"]["by"] == hashlib.sha256(OPERATOR.encode()).hexdigest()[:16]


def test_a_record_must_say_that_it_is_one(operated: Door, squatter: list[bytes]) -> None:
    """The operator's request, too, is refused as whatever media type any page can post."""
    answer = operated.ask(
        "POST", "/v1/records", OPERATOR, data=b"".join(squatter), content_type="text/plain"
    )
    assert answer.status_code == 415
    assert NDJSON in json(answer)["detail"]


def test_a_record_too_large_is_refused_before_it_is_held(operated: Door) -> None:
    """4 MiB in all, whether its length is told or it comes without one, and 1 MiB a line."""
    answer = operated.ask(
        "POST", "/v1/records", OPERATOR, data=b"x\n" * 2**21 + b"x", content_type=NDJSON
    )
    assert answer.status_code == 413
    line = b'{"data":"' + b"x" * 2**20 + b'"}\n'
    answer = operated.ask("POST", "/v1/records", OPERATOR, data=line, content_type=NDJSON)
    assert (answer.status_code, json(answer)["code"], json(answer)["commit"]) == (
        422,
        "line_too_long",
        1,
    )


def test_a_record_of_too_many_lines_is_refused(
    operated: Door, squatter: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no more commits than a match may have."""
    monkeypatch.setattr("service.matches.records.MOST_RECORD_COMMITS", 5)
    answer = send(operated, squatter, OPERATOR)
    assert (answer.status_code, json(answer)["code"], json(answer)["commit"]) == (
        422,
        "too_many_commits",
        6,
    )


def test_what_does_not_hang_together_is_not_even_played(
    operated: Door, squatter: list[bytes]
) -> None:
    """The first look finds a broken chain line by line, before the play is worked out."""
    spoiled = [
        *squatter[:3],
        squatter[3].replace(b'"actor":"seat:', b'"actor":"Seat:'),
        *squatter[4:],
    ]
    answer = send(operated, spoiled, OPERATOR)
    assert (json(answer)["code"], json(answer)["commit"]) == ("hash_differs", 4)
    answer = send(operated, [*squatter[:3], *squatter[4:]], OPERATOR)
    assert (json(answer)["code"], json(answer)["commit"]) == ("out_of_order", 4)


def test_one_import_at_a_time(
    operated: Door, squatter: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one is worked out another is told to come back."""
    second: list[Any] = []
    real = "service.matches.records.verify_record"

    def busy(*_args: Any) -> Any:
        monkeypatch.undo()
        second.append(send(operated, squatter, OPERATOR))
        raise RuntimeError("enough")

    monkeypatch.setattr(real, busy)
    assert send(operated, squatter, OPERATOR).status_code == 500
    assert (second[0].status_code, second[0].headers["Retry-After"]) == (429, "5")
    assert send(operated, squatter, OPERATOR).status_code == 201


# ---- listing ---------------------------------------------------------------------------------------------------------


def test_a_list_of_an_unknown_game_costs_one_look(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many matches there are, the index of the game is asked once and no head but its own is read."""
    for _ in range(30):
        opened(door, seed=None)
    looks: list[int] = []
    real = door.desk.journal.overviews

    def counted(asked: Sequence[tuple[str, Sequence[str]]]) -> Any:
        looks.append(len(asked))
        return real(asked)

    monkeypatch.setattr(door.desk.journal, "overviews", counted)
    assert json(door.get("/v1/matches?game=chess&limit=2"))["matches"] == []
    assert looks == [0]


# ---- what nobody takes away ------------------------------------------------------------------------------------------


def test_a_flood_of_openings_goes_away_by_itself(door: Door) -> None:
    """Matches that nobody joins end, are revealed, and leave the list of what can be joined."""
    matches = [opened(door, seats=OPEN, seed=None).match for _ in range(60)]
    late = replace(door.desk, clock=lambda: door.desk.clock() + 168 * HOUR)
    rounds = [expiry.expire(late, Patience(168 * HOUR, 0)) for _ in range(3)]
    assert rounds == [50, 10, 0]
    for match in matches:
        house.act(door.desk, match)
    assert json(door.get("/v1/matches?status=open"))["matches"] == []
    commits = json(door.get("commits"))["commits"]
    assert [one["command"]["type"] for one in commits] == ["open", "expire", "reveal"]
    assert [one["actor"] for one in commits] == ["owner", "house", "house"]


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Server]:
    """A server with little memory."""
    with Server(tmp_path / "journal", memory_mb=8) as server:
        yield server


def test_a_full_journal_refuses_and_is_still_read(small: Server, tmp_path: Path) -> None:
    """Filled to the brim it answers 503 and says why; nothing breaks, everything can be read, and deletion makes room.

    A long match is read from its first commit, which would store a snapshot.
    """
    settings = {
        "JOURNAL_URL": small.url,
        "DATA": str(tmp_path),
        "SECRET": "x" * 32,
        "OPERATOR_TOKEN": OPERATOR,
    }
    app = create_app(Config.load({f"GIORNALE_{name}": value for name, value in settings.items()}))
    door = Door(app.test_client(), app.extensions["desk"])
    opened(door, seats=BOTS, seed=None)
    while json(door.get())["version"] < 120:
        house.play_bots(door.desk, door.match, choose)
        house.act(door.desk, door.match)
    version = json(door.get())["version"]
    with Redis.from_url(small.url) as client:
        while True:
            try:
                client.append("filling", b"x" * 65536)
            except OutOfMemoryError:
                break
        before = client.dbsize()
        answer = door.post("/v1/matches", {"game": "calimala", "seats": BOTS})
        assert (answer.status_code, json(answer)["type"]) == (503, "/problems/journal-unavailable")
        assert "full" in json(answer)["detail"]
        door.desk.shelf.drop(door.match)
        for path in (
            "",
            "state",
            "commits",
            "record",
            f"state?version={version - 1}",
            "/v1/matches",
        ):
            assert door.get(path).status_code == 200, path
        assert client.dbsize() <= before
        assert door.ask("DELETE", "", OPERATOR).status_code == 204
        client.delete("filling")
    assert door.post("/v1/matches", {"game": "calimala", "seats": BOTS}).status_code == 201


# ---- the deleted match that comes back -------------------------------------------------------------------------------


@pytest.fixture
def deleted(operated: Door) -> tuple[Door, list[bytes], Loaded]:
    """A match that was deleted, with its record, and as a process had remembered it."""
    opened(operated, seats=BOTS, seed=None, key="the-one-key-of-this-opening")
    while (
        json(operated.get())["status"] == "running"
        or load(operated.desk, operated.match).match.standing.work
    ):
        house.play_bots(operated.desk, operated.match, choose)
        house.act(operated.desk, operated.match)
    lines = record.lines(operated.get("record").data)
    remembered = load(operated.desk, operated.match)
    assert operated.ask("DELETE", "", OPERATOR).status_code == 204
    return operated, lines, remembered


ASKED = [
    ("GET", ""), ("GET", "state"), ("GET", "moves"), ("GET", "commits"), ("GET", "commits/1"), ("GET", "record"),
    ("GET", "audit"), ("GET", "audit/1"), ("GET", "stream"), ("GET", "diff?from=1&to=2"), ("POST", "moves"),
    ("POST", "start"), ("POST", "abort"), ("POST", "tokens"), ("DELETE", "tokens/owner"), ("DELETE", "players/0"),
    ("POST", "seats/0"), ("DELETE", "seats/0"), ("POST", "seats/0/bot"), ("DELETE", "seats/0/bot"),
]  # fmt: skip


def test_whoever_asks_for_a_deleted_match_is_told_so(
    deleted: tuple[Door, list[bytes], Loaded],
) -> None:
    """Every operation answers 410 with the time: to the owner, to a stranger, and to a token made up."""
    door, _, _ = deleted
    made_up = f"gio_{door.match}_{'a' * 43}"
    for method, path in ASKED:
        for who in ("owner", made_up):
            body = (
                {"json": {"level": "random"} if path.endswith("bot") else {}}
                if method == "POST"
                else {}
            )
            if path == "moves" and method == "POST":
                body = {"json": {"type": "pass"}}
            answer = door.ask(method, path, who, **body)
            assert answer.status_code == 410, (method, path, who, answer.text)
            assert json(answer)["type"] == "/problems/match-deleted"
            assert json(answer)["deleted"].startswith("20")
    assert door.get().status_code == 410
    assert door.ask("DELETE", "", OPERATOR).status_code == 410
    assert json(door.get("/v1/matches"))["matches"] == []


def test_nothing_of_a_deleted_match_is_left(
    deleted: tuple[Door, list[bytes], Loaded], redis_url: str
) -> None:
    """Its only key is the tombstone, and nothing else in the journal but the feed names it."""
    door, _, _ = deleted
    with Redis.from_url(redis_url) as client:
        assert [key.rpartition(b":")[2] for key in client.keys(f"*{door.match}*")] == [b"deleted"]
        for name in client.keys("giornale:{*"):
            if client.type(name) == b"zset":
                assert not [one for one in client.zrange(name, 0, -1) if door.match.encode() in one]
        [tombstone] = [client.get(key).decode() for key in client.keys("*:deleted")]
    assert tombstone.endswith("|" + hashlib.sha256(OPERATOR.encode()).hexdigest()[:16])


def test_a_deleted_match_does_not_come_back(deleted: tuple[Door, list[bytes], Loaded]) -> None:
    """Neither its record nor the repeat of its opening brings it back, in clear words."""
    door, lines, _ = deleted
    again = send(door, lines, OPERATOR)
    assert (again.status_code, json(again)["type"]) == (409, "/problems/match-exists")
    assert "was deleted" in json(again)["detail"]
    headers = {"Idempotency-Key": "the-one-key-of-this-opening"}
    repeat = door.post("/v1/matches", {"game": "calimala", "seats": BOTS}, headers=headers)
    assert (repeat.status_code, json(repeat)["type"]) == (422, "/problems/idempotency-key-reused")
    assert "deleted" in json(repeat)["detail"]
    assert door.get().status_code == 410


@pytest.mark.parametrize("who", ["house", "bots", "mover", "reader"])
def test_a_process_that_remembers_a_deleted_match_notices(operated: Door, who: str) -> None:
    """Another process with the match on its shelf sees at its next step that it is gone, and writes nothing."""
    opened(operated, seats=[{"kind": "human"}, *BOTS[1:]], seed=None)
    other = replace(
        operated.desk, shelf=type(operated.desk.shelf)(8), holders=dict(operated.desk.holders)
    )
    load(other, operated.match)
    move = {"type": "pass"}
    assert operated.ask("DELETE", "", OPERATOR).status_code == 204
    operated.client.application.extensions["desk"] = other
    if who == "house":
        house.act(other, operated.match)
    elif who == "bots":
        house.play_bots(other, operated.match, choose)
    elif who == "mover":
        assert operated.post("moves", move, "seat:0").status_code == 410
    else:
        assert operated.get("state").status_code == 410
    assert other.journal.head(operated.match) is None
    assert other.journal.read(operated.match) == []
    assert other.shelf.get(operated.match) is None


def test_a_late_snapshot_keeps_no_secret_of_a_deleted_match(
    deleted: tuple[Door, list[bytes], Loaded],
) -> None:
    """A process that had read the match before it was deleted stores nothing of it afterwards."""
    door, _, remembered = deleted
    write_snapshot(door.desk, remembered)
    assert door.desk.journal.snapshot(door.match) is None


def test_a_stream_of_a_deleted_match_ends(operated: Door, redis_url: str) -> None:
    """Followers are woken by the deletion and are let go, long before the next heartbeat."""
    opened(operated, seed=None)
    wakes = Wakes(redis_url)
    ended = threading.Event()

    def follow_to_the_end() -> None:
        follower = Follower(operated.match, token=None, beat=60.0, render=lambda _: b"")
        for _ in follow(operated.desk, wakes, follower, after=1):
            pass
        ended.set()

    follower = threading.Thread(target=follow_to_the_end, daemon=True)
    follower.start()
    deadline = time.monotonic() + 10
    with Redis.from_url(redis_url) as client:
        channel = f"giornale:wake:{operated.match}"
        while not dict(client.pubsub_numsub(channel)).get(channel.encode()):
            assert time.monotonic() < deadline
    assert operated.ask("DELETE", "", OPERATOR).status_code == 204
    assert ended.wait(10)


# ---- a journal that went back ----------------------------------------------------------------------------------------


def test_a_journal_put_back_is_shown_as_it_is(
    door: Door, monkeypatch: pytest.MonkeyPatch, redis_url: str
) -> None:
    """A process that remembers commits which a restored backup lacks shows the backup, at once and to everybody."""
    opened(door, seed=None)
    with Redis.from_url(redis_url) as client:
        backup = {key: client.dump(key) for key in client.keys("*")}
        seat = json(door.get())["waiting_for"]["seats"][0]
        assert door.move(f"seat:{seat}").status_code == 201
        assert json(door.get())["version"] > 1
        client.flushall()
        for key, value in backup.items():
            client.restore(key, 0, value)
    assert json(door.get())["version"] == 1
    assert json(door.get("state"))["version"] == 1
    assert len(json(door.get("commits"))["commits"]) == 1
