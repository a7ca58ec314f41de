"""Attacks by way of tokens: a leaked one that comes back, a shared one that shuts others out, a flood of changes."""

import hashlib
from typing import Any

import pytest

from domain.match.messages import EraseName, ReplaceToken, RevokeToken
from service.keys import tokens
from service.matches import names, traces
from service.matches.committing import Act, commit
from service.matches.loading import load
from service.verify.audit import verify_stored
from tests.service.api.conftest import KEY, THREE, Door, app, desk, door, json, lobby, match, opened

__all__ = ["app", "desk", "door", "lobby", "match"]  # the fixtures of the door

OTHER_KEY = KEY[::-1]


def rotated(door: Door, who: str, key: str, **body: str) -> str:
    """Replace a token with an idempotency key and return the new one."""
    answer = door.post("tokens", body, who, headers={"Idempotency-Key": key})
    assert answer.status_code == 201, answer.text
    token: str = json(answer)["token"]
    return token


def ended(door: Door) -> Door:
    """End a match and reveal its secrets, so that no further commit can be made."""
    door.post("abort", None, "owner")
    door.house()
    return door


@pytest.mark.parametrize("revealed", [False, True], ids=["running", "revealed"])
def test_a_leaked_token_does_not_come_back_with_its_key(match: Door, revealed: bool) -> None:
    """A client whose keys repeat gets another token each time; the leaked one stays dead."""
    if revealed:
        ended(match)
    leaked = rotated(match, "seat:0", KEY)
    safe = rotated(match, leaked, OTHER_KEY)
    third = rotated(match, safe, KEY)
    assert third not in (leaked, safe)
    assert [match.get("", token).status_code for token in (leaked, safe, third)] == [401, 401, 200]


def test_a_leaked_shared_token_does_not_come_back_after_its_revocation(door: Door) -> None:
    """Made with the same key, revoked and made again: another token, since each is derived with a nonce of its own."""
    opened(door, seats=THREE, visibility="private")
    ended(door)
    made = set()
    for _ in range(3):
        made.add(rotated(door, "owner", KEY, holder="spectator"))
        door.ask("DELETE", "tokens/spectator", "owner")
    assert len(made) == 3
    assert {door.get("", token).status_code for token in made} == {401}


def test_a_guest_shuts_nobody_out(door: Door) -> None:
    """The bearer of the invitation can neither revoke nor replace it: the other guests still come in."""
    opened(door, seats=[THREE[0], {"kind": "open"}, {"kind": "open"}], visibility="private")
    guest = "invitation"
    for who in (guest, "spectator"):
        assert door.ask("DELETE", f"tokens/{guest}", who).status_code == 403
        assert door.post("tokens", {}, who).status_code == 403
        assert door.post("tokens", {"holder": guest}, who).status_code == 403
    assert door.post("seats/1", {}, guest).status_code == 201
    assert json(door.get("", "owner"))["version"] == 2


def test_a_flood_of_changes_leaves_little_behind(match: Door) -> None:
    """One seat replaces its token again and again: a few commits, then notes, and never more than so many of them."""
    token = match.tokens["seat:0"]
    for number in range(traces.TRACED_EACH + traces.NOTES + 5):
        token = rotated(match, token, f"{KEY}-{number}")
    told = json(match.get())
    assert told["version"] == 1 + traces.TRACED_EACH
    assert len(told["changes"]) == traces.NOTES
    fields = match.desk.journal.sidecar(match.match)
    assert sum(field.startswith("replaced:") for field in fields) == 1
    assert sum(field.startswith("changed:") for field in fields) == traces.NOTES
    assert (
        sum(whose == "seat:0" for field, whose in fields.items() if field.startswith("token:")) == 1
    )

    assert match.post("tokens", {}, "seat:1").status_code == 201
    assert json(match.get())["version"] == 2 + traces.TRACED_EACH, (
        "others' changes are still told in the history"
    )
    assert match.get("", token).status_code == 200


