"""Copies of a state in the middle of a match, and states that are imagined, against one move.

Run `python -m benchmarks.copies`. A search imagines a state for every match that it plays to the
end, and the greedy bot copies one for every move that it tries. The state is that of a match with
three seats after half of its moves; a move is one of a random playout with three seats.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.measure import Ratio, interleaved
from benchmarks.playouts import begin, play
from domain.chance import FastChance
from domain.game import Game
from domain.games import GAMES
from domain.seats import HOUSE

SEATS = 3
SEED = 1
RUNS = 31
TIMES = 500
COPY_GOAL = 0.5  # a copy costs at most half as much as a move

Work = Callable[[], object]


def halfway(game: Game[Any]) -> Any:
    """Return the state of a match with three seats after half of its moves."""
    moves = play(game, SEATS, SEED)
    chance = FastChance(SEED)
    draft = begin(game, SEATS, chance)
    state = draft.state

    for _ in range(moves // 2):
        seat = game.actors(state)[0]
        if seat == HOUSE:
            command = game.legal_moves(state, HOUSE)[0]
        else:
            command = game.random_move(state, seat, chance)
        game.play(draft, command)
    return state


def microseconds(work: Work) -> float:
    """Return how long a piece of work takes, as the mean of many times in a row."""
    start = time.process_time()
    for _ in range(TIMES):
        work()
    return (time.process_time() - start) / TIMES * 1e6


def microseconds_a_move(game: Game[Any]) -> float:
    """Return how long a move of a random playout takes, the choice included."""
    start = time.process_time()
    moves = play(game, SEATS, SEED)
    return (time.process_time() - start) / moves * 1e6


def compare(game: Game[Any]) -> list[Ratio]:
    """Print what a move, a copy and an imagined state take; return the ratios to a move."""
    state = halfway(game)
    imagine = partial(game.imagine, state, 0, FastChance(SEED))
    contenders = {
        "move": partial(microseconds_a_move, game),
        "copy": partial(microseconds, state.copy),
        "imagine": partial(microseconds, imagine),
    }
    took = interleaved(RUNS, contenders)

    figures = ", ".join(f"{name} {median:.1f} us" for name, median in took.items())
    print(f"{game.key}: {figures}")
    copied = took["copy"] / took["move"]
    imagined = took["imagine"] / took["move"]
    return [
        Ratio(f"{game.key}: copy against a move", copied, COPY_GOAL, smaller_is_better=True),
        Ratio(f"{game.key}: imagine against a move", imagined),
    ]


def main() -> list[Ratio]:
    """Print the figures of every game; return the ratios."""
    ratios = []
    for game in GAMES.values():
        ratios += compare(game)
    print(*ratios, sep="\n")
    return ratios


if __name__ == "__main__":
    main()
