"""Matches of greedy bots, in which positions are looked at."""

from collections.abc import Iterator
from typing import Any

from domain.chance import FastChance
from domain.game import Draft, Game, Setup
from domain.seats import HOUSE


def positions(game: Game[Any], seats: int, seed: int) -> Iterator[tuple[Any, int]]:
    """Yield the state before each move of a seat, and the seat; the house moves in between.

    The state is the match's own: the next position is made of it.
    """
    chance = FastChance(seed)
    state = game.initial(Setup(seats, game.read_options({})))
    draft = Draft(state, game.evolve, chance)
    game.play(draft, game.opening)

    while actors := game.actors(state):
        seat = actors[0]
        if seat == HOUSE:
            game.play(draft, game.legal_moves(state, HOUSE)[0])
            continue

        yield state, seat
        imagined = game.imagine(state, seat, chance)
        game.play(draft, game.advise(imagined, seat, chance))
