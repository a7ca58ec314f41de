"""The bots: legal moves only, and the greedy one far better than chance."""

import pytest

from domain.chance import Draws
from domain.game import HOUSE, Draft, Setup
from examples.ponte import GAME
from examples.ponte.bot.valuation import offered
from examples.ponte.commands import Lay
from examples.ponte.components import Bank
from examples.ponte.state import index_of, no_stones
from tests.domain.ponte.test_rules import table

MATCHES = 20


def won_by_greed(seats: int, seed: int) -> bool:
    """Play one greedy player against random ones; return whether they came first."""
    draws = Draws(f"{seats} {seed}".encode())
    state = GAME.initial(Setup(seats, GAME.read_options({})))
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

    return state.ranks[greedy] == 1


@pytest.mark.parametrize("seats", GAME.seats)
def test_the_greedy_player_beats_random_ones(seats: int) -> None:
    """It wins at least three matches of four."""
    wins = sum(won_by_greed(seats, seed) for seed in range(MATCHES))
    assert wins / MATCHES >= 3 / 4


def test_of_equal_stones_it_lays_the_one_that_offers_less() -> None:
    """Both bring three points; seat 1 holds a 2, which would go well with the 3."""
    state = table((3, 5), (2,), ends=(4, 8))
    assert GAME.advise(state, 0, Draws(b"")) == Lay(0, 5, Bank.LEFT)


def test_what_is_offered_is_the_average_of_the_unseen_stones() -> None:
    """A 5 brings three points after the 4, an 8 one after the 8; nothing offers nothing."""
    unseen = no_stones()
    assert offered([4, 8], unseen) == 0.0

    unseen[index_of(5)] = 1
    unseen[index_of(8)] = 1
    assert offered([4, 8], unseen) == 2.0


def test_it_has_nothing_to_think_about_with_one_move() -> None:
    """The house's turn is answered as it is."""
    state = GAME.initial(Setup(2, GAME.read_options({})))
    assert GAME.advise(state, HOUSE, Draws(b"")) == GAME.opening
