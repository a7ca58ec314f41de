"""A seat's answers, on any endpoint or stream, do not depend on state that is hidden from it.

Two matches differ only in the secret choices of seat 0. All answers to seat 1, to the owner or
without a token must be the same to the byte, but for the digests binding the hidden choices to
the chain: hashes and the signatures over them. Hashes are salted (docs/reference/record.md), so
they tell nothing. All digests are masked here, and so are the random ids of requests and logs.
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
    THREE,
    Door,
    KeyedDoor,
    json,
    opened,
    run_out,
)
from tests.service.api.contract_file import quiet_app
from tests.signing import ADA, BEA, CLEO
from tests.whole import whole_but

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
    "commits.ndjson",
    "story",
    "story?limit=2",
    "story.ndjson",
    "commits/1",
    "commits/2",
    "state?version=2",
    "states",
    "states?after=1&limit=3",
    "states.ndjson",
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
NO_ADVICE = {"": 401, "owner": 403, "seat:0": 404}  # the match was opened without advice
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
    """Notifications without any news."""

    stopped = False

    @contextmanager
    def follow(self, _match: str) -> Iterator[Channel]:
        """Follow a match without any news."""
        yield Channel()

    @contextmanager
    def follow_many(self, _matches: list[str]) -> Iterator[Channels]:
        """Follow several matches without any news."""
        yield Channels({})


def new_door() -> Door:
    """Return a door with a clock and a journal of its own, equal for every door."""
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
    """Return a new door. keyed: it signs for its seats."""
    door = new_door()
    return KeyedDoor(door.client, door.ctx, players=PLAYERS) if keyed else door


def seats(*, keyed: bool) -> list[dict[str, str]]:
    """Return three humans' seats, with keys or without."""
    if not keyed:
        return THREE
    return [{"kind": "human", "key": player.key} for player in PLAYERS.values()]


def played(game: str, choice: int, *, keyed: bool = False) -> Door:
    """Play the first rounds of a match.

    Seat 0 chooses by `choice` if its command is secret, elsewhere the first move. keyed: True if
    all seats have keys, and sign (M18).
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
            # The secret choice is taken back, and made again.
            before = {"to": json(door.get())["version"] - 1}
            taken_back = door.post("take-back", before, "seat:0").status_code == 201

    last = {"to": json(door.get())["version"] - 1}
    assert taken_back or game not in GAMES_WITH_SECRETS
    asking = max(who for who in door.tokens if who.startswith("seat:"))
    assert door.post("take-back", last, asking).status_code == 201
    return door


def is_secret(game: str, command_tag: str) -> bool:
    """Return True if a command of a game has fields for its seat alone."""
    command = GAMES[game].commands[command_tag]
    return bool(wire.secret_fields(command))


def seen(door: Door, who: str) -> dict[str, str]:
    """Return all answers to a caller, by request."""
    end_activation = {"type": "end_activation"}
    stale = {"If-Match": '"2"'}

    own_news = news(door, who) if who else ""
    answers = {path: door.get(path, who) for path in READS}
    for number, move in enumerate(WRITES):
        answers[f"POST {number}"] = door.post("moves", move, who)
    answers |= {
        "stale": door.post("moves", end_activation, who, headers=stale),
        "dry run": door.post("moves?dry_run=true", end_activation, who),
        "line": door.post("lines", {"version": 1, "moves": []}, who),
        "later line": door.post("lines", {"version": 4, "moves": []}, who),
        "lines": door.get("commits.ndjson", who),
        "story in lines": door.get("story.ndjson", who),
        "fork": door.post("/v1/matches", fork_of(door, 1), who),
        "later fork": door.post("/v1/matches", fork_of(door, 4), who),
        "ask": door.post("take-back", {"to": 1}, who),
        "agree": door.post("take-back/agree", None, who),
        "return": door.post("return", None, who),
        "resign": door.post("resign", None, who),
        "lines of states": door.get("states.ndjson", who),
    }

    parts = {request: shown_by(answer) for request, answer in answers.items()}
    parts["asked"] = own_news
    parts["stream"] = streamed(door, who)
    if who:
        parts["my matches"] = news(door, who)
    return parts


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
    """Let a seat run out of time, end the match and open a rematch. Return a caller's answers."""
    paying = json(door.get())["clock"]["paying"]
    run_out(door, paying[0])
    parts = {f"out of time {path}": shown_by(door.get(path, who)) for path in ("", "/v1/matches")}

    door.post("abort", None, "owner")
    new = json(door.post("rematch", {}, "owner"))["match"]
    for path in ("", "/v1/matches", f"/v1/matches/{new}"):
        parts[f"rematch {path}"] = shown_by(door.get(path, who))
    return parts


def shown_by(answer: TestResponse) -> str:
    """Return status, headers and body of an answer, without digests."""
    headers = sorted(answer.headers.items())
    return f"{answer.status} {masked(str(headers))} {masked(answer.text)}"


def streamed(door: Door, who: str) -> str:
    """Return the first pieces of a match's stream from version 0."""
    answer = door.get("stream?after=0", who, buffered=False)
    pieces: Iterator[Any] = iter(answer.response)
    retry = next(pieces)
    commits = next(pieces)
    answer.close()
    return masked((retry + commits).decode())


