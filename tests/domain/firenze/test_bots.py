"""Random and greedy play."""

from random import Random
from statistics import median
from typing import Any

import pytest

from domain.firenze import GAME
from domain.game import Draft, Outcome, Setup


class Light:
    """Quick chance for many matches."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def below(self, n: int) -> int:
        return self._random.randrange(n)


def match(seats: int, seed: int, *policies: Any) -> tuple[int, Outcome]:
    """Play to the end, a policy a seat; return the turns and the outcome."""
    state = GAME.initial(Setup(seats, GAME.read_options({})))
    draft, chance = Draft(state, GAME.evolve, Light(seed)), Light(seed)
    while (seat := next(iter(GAME.actors(state)), None)) is not None:
        policy = policies[seat] if seat >= 0 else GAME.random_move
        GAME.play(draft, policy(state.copy(), seat, chance))
    outcome = GAME.outcome(state)
    assert outcome is not None
    return state.turn + 1, outcome


@pytest.mark.parametrize("seats", [pytest.param(n, id=f"F45-{n}") for n in GAME.seats])
@pytest.mark.parametrize("policy", ["random_move", "advise"])
def test_matches_end_as_among_people(seats: int, policy: str) -> None:
    """By the last seal, mostly within 22 to 108 turns in all."""
    turns = [match(seats, seed, *[getattr(GAME, policy)] * seats)[0] for seed in range(15)]
    assert 22 <= median(turns) <= 108
    assert max(turns) < seats * 60


@pytest.mark.parametrize("seats", GAME.seats)
def test_greedy_beats_random(seats: int) -> None:
    """One greedy seat among random ones wins at least three matches in four."""
    wins = 0
    for seed in range(20):
        greedy = seed % seats
        policies = [GAME.advise if seat == greedy else GAME.random_move for seat in range(seats)]
        wins += match(seats, seed, *policies)[1].ranks[greedy] == 1
    assert wins >= 15
