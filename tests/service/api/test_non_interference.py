"""What a seat may not see changes nothing that the seat is answered, on any endpoint or stream.

Two matches differ only in the secret choices of seat 0. Everything that seat 1, a spectator or
nobody in particular is answered must be the same to the byte, but for the digests that bind the
hidden choices to the chain: hashes and the signatures over them. They are salted
(docs/fairness.md), so they tell nothing; here they are masked.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from domain import wire
from domain.games import GAMES
from domain.wire import HOUSE
from service.matches.context import Context
from service.record.commit import parse_commits
from service.store.journal.memory import memory_journal
from service.store.journal.notifications import Channel, Channels
from service.store.journal.values import Generation
from service.store.keys.signer import Signer
from service.store.tlog.log import open_log
from service.store.tlog.sequencer import Sequencer
from tests.service.api.conftest import (
    KEY,
    NDJSON,
    THREE,
    Door,
    KeyedDoor,
    json,
    opened,
    run_out,
)
from tests.service.api.contract_file import quiet_app
from tests.signing import ADA, BEA, CLEO

_DIGEST = re.compile(r"[0-9a-f]{16,128}")
_POSITION = re.compile(r"-[0-9a-f]{8}\b")
_LOG_ID = re.compile(r'"log":"[0-9a-f]{8}"|log=[0-9a-f]{8}|(?<=id: )[0-9a-f]{8}-')
_REQUEST_ID = re.compile(r"\('X-Request-Id', '[^']*'\)")
ANSWERED = (
    "",
    "state",
    "moves",
    "commits",
    "commits?limit=2",
    "story",
    "story?limit=2",
    "commits/1",
    "commits/2",
    "state?version=2",
    "states",
    "states?after=1&limit=3",
    "record",
    "diff?from=1&to=4",
    "/v1/matches",
)
REFUSED = {
    "state?version=99": 404,
    "commits/99": 404,
    "state?at=2020-01-01T00:00:00Z": 404,
    "thoughts": 409,
    "nothing": 404,
}
NO_ADVICE = {"": 401, "owner": 403, "seat:0": 409}  # the match was opened without
READS = (*ANSWERED, *REFUSED, "advice")
WRITES: tuple[dict[str, Any], ...] = (
    {"type": "castle"},
    {"type": "place_disc"},
    {"type": "end_activation"},
    {"type": "end_activation", "seat": 0},
)
GAMES_WITH_SECRETS = [
    key for key, game in GAMES.items() if any(map(wire.secret_fields, game.commands.values()))
]
ROUNDS = 12
HOUSE_AUDIENCE = "house"
START = 1_772_388_000_000
TERMS: dict[str, Any] = {
    "clock": {"bank_s": 3600, "move_s": 5, "level": "random"},
    "take_back": "consent",
}
PLAYERS = {"seat:0": ADA, "seat:1": BEA, "seat:2": CLEO}


class Still:
    """Nobody publishes anything."""

    stopped = False

    @contextmanager
    def follow(self, _match: str) -> Iterator[Channel]:
        """Follow a match of which nothing new is heard."""
        yield Channel()

    @contextmanager
    def follow_many(self, _matches: list[str]) -> Iterator[Channels]:
        """Follow several alike."""
        yield Channels({})


def new_door() -> Door:
    """Return a door whose clock and journal are like those of every other one."""
    ticks: Iterator[int] = count(START, 1000)
    ctx = Context(
        memory_journal(),
        b"s" * 32,
        lambda: next(ticks),
        lambda *_: None,
        allow_seed=True,
    )
    return Door.of(quiet_app(ctx=ctx, notifications=Still()))


def _door(*, keyed: bool) -> Door:
    """Return a new door; of seats with keys one that signs for them."""
    door = new_door()
    return KeyedDoor(door.client, door.ctx, players=PLAYERS) if keyed else door


def seats(*, keyed: bool) -> list[dict[str, str]]:
    """Return three humans' seats, with keys or without."""
    if not keyed:
        return THREE
    return [{"kind": "human", "key": player.key} for player in PLAYERS.values()]


