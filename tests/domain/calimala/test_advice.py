"""The greedy player: legal, sensible, and far better than chance."""

from typing import Any

import pytest

from domain.calimala import GAME
from domain.calimala.components import TILES, Action, Category, City
from domain.chance import Draws
from domain.game import HOUSE, Draft, Setup
from tests.domain.calimala.table import SHIP_BUILD, activate, deal, deliver, give, table


def won_by_greed(seats: int, seed: int) -> bool:
    """Play one greedy player against random ones and say whether he came first."""
    draws = Draws(f"{seats} {seed}".encode())
    options = GAME.read_options({})
    draft = Draft(GAME.initial(Setup(seats, options)), GAME.evolve, draws)
    greedy = seed % seats
    while awaited := GAME.actors(draft.state):
        seat = awaited[0]
        if seat == greedy:
            move = GAME.advise(GAME.imagine(draft.state, seat, draws), seat, draws)
            assert move in GAME.legal_moves(draft.state, seat)
        else:
            move = GAME.random_move(draft.state, seat, draws)
        GAME.play(draft, move)
    outcome = GAME.outcome(draft.state)
    assert outcome is not None
    return outcome.ranks[greedy] == 1


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_greedy_player_beats_random_ones(seats: int) -> None:
    """Of three matches against a table of random players it wins at least two, with legal moves only."""
    assert sum(won_by_greed(seats, seed) for seed in range(3)) >= 2


def test_it_ships_where_the_next_tile_is_won() -> None:
    """Only Barcelona is still to be scored, and one cloth decides it."""
    state = table()
    state.players[1].ships, state.players[1].kept = 1, Category.SANTA_CROCE
    give(state, 1, cloth=1)
    state.council, state.scored, state.face_up = [*TILES[1:], TILES[0]], 14, None
    deliver(state, City.BARCELONA, 2, 2)
    activate(state, 1, SHIP_BUILD)
    move: Any = GAME.advise(state, 1, Draws(b""))
    assert (move.tag, move.cities) == ("perform", (City.BARCELONA,))


def test_it_does_not_throw_an_action_away() -> None:
    """It carries out or draws a card, but skips nothing that brings something."""
    state = table()
    deal(state, 1, Action.WOOD)
    activate(state, 1, SHIP_BUILD)
    assert GAME.advise(state, 1, Draws(b"")).tag in ("compensate", "play_card")


def test_it_has_nothing_to_think_about_with_one_move() -> None:
    """The house's turn and a single choice are answered as they are."""
    state = GAME.initial(Setup(3, GAME.read_options({})))
    assert GAME.advise(state, HOUSE, Draws(b"")) == GAME.opening
