"""The bots: legal moves only, sensible ones, and the greedy one far better than chance."""

import pytest

from domain.calimala import GAME
from domain.calimala.commands import Perform
from domain.calimala.components import TILES, Action, Category, City
from domain.chance import Draws
from domain.game import HOUSE, Draft, Setup
from tests.domain.calimala.table import SHIP_BUILD, activate, deal, deliver, fresh, give, table


def won_by_greed(seats: int, seed: int) -> bool:
    """Play one greedy player against random ones and say whether they came first."""
    draws = Draws(f"{seats} {seed}".encode())
    setup = Setup(seats, GAME.read_options({}))
    state = GAME.initial(setup)
    draft = Draft(state, GAME.evolve, draws)
    greedy = seed % seats

    while awaited := GAME.actors(state):
        seat = awaited[0]
        if seat == greedy:
            imagined = GAME.imagine(state, seat, draws)
            move = GAME.advise(imagined, seat, draws)
            assert move in GAME.legal_moves(state, seat)
        else:
            move = GAME.random_move(state, seat, draws)
        GAME.play(draft, move)

    outcome = GAME.outcome(state)
    assert outcome is not None
    return outcome.ranks[greedy] == 1


@pytest.mark.parametrize("seats", GAME.seats)
def test_the_greedy_player_beats_random_ones(seats: int) -> None:
    """Of three matches against a table of random players it wins at least two."""
    wins = sum(won_by_greed(seats, seed) for seed in range(3))
    assert wins >= 2


def test_it_ships_where_the_next_tile_is_won() -> None:
    """Only Barcelona is still to be scored, and one cloth decides it."""
    state = table()
    state.council = (*TILES[1:], TILES[0])
    state.scored = 14
    state.face_up = None
    deliver(state, City.BARCELONA, 2, 2)

    state.players[1].ships = 1
    state.players[1].kept = Category.SANTA_CROCE
    give(state, 1, cloth=1)
    activate(state, 1, SHIP_BUILD)

    move = GAME.advise(state, 1, Draws(b""))
    assert move == Perform(1, Action.SHIP, cities=(City.BARCELONA,))


def test_it_does_not_throw_an_action_away() -> None:
    """It carries out or draws a card, but skips nothing that brings something."""
    state = table()
    deal(state, 1, Action.WOOD)
    activate(state, 1, SHIP_BUILD)
    assert GAME.advise(state, 1, Draws(b"")).tag in ("compensate", "play_card")


def test_it_has_nothing_to_think_about_with_one_move() -> None:
    """The house's turn and a single choice are answered as they are."""
    assert GAME.advise(fresh(3), HOUSE, Draws(b"")) == GAME.opening


def test_a_random_disc_goes_where_it_serves() -> None:
    """C15: no other street comes up, and in the long run each legal move does."""
    state = table()
    moves = set()
    for seed in range(200):
        draws = Draws(bytes([seed]))
        moves.add(GAME.random_move(state, 0, draws))

    assert moves == set(GAME.legal_moves(state, 0))
