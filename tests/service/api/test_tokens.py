"""Who replaces and revokes tokens, who erases names, and where it is told (M13)."""

from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.service.api.conftest import IN_THE_LOBBY, KEY, THREE, Door, json, opened


def replace_token(door: Door, holder: str, who: str, **more: Any) -> TestResponse:
    """Ask for a new token for a holder."""
    return door.post("tokens", {"holder": holder}, who, **more)


def test_the_owner_makes_the_invitation_that_is_lacking(door: Door) -> None:
    """A match without open seats is opened without one."""
    opened(door, seats=THREE, visibility="private")
    assert "invitation" not in door.tokens

    answer = replace_token(door, "invitation", "owner")

    assert answer.status_code == 201


def test_a_seats_token_is_replaced_by_nobody_else(door: Door) -> None:
    """With it the owner would see the hand; and no seat makes itself the owner."""
    opened(door, seats=THREE, visibility="private")

    a_seats_by_the_owner = replace_token(door, "seat:0", "owner")
    the_owners_by_a_seat = replace_token(door, "owner", "seat:0")

    assert a_seats_by_the_owner.status_code == 403
    assert the_owners_by_a_seat.status_code == 403


def test_the_owner_revokes_a_seats_token(door: Door) -> None:
    """Another seat does not; what is revoked is there no more."""
    opened(door, seats=THREE, visibility="private")

    by_another_seat = door.delete("tokens/seat:0", "seat:1")
    by_the_owner = door.delete("tokens/seat:0", "owner")
    once_more = door.delete("tokens/seat:0", "owner")

    assert by_another_seat.status_code == 403
    assert by_the_owner.status_code == 204
    assert once_more.status_code == 404
    assert door.get("state", "seat:0").status_code == 401


@pytest.mark.parametrize("who", ["spectator", "invitation"])
def test_a_shared_token_is_not_its_bearers_to_change_m13(door: Door, who: str) -> None:
    """Whoever shares it can neither replace nor revoke it for all others."""
    opened(door, seats=IN_THE_LOBBY, visibility="private")

    replaced = door.post("tokens", {}, who)
    revoked = door.delete(f"tokens/{who}", who)

    assert replaced.status_code == 403
    assert revoked.status_code == 403
    assert door.get("", who).status_code == 200


@pytest.mark.parametrize("who", ["spectator", "invitation"])
def test_the_owner_makes_a_new_shared_token_m13(door: Door, who: str) -> None:
    """Each time it was revoked, and each time another one."""
    opened(door, seats=IN_THE_LOBBY, visibility="private")
    new_tokens: list[str] = []

    for key in (KEY, KEY[::-1]):
        revoked = door.delete(f"tokens/{who}", "owner")
        assert revoked.status_code == 204
        assert door.get("", new_tokens[-1] if new_tokens else who).status_code == 401

        made = replace_token(door, who, "owner", headers={"Idempotency-Key": key})
        assert made.status_code == 201

        new_token = json(made)["token"]
        assert door.get("", new_token).status_code == 200
        new_tokens.append(new_token)

    assert new_tokens[0] != new_tokens[1]


def change_tokens_and_names(lobby: Door) -> str:
    """Replace seat 0's token, erase its name and revoke the new token; return that."""
    replaced = lobby.post("tokens", {}, "seat:0")
    new_token: str = json(replaced)["token"]

    erased = lobby.delete("players/0", new_token)
    revoked = lobby.delete("tokens/seat:0", "owner")
    assert erased.status_code == 204
    assert revoked.status_code == 204
    return new_token


def test_a_public_match_has_no_shared_tokens(lobby: Door) -> None:
    """Everybody sees it and joins it: there is nothing to make."""
    assert lobby.post("tokens", {"holder": "invitation"}, "owner").status_code == 404


