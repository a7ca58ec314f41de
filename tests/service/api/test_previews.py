"""What a preview says of the state: amounts that no event tells, up to where chance decides."""

from typing import Any

import pytest

from domain.calimala import GAME
from domain.chance import Light
from domain.game import foreseen, preview
from domain.games import GAMES
from service.matches.differing import changes
from tests.domain.calimala import table as calimala
from tests.service.api.conftest import Door, json, opened
from tests.service.api.contract_file import quiet_app
from tests.service.api.test_history import patched

Json = dict[str, Any]
MOVES = 60


@pytest.mark.parametrize("had", [0, 1], ids=["one", "two"])
def test_how_much_marble_came_is_told(had: int) -> None:
    """C23: the event says marble, the changes say how many cubes there are and are left."""
    state = calimala.table()
    calimala.give(state, 0, marble=had)
    calimala.activate(state, 0, calimala.MARBLE_WEAVE, times=2, duty=True)
    reserve = state.players[0].reserve
    command = calimala.command("perform", 0, action="marble")

    previewed = preview(GAME, state, command, Light(0))

    before, after = foreseen(GAME, state, previewed, 0)[:2]
    assert [event.tag for event, _ in previewed] == ["action_performed"]
    assert list(changes(before, after)) == [
        {"op": "replace", "path": "/agenda/0/left/marble", "value": 1, "was": 2},
        {"op": "replace", "path": "/agenda/0/duty_unmet", "value": False, "was": True},
        {"op": "replace", "path": "/players/0/reserve", "value": reserve - 1, "was": reserve},
        {"op": "replace", "path": "/players/0/marble", "value": had + 1, "was": had},
    ]


@pytest.mark.parametrize("game", GAMES)
def test_changes_lead_from_state_to_state(game: str) -> None:
    """One after the other they make the state that the move makes; after a draw there are none."""
    app = quiet_app()
    seats = [{"kind": "human"}] * GAMES[game].seats[0]
    door = opened(Door(app.test_client(), app.extensions["desk"]), game, seats=seats)
    chance = Light(7)
    kinds = set()
    for number in range(MOVES):
        if json(door.get())["status"] == "finished":
            opened(door, game, seats=seats, seed=f"after {number} moves")
        kinds.add(_made(door, chance))
    assert kinds >= {"all known", "drawn"}


def _made(door: Door, chance: Light) -> str:
    """Preview a move and make it, and compare; return what kind of preview it was."""
    waiting_for = json(door.get())["waiting_for"]
    if waiting_for["house"]:
        door.house()
        return "the house's"
    who = f"seat:{waiting_for['seats'][0]}"
    legal = door.moves(who)
    move = legal[chance.below(len(legal))]
    state = json(door.get("state", who))["state"]
    foretold = json(door.post("moves?dry_run=true", move, who))["events"]
    assert door.post("moves", move, who).status_code == 201

    known = [event for event in foretold if "changes" in event]
    assert foretold[: len(known)] == known, "from the first draw on nothing has changes"
    for event in known:
        state = patched(state, event["changes"])
    if len(known) == len(foretold):
        assert state == json(door.get("state", who))["state"]
        assert not any("drawn" in event for event in foretold)
        return "all known"

    assert "drawn" in foretold[len(known)], "only a draw ends what is known"
    return "drawn"
