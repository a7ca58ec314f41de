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

    names = [seat.get("name") for seat in json(lobby.get())["seats"]]
    assert names == ["Cosimo", "Guest 1", "Guest 2"]
    assert lobby.post("start", None, "owner").status_code == 201
    assert json(lobby.get())["status"] == "running"
    assert lobby.move("seat:2").status_code == 201


def test_a_seat_that_was_left_is_open_again_m3(lobby: Door) -> None:
    """Its name is gone, its token is nobody's, somebody else may join."""
    token = json(lobby.post("seats/1", {"name": "Piero"}))["token"]

    assert lobby.delete("seats/1", token).status_code == 200

    assert json(lobby.get())["seats"][1] == {"seat": 1, "kind": "open"}
    assert lobby.get("state", token).status_code == 401
    assert lobby.post("seats/1", {}).status_code == 201


def test_a_bot_stands_in_and_the_human_comes_back_m8(match: Door) -> None:
    """Meanwhile the human may look but not move (M6)."""
    stand_in = {"seat": 0, "kind": "bot", "level": "random", "absent": True}

    assert match.post("seats/0/bot", {"level": "random"}, "owner").status_code == 201
    assert json(match.get())["seats"][0] == stand_in
    refused = match.post("moves", {"type": "end_activation"}, "seat:0")
    assert refused.status_code == 409
    assert json(refused)["rule"] == "M6"
    assert match.get("state", "seat:0").status_code == 200

    assert match.delete("seats/0/bot", "owner").status_code == 200
    assert json(match.get())["seats"][0] == {"seat": 0, "kind": "human"}


def test_an_aborted_match_has_no_result_m7(match: Door) -> None:
    """And no more moves (M5)."""
    assert match.post("abort", None, "owner").status_code == 201

    document = json(match.get())
    assert document["status"] == "aborted"
    assert document["outcome"] is None
    refused = match.post("moves", {"type": "end_activation"}, "seat:0")
    assert refused.status_code == 409
    assert json(refused)["rule"] == "M5"
    assert json(refused)["rule_url"] == "/rules/match#M5"


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
    sent = {} if body is None else {"json": body}

    answer = lobby.ask(method, path, who, **sent)

    assert answer.status_code == status
    assert json(answer).get("rule", "") == rule
    assert json(lobby.get())["version"] == 1


def test_a_private_match_shows_itself_to_its_tokens_alone(door: Door) -> None:
    """Nobody else learns that it exists; it is on no list."""
    opened(door, seats=OPEN, visibility="private")

    for path in ("", "state", "commits", "moves", "diff?from=1", "record"):
        assert door.get(path).status_code == 404
        assert door.get(path, "spectator").status_code == 200
    assert door.get("stream").status_code == 404
    assert json(door.get("/v1/matches"))["matches"] == []


def test_open_seats_of_a_private_match_need_the_invitation(door: Door) -> None:
    """Spectators only look; whoever has joined makes the match no less private."""
    opened(door, seats=OPEN, visibility="private")

    assert door.post("seats/1", {}).status_code == 404
    assert door.post("seats/1", {}, "spectator").status_code == 403
    assert door.post("seats/1", {}, "invitation").status_code == 201
    assert door.get("state").status_code == 404


def test_the_owner_replaces_tokens_but_never_a_seats(door: Door) -> None:
    """Spectators' tokens are the owner's to replace; of a seat's they would see the hand."""
    opened(door, seats=THREE, visibility="private")

    fresh = json(door.post("tokens", {"holder": "spectator"}, "owner"))["token"]

    assert door.get("", "spectator").status_code == 401
    assert door.get("", fresh).status_code == 200
    assert door.post("tokens", {"holder": "seat:0"}, "owner").status_code == 403
    assert door.post("tokens", {"holder": "owner"}, "seat:0").status_code == 403
    invitation = door.post("tokens", {"holder": "invitation"}, "owner")
    assert invitation.status_code == 201, "there was none: it is made"


def test_the_owner_revokes_a_seats_token(door: Door) -> None:
    """Another seat does not; what is revoked is there no more."""
    opened(door, seats=THREE, visibility="private")

    assert door.delete("tokens/seat:0", "seat:1").status_code == 403
    assert door.delete("tokens/seat:0", "owner").status_code == 204
    assert door.get("state", "seat:0").status_code == 401
    assert door.delete("tokens/seat:0", "owner").status_code == 404


