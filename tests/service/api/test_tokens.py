"""Replacing and revoking tokens, erasing names, and their traces in answers (M13)."""

import re
from typing import Any

import pytest

from service.matches.metadata_changes import TRACED_EACH
from tests.service.api.conftest import IN_THE_LOBBY, KEY, THREE, Door, json, opened, problem


def test_tokens_are_changed_by_their_seat_or_the_owner(door: Door, lobby: Door) -> None:
    """A seat changes its own token, the owner that of each seat. No seat makes itself the owner.

    A public match has no invitation to replace. No token is made for a seat that does not exist.
    """
    opened(door, seats=THREE, visibility="private")
    assert "invitation" not in door.tokens, "there is no open seat"

    requests: list[tuple[str, str, str, Any, int]] = [
        ("POST", "tokens", "owner", {"holder": "invitation"}, 201),
        ("POST", "tokens", "seat:1", {"holder": "seat:0"}, 403),
        ("POST", "tokens", "owner", {"holder": "seat:9"}, 404),
        ("POST", "tokens", "seat:0", {"holder": "owner"}, 403),
        ("DELETE", "tokens/seat:0", "seat:1", None, 403),
        ("GET", "state", "seat:0", None, 200),
        ("DELETE", "tokens/seat:0", "owner", None, 204),
        ("DELETE", "tokens/seat:0", "owner", None, 404),
        ("GET", "state", "seat:0", None, 401),
    ]
    for method, path, who, body, status in requests:
        assert door.ask(method, path, who, json=body).status_code == status, (path, who, body)

    opened(door)
    assert door.post("tokens", {"holder": "invitation"}, "owner").status_code == 404


def test_the_owners_token_joins_a_private_match(door: Door) -> None:
    opened(door, seats=IN_THE_LOBBY, visibility="private")
    assert door.post("seats/1", {}, "owner").status_code == 201


@pytest.mark.parametrize("is_revoked", [False, True])
def test_the_owner_makes_a_new_link_for_a_seat_m13(door: Door, is_revoked: bool) -> None:
    """The old token no longer works, and the history shows the owner's act."""
    opened(door, seats=THREE)
    if is_revoked:
        door.delete("tokens/seat:0", "owner")
    answer = json(door.post("tokens", {"holder": "seat:0"}, "owner"))

    assert answer["holder"] == "seat:0"
    assert door.get("state", "seat:0").status_code == 401
    assert json(door.get("state", answer["token"]))["seat"] == 0
    last = json(door.get("commits"))["commits"][-1]
    assert (last["actor"], last["events"]) == (
        "owner",
        [{"type": "token_replaced", "holder": "seat:0"}],
    )
    [sentence] = json(door.get("story"))["lines"][-1]["sentences"]
    assert sentence["text"].startswith("The owner makes a new link for Red.")


def test_the_owner_takes_no_seat_unseen_m13(door: Door) -> None:
    """If the history is full, a replacement by the owner is refused until the revelation."""
    opened(door, seats=THREE)
    for _ in range(TRACED_EACH):
        assert door.post("tokens", {"holder": "seat:1"}, "owner").status_code == 201
    version = json(door.get())["version"]

    assert door.post("tokens", {"holder": "seat:0"}, "owner").status_code == 403
    assert door.get("state", "seat:0").status_code == 200
    assert json(door.get())["version"] == version

    door.post("abort", None, "owner")
    door.house()
    assert door.post("tokens", {"holder": "seat:0"}, "owner").status_code == 201


@pytest.mark.parametrize("who", ["spectator", "invitation"])
def test_the_owner_makes_a_new_shared_token_m13(door: Door, who: str) -> None:
    """After each revocation the owner can make a shared token again, and it is a new one.

    After the revelation an idempotency key may be used again, but not for another holder.
    """
    [other] = {"spectator", "invitation"} - {who}
    opened(door, seats=IN_THE_LOBBY, visibility="private")
    tokens = [door.tokens[who]]

    for key in (KEY, KEY[::-1], f"{KEY}-3", f"{KEY}-3"):
        if len(tokens) == 3:
            door.post("abort", None, "owner")
            door.house()
        assert door.delete(f"tokens/{who}", "owner").status_code == 204
        assert door.get("", tokens[-1]).status_code == 401

        headers = {"Idempotency-Key": key}
        answer = door.post("tokens", {"holder": who}, "owner", headers=headers)
        tokens.append(json(answer)["token"])
        assert door.get("", tokens[-1]).status_code == 200
        of_another = door.post("tokens", {"holder": other}, "owner", headers=headers)
        assert problem(of_another) == (422, "idempotency-key-reused")

    assert len(set(tokens)) == 5


