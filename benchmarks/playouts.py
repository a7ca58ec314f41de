"""Random playouts: moves a second of every game's rules against catanatron's random players in the same run.

Run `python -m benchmarks.playouts`. A move is one accepted command, the house's included; catanatron counts likewise
every action it records.
"""

import time
from typing import Any

import catanatron

from benchmarks.measure import interleaved, report
from domain.chance import Light
from domain.game import Draft, Game, Setup
from domain.games import GAMES
from domain.wire import HOUSE

RUNS = 7
MATCHES = 4
GOAL = 3


def playout(game: Game[Any], seats: int, seed: int) -> int:
    """Play a match at random in place and return its moves."""
    chance = Light(seed)
    state = game.initial(Setup(seats, game.read_options({})))
    draft = Draft(state, game.evolve, chance)
    moves = 0
    while waiting := game.actors(state):
        seat = waiting[0]
        game.play(draft, game.legal_moves(state, HOUSE)[0] if seat == HOUSE else game.random_move(state, seat, chance))
        moves += 1
    return moves


def ours(game: Game[Any]) -> float:
    """Return moves a second over some matches of every seat count."""
    start = time.perf_counter()
    moves = sum(playout(game, seats, seed) for seed in range(MATCHES) for seats in game.seats)
    return moves / (time.perf_counter() - start)


def theirs() -> float:
    """Return catanatron's moves a second over as many matches with three players."""
    colours = (catanatron.Color.RED, catanatron.Color.BLUE, catanatron.Color.WHITE)
    start = time.perf_counter()
    moves = 0
    for seed in range(MATCHES * 2):
        match = catanatron.Game([catanatron.RandomPlayer(colour) for colour in colours], seed=seed)
        match.play()
        moves += len(match.state.actions)
    return moves / (time.perf_counter() - start)


def main() -> None:
    """Print the rates and the ratios."""
    contenders = {key: lambda game=game: ours(game) for key, game in GAMES.items()}
    rates = interleaved(RUNS, {"catanatron": theirs, **contenders})
    for name, rate in rates.items():
        print(f"{name}: {rate:,.0f} moves/s")
    for key in GAMES:
        report(f"{key} against catanatron", rates[key] / rates["catanatron"], GOAL)


if __name__ == "__main__":
    main()
