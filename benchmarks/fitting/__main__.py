"""Play, fit, tell, and write the weights."""

import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context

import numpy as np

from benchmarks.fitting.playing import Numbers, Played, play
from benchmarks.fitting.regression import best_doubt, fit, quality
from benchmarks.fitting.subjects import SUBJECTS, Subject

MATCHES = 1000  # for each number of seats
HELD_OUT = 5  # every so many-th match is foretold
GROUPS = 4  # of turns, by the doubt that the game takes


def main() -> None:
    """Play, fit, tell and write."""
    key = sys.argv[1] if len(sys.argv) > 1 else ""
    if key not in SUBJECTS:
        sys.exit(f"say which game: {', '.join(SUBJECTS)}")
    subject = SUBJECTS[key]
    matches = int(sys.argv[2]) if len(sys.argv) > 2 else MATCHES

    by_seats: dict[int, Sequence[Played]] = {}
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        for seats in subject.game.seats:
            keys, numbers = [key] * matches, [seats] * matches
            by_seats[seats] = list(processes.map(play, keys, numbers, range(matches), chunksize=20))
            print(f"{seats} seats: {matches} matches", flush=True)

    fitted_on = [
        match
        for played in by_seats.values()
        for number, match in enumerate(played)
        if number % HELD_OUT
    ]
    weights = fit(fitted_on)
    for seats, played in by_seats.items():
        _tell(seats, played[::HELD_OUT], weights)
    _write(subject, weights)


def _tell(seats: int, foretold: Sequence[Played], weights: Numbers) -> None:
    """Tell how well matches are foretold, and which doubt would be best."""
    print(f"{seats} seats, {len(foretold)} matches: {quality(foretold, weights)}")

    doubts = np.concatenate([match.doubts for match in foretold])
    bounds = np.unique(np.quantile(doubts, np.linspace(0, 1, GROUPS + 1)))
    bounds[-1] += 1
    for low, high in pairwise(bounds):
        mean = doubts[(doubts >= low) & (doubts < high)].mean()
        best = best_doubt(foretold, weights, low, high)
        print(f"  where the doubt is about {mean:.1f} points: {best:.1f} foretells best")


def _write(subject: Subject, weights: Numbers) -> None:
    """Write the weights by feature, one for each column."""
    rows = zip(subject.names, weights.tolist(), strict=True)
    lines = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows]
    subject.path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
