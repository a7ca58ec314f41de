"""Random playouts against catanatron's random players, and copies of a state against a move.

A move is one accepted command, the house's included. catanatron's moves are the actions that it
records. Then the slowest kind of player's move is measured against the median move. At last copies
of a state in the middle of a match, and imagined states, are measured against a move. A search
imagines a state for every match that it plays to the end, and the greedy bot copies one for every
move that it tries.
"""

from collections import defaultdict, deque
from collections.abc import Callable
from functools import partial
from itertools import chain
from statistics import median
from typing import Any

import catanatron

from benchmarks.measure import Figures, Ratio, compare, limit, milliseconds, rate, worked
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
COLOURS = (catanatron.Color.RED, catanatron.Color.BLUE, catanatron.Color.WHITE)
NO_END = 10**9  # more moves than any match has

Step = Callable[[Draft[Any], Message], object]  # plays a move


def play(
    game: Game[Any], seats: int, seed: int, most: int = NO_END, step: Step | None = None
) -> tuple[Any, int]:
    """Play a match at random, to its end or so many moves. Return its state and its moves."""
    chance = FastChance(seed)
    draft = Draft(game.initial(Setup(seats, game.read_options({}))), game.evolve, chance)
    state = draft.state  # moves change it in place
    step = step or game.play
    moves = 0
    while moves < most and (waiting := game.actors(state)):
        seat = waiting[0]
        if seat == HOUSE:
            command = game.legal_moves(state, HOUSE)[0]
        else:
            command = game.random_move(state, seat, chance)
        step(draft, command)
        moves += 1
    return state, moves


def our_moves(game: Game[Any], step: Step | None = None) -> int:
    """Play some matches of every number of seats. Return the number of moves."""
    played = (play(game, seats, seed, step=step) for seed in range(MATCHES) for seats in game.seats)
    return sum(moves for _state, moves in played)


def catanatron_moves() -> int:
    """Play some matches of catanatron with three players. Return the number of moves."""
    moves = 0
    for seed in range(MATCHES * 2):
        players = [catanatron.RandomPlayer(colour) for colour in COLOURS]
        match = catanatron.Game(players, seed=seed)
        match.play()
        moves += len(match.state.actions)
    return moves


def compare_rates() -> Figures:
    """Print moves a second. Return ours against catanatron's."""
    players = {"catanatron": catanatron_moves}
    players |= {key: partial(our_moves, game) for key, game in GAMES.items()}
    # The same matches are played in every run, so their moves are counted once.
    contenders = {name: partial(rate, work(), work) for name, work in players.items()}
    rates = compare("random playouts", "moves/s", RUNS, contenders)

    theirs = rates["catanatron"]
    return [Ratio(f"{key}: playouts against catanatron", rates[key] / theirs, 3) for key in GAMES]


def slowest_kind(game: Game[Any]) -> Ratio:
    """Print the kind of player's move with the highest median. Return it against all moves."""
    times: dict[str, list[float]] = defaultdict(list)

    def step(draft: Draft[Any], move: Message) -> None:
        is_players = game.actors(draft.state)[0] != HOUSE
        took = milliseconds(partial(game.play, draft, move))
        if is_players:
            times[type(move).tag].append(took)

    our_moves(game, step)
    medians = {kind: median(took) for kind, took in times.items()}
    slowest = max(medians, key=medians.__getitem__)
    print(f"{game.key}: the slowest kind of move is {slowest}")

    median_of_all = median(chain.from_iterable(times.values()))
    name = f"{game.key}: slowest kind of move against the median move"
    return limit(name, medians[slowest] / median_of_all, 5)


def compare_copies(game: Game[Any]) -> Figures:
    """Print the times of a move, a copy and an imagined state. Return the ratios to a move."""
    _state, moves = play(game, SEATS, SEED)
    state, _moves = play(game, SEATS, SEED, moves // 2)
    imagine = partial(game.imagine, state, 0, FastChance(SEED))

    def mean(work: Callable[[], object]) -> float:
        # `deque` of no length: results are dropped at once, as a search does.
        return 1000 * worked(lambda: deque((work() for _ in range(COPIES)), 0)) / COPIES

    contenders: dict[str, Callable[[], float]] = {
        "move": lambda: 1000 * worked(partial(play, game, SEATS, SEED)) / moves,
        "copy": partial(mean, state.copy),
        "imagine": partial(mean, imagine),
    }
    took = compare(game.key, "us", COPY_RUNS, contenders)
    return [
        limit(f"{game.key}: copy against a move", took["copy"] / took["move"], 0.5),
        Ratio(f"{game.key}: imagine against a move", took["imagine"] / took["move"]),
    ]


def main() -> Figures:
    """Print the figures of every game. Return the ratios."""
    ratios = compare_rates()
    for game in GAMES.values():
        ratios += [slowest_kind(game), *compare_copies(game)]
    return ratios
