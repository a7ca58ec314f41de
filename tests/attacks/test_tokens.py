"""Attacks by way of tokens.

A leaked one comes back, a shared one shuts others out, or changes of tokens fill the journal.
"""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from domain.match.messages import EraseName, ReplaceToken, RevokeToken
from service.matches import metadata_changes
from service.matches.command_handler import Act, Submission, commit
from service.matches.repository import load
from service.record.verify.audit import verify_stored
from service.store.keys import tokens
from tests.service.api.conftest import IN_THE_LOBBY, KEY, Door, json, opened

OTHER_KEY = KEY[::-1]
REMEMBERED = 9000  # replacements, by the first release
PUT_AT_ONCE = 1000  # fields of the metadata
# Replacements: more than are told and noted.
FLOOD = metadata_changes.TRACED_EACH + metadata_changes.NOTES + 5


def rotated(door: Door, who: str, key: str, **body: str) -> str:
    """Replace a token with an idempotency key and return the new one."""
    answer = door.post("tokens", body, who, headers={"Idempotency-Key": key})
    assert answer.status_code == 201, answer.text
    token: str = json(answer)["token"]
    return token


def rotated_often(door: Door, who: str, times: int) -> str:
    """Replace a token again and again, with another key each time. Return the last one."""
    token = door.tokens.get(who, who)
    for number in range(times):
        token = rotated(door, token, f"{KEY}-{number}")
    return token


def end(door: Door) -> None:
    """End a match and reveal its secrets, so that no further commit can be made."""
    door.post("abort", None, "owner")
    door.house()


def fields(door: Door, prefix: str) -> dict[str, str]:
    """Return the fields of the match's metadata under a prefix."""
    metadata = door.ctx.journal.metadata.fields(door.match)
    return {name: value for name, value in metadata.items() if name.startswith(prefix)}


@pytest.mark.parametrize("revealed", [False, True], ids=["running", "revealed"])
def test_a_leaked_token_does_not_come_back_with_its_key(match: Door, revealed: bool) -> None:
    """A client with repeating keys gets another token each time. The leaked one stays dead."""
    if revealed:
        end(match)

    leaked = rotated(match, "seat:0", KEY)
    second = rotated(match, leaked, OTHER_KEY)
    third = rotated(match, second, KEY)

    assert len({leaked, second, third}) == 3
    assert [match.get("", token).status_code for token in (leaked, second, third)] == [
        401,
        401,
        200,
    ]


@pytest.mark.parametrize("who", ["invitation", "spectator"])
def test_a_guest_shuts_nobody_out(door: Door, who: str) -> None:
    """The bearer of a shared token can neither revoke nor replace the invitation.

    The other guests still come in, and nothing but that is told in the history.
    """
    opened(door, seats=IN_THE_LOBBY, visibility="private")

    refused = [
        door.delete("tokens/invitation", who),
        door.delete(f"tokens/{who}", who),
        door.post("tokens", {}, who),
        door.post("tokens", {"holder": "invitation"}, who),
    ]
    joining = door.post("seats/1", {}, "invitation")

    assert [answer.status_code for answer in refused] == [403] * 4
    assert joining.status_code == 201
    assert json(door.get("", "owner"))["version"] == 2


def test_a_flood_of_changes_leaves_little_behind(match: Door) -> None:
    """One seat replaces its token again and again: a few commits, a few notes and one token stay.

    When its changes are no longer told in the history, another seat's still are.
    """
    last = rotated_often(match, "seat:0", FLOOD)

    document = json(match.get())
    version = document["version"]
    holders = list(fields(match, "token:").values())

    assert version == 1 + metadata_changes.TRACED_EACH
    assert len(document["changes"]) == metadata_changes.NOTES
    assert len(fields(match, "changed:")) == metadata_changes.NOTES
    assert holders.count("seat:0") == 1
    assert len(fields(match, "replaced:")) == 1
    assert match.get("", last).status_code == 200

    other = match.post("tokens", {}, "seat:1")
    assert other.status_code == 201
    assert json(match.get())["version"] == version + 1


