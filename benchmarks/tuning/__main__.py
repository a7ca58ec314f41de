"""Play, step by step, tell how it went, and write the numbers."""

import argparse
import json
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from benchmarks.tuning.playing import Changes, Played, changed, explore, points
from benchmarks.tuning.stepping import slopes, step
from benchmarks.tuning.subjects import SUBJECTS, Subject

MATCHES = 2400  # a round
COMPARED = 600  # matches against the numbers set by hand, for each number of seats
DIGITS = 3

_FIRST_COMPARED = 1_000_000  # seed


def main() -> None:
    """Play, tell and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tuning")
    parser.add_argument("game", choices=SUBJECTS)
    parser.add_argument("rounds", type=int, nargs="?", help="those of the release by default")
    parser.add_argument("matches", type=int, nargs="?", default=MATCHES, help="in each round")
    asked = parser.parse_args()

    subject = SUBJECTS[asked.game]
    rounds = subject.rounds if asked.rounds is None else asked.rounds
    centre: Changes = [0.0] * len(subject.places)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        for number in range(rounds):
            seeds = range(number * asked.matches, (number + 1) * asked.matches)
            played = _explored(processes, asked.game, centre, seeds)
            centre = moved(subject, centre, played)
            print(f"round {number + 1}: {len(seeds)} matches", flush=True)
        for seats in subject.game.seats:
            share = _compared(processes, asked.game, centre, seats)
            print(f"{seats} seats: {share:.3f} of {COMPARED} matches, fair is {1 / seats:.3f}")

    found = changed(subject.by_hand, centre)
    rounded = {name: [round(number, DIGITS) for number in row] for name, row in found.items()}
    subject.path.write_text(json.dumps(rounded, indent=2) + "\n", encoding="utf-8")


def moved(subject: Subject, centre: Changes, played: Sequence[Played]) -> Changes:
    """Return the centre of the next round, and tell which numbers were moved most surely."""
    found, errors = slopes(played)
    next_centre = np.round(np.array(centre) + step(found, errors, subject.rate), DIGITS)

    surest = np.argsort(-np.abs(found / errors))[:8]
    for index in surest:
        name, place = subject.places[index]
        slope = f"{found[index]:+.2f} ± {errors[index]:.2f} points"
        print(f"  {name} {place + 1}: {slope}, moved to {np.exp(next_centre[index]):.2f} times")
    return [float(change) for change in next_centre]


def _explored(processes: Executor, game: str, centre: Changes, seeds: range) -> list[Played]:
    choice = SUBJECTS[game].game.seats
    seats = [choice[seed % len(choice)] for seed in seeds]
    each = len(seeds)
    return list(processes.map(explore, [game] * each, seats, seeds, [centre] * each, chunksize=10))


def _compared(processes: Executor, game: str, centre: Changes, seats: int) -> float:
    """Return how often one seat with these numbers wins against others with those set by hand."""
    seeds = range(_FIRST_COMPARED, _FIRST_COMPARED + COMPARED)
    by_hand = [0.0] * len(centre)
    tables = [
        [centre if seat == seed % seats else by_hand for seat in range(seats)] for seed in seeds
    ]
    ended = processes.map(points, [game] * COMPARED, tables, seeds, chunksize=10)
    won = 0.0
    for seed, by_seat in zip(seeds, ended, strict=True):
        best = max(by_seat)
        won += (by_seat[seed % seats] == best) / by_seat.count(best)
    return won / COMPARED


if __name__ == "__main__":
    main()
