"""Random playouts: moves a second of every game, against catanatron's random players.

Run `python -m benchmarks.playouts`. All play in the same run. A move is one accepted command, the
house's included; catanatron's moves are the actions that it records. Then the slowest kind of
player's move, which should take at most 5 times as long as the median move.
"""

import time
from collections import defaultdict
from functools import partial
from itertools import chain
from statistics import median
from typing import Any

import catanatron

from benchmarks.measure import Ratio, interleaved, timed
from domain.chance import FastChance
from domain.game import Draft, Game, Setup
from domain.games import GAMES
from domain.seats import HOUSE

RUNS = 7
MATCHES = 4
RATE_GOAL = 3
SLOWEST_GOAL = 5
COLOURS = (catanatron.Color.RED, catanatron.Color.BLUE, catanatron.Color.WHITE)

Seconds = dict[str, list[float]]  # what each move took, by its kind


def begin(game: Game[Any], seats: int, chance: FastChance) -> Draft[Any]:
    """Return a new match as a draft, in which moves are played in place."""
    state = game.initial(Setup(seats, game.read_options({})))
    return Draft(state, game.evolve, chance)


def play(game: Game[Any], seats: int, seed: int) -> int:
    """Play a match at random; return the number of moves."""
    chance = FastChance(seed)
    draft = begin(game, seats, chance)
    state = draft.state
    moves = 0

    while waiting := game.actors(state):
        seat = waiting[0]
        if seat == HOUSE:
            command = game.legal_moves(state, HOUSE)[0]
        else:
            command = game.random_move(state, seat, chance)
        game.play(draft, command)
        moves += 1
    return moves


def time_moves(game: Game[Any], seats: int, seed: int) -> Seconds:
    """Play a match at random; return the seconds of each player's move by kind, in `play` alone."""
    chance = FastChance(seed)
    draft = begin(game, seats, chance)
    state = draft.state
    seconds: Seconds = defaultdict(list)

    while waiting := game.actors(state):
        seat = waiting[0]
        if seat == HOUSE:
            game.play(draft, game.legal_moves(state, HOUSE)[0])
            continue

        move = game.random_move(state, seat, chance)
        took = timed(partial(game.play, draft, move))
        seconds[type(move).tag].append(took)
    return seconds


def our_rate(game: Game[Any]) -> float:
    """Return moves a second over some matches of every number of seats."""
    start = time.perf_counter()
    moves = 0
    for seed in range(MATCHES):
        for seats in game.seats:
            moves += play(game, seats, seed)
    return moves / (time.perf_counter() - start)


def catanatron_rate() -> float:
    """Return catanatron's moves a second over some matches with three players."""
    start = time.perf_counter()
    moves = 0
    for seed in range(MATCHES * 2):
        players = [catanatron.RandomPlayer(colour) for colour in COLOURS]
        match = catanatron.Game(players, seed=seed)
        match.play()
        moves += len(match.state.actions)
    return moves / (time.perf_counter() - start)


def slowest_kind(game: Game[Any]) -> tuple[str, float]:
    """Return the kind of move with the highest median, against the median of all moves."""
    seconds: Seconds = defaultdict(list)
    for seed in range(MATCHES):
        for seats in game.seats:
            of_one_match = time_moves(game, seats, seed)
            for kind, took in of_one_match.items():
                seconds[kind] += took

    medians = {kind: median(took) for kind, took in seconds.items()}
    slowest = max(medians, key=medians.__getitem__)
    median_of_all = median(chain.from_iterable(seconds.values()))
    return slowest, medians[slowest] / median_of_all


def main() -> list[Ratio]:
    """Print the rates; return the ratios."""
    contenders = {key: partial(our_rate, game) for key, game in GAMES.items()}
    rates = interleaved(RUNS, {"catanatron": catanatron_rate, **contenders})
    for name, moves_a_second in rates.items():
        print(f"{name}: {moves_a_second:,.0f} moves/s")

    ratios = [
        Ratio(f"{key}: playouts against catanatron", rates[key] / rates["catanatron"], RATE_GOAL)
        for key in GAMES
    ]
    for key, game in GAMES.items():
        kind, times = slowest_kind(game)
        print(f"{key}: the slowest kind of move is {kind}")
        name = f"{key}: slowest kind of move against the median move"
        ratios.append(Ratio(name, times, SLOWEST_GOAL, smaller_is_better=True))

    print(*ratios, sep="\n")
    return ratios


if __name__ == "__main__":
    main()
