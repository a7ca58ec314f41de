"""Moves and their previews: nothing is done twice, and what will come is foretold."""

from typing import Any
from unittest.mock import Mock

import pytest

from domain.chance import FastChance
from domain.games import GAMES
from service.store.keys.signer import Accepted
from tests.service.api.conftest import Door, json, moved, opened, problem
from tests.service.api.contract_file import quiet_app
from tests.service.api.test_history import patched

Json = dict[str, Any]


def test_a_move_is_signed_and_appended_once(match: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """The receipt that is made while the journal answers is the one that is told.

    What fails in the append is told without another append: the first one may land.
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


def test_moves_say_whose_they_are(match: Door) -> None:
    """No moves for want of a seat's token look other than no moves out of turn."""
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

    for told in (nobodys, owners):
        assert told["seat"] is None
        assert told["moves"] == []


MOVES = 60


@pytest.mark.parametrize("game", GAMES)
def test_what_a_preview_foretells_comes_true(game: str) -> None:
    """Its changes make the state that the move makes, and its sentences are those of the story.

    After a draw there are no changes.
    """
    app = quiet_app()
    fewest_seats = GAMES[game].seats[0]
    seats = [{"kind": "human"}] * fewest_seats
    door = opened(Door.of(app), game, seats=seats)

    chance = FastChance(7)
    kinds = set()
    for number in range(MOVES):
        is_over = json(door.get())["status"] == "finished"
        if is_over:
            opened(door, game, seats=seats, seed=f"after {number} moves")
        kind = _move_on(door, chance)
        kinds.add(kind)

    assert kinds >= {"all known", "drawn"}


def _move_on(door: Door, chance: FastChance) -> str:
    """Let the house act, or a seat preview a move and make it; return what kind it was."""
    waiting_for = json(door.get())["waiting_for"]
    if waiting_for["house"]:
        door.house()
        return "the house's"
    who = f"seat:{waiting_for['seats'][0]}"
    legal_moves = door.moves(who)
    move = legal_moves[chance.below(len(legal_moves))]

    before = json(door.get("state", who))["state"]
    foretold = json(door.post("moves?dry_run=true", move, who))["events"]
    made = door.post("moves", move, who)
    assert made.status_code == 201

    story = json(door.get(f"story?after={json(made)['version'] - 1}&limit=1", who))
    [line] = story["lines"]
    for event, sentence in zip(foretold, line["sentences"], strict=True):
        assert event["sentence"].keys() <= {"text", "rules", "heading"}
        if "changes" in event:
            assert event["sentence"] == sentence

    after = json(door.get("state", who))["state"]
    return _compare(before, foretold, after)


def _compare(before: Any, foretold: list[Json], after: Any) -> str:
    """Fail unless the changes that were foretold lead from state to state, up to the first draw.

    Return "all known", or "drawn" if there was a draw.
    """
    known = [event for event in foretold if "changes" in event]
    assert foretold[: len(known)] == known, "from the first draw on nothing has changes"

    state = before
    for event in known:
        state = patched(state, event["changes"])

    if len(known) < len(foretold):
        first_unknown = foretold[len(known)]
        assert "drawn" in first_unknown, "only a draw ends what is known"
        return "drawn"

    assert state == after
    assert not any("drawn" in event for event in foretold)
    return "all known"
