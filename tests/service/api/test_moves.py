"""Moves and their previews: a move is made once, and a preview shows its events."""

from typing import Any
from unittest.mock import Mock

import pytest

from domain.chance import FastChance
from domain.games import GAMES
from service.store.keys.signer import Accepted
from tests.service.api.conftest import Door, json, moved, opened, problem, tag
from tests.service.api.contract_file import quiet_app
from tests.service.api.test_history import patched

Json = dict[str, Any]


def test_a_move_is_signed_and_appended_once(match: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """One receipt is signed, and the answer has it.

    A failed append is not tried again, because the first one may have succeeded.
    """
    signer = match.ctx.signer
    assert signer is not None
    sign = signer.sign
    receipts: list[Any] = []

    def sign_and_note(accepted: Accepted) -> Json:
        receipts.append(sign(accepted))
        return dict(receipts[-1])

    monkeypatch.setattr(signer, "sign", sign_and_note)
    answer = match.post("moves", match.moves("seat:0")[0], "seat:0")

    assert receipts == [json(answer)["receipt"]]

    move = match.moves("seat:1")[0]
    append = Mock(side_effect=ZeroDivisionError("nobody has thought of it"))
    monkeypatch.setattr(match.ctx.journal.events, "append", append)

    answer = match.post("moves", move, "seat:1")

    assert problem(answer) == (500, "internal")
    assert append.call_count == 1


def test_moves_name_their_seat(match: Door) -> None:
    """A seat out of turn gets an empty list with its number.

    Other callers get a list without a seat.
    """
    moved(match, 3)
    acting = match.waiting_seats()[0]
    other = (acting + 1) % 3

    mine = json(match.get("moves", f"seat:{acting}"))
    others = json(match.get("moves", f"seat:{other}"))
    nobodys = json(match.get("moves"))
    owners = json(match.get("moves", "owner"))

    assert mine["seat"] == acting
    assert mine["moves"]
    assert others["seat"] == other
    assert others["moves"] == []

    for listing in (nobodys, owners):
        assert listing["seat"] is None
        assert listing["moves"] == []


PREFERENCES = {
    "return=minimal": True,
    'return="minimal"': True,
    "Return = Minimal; foo=bar": True,
    "respond-async, wait=10, return=minimal": True,
    'foo="a, return=representation", return=minimal': True,
    "": False,
    "return": False,
    "minimal": False,
    "return=nothing": False,
    "return=representation, return=minimal": False,
    "handling=lenient, return-minimal, \x7f;;,": False,
}


@pytest.mark.parametrize(("header", "is_minimal"), PREFERENCES.items(), ids=PREFERENCES)
def test_a_move_is_answered_as_preferred(match: Door, header: str, is_minimal: bool) -> None:
    """The first preference `return` decides, and others are ignored (RFC 7240)."""
    answer = match.move("seat:0", headers={"Prefer": header})

    whole = json(match.get("commits/2", "seat:0"))
    members = ("version", "hash", "receipt") if is_minimal else whole
    assert answer.status_code == 201
    assert json(answer) == {name: whole[name] for name in members}
    assert answer.headers.get("Preference-Applied") == ("return=minimal" if is_minimal else None)
    assert answer.headers["Vary"] == "Prefer"
    assert answer.headers["ETag"] == tag(match.get("state", "seat:0"))
    assert answer.headers["Location"].endswith("/commits/2")


def test_a_repeat_is_answered_as_it_prefers() -> None:
    """The preference is no part of the fingerprint. Without a signer there is no receipt."""
    door = opened(Door.of(quiet_app()), "calimala", seats=[{"kind": "human"}] * 3)
    move = door.moves("seat:0")[0]
    key = {"Idempotency-Key": "one" * 6}

    first = door.post("moves", move, "seat:0", headers=key)
    minimal = door.post("moves", move, "seat:0", headers={**key, "Prefer": "return=minimal"})
    again = door.post("moves", move, "seat:0", headers=key)

    assert json(minimal) == {name: json(first)[name] for name in ("version", "hash")}
    assert again.data == first.data
    for repeat in (minimal, again):
        assert repeat.status_code == 201
        assert repeat.headers["Idempotent-Replayed"] == "true"


def test_requests_without_a_move_ignore_the_preference(match: Door) -> None:
    """Dry runs, lines and refusals stay whole."""
    move = match.moves("seat:0")[0]
    line = {"version": 1, "moves": [{**move, "seat": 0}]}
    requests = {"moves?dry_run=true": move, "lines": line, "moves": {"type": "end_activation"}}

    for path, body in requests.items():
        plain = match.post(path, body, "seat:0")
        minimal = match.post(path, body, "seat:0", headers={"Prefer": "return=minimal"})

        assert "Preference-Applied" not in minimal.headers
        assert (minimal.status_code, minimal.data) == (plain.status_code, plain.data)


MOVES = 60


@pytest.mark.whole
@pytest.mark.parametrize("game", GAMES)
def test_a_preview_comes_true(game: str) -> None:
    """The changes of a preview lead to the state after the move.

    Its sentences are those of the story.

    From a draw on there are no changes.
    """
    app = quiet_app()
    fewest_seats = GAMES[game].seats[0]
    seats = [{"kind": "human"}] * fewest_seats
    door = opened(Door.of(app), game, seats=seats)

    chance = FastChance(7)
    kinds = set()
    for number in range(MOVES):
        is_over = json(door.get())["status"] == "ended"
        if is_over:
            opened(door, game, seats=seats, seed=f"after {number} moves")
        kind = _move_on(door, chance)
        kinds.add(kind)

    assert kinds >= {"all known", "drawn"}


def _move_on(door: Door, chance: FastChance) -> str:
    """Let the house act, or a seat preview a move and make it. Return its kind."""
    waiting_for = json(door.get())["waiting_for"]
    if waiting_for["house"]:
        door.house()
        return "the house's"
    who = f"seat:{waiting_for['seats'][0]}"
    legal_moves = door.moves(who)
    move = legal_moves[chance.below(len(legal_moves))]

    before = json(door.get("state", who))["state"]
    foretold = json(door.post("moves?dry_run=true", move, who))["events"]
    answer = door.post("moves", move, who)
    assert answer.status_code == 201

    story = json(door.get(f"story?after={json(answer)['version'] - 1}&limit=1", who))
    [line] = story["lines"]
    for event, sentence in zip(foretold, line["sentences"], strict=True):
        assert event["sentence"].keys() <= {"text", "rules", "heading"}
        if "changes" in event:
            assert event["sentence"] == sentence

    after = json(door.get("state", who))["state"]
    return _compare(before, foretold, after)


def _compare(before: Any, foretold: list[Json], after: Any) -> str:
    """Fail unless the changes of a preview without a draw lead from one state to the other.

    Return "all known", or "drawn" if there was a draw.
    """
    certain = [event for event in foretold if "changes" in event]
    assert foretold[: len(certain)] == certain, "from the first draw on nothing has changes"

    state = before
    for event in certain:
        state = patched(state, event["changes"])

    if len(certain) < len(foretold):
        first_unknown = foretold[len(certain)]
        assert "drawn" in first_unknown, "only a draw ends what is known"
        return "drawn"

    assert state == after
    assert not any("drawn" in event for event in foretold)
    return "all known"
