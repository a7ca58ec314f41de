"""Random playouts: moves a second of every game's rules against catanatron's random players in the same run.

Run `python -m benchmarks.playouts`. A move is one accepted command, the house's included; catanatron counts likewise
every action it records. Then the slowest kind of player's move, which shall take at most 5 times the median move.
"""

import time
from collections import defaultdict
from statistics import median
from typing import Any

import catanatron

from benchmarks.measure import interleaved, report, timed
from domain.chance import Light
from domain.game import Draft, Game, Setup
from domain.games import GAMES
from domain.wire import HOUSE

RUNS = 7
MATCHES = 4
GOAL = 3
SLOWEST = 5


def playout(game: Game[Any], seats: int, seed: int) -> int:
    """Play a match at random in place and return its moves."""
    chance = Light(seed)
    state = game.initial(Setup(seats, game.read_options({})))
    draft = Draft(state, game.evolve, chance)
    moves = 0
    while waiting := game.actors(state):
        seat = waiting[0]
        game.play(
            draft,
            game.legal_moves(state, HOUSE)[0]
            if seat == HOUSE
            else game.random_move(state, seat, chance),
        )
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


def by_kind(game: Game[Any], seats: int, seed: int) -> dict[str, list[float]]:
    """Play a match at random and return the seconds that each player's move took in `play`, by kind."""
    chance = Light(seed)
    state = game.initial(Setup(seats, game.read_options({})))
    draft = Draft(state, game.evolve, chance)
    took: dict[str, list[float]] = defaultdict(list)
    while waiting := game.actors(state):
        if waiting == (HOUSE,):
            game.play(draft, game.legal_moves(state, HOUSE)[0])
            continue
        move = game.random_move(state, waiting[0], chance)
        took[type(move).tag].append(timed(lambda: game.play(draft, move)))  # noqa: B023 - timed calls it at once
    return took


def slowest(game: Game[Any]) -> tuple[str, float]:
    """Return the kind of move with the highest median, and how many times the median of all moves that is."""
    took: dict[str, list[float]] = defaultdict(list)
    for seed in range(MATCHES):
        for seats in game.seats:
            for kind, times in by_kind(game, seats, seed).items():
                took[kind] += times
    medians = {kind: median(times) for kind, times in took.items()}
    kind = max(medians, key=medians.__getitem__)
    return kind, medians[kind] / median(time for times in took.values() for time in times)


def main() -> None:
    """Print the rates and the ratios."""
    contenders = {key: lambda game=game: ours(game) for key, game in GAMES.items()}
    rates = interleaved(RUNS, {"catanatron": theirs, **contenders})
    for name, rate in rates.items():
        print(f"{name}: {rate:,.0f} moves/s")
    for key in GAMES:
        report(f"{key} against catanatron", rates[key] / rates["catanatron"], GOAL)
    for key, game in GAMES.items():
        kind, times = slowest(game)
        report(f"{key}: median move / slowest kind ({kind})", 1 / times, 1 / SLOWEST)


if __name__ == "__main__":
    main()