@pytest.mark.parametrize("who", ["spectator", "invitation"])
def test_a_shared_token_is_the_owners_alone_m13(door: Door, who: str) -> None:
    """Whoever shares it can neither replace nor revoke it for all others."""
    opened(door, seats=OPEN, visibility="private")

    assert door.post("tokens", {}, who).status_code == 403
    assert door.delete(f"tokens/{who}", who).status_code == 403
    assert door.get("", who).status_code == 200

    assert door.delete(f"tokens/{who}", "owner").status_code == 204
    assert door.get("", who).status_code == 401


@pytest.mark.parametrize("who", ["spectator", "invitation"])
def test_the_owner_makes_a_new_shared_token_m13(door: Door, who: str) -> None:
    """Each time it was revoked, and each time another one."""
    opened(door, seats=OPEN, visibility="private")
    fresh = []

    for key in (KEY, KEY[::-1]):
        assert door.delete(f"tokens/{who}", "owner").status_code == 204
        headers = {"Idempotency-Key": key}
        made = door.post("tokens", {"holder": who}, "owner", headers=headers)
        assert made.status_code == 201
        fresh.append(json(made)["token"])
        assert door.get("", fresh[-1]).status_code == 200

    assert fresh[0] != fresh[1]


def test_a_public_match_has_no_shared_tokens(lobby: Door) -> None:
    """Everybody sees it and joins it: there is nothing to make."""
    assert lobby.post("tokens", {"holder": "invitation"}, "owner").status_code == 404


def test_history_tells_of_tokens_and_names_m13(lobby: Door) -> None:
    """Who did what to whose, no token and no name; the match itself is as it was."""
    before = json(lobby.get())

    fresh = json(lobby.post("tokens", {}, "seat:0"))["token"]
    assert lobby.delete("players/0", "owner").status_code == 204
    assert lobby.delete("tokens/seat:0", fresh).status_code == 204

    replaced, erased, revoked = json(lobby.get("commits?after=1"))["commits"]
    assert replaced["actor"] == "seat:0"
    assert replaced["command"] == {"type": "replace_token", "holder": "seat:0"}
    assert replaced["events"] == [{"type": "token_replaced", "holder": "seat:0"}]
    assert erased["actor"] == "owner"
    assert erased["command"] == {"type": "erase_name", "seat": 0}
    assert erased["events"] == [{"type": "name_erased", "seat": 0}]
    assert revoked["actor"] == "seat:0"
    assert revoked["command"] == {"type": "revoke_token", "holder": "seat:0"}
    assert revoked["events"] == [{"type": "token_revoked", "holder": "seat:0"}]

    after = json(lobby.get())
    assert after["version"] == 4
    assert after["status"] == before["status"]
    assert after["waiting_for"] == before["waiting_for"]
    assert after["changes"] == []
    assert "Cosimo" not in lobby.get("record").text


def test_after_the_revelation_it_is_told_beside_the_history_m13(lobby: Door) -> None:
    """The last commit stays the last; tokens and names are changed all the same, and noted."""
    lobby.post("abort", None, "owner")
    lobby.house()
    before = json(lobby.get())
    held = {"If-None-Match": lobby.get().headers["ETag"]}

    fresh = json(lobby.post("tokens", {}, "seat:0"))["token"]
    assert lobby.get("", headers=held).status_code == 200
    assert lobby.delete("players/0", fresh).status_code == 204
    again = lobby.delete("players/0", fresh)
    assert again.status_code == 204, "a second time nothing is done and noted"
    assert lobby.delete("tokens/seat:0", "owner").status_code == 204

    after = json(lobby.get())
    assert after["version"] == before["version"]
    assert after["hash"] == before["hash"]
    assert "name" not in after["seats"][0]
    assert lobby.get("", fresh).status_code == 401
    assert [change.keys() - {"what"} for change in after["changes"]] == [
        {"at", "holder"},
        {"at", "seat"},
        {"at", "holder"},
    ]
    replaced, erased, revoked = after["changes"]
    assert (replaced["what"], replaced["holder"]) == ("token_replaced", "seat:0")
    assert (erased["what"], erased["seat"]) == ("name_erased", 0)
    assert (revoked["what"], revoked["holder"]) == ("token_revoked", "seat:0")


def test_no_token_is_kept(match: Door) -> None:
    """The journal's server holds hashes of tokens and nothing that a token could be made of."""
    match.post("tokens", {}, "seat:0")

    sidecar = str(match.desk.journal.sidecar(match.match))
    commits = str(match.desk.journal.read(match.match))

    for token in match.tokens.values():
        secret_part = token[31:]
        for kept in (sidecar, commits):
            assert token not in kept
            assert secret_part not in kept