def played(game: str, choice: int, *, keyed: bool = False) -> Door:
    """Play the first rounds of a match.

    Seat 0 makes another choice where only it may see what it chose, elsewhere the first move.
    keyed: whether all seats have keys, and sign (M18).
    """
    door = opened(_door(keyed=keyed), game, seats(keyed=keyed), KEY, **TERMS)
    taken_back = False

    for _ in range(ROUNDS):
        waiting_seats = door.waiting_seats()
        if not waiting_seats or waiting_seats == [HOUSE]:
            break

        seat = waiting_seats[0]
        first_move = door.moves(f"seat:{seat}")[0]
        is_secret_choice = seat == 0 and is_secret(game, first_move["type"])
        door.move(f"seat:{seat}", choice if is_secret_choice else 0)
        if is_secret_choice and not taken_back:
            # It is taken back, and made again.
            before = {"to": json(door.get())["version"] - 1}
            taken_back = door.post("take-back", before, "seat:0").status_code == 201

    last = {"to": json(door.get())["version"] - 1}
    assert taken_back or game not in GAMES_WITH_SECRETS
    asking = max(who for who in door.tokens if who.startswith("seat:"))
    assert door.post("take-back", last, asking).status_code == 201
    return door


def is_secret(game: str, command_tag: str) -> bool:
    """Return whether a command of a game has fields that only its seat may see."""
    command = GAMES[game].commands[command_tag]
    return bool(wire.secret_fields(command))


def seen(door: Door, who: str) -> dict[str, str]:
    """Return everything that a caller is answered, by request."""
    end_activation = {"type": "end_activation"}
    stale = {"If-Match": '"2"'}

    asked = news(door, who) if who else ""
    answers = {path: door.get(path, who) for path in READS}
    for number, move in enumerate(WRITES):
        answers[f"POST {number}"] = door.post("moves", move, who)
    answers |= {
        "stale": door.post("moves", end_activation, who, headers=stale),
        "dry run": door.post("moves?dry_run=true", end_activation, who),
        "line": door.post("lines", {"version": 1, "moves": []}, who),
        "later line": door.post("lines", {"version": 4, "moves": []}, who),
        "lines": door.get("commits", who, headers={"Accept": NDJSON}),
        "story in lines": door.get("story", who, headers={"Accept": NDJSON}),
        "story as text": door.get("story", who, headers={"Accept": "text/plain"}),
        "fork": door.post("/v1/matches", fork_of(door, 1), who),
        "later fork": door.post("/v1/matches", fork_of(door, 4), who),
        "ask": door.post("take-back", {"to": 1}, who),
        "agree": door.post("take-back/agree", None, who),
        "return": door.post("return", None, who),
        "resign": door.post("resign", None, who),
        "lines of states": door.get("states", who, headers={"Accept": NDJSON}),
    }

    shown = {request: shown_by(answer) for request, answer in answers.items()}
    shown["asked"] = asked
    shown["stream"] = streamed(door, who)
    if who:
        shown["my matches"] = news(door, who)
    return shown


def fork_of(door: Door, version: int) -> dict[str, Any]:
    """Return the opening of a fork of a match that goes on (M21)."""
    match = json(door.get())
    a_bot = {"kind": "bot", "level": "random"}
    return {
        "game": match["game"],
        "seats": [a_bot] * len(match["seats"]),
        "fork": {"match": door.match, "version": version},
    }


def seen_of_absence_and_rematch(door: Door, who: str) -> dict[str, str]:
    """Let a seat run out of time, end the match and open a rematch; return what a caller sees."""
    paying = json(door.get())["clock"]["paying"]
    run_out(door, paying[0])
    shown = {f"out of time {path}": shown_by(door.get(path, who)) for path in ("", "/v1/matches")}

    door.post("abort", None, "owner")
    new = json(door.post("rematch", {}, "owner"))["match"]
    for path in ("", "/v1/matches", f"/v1/matches/{new}"):
        shown[f"rematch {path}"] = shown_by(door.get(path, who))
    return shown


