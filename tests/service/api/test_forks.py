"""Forks over HTTP: permissions, refusals, and the answers about a fork (M21)."""

from collections.abc import Callable
from typing import Any

import pytest
from werkzeug.test import TestResponse

from domain import wire
from service.base.metadata_fields import COMMAND_LINE
from service.matches import lifecycle
from service.record import record
from service.record.codec import decode_events
from service.record.commit import parse_commits
from service.record.replay import apply
from tests.service.api.conftest import Door, json, opened, problem

BOT = {"kind": "bot", "level": "random"}
HUMAN = {"kind": "human"}
SEATS = {"calimala": 3, "firenze": 2}
NO_MATCH = "a" * 26


def base(door: Door, game: str = "firenze", **more: Any) -> Door:
    """Open a match of humans."""
    return opened(door, game, seats=[HUMAN] * SEATS[game], **more)


def ended(door: Door, game: str = "firenze", **more: Any) -> Door:
    """Open a match, abort it and let the house reveal it: three versions, over from the second."""
    base(door, game, **more)
    assert door.post("abort", None, "owner").status_code == 201
    door.house()
    return door


def fork(door: Door, version: int = 1, who: str = "", **more: Any) -> TestResponse:
    """Ask for a fork of the door's match, with bots at all seats."""
    body = {
        "game": "firenze",
        "seats": [BOT] * 2,
        "fork": {"match": door.match, "version": version},
        **more,
    }
    return door.post("/v1/matches", body, who)


@pytest.mark.parametrize("game", SEATS)
def test_a_revealed_match_is_forked_by_anybody(door: Door, game: str) -> None:
    """The answer, the match, the lists and the story name the base and its version (M21)."""
    ended(door, game)
    new_match = json(fork(door, game=game, seats=[BOT] * SEATS[game]))

    origin = {"match": door.match, "version": 1}
    assert new_match["forked_from"] == origin
    assert json(door.get(f"/v1/matches/{new_match['match']}"))["forked_from"] == origin
    listed = {one["match"]: one for one in json(door.get("/v1/matches"))["matches"]}
    assert listed[new_match["match"]]["forked_from"] == origin
    assert "forked_from" not in listed[door.match]

    story = door.get(f"/v1/matches/{new_match['match']}/story").text
    assert f"It goes on from move 1 of match {door.match}, and is not rated." in story


def test_a_fork_has_the_state_of_its_base_and_goes_on_from_it(door: Door) -> None:
    """The fork waits for the same seats as its base at that version.

    Seats, clock and take-back are those of the request.
    """
    ended(door)
    seats = [{"kind": "human", "name": "Cosimo"}, {"kind": "open"}]
    clock = {"bank_s": 300, "move_s": 5, "level": "greedy"}
    before = json(door.get("state?version=1"))

    answer = fork(door, seats=seats, clock=clock, take_back="own")
    new_match = json(answer)
    door.match, door.tokens = new_match["match"], new_match["tokens"]
    assert json(door.get("state"))["state"] is None
    assert door.post("seats/1", {}).status_code == 201
    assert door.post("start", None, "owner").status_code == 201

    after = json(door.get("state"))
    assert (after["state"], after["known"]) == (before["state"], before["known"])
    assert after["waiting_for"]["seats"] == before["waiting_for"]["seats"]
    assert (new_match["clock"]["bank_s"], new_match["take_back"]["option"]) == (300, "own")


@pytest.mark.parametrize("who", ["seat:0", "owner"])
def test_a_running_match_without_secrets_is_forked_by_its_own(door: Door, who: str) -> None:
    """In Firenze all is public (F44), so a fork shows nothing others cannot see."""
    base(door)
    assert fork(door, 1, who).status_code == 201


def test_a_fork_of_a_running_match_follows_from_public_events(door: Door) -> None:
    """The replayed public record gives the fork's state.

    The fork's commit lacks the base's secret.
    """
    base(door)
    for _ in range(6):
        [seat, *_] = door.waiting_seats()
        door.move(f"seat:{seat}")
    version = json(door.get())["version"]
    commits = parse_commits(door.ctx.journal.events.read(door.match))
    secret = commits[0]["secrets"]["house"]["0"]["secret"]

    public, match = door.get("record").data, None
    for line in record.lines(public):
        stored, _ = record.read_line(line)
        match = apply(match, decode_events([stored], commits[0]["commit"]["events"][0]["rules"]))
    assert match is not None

    new_match = json(fork(door, version, "seat:0"))["match"]
    [first] = door.ctx.journal.events.read(new_match, 0, 1)
    [stored] = parse_commits([first])
    embedded = stored["commit"]["events"][1]["base"]
    assert embedded["state"] == wire.dump(match.state)
    assert embedded["hash"] == commits[version - 1]["hash"]
    assert secret.encode() not in first


