"""The lobby through the door: seats, start, abort, stand-ins, and whose token may do what."""

from typing import Any

import pytest

from tests.service.api.conftest import KEY, THREE, Door, json, opened

OPEN = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]


def test_a_match_is_joined_and_started_m2_m4(lobby: Door) -> None:
    """Humans take the open seats, each gets a token, the owner starts, the seats play."""
    for seat in (1, 2):
        joined = json(lobby.post(f"seats/{seat}", {"name": f"Guest {seat}"}))
        lobby.tokens[f"seat:{seat}"] = joined["token"]
        assert joined["commit"]["events"][0]["type"] == "seat_joined"
    assert [seat.get("name") for seat in json(lobby.get())["seats"]] == [
        "Cosimo",
        "Guest 1",
        "Guest 2",
    ]
    assert lobby.post("start", None, "owner").status_code == 201
    assert json(lobby.get())["status"] == "running"
    assert lobby.move("seat:2").status_code == 201


def test_a_seat_that_was_left_is_open_again_m3(lobby: Door) -> None:
    """Its name is gone, its token is nobody's, somebody else may join."""
    token = json(lobby.post("seats/1", {"name": "Piero"}))["token"]
    assert lobby.ask("DELETE", "seats/1", token).status_code == 200
    assert json(lobby.get())["seats"][1] == {"seat": 1, "kind": "open"}
    assert lobby.get("state", token).status_code == 401
    assert lobby.post("seats/1", {}).status_code == 201


def test_a_bot_stands_in_and_the_human_comes_back_m8(match: Door) -> None:
    """Meanwhile the human may look but not move (M6)."""
    assert match.post("seats/0/bot", {"level": "random"}, "owner").status_code == 201
    assert json(match.get())["seats"][0] == {
        "seat": 0,
        "kind": "bot",
        "level": "random",
        "absent": True,
    }
    refused = match.post("moves", {"type": "end_activation"}, "seat:0")
    assert (refused.status_code, json(refused)["rule"]) == (409, "M6")
    assert match.get("state", "seat:0").status_code == 200
    assert match.ask("DELETE", "seats/0/bot", "owner").status_code == 200
    assert json(match.get())["seats"][0] == {"seat": 0, "kind": "human"}


def test_an_aborted_match_has_no_result_m7(match: Door) -> None:
    """And no more moves (M5)."""
    assert match.post("abort", None, "owner").status_code == 201
    assert (json(match.get())["status"], json(match.get())["outcome"]) == ("aborted", None)
    refused = match.post("moves", {"type": "end_activation"}, "seat:0")
    assert (refused.status_code, json(refused)["rule"], json(refused)["rule_url"]) == (
        409,
        "M5",
        "/rules/match#M5",
    )


REFUSED: dict[str, tuple[str, str, Any, str, int, str]] = {
    "M1-no-such-seat": ("POST", "seats/7", {}, "", 409, "M1"),
    "M2-taken": ("POST", "seats/0", {}, "", 409, "M2"),
    "M3-not-held": ("DELETE", "seats/1", None, "seat:0", 403, ""),
    "M4-seats-open": ("POST", "start", None, "owner", 409, "M4"),
    "M4-not-the-owner": ("POST", "start", None, "seat:0", 403, ""),
    "M4-nobody": ("POST", "start", None, "", 401, ""),
    "M7-not-the-owner": ("POST", "abort", None, "seat:0", 403, ""),
    "M8-not-the-owner": ("POST", "seats/1/bot", {}, "seat:0", 403, ""),
    "M8-nobody-to-restore": ("DELETE", "seats/1/bot", None, "owner", 409, "M8"),
    "M8-no-such-seat": ("POST", "seats/9/bot", {}, "owner", 409, "M1"),
    "M8-no-such-level": ("POST", "seats/1/bot", {"level": "perfect"}, "owner", 422, ""),
    "join-unknown-field": ("POST", "seats/1", {"nick": "x"}, "", 422, ""),
    "join-empty-name": ("POST", "seats/1", {"name": ""}, "", 422, ""),
    "join-odd-entropy": ("POST", "seats/1", {"entropy": "abc"}, "", 422, ""),
}


@pytest.mark.parametrize(
    ("method", "path", "body", "who", "status", "rule"), REFUSED.values(), ids=REFUSED
)
def test_what_the_lobby_refuses(
    lobby: Door, method: str, path: str, body: Any, who: str, status: int, rule: str
) -> None:
    """Each refusal is a problem that names the rule, and the match is as it was."""
    answer = lobby.ask(method, path, who, **({} if body is None else {"json": body}))
    assert (answer.status_code, json(answer).get("rule", "")) == (status, rule)
    assert json(lobby.get())["version"] == 1


def test_a_private_match_shows_itself_to_its_tokens_alone(door: Door) -> None:
    """Nobody else learns that it exists; it is on no list; its open seats need the invitation."""
    opened(door, seats=OPEN, visibility="private")
    assert door.get("stream").status_code == 404
    for path in ("", "state", "commits", "moves", "diff?from=1", "record"):
        assert (door.get(path).status_code, door.get(path, "spectator").status_code) == (404, 200)
    assert json(door.get("/v1/matches"))["matches"] == []
    assert door.post("seats/1", {}).status_code == 404
    assert door.post("seats/1", {}, "spectator").status_code == 403
    assert door.post("seats/1", {}, "invitation").status_code == 201
    assert door.get("state").status_code == 404


