"""Play, step by step, tell how it went, and write the numbers."""

import json
import sys
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import domain.calimala.bot as calimala_bot
from benchmarks.tuning.playing import NUMBERS, Changes, Played, changed, explore, points
from benchmarks.tuning.stepping import slopes, step
from domain.calimala import GAME

ROUNDS = 10
MATCHES = 2400  # a round
COMPARED = 600  # matches against the numbers set by hand, for each number of seats
DIGITS = 3
WEIGHTS = Path(calimala_bot.__path__[0]) / "weights.json"

_FIRST_COMPARED = 1_000_000  # seed


def main() -> None:
    """Play, tell and write."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    matches = int(sys.argv[2]) if len(sys.argv) > 2 else MATCHES

    centre: Changes = [0.0] * len(NUMBERS)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        for number in range(rounds):
            played = _explored(processes, centre, number, matches)
            centre = moved(centre, played)
            print(f"round {number + 1}: {matches} matches", flush=True)
        for seats in GAME.seats:
            share = _compared(processes, centre, seats)
            print(f"{seats} seats: {share:.3f} of {COMPARED} matches, fair is {1 / seats:.3f}")

    WEIGHTS.write_text(json.dumps(_rounded(centre), indent=2) + "\n", encoding="utf-8")


def moved(centre: Changes, played: list[Played]) -> Changes:
    """Return the centre of the next round, and tell which numbers were moved most surely."""
    found, errors = slopes(played)
    next_centre = np.round(np.array(centre) + step(found, errors), DIGITS)

    surest = np.argsort(-np.abs(found / errors))[:8]
    for index in surest:
        name, place = NUMBERS[index]
        slope = f"{found[index]:+.2f} ± {errors[index]:.2f} points"
        print(f"  {name} {place + 1}: {slope}, moved to {np.exp(next_centre[index]):.2f} times")
    return [float(change) for change in next_centre]


def _explored(processes: Executor, centre: Changes, number: int, matches: int) -> list[Played]:
    seeds = range(number * matches, (number + 1) * matches)
    seats = [GAME.seats[seed % len(GAME.seats)] for seed in seeds]
    return list(processes.map(explore, seats, seeds, [centre] * matches, chunksize=10))


def _compared(processes: Executor, centre: Changes, seats: int) -> float:
    """Return how often one seat with these numbers wins against others with those set by hand."""
    seeds = range(_FIRST_COMPARED, _FIRST_COMPARED + COMPARED)
    by_hand = [0.0] * len(NUMBERS)
    tables = [
        [centre if seat == seed % seats else by_hand for seat in range(seats)] for seed in seeds
    ]
    ended = processes.map(points, tables, seeds, chunksize=10)
    won = 0.0
    for seed, by_seat in zip(seeds, ended, strict=True):
        best = max(by_seat)
        won += (by_seat[seed % seats] == best) / by_seat.count(best)
    return won / COMPARED


def _rounded(changes: Changes) -> dict[str, list[float]]:
    steps = changed(changes)
    return {name: [round(number, DIGITS) for number in numbers] for name, numbers in steps.items()}


if __name__ == "__main__":
    main()