def shown_by(answer: TestResponse) -> str:
    """Return status, headers and body of an answer, without digests."""
    headers = sorted(answer.headers.items())
    return f"{answer.status} {masked(str(headers))} {masked(answer.text)}"


def streamed(door: Door, who: str) -> str:
    """Return how a stream from the beginning begins."""
    answer = door.get("stream?after=0", who, buffered=False)
    pieces: Iterator[Any] = iter(answer.response)
    retry = next(pieces)
    commits = next(pieces)
    answer.close()
    return masked((retry + commits).decode())


def news(door: Door, who: str) -> str:
    """Return how the stream of all matches of a caller begins."""
    answer = door.get("/v1/me/stream", who, headers={"Accept": NDJSON}, buffered=False)
    pieces: Iterator[Any] = iter(answer.response)
    line: bytes = next(pieces)
    answer.close()
    return _POSITION.sub("#", masked(line.decode()))


def masked(text: str) -> str:
    """Return a text without digests, signatures, request IDs and the IDs of logs."""
    return _DIGEST.sub("#", _LOG_ID.sub("", _REQUEST_ID.sub("", text)))


@pytest.mark.parametrize("game", GAMES_WITH_SECRETS)
@pytest.mark.parametrize("who", ["seat:1", "owner", ""])
@pytest.mark.parametrize("keyed", [False, True], ids=["plain", "M18-signed"])
def test_what_is_hidden_changes_no_answer(game: str, who: str, *, keyed: bool) -> None:
    """Byte for byte the same, whatever seat 0 keeps to itself (C43), and has signed (M18)."""
    one = played(game, 0, keyed=keyed)
    other = played(game, 1, keyed=keyed)

    assert one.tokens == other.tokens
    assert seen(one, who) == seen(other, who)


@pytest.mark.parametrize("game", GAMES_WITH_SECRETS)
@pytest.mark.parametrize("who", ["seat:1", "owner", ""])
def test_absence_and_rematch_tell_nothing_hidden(game: str, who: str) -> None:
    """Why a bot stands in, who may return, and which match follows: the same in both."""
    seen_in_one = seen_of_absence_and_rematch(played(game, 0), who)
    seen_in_other = seen_of_absence_and_rematch(played(game, 1), who)

    assert seen_in_one == seen_in_other
    assert '"may_return":true' in seen_in_one["out of time /v1/matches"]
    assert '"rematch_of":' in seen_in_one["rematch /v1/matches"]


@pytest.mark.parametrize("game", GAMES_WITH_SECRETS)
def test_the_two_matches_do_differ(game: str) -> None:
    """The seat itself sees another hand; otherwise the test above would prove nothing."""
    one = played(game, 0)
    other = played(game, 1)

    seen_in_one = seen(one, "seat:0")
    seen_in_other = seen(other, "seat:0")
    for what in ("state", "story", "story as text", "diff?from=1&to=4", "record", "stream"):
        assert seen_in_one[what] != seen_in_other[what]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("who", ["seat:0", "owner", ""])
def test_what_the_house_keeps_is_in_no_answer(game: str, who: str) -> None:
    """The secret behind all draws, its salt, and what else is for the house alone (M10)."""
    door = played(game, 0)
    commits = parse_commits(door.ctx.journal.events.read(door.match))
    kept = [json_in(commit["secrets"].get(HOUSE_AUDIENCE, {})) for commit in commits]
    texts = {text for part in kept for text in part if len(text) >= 32}
    assert texts, "the first commit has a secret"

    expected = dict.fromkeys(ANSWERED, 200) | REFUSED | {"advice": NO_ADVICE[who]}
    for path, status in expected.items():
        for media_type in ("application/json", NDJSON):
            answer = door.get(path, who, headers={"Accept": f"{media_type}, */*"})
            assert answer.status_code == status, path
            assert not [text for text in texts if text in answer.text], path


