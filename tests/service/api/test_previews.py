"""What a preview says of the state: amounts that no event tells, up to where chance decides."""

from typing import Any

import pytest

from domain.calimala import GAME
from domain.chance import FastChance
from domain.game import foreseen, preview
from domain.games import GAMES
from service.matches.history import changes
from tests.domain.calimala import table as calimala
from tests.service.api.conftest import Door, json, opened
from tests.service.api.contract_file import quiet_app
from tests.service.api.test_history import patched

Json = dict[str, Any]
MOVES = 60


def replaced(path: str, was: Any, value: Any) -> dict[str, Any]:
    """Return the change of one value at a place (RFC 6902, and what it was)."""
    return {"op": "replace", "path": path, "value": value, "was": was}


@pytest.mark.parametrize("had", [0, 1], ids=["one", "two"])
def test_how_much_marble_came_is_told(had: int) -> None:
    """C23: the event says marble, the changes say how many cubes there are and are left."""
    state = calimala.table()
    calimala.give(state, 0, marble=had)
    calimala.activate(state, 0, calimala.MARBLE_WEAVE, times=2, duty=True)
    reserve = state.players[0].reserve
    command = calimala.command("perform", 0, action="marble")

    previewed = preview(GAME, state, command, FastChance(0))

    [(event, _state)] = previewed
    assert event.tag == "action_performed"

    before, after, *_ = foreseen(GAME, state, previewed, 0)
    told = list(changes(before, after))
    assert told == [
        replaced("/agenda/0/left/marble", was=2, value=1),
        replaced("/agenda/0/duty_unmet", was=True, value=False),
        replaced("/players/0/reserve", was=reserve, value=reserve - 1),
        replaced("/players/0/marble", was=had, value=had + 1),
    ]


@pytest.mark.parametrize("game", GAMES)
def test_changes_lead_from_state_to_state(game: str) -> None:
    """One after the other they make the state that the move makes; after a draw there are none."""
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