def change_tokens_and_names(lobby: Door) -> str:
    """Replace seat 0's token, erase its name and revoke the new token. Return the new token."""
    new_token: str = json(lobby.post("tokens", {}, "seat:0"))["token"]

    assert lobby.delete("players/0", new_token).status_code == 204
    assert lobby.delete("tokens/seat:0", "owner").status_code == 204
    return new_token


def test_history_tells_of_tokens_and_names_without_secrets_m13(lobby: Door) -> None:
    """Three commits have the actor, the act and the holder, but no name and no token."""
    before = json(lobby.get())
    new_token = change_tokens_and_names(lobby)
    after = json(lobby.get())

    facts = [
        (commit["actor"], commit["command"], commit["events"])
        for commit in json(lobby.get("commits?after=1"))["commits"]
    ]
    holder, seat = {"holder": "seat:0"}, {"seat": 0}
    assert facts == [
        ("seat:0", {"type": "replace_token", **holder}, [{"type": "token_replaced", **holder}]),
        ("seat:0", {"type": "erase_name", **seat}, [{"type": "name_erased", **seat}]),
        ("owner", {"type": "revoke_token", **holder}, [{"type": "token_revoked", **holder}]),
    ]
    assert after["version"] == 4
    for name in ("status", "waiting_for", "changes"):
        assert after[name] == before[name]

    record = lobby.get("record").text
    for secret in ("Cosimo", new_token, lobby.tokens["seat:0"]):
        assert secret not in record


def test_history_tells_the_bearer_or_the_owner_m13(lobby: Door) -> None:
    """For an act of a seat or the owner, the commit names the actor."""
    new_token = json(lobby.post("tokens", {}, "seat:0"))["token"]
    lobby.delete("players/0", "owner")
    lobby.delete("tokens/seat:0", new_token)

    _replaced, erased, revoked = json(lobby.get("commits?after=1"))["commits"]

    assert (erased["actor"], revoked["actor"]) == ("owner", "seat:0")


def test_later_changes_of_tokens_stand_beside_the_history_m13(lobby: Door) -> None:
    """After the revelation changes are not commits. The match lists their kind, holder and time.

    A change gives the match another ETag. A repeated act is not listed again.
    """
    lobby.post("abort", None, "owner")
    lobby.house()
    answer = lobby.get()
    before = json(answer)

    new_token = change_tokens_and_names(lobby)
    assert lobby.delete("players/0", "owner").status_code == 204

    after = json(lobby.get("", headers={"If-None-Match": answer.headers["ETag"]}))
    assert (after["version"], after["hash"]) == (before["version"], before["hash"])
    assert "name" not in after["seats"][0]
    assert lobby.get("", new_token).status_code == 401

    times = [change.pop("at") for change in after["changes"]]
    assert times == sorted(times)
    assert after["changes"] == [
        {"what": "token_replaced", "holder": "seat:0"},
        {"what": "name_erased", "seat": 0},
        {"what": "token_revoked", "holder": "seat:0"},
    ]


def test_no_token_is_kept(match: Door) -> None:
    """Metadata and commits hold no secret part of a token."""
    match.post("tokens", {}, "seat:0")

    metadata = str(match.ctx.journal.metadata.fields(match.match))
    commits = str(match.ctx.journal.events.read(match.match))

    for token in match.tokens.values():
        secret_part = token[31:]
        for content in (metadata, commits):
            assert secret_part not in content


# Paths below the match that a seat can read.
READ = (
    *("", "state", "states", "moves", "commits", "story", "record", "stream", "diff?from=1&to=1"),
    *("advice", "audits/1", "curve", "thoughts", "proof", "webhook"),
)


def test_an_old_holder_reads_nothing_after_a_replacement(match: Door) -> None:
    """The old token cannot read the match, repeat a move or follow a stream."""
    old, move = match.tokens["seat:0"], match.moves("seat:0")[0]
    again = {"Idempotency-Key": KEY}
    assert match.post("moves", move, old, headers=again).status_code == 201
    assert match.post("tokens", {"holder": "seat:0"}, "owner").status_code == 201

    assert {path: match.get(path, old).status_code for path in READ} == dict.fromkeys(READ, 401)
    assert match.post("moves", move, old, headers=again).status_code == 401
    assert match.post("lines", {"version": 1, "moves": [move]}, old).status_code == 401
    streamed = match.get("/v1/me/stream", old)
    assert re.findall("event: (.*)", streamed.text) == ["gone"]