def test_a_long_match_still_changes_tokens_and_names(
    lobby: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no commit but a move is allowed any more, the change is made and noted beside the history."""
    monkeypatch.setattr(traces, "MOST_COMMITS_AROUND", 1)
    fresh = rotated(lobby, "seat:0", KEY)
    names.erase(lobby.desk, lobby.match, fresh, 0)
    told = json(lobby.get())
    assert (told["version"], [change["what"] for change in told["changes"]]) == (
        1,
        ["token_replaced", "name_erased"],
    )
    assert rotated(lobby, "seat:0", KEY) == fresh, "the replaced token is answered again"


def test_what_the_first_release_kept_of_replacements_goes(match: Door) -> None:
    """Thousands of remembered replacements go in bounded steps; till then the last one is still answered."""
    held, replaced = "seat:0", match.tokens["seat:0"]
    kept: dict[str, str | None] = {
        f"replaced:token:{number:064x}:{number:064x}": f"|{held}" for number in range(9000)
    }
    digest = hashlib.sha256(f"rotate|{KEY}".encode()).hexdigest()
    live = tokens.make(match.desk.secret, match.match, held, f"rotate|{KEY}")
    match.desk.journal.put_sidecar(
        match.match, tokens.held(held, live) | {tokens.field(replaced): None}
    )
    for first in range(0, 9000, 1000):
        match.desk.journal.put_sidecar(match.match, dict(list(kept.items())[first : first + 1000]))
    match.desk.journal.put_sidecar(
        match.match, {f"replaced:{tokens.field(replaced)}:{digest}": f"|{held}"}
    )

    assert rotated(match, replaced, KEY) == live
    token = live
    for number in range(10):
        token = rotated(match, token, f"{KEY}-{number}")
    fields = match.desk.journal.sidecar(match.match)
    assert [field for field in fields if field.startswith("replaced:")] == ["replaced:seat:0"]


def test_a_lost_answer_is_given_again_until_the_next_replacement(match: Door) -> None:
    """The bearer of the replaced token repeats; after the next replacement nobody gets the dead token any more."""
    fresh = rotated(match, "seat:0", KEY)
    assert rotated(match, "seat:0", KEY) == fresh
    rotated(match, fresh, OTHER_KEY)
    late = match.post("tokens", {}, "seat:0", headers={"Idempotency-Key": KEY})
    assert (late.status_code, "token" in json(late)) == (422, False)


def test_the_history_of_changes_verifies(match: Door) -> None:
    """Whoever checks the match finds every commit right, those about tokens and names, too."""
    rotated(match, "seat:0", KEY)
    assert match.ask("DELETE", "tokens/seat:1", "owner").status_code == 204
    ended(match)
    found = verify_stored(match.desk.journal.read(match.match))
    assert found.report.wrong is None
    assert load(match.desk, match.match).match.revealed


OTHERS = {
    "a-seat-replaces-anothers": ("seat:1", ReplaceToken("seat:0"), False),
    "a-seat-replaces-its-own": ("seat:0", ReplaceToken("seat:0"), True),
    "the-owner-replaces-a-seats": ("owner", ReplaceToken("seat:0"), False),
    "the-owner-replaces-a-shared-one": ("owner", ReplaceToken("spectator"), True),
    "a-guest-replaces-the-shared-one": ("invitation", ReplaceToken("invitation"), False),
    "the-house-revokes": ("house", RevokeToken("seat:0"), False),
    "the-owner-revokes": ("owner", RevokeToken("seat:0"), True),
    "a-seat-erases-anothers-name": ("seat:1", EraseName(0), False),
    "the-owner-erases-a-name": ("owner", EraseName(0), True),
    "a-seat-erases-its-own-name": ("seat:0", EraseName(0), True),
}


@pytest.mark.parametrize(("actor", "command", "right"), OTHERS.values(), ids=OTHERS)
def test_a_server_that_lets_others_do_it_is_found_out_m13(
    match: Door, actor: str, command: Any, right: bool
) -> None:
    """The verifier takes such a commit from the owner or from the seat named, and from nobody else."""
    commit(match.desk, load(match.desk, match.match), Act(actor, command))
    wrong = verify_stored(match.desk.journal.read(match.match)).report.wrong
    assert (wrong and wrong.code) == (None if right else "actor_wrong")