def news(door: Door, who: str) -> str:
    """Return the first pieces of the stream of all matches of a caller."""
    answer = door.get("/v1/me/stream", who, buffered=False)
    pieces: Iterator[Any] = iter(answer.response)
    retry = next(pieces)
    event = next(pieces)
    answer.close()
    return _POSITION.sub("#", masked((retry + event).decode()))


def masked(text: str) -> str:
    """Return a text without digests, signatures, request IDs and the IDs of logs."""
    return _DIGEST.sub("#", _LOG_ID.sub("", _REQUEST_ID.sub("", text)))


@pytest.mark.parametrize("game", GAMES_WITH_SECRETS)
@pytest.mark.parametrize("who", ["seat:1", "owner", ""])
@pytest.mark.parametrize("keyed", whole_but([False], [False, True]), ids=["plain", "M18-signed"])
def test_hidden_state_changes_no_answer(game: str, who: str, *, keyed: bool) -> None:
    """Secret choices of seat 0, signed (M18) or not, change no answer, except digests (C43)."""
    one = played(game, 0, keyed=keyed)
    other = played(game, 1, keyed=keyed)

    assert one.tokens == other.tokens
    assert seen(one, who) == seen(other, who)


@pytest.mark.parametrize("game", GAMES_WITH_SECRETS)
@pytest.mark.parametrize("who", whole_but(["seat:1"], ["seat:1", "owner", ""]))
def test_absence_and_rematch_tell_nothing_hidden(game: str, who: str) -> None:
    """Two secret choices give the same answers about a stand-in, its return and a rematch."""
    seen_in_one = seen_of_absence_and_rematch(played(game, 0), who)
    seen_in_other = seen_of_absence_and_rematch(played(game, 1), who)

    assert seen_in_one == seen_in_other
    assert '"may_return":true' in seen_in_one["out of time /v1/matches"]
    assert '"rematch_of":' in seen_in_one["rematch /v1/matches"]


@pytest.mark.parametrize("game", GAMES_WITH_SECRETS)
def test_the_two_matches_do_differ(game: str) -> None:
    """Seat 0 sees a difference. Otherwise the test of hidden state would prove nothing."""
    one = played(game, 0)
    other = played(game, 1)

    seen_in_one = seen(one, "seat:0")
    seen_in_other = seen(other, "seat:0")
    for what in ("state", "story", "story in lines", "diff?from=1&to=4", "record", "stream"):
        assert seen_in_one[what] != seen_in_other[what]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("who", ["seat:0", "owner", ""])
def test_secrets_of_the_house_are_in_no_answer(game: str, who: str) -> None:
    """No answer contains the secret of all draws, its salt, or other secrets of the house (M10)."""
    door = played(game, 0)
    commits = parse_commits(door.ctx.journal.events.read(door.match))
    secrets = [json_in(commit["secrets"].get(HOUSE_AUDIENCE, {})) for commit in commits]
    texts = {text for part in secrets for text in part if len(text) >= 32}
    assert texts, "the first commit has a secret"

    expected = dict.fromkeys(ANSWERED, 200) | REFUSED | {"advice": NO_ADVICE[who]}
    for path, status in expected.items():
        answer = door.get(path, who)
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
    """Return a public match, the same each time, and a private one. Each commit has a position."""
    journal = memory_journal()
    journal.lifecycle.replace_generation(None, Generation("one", since=START))
    log = open_log(journal.order, str(root / "archive"), root)
    ctx = Context(journal, b"s" * 32, lambda: START, lambda *_: None, allow_seed=True, log=log)
    app = quiet_app(ctx=ctx, notifications=Still())
    sequencer = Sequencer(journal, log, Signer(root / "log.json", lambda: START), lambda: START)

    # One by one: simultaneous commits are sequenced by the matches' partitions.
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
    """Return all commits of the feed, without the ID of the log, since each world draws its own."""
    page: list[dict[str, Any]] = json(door.get("/v1/commits", who))["commits"]
    return [{name: value for name, value in commit.items() if name != "log"} for commit in page]


def feed_stream(door: Door, who: str) -> str:
    """Return the first pieces of the feed's stream: `retry` and an event for each commit."""
    answer = door.get("/v1/commits/stream?after=0", who, buffered=False)
    pieces: Iterator[Any] = iter(answer.response)
    beginning = b"".join(islice(pieces, 1 + 2 * EACH))
    answer.close()
    return masked(beginning.decode())


@pytest.mark.parametrize("who", ["", "seat:1"])
def test_a_private_match_changes_nothing_of_the_feed_but_hashes(tmp_path: Path, who: str) -> None:
    """The feed shows strangers no id, game, players or moves of a private match."""
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
    """Players see their private match. Otherwise the test of the feed would prove nothing."""
    feeds = []
    for private in PRIVATE:
        _, door = sealed(tmp_path / private["game"], private)
        feeds.append([one for one in commits_of(door, "seat:1") if one.get("match") == door.match])
    assert [{one["game"] for one in commits} for commits in feeds] == [{"firenze"}, {"calimala"}]
    assert list(map(len, feeds)) == [EACH] * 2
