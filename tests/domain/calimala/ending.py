"""The last turn of a match, and how a test plays it to the end."""

from typing import Any

from domain.calimala import GAME
from domain.calimala.agenda import Turn
from domain.calimala.state import State
from domain.game import HOUSE
from tests.domain.calimala.table import BRICK_WOOD, do, perform, place, skip, table


def last_turn(seats: int = 3) -> State:
    """Return a table where the last seat has one coloured disc left and nobody else has any."""
    state = table(seats)
    for player in state.players:
        player.discs = 0
        player.whites = 0
    state.players[-1].discs = 1
    state.agenda = [Turn(seats - 1)]
    return state


def place_and_perform(state: State, seat: int, *stack: int) -> list[Any]:
    """Let the seat place on brick-wood above the stack and carry its actions out.

    All others skip theirs. Returns the events of the last of these moves.
    """
    state.streets[BRICK_WOOD] = stack
    (placed, *_) = place(state, seat, BRICK_WOOD)
    events: list[Any] = []
    for owner in placed.activates:
        use = perform if owner == seat else skip
        use(state, owner, "brick")
        events = use(state, owner, "wood")
    return events


def score_all(state: State) -> list[list[Any]]:
    """Let the house score until it is not awaited any more, and return the events of each time."""
    scorings = []
    while GAME.actors(state) == (HOUSE,):
        scorings.append(do(state, "score"))
    return scorings