def other_match(door: Door) -> str:
    """Return the token of a player of another match."""
    mine = door.match
    token: str = base(door).tokens["seat:0"]
    door.match = mine
    return token


Prepare = Callable[[Door], object]
Refused = tuple[int, str]
NOT_FOUND, UNAUTHORIZED = (404, "not-found"), (401, "unauthorized")
FORBIDDEN, ILLEGAL, INVALID = (403, "forbidden"), (409, "illegal-move"), (422, "invalid-request")


@pytest.mark.parametrize(
    ("prepare", "terms", "refused", "words"),
    [
        pytest.param(
            ended,
            {"fork": {"match": NO_MATCH, "version": 1}},
            NOT_FOUND,
            "There is no match",
            id="M21-no-such-base",
        ),
        pytest.param(ended, {"version": 4}, INVALID, "the versions 1 to 3", id="M21-no-version"),
        pytest.param(ended, {"version": 0}, INVALID, "from 1", id="M21-no-version-at-all"),
        pytest.param(ended, {"seats": [BOT] * 3}, INVALID, "must be 2", id="M21-other-seats"),
        pytest.param(ended, {"game": "calimala"}, INVALID, "must be firenze", id="M21-other-game"),
        pytest.param(
            ended, {"options": {"ask_discards": True}}, INVALID, "Leave them out", id="M21-options"
        ),
        pytest.param(
            base, {}, UNAUTHORIZED, "the match's players and owner", id="M21-not-one's-own"
        ),
        pytest.param(
            base, {"who": "seat:0", "advice": True}, INVALID, "without advice", id="M21-advice"
        ),
        pytest.param(
            lambda door: opened(door, "firenze", seats=[HUMAN, {"kind": "open"}]),
            {"who": "owner"},
            ILLEGAL,
            "has not started",
            id="M21-before-the-start",
        ),
        pytest.param(
            lambda door: base(door, "calimala"),
            {"who": "seat:0", "game": "calimala", "seats": [BOT] * 3},
            ILLEGAL,
            "has dealt secrets",
            id="M21-a-secret-would-be-shown",
        ),
        pytest.param(
            lambda door: ended(door, visibility="private"),
            {"who": "owner"},
            INVALID,
            "must be private",
            id="M21-public-fork-of-a-private-match",
        ),
        pytest.param(
            lambda door: ended(door, visibility="private"), {}, NOT_FOUND, "", id="M21-private"
        ),
    ],
)
def test_illegal_forks_are_refused_with_the_reason(
    door: Door, prepare: Prepare, terms: dict[str, Any], refused: Refused, words: str
) -> None:
    """The refusal gives the reason, and no match is opened."""
    prepare(door)
    matches = len(list(door.ctx.journal.events.matches()))

    answer = fork(door, **terms)

    assert problem(answer) == refused
    assert words in answer.text
    assert len(list(door.ctx.journal.events.matches())) == matches


def test_a_token_of_another_match_forks_nothing(door: Door) -> None:
    """A token of another match is refused, although a fork of a revealed match needs none."""
    ended(door)
    assert problem(fork(door, who=other_match(door))) == FORBIDDEN


def test_a_deleted_match_is_not_forked_and_its_fork_stays(door: Door) -> None:
    """A fork holds all it needs of its base (M21)."""
    ended(door)
    new_match = json(fork(door))
    lifecycle.delete(door.ctx, door.match, COMMAND_LINE)

    assert problem(fork(door)) == (410, "match-deleted")
    assert json(door.get(f"/v1/matches/{new_match['match']}/state"))["state"] is not None


def test_a_private_match_is_forked_as_a_private_one(door: Door) -> None:
    """Anybody who may see a private match may fork it once it is revealed."""
    ended(door, visibility="private")
    for who in ("spectator", "seat:1"):
        assert fork(door, who=who, visibility="private").status_code == 201


def test_a_repeated_key_brings_the_same_fork(door: Door) -> None:
    """A repeat brings the fork even after its base was deleted.

    Another request with the key is refused.
    """
    ended(door)
    body = {
        "game": "firenze",
        "seats": [BOT] * 2,
        "fork": {"match": door.match, "version": 1},
    }
    key = {"Idempotency-Key": "fork-of-one-version"}
    first, again = (door.post("/v1/matches", body, headers=key) for _ in range(2))
    assert json(first)["match"] == json(again)["match"]
    assert again.headers["Idempotent-Replayed"] == "true"

    lifecycle.delete(door.ctx, door.match, COMMAND_LINE)
    assert json(door.post("/v1/matches", body, headers=key)) == json(first)

    without = {name: value for name, value in body.items() if name != "fork"}
    assert problem(door.post("/v1/matches", without, headers=key))[0] == 422
