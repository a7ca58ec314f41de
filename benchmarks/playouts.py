"""Random playouts against catanatron's random players, and copies of a state against a move.

All play in the same run. A move is one accepted command, the house's included; catanatron's moves
are the actions that it records. Then the slowest kind of player's move against the median move.
At last copies of a state in the middle of a match, and states that are imagined, against a move: a
search imagines a state for every match that it plays to the end, and the greedy bot copies one for
every move that it tries.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from itertools import chain
from statistics import median
from typing import Any

import catanatron

from benchmarks.measure import Figures, Ratio, interleaved, limit, show, timed, worked
from domain.chance import FastChance
from domain.game import Draft, Game, Message, Setup
from domain.games import GAMES
from domain.seats import HOUSE

RUNS = 7
MATCHES = 4
COPY_RUNS = 31
COPIES = 500
SEATS = 3  # of the match whose state is copied
SEED = 1
RATE_GOAL = 3
SLOWEST_GOAL = 5
COPY_GOAL = 0.5  # a copy costs at most half as much as a move
COLOURS = (catanatron.Color.RED, catanatron.Color.BLUE, catanatron.Color.WHITE)

Step = Callable[[Draft[Any], Message], object]
"""What plays a move."""


def begin(game: Game[Any], seats: int, chance: FastChance) -> Draft[Any]:
    """Return a new match as a draft, in which moves are played in place."""
    state = game.initial(Setup(seats, game.read_options({})))
    return Draft(state, game.evolve, chance)


def play_on(game: Game[Any], draft: Draft[Any], chance: FastChance, step: Step, most: int) -> int:
    """Play at random, to the end or so many moves at most; return how many moves."""
    state = draft.state
    moves = 0
    while moves < most and (waiting := game.actors(state)):
        seat = waiting[0]
        if seat == HOUSE:
            command = game.legal_moves(state, HOUSE)[0]
        else:
            command = game.random_move(state, seat, chance)
        step(draft, command)
        moves += 1
    return moves


def play(game: Game[Any], seats: int, seed: int) -> int:
    """Play a match at random; return the number of moves."""
    chance = FastChance(seed)
    return play_on(game, begin(game, seats, chance), chance, game.play, 10**9)


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


def compare_rates() -> Figures:
    """Print moves a second; return ours against catanatron's."""
    contenders = {key: partial(our_rate, game) for key, game in GAMES.items()}
    rates = interleaved(RUNS, {"catanatron": catanatron_rate, **contenders})
    show("random playouts", rates, "moves/s")

    theirs = rates["catanatron"]
    return [
        Ratio(f"{key}: playouts against catanatron", rates[key] / theirs, RATE_GOAL)
        for key in GAMES
    ]


def slowest_kind(game: Game[Any]) -> Ratio:
    """Print the kind of player's move with the highest median; return it against all moves."""
    seconds: dict[str, list[float]] = defaultdict(list)

    def step(draft: Draft[Any], move: Message) -> None:
        is_players = game.actors(draft.state)[0] != HOUSE
        took = timed(partial(game.play, draft, move))
        if is_players:
            seconds[type(move).tag].append(took)

    for seed in range(MATCHES):
        for seats in game.seats:
            chance = FastChance(seed)
            play_on(game, begin(game, seats, chance), chance, step, 10**9)

    medians = {kind: median(took) for kind, took in seconds.items()}
    slowest = max(medians, key=medians.__getitem__)
    print(f"{game.key}: the slowest kind of move is {slowest}")

    median_of_all = median(chain.from_iterable(seconds.values()))
    name = f"{game.key}: slowest kind of move against the median move"
    return limit(name, medians[slowest] / median_of_all, SLOWEST_GOAL)


def halfway(game: Game[Any]) -> Any:
    """Return the state of a match after half of its moves."""
    chance = FastChance(SEED)
    draft = begin(game, SEATS, chance)
    play_on(game, draft, chance, game.play, play(game, SEATS, SEED) // 2)
    return draft.state


def compare_copies(game: Game[Any]) -> Figures:
    """Print what a move, a copy and an imagined state take; return the ratios to a move."""
    state = halfway(game)
    imagine = partial(game.imagine, state, 0, FastChance(SEED))

    def mean(work: Callable[[], object]) -> float:
        start = time.process_time()
        for _ in range(COPIES):
            work()
        return (time.process_time() - start) / COPIES * 1e6

    moves = play(game, SEATS, SEED)
    contenders: dict[str, Callable[[], float]] = {
        "move": lambda: worked(partial(play, game, SEATS, SEED)) / moves * 1e6,
        "copy": partial(mean, state.copy),
        "imagine": partial(mean, imagine),
    }
    took = interleaved(COPY_RUNS, contenders)
    show(game.key, took, "us")
    return [
        limit(f"{game.key}: copy against a move", took["copy"] / took["move"], COPY_GOAL),
        Ratio(f"{game.key}: imagine against a move", took["imagine"] / took["move"]),
    ]


def main() -> Figures:
    """Print the figures of every game; return the ratios."""
    ratios = compare_rates()
    for game in GAMES.values():
        ratios += [slowest_kind(game), *compare_copies(game)]
    return ratios