def test_a_long_match_still_changes_tokens_and_names(
    lobby: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If no commit but a move is allowed any more, a change is noted beside the history.

    A replacement that is only noted can be repeated, too. Each note has another time, even if the
    clock stands still.
    """
    monkeypatch.setattr(metadata_changes, "LAST_SEAT_CHANGE", 1)
    lobby.change(ctx=replace(lobby.ctx, clock=lambda: 0))

    fresh = rotated(lobby, "seat:0", KEY)
    assert rotated(lobby, "seat:0", KEY) == fresh
    metadata_changes.erase(lobby.ctx, Submission(lobby.match, fresh), 0)
    rotated(lobby, fresh, OTHER_KEY)

    document = json(lobby.get())
    times = [change["at"] for change in document["changes"]]
    kinds = [change["what"] for change in document["changes"]]
    assert document["version"] == 1
    assert kinds == ["token_replaced", "name_erased", "token_replaced"]
    assert times == sorted(set(times))


def remember_as_the_first_release(door: Door) -> str:
    """Store thousands of replacements of seat 0's token, as the first release remembered them.

    Return the valid token: that of the last replacement, made with KEY.
    """
    metadata = door.ctx.journal.metadata
    replaced_field = tokens.field(door.tokens["seat:0"])
    live = tokens.make(door.ctx.secret, door.match, "seat:0", f"rotate|{KEY}")
    metadata.put(door.match, tokens.held("seat:0", live) | {replaced_field: None})

    for first in range(0, REMEMBERED, PUT_AT_ONCE):
        remembered: dict[str, str | None] = {
            f"replaced:token:{number:064x}:{number:064x}": "|seat:0"
            for number in range(first, first + PUT_AT_ONCE)
        }
        metadata.put(door.match, remembered)

    digest = hashlib.sha256(f"rotate|{KEY}".encode()).hexdigest()
    metadata.put(door.match, {f"replaced:{replaced_field}:{digest}": "|seat:0"})
    return live


def test_replacements_kept_by_the_first_release_are_removed(match: Door) -> None:
    """The last replacement before an upgrade can be repeated after it.

    Thousands of remembered replacements go in bounded steps, a step with each replacement.
    """
    live = remember_as_the_first_release(match)
    assert rotated(match, "seat:0", KEY) == live

    rotated_often(match, live, 10)

    assert list(fields(match, "replaced:")) == ["replaced:seat:0"]


def test_a_lost_answer_is_given_again_until_the_next_replacement(match: Door) -> None:
    """The bearer of the replaced token repeats and gets the same token, later nobody does."""
    fresh = rotated(match, "seat:0", KEY)
    assert rotated(match, "seat:0", KEY) == fresh

    rotated(match, fresh, OTHER_KEY)
    late = match.post("tokens", {}, "seat:0", headers={"Idempotency-Key": KEY})

    assert late.status_code == 422
    assert "token" not in json(late)
    another = {"Idempotency-Key": f"{KEY}-late"}
    assert match.post("tokens", {}, "seat:0", headers=another).status_code == 401


# The actor and the change, and the verifier's finding: None is nothing.
CHANGES: dict[str, tuple[str, Any, str | None]] = {
    "a-seat-replaces-anothers": ("seat:1", ReplaceToken("seat:0"), "actor_wrong"),
    "a-seat-replaces-its-own": ("seat:0", ReplaceToken("seat:0"), None),
    "the-owner-replaces-a-seats": ("owner", ReplaceToken("seat:0"), None),
    "the-owner-replaces-a-shared-one": ("owner", ReplaceToken("spectator"), None),
    "a-guest-replaces-the-shared-one": ("invitation", ReplaceToken("invitation"), "actor_wrong"),
    "the-house-revokes": ("house", RevokeToken("seat:0"), "actor_wrong"),
    "the-owner-revokes": ("owner", RevokeToken("seat:0"), None),
    "a-seat-erases-anothers-name": ("seat:1", EraseName(0), "actor_wrong"),
    "the-owner-erases-a-name": ("owner", EraseName(0), None),
    "a-seat-erases-its-own-name": ("seat:0", EraseName(0), None),
}


@pytest.mark.parametrize(("actor", "command", "code"), CHANGES.values(), ids=CHANGES)
def test_a_server_that_lets_others_do_it_is_found_out_m13(
    match: Door, actor: str, command: Any, code: str | None
) -> None:
    """The verifier takes such a commit from the owner or the seat named, and from nobody else."""
    commit(match.ctx, load(match.ctx, match.match), Act(actor, command))

    wrong = verify_stored(match.ctx.journal.events.read(match.match)).report.wrong

    assert (wrong and wrong.code) == code