def test_history_tells_of_tokens_and_names_m13(lobby: Door) -> None:
    """Who did what to whose."""
    change_tokens_and_names(lobby)

    replaced, erased, revoked = json(lobby.get("commits?after=1"))["commits"]

    assert replaced["actor"] == "seat:0"
    assert replaced["command"] == {"type": "replace_token", "holder": "seat:0"}
    assert replaced["events"] == [{"type": "token_replaced", "holder": "seat:0"}]

    assert erased["actor"] == "seat:0"
    assert erased["command"] == {"type": "erase_name", "seat": 0}
    assert erased["events"] == [{"type": "name_erased", "seat": 0}]

    assert revoked["actor"] == "owner"
    assert revoked["command"] == {"type": "revoke_token", "holder": "seat:0"}
    assert revoked["events"] == [{"type": "token_revoked", "holder": "seat:0"}]


def test_history_tells_the_bearer_or_the_owner_m13(lobby: Door) -> None:
    """What both may do is told of the one who did it."""
    new_token = json(lobby.post("tokens", {}, "seat:0"))["token"]
    lobby.delete("players/0", "owner")
    lobby.delete("tokens/seat:0", new_token)

    _replaced, erased, revoked = json(lobby.get("commits?after=1"))["commits"]

    assert erased["actor"] == "owner"
    assert revoked["actor"] == "seat:0"


def test_history_tells_no_token_and_no_name_m13(lobby: Door) -> None:
    """What was erased is in no record, and neither is what was replaced."""
    new_token = change_tokens_and_names(lobby)

    record = lobby.get("record").text

    assert "Cosimo" not in record
    assert new_token not in record
    assert lobby.tokens["seat:0"] not in record


def test_tokens_and_names_change_nothing_in_the_match_m13(lobby: Door) -> None:
    """There are three commits more, and that is all."""
    before = json(lobby.get())

    change_tokens_and_names(lobby)

    after = json(lobby.get())
    assert after["version"] == 4
    assert after["status"] == before["status"]
    assert after["waiting_for"] == before["waiting_for"]
    assert after["changes"] == []


@pytest.fixture
def revealed(lobby: Door) -> Door:
    """A match that was aborted, and whose house has revealed its secrets."""
    lobby.post("abort", None, "owner")
    lobby.house()
    return lobby


def test_after_the_revelation_changes_are_told_beside_the_history_m13(revealed: Door) -> None:
    """The last commit stays the last; the match tells what was changed, of whom, and when."""
    before = json(revealed.get())

    new_token = change_tokens_and_names(revealed)

    after = json(revealed.get())
    assert (after["version"], after["hash"]) == (before["version"], before["hash"])
    assert "name" not in after["seats"][0]
    assert revealed.get("", new_token).status_code == 401

    times = [change.pop("at") for change in after["changes"]]
    assert times == sorted(times)
    assert after["changes"] == [
        {"what": "token_replaced", "holder": "seat:0"},
        {"what": "name_erased", "seat": 0},
        {"what": "token_revoked", "holder": "seat:0"},
    ]


def test_a_change_beside_the_history_makes_another_etag_m13(revealed: Door) -> None:
    """Who holds the match as it was is sent it as it is."""
    held = {"If-None-Match": revealed.get().headers["ETag"]}

    revealed.post("tokens", {}, "seat:0")

    assert revealed.get("", headers=held).status_code == 200


def test_a_name_that_goes_without_a_commit_makes_another_etag_m13(lobby: Door) -> None:
    """As it may in a match that an earlier release began."""
    held = {"If-None-Match": lobby.get().headers["ETag"]}

    lobby.ctx.journal.metadata.put(lobby.match, {"name:0": None})

    assert lobby.get("", headers=held).status_code == 200


def test_a_name_is_noted_as_erased_once_m13(revealed: Door) -> None:
    """A second time nothing is done, and the answer is the same."""
    first = revealed.delete("players/0", "seat:0")
    again = revealed.delete("players/0", "seat:0")

    assert first.status_code == 204
    assert again.status_code == 204
    assert len(json(revealed.get())["changes"]) == 1


def test_no_token_is_kept(match: Door) -> None:
    """The journal's server holds hashes of tokens and nothing that a token could be made of."""
    match.post("tokens", {}, "seat:0")

    sidecar = str(match.ctx.journal.metadata.fields(match.match))
    commits = str(match.ctx.journal.events.read(match.match))

    for token in match.tokens.values():
        secret_part = token[31:]
        for kept in (sidecar, commits):
            assert token not in kept
            assert secret_part not in kept