def json_in(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from json_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from json_in(one)


# ---- the feed: a public match beside a private one, which is another in each world --------------


OF_THE_FEED = (
    "/v1/commits",
    "/v1/commits?after=1&limit=4",
    "/v1/commits?game=calimala",
    "/v1/commits?game=firenze",
    "/v1/commits.ndjson",
    "/v1/matches?sort=-updated",
    "/v1/matches?player=Ada",
    "/v1/records",
)
PRIVATE: tuple[dict[str, Any], ...] = (
    {"game": "firenze", "seats": [{"kind": "human", "name": "Ada"}] * 2},
    {"game": "calimala", "seats": [{"kind": "human"}] * 3, "advice": True},
)
PLAYED = 3  # moves of each match
EACH = 1 + PLAYED  # commits of each match, with its opening


def sealed(root: Path, private: dict[str, Any]) -> tuple[Door, Door]:
    """Return a public match, the same each time, and a private one; each commit has a position."""
    journal = memory_journal()
    journal.lifecycle.replace_generation(None, Generation("one", since=START))
    log = open_log(journal.order, str(root / "archive"), root)
    ctx = Context(journal, b"s" * 32, lambda: START, lambda *_: None, allow_seed=True, log=log)
    app = quiet_app(ctx=ctx, notifications=Still())
    sequencer = Sequencer(journal, log, Signer(root / "log.json", lambda: START), lambda: START)

    # One by one: the order of what is sequenced at once depends on the matches' partitions.
    public, hidden = Door.of(app), Door.of(app)
    opened(public, key=KEY)
    assert sequencer.round().decided == 1
    opened(hidden, visibility="private", **private)
    assert sequencer.round().decided == 1
    for door in [public, hidden] * PLAYED:
        seats = json(door.get("", "owner"))["waiting_for"]["seats"]
        assert door.move(f"seat:{seats[0]}").status_code == 201
        assert sequencer.round().decided == 1
    return public, hidden


def commits_of(door: Door, who: str = "") -> list[dict[str, Any]]:
    """Return all commits of the feed, without the ID of the log, which each world draws anew."""
    page: list[dict[str, Any]] = json(door.get("/v1/commits", who))["commits"]
    return [{name: value for name, value in commit.items() if name != "log"} for commit in page]


def feed_stream(door: Door, who: str) -> str:
    """Return how the stream of the feed begins: its first event for each commit."""
    answer = door.get("/v1/commits/stream?after=0", who, buffered=False)
    pieces: Iterator[Any] = iter(answer.response)
    begun = b"".join(islice(pieces, 1 + 2 * EACH))
    answer.close()
    return masked(begun.decode())


@pytest.mark.parametrize("who", ["", "seat:1"])
def test_another_private_match_changes_nothing_of_the_feed_but_hashes(
    tmp_path: Path, who: str
) -> None:
    """Nothing tells its id, its game, its players or what is played in it."""
    (one, _), (other, _) = worlds = [
        sealed(tmp_path / private["game"], private) for private in PRIVATE
    ]
    assert one.tokens == other.tokens

    seen_in_one, seen_in_other = commits_of(one, who), commits_of(other, who)
    pairs = list(zip(seen_in_one, seen_in_other, strict=True))
    assert len(pairs) == 2 * EACH
    different = [pair for pair in pairs if pair[0] != pair[1]]
    assert len(different) == EACH
    for in_one, in_other in different:
        assert in_one == in_other | {"hash": in_one["hash"]}
        assert in_one.keys() == {"position", "hash"}

    for path in OF_THE_FEED:
        answers = [shown_by(public.get(path, who)) for public, _ in worlds]
        assert answers[0] == answers[1], path
        assert answers[0].startswith("200"), path
    assert feed_stream(one, who) == feed_stream(other, who)


def test_the_two_private_matches_do_differ(tmp_path: Path) -> None:
    """Their players see them whole; otherwise the test above would prove nothing."""
    told = []
    for private in PRIVATE:
        _, door = sealed(tmp_path / private["game"], private)
        told.append([one for one in commits_of(door, "seat:1") if one.get("match") == door.match])
    assert [{one["game"] for one in commits} for commits in told] == [{"firenze"}, {"calimala"}]
    assert list(map(len, told)) == [EACH] * 2