def test_the_owner_replaces_and_revokes_but_never_sees_a_hand(door: Door) -> None:
    """Spectators' tokens are the owner's to replace; a seat's he may only revoke."""
    opened(door, seats=THREE, visibility="private")
    fresh = json(door.post("tokens", {"holder": "spectator"}, "owner"))
    assert (door.get("", "spectator").status_code, door.get("", fresh["token"]).status_code) == (
        401,
        200,
    )
    assert door.post("tokens", {"holder": "seat:0"}, "owner").status_code == 403
    assert door.post("tokens", {"holder": "owner"}, "seat:0").status_code == 403
    assert door.post("tokens", {"holder": "invitation"}, "owner").status_code == 201, (
        "there was none: it is made"
    )
    assert door.ask("DELETE", "tokens/seat:0", "seat:1").status_code == 403
    assert door.ask("DELETE", "tokens/seat:0", "owner").status_code == 204
    assert door.get("state", "seat:0").status_code == 401
    assert door.ask("DELETE", "tokens/seat:0", "owner").status_code == 404


@pytest.mark.parametrize("who", ["spectator", "invitation"])
def test_a_shared_token_is_the_owners_alone_m13(door: Door, who: str) -> None:
    """Whoever shares it can neither replace nor revoke it for all others; the owner can, and makes a new one."""
    opened(door, seats=OPEN, visibility="private")
    for refused in (door.post("tokens", {}, who), door.ask("DELETE", f"tokens/{who}", who)):
        assert refused.status_code == 403
    assert door.get("", who).status_code == 200
    assert door.ask("DELETE", f"tokens/{who}", "owner").status_code == 204
    assert door.get("", who).status_code == 401
    made = door.post("tokens", {"holder": who}, "owner", headers={"Idempotency-Key": KEY})
    assert made.status_code == 201
    assert door.get("", json(made)["token"]).status_code == 200
    assert door.ask("DELETE", f"tokens/{who}", "owner").status_code == 204
    again = door.post("tokens", {"holder": who}, "owner", headers={"Idempotency-Key": KEY[::-1]})
    assert json(again)["token"] != json(made)["token"]


def test_a_public_match_has_no_shared_tokens(lobby: Door) -> None:
    """Everybody sees it and joins it: there is nothing to make."""
    assert lobby.post("tokens", {"holder": "invitation"}, "owner").status_code == 404


def test_history_tells_of_tokens_and_names_m13(lobby: Door) -> None:
    """Who did what to whose, no token and no name; the match itself is as it was."""
    before = json(lobby.get())
    fresh = json(lobby.post("tokens", {}, "seat:0"))["token"]
    assert lobby.ask("DELETE", "players/0", "owner").status_code == 204
    assert lobby.ask("DELETE", "tokens/seat:0", fresh).status_code == 204
    commits = json(lobby.get("commits?after=1"))["commits"]
    assert [(one["actor"], one["command"], one["events"]) for one in commits] == [
        (
            "seat:0",
            {"type": "replace_token", "holder": "seat:0"},
            [{"type": "token_replaced", "holder": "seat:0"}],
        ),
        ("owner", {"type": "erase_name", "seat": 0}, [{"type": "name_erased", "seat": 0}]),
        (
            "seat:0",
            {"type": "revoke_token", "holder": "seat:0"},
            [{"type": "token_revoked", "holder": "seat:0"}],
        ),
    ]
    after = json(lobby.get())
    assert (after["version"], after["status"], after["waiting_for"]) == (
        4,
        before["status"],
        before["waiting_for"],
    )
    assert after["changes"] == []
    assert "Cosimo" not in lobby.get("record").text


def test_after_the_revelation_it_is_told_beside_the_history_m13(lobby: Door) -> None:
    """The last commit stays the last; tokens and names are changed all the same, and noted with their time."""
    lobby.post("abort", None, "owner")
    lobby.house()
    before = json(lobby.get())
    tag = lobby.get().headers["ETag"]
    fresh = json(lobby.post("tokens", {}, "seat:0"))["token"]
    assert lobby.get("", headers={"If-None-Match": tag}).status_code == 200
    assert lobby.ask("DELETE", "players/0", fresh).status_code == 204
    assert lobby.ask("DELETE", "players/0", fresh).status_code == 204, (
        "a second time nothing is done and noted"
    )
    assert lobby.ask("DELETE", "tokens/seat:0", "owner").status_code == 204
    after = json(lobby.get())
    assert (after["version"], after["hash"]) == (before["version"], before["hash"])
    assert [{**change, "at": ""} for change in after["changes"]] == [
        {"at": "", "what": "token_replaced", "holder": "seat:0"},
        {"at": "", "what": "name_erased", "seat": 0},
        {"at": "", "what": "token_revoked", "holder": "seat:0"},
    ]
    assert "name" not in after["seats"][0]
    assert lobby.get("", fresh).status_code == 401


def test_no_token_is_kept(match: Door) -> None:
    """The journal's server holds hashes of tokens and nothing that a token could be made of."""
    match.post("tokens", {}, "seat:0")
    held = str(match.desk.journal.asides(match.match)) + str(match.desk.journal.read(match.match))
    for token in match.tokens.values():
        assert token not in held
        assert token[31:] not in held
