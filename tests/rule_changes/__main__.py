"""`python -m tests.rule_changes --number 60 --matches 200 --seed 1`: plant rule changes.

Each change is one expression of a game. The replay test must find every change that a match shows,
and must find nothing under unchanged rules.
"""

import argparse
import json
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

from tests.rule_changes.matches import cases
from tests.rule_changes.mutants import Mutant, changed_source, mutants

PATIENCE_SECONDS = 900
NOTHING = Mutant("", 0)


def tested(file: Path, mutant: Mutant) -> dict[str, int] | None:
    """Return the counts of one change, None if the changed game cannot be imported or hangs."""
    command = [sys.executable, "-m", "tests.rule_changes.one", mutant.module, str(mutant.number)]
    try:
        completed = subprocess.run(
            [*command, str(file)],
            capture_output=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return None
    if completed.returncode:
        return None
    counts: dict[str, int] = json.loads(completed.stdout)
    return counts


def results(
    file: Path, seed: int, number: int, jobs: int
) -> Iterator[tuple[Mutant, dict[str, int] | None]]:
    """Yield changes with their counts."""
    chosen = list(islice(mutants(seed), number))
    with ThreadPoolExecutor(jobs) as pool:
        yield from zip(chosen, pool.map(partial(tested, file), chosen), strict=True)


def run(number: int, matches: int, seed: int, jobs: int) -> int:
    """Plant changes and print the results. Return 1 if one was missed, or for a false alarm."""
    totals = {"unusable": 0, "not shown": 0, "found": 0, "missed": 0}
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "cases"
        file.write_bytes(pickle.dumps(list(cases(matches, seed))))
        unchanged = tested(file, NOTHING)
        assert unchanged is not None
        print(f"unchanged rules, {matches} matches: {unchanged['found']} false alarms", flush=True)

        for mutant, counts in results(file, seed, number, jobs):
            outcome = _outcome(counts)
            totals[outcome] += 1
            print(f"{outcome}: {changed_source(mutant)[1]} {counts or ''}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in totals.items()))
    return int(totals["missed"] > 0 or unchanged["found"] > 0)


def _outcome(counts: dict[str, int] | None) -> str:
    if counts is None:
        return "unusable"
    if counts["missed"]:
        return "missed"
    return "found" if counts["found"] else "not shown"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    sys.exit(run(options.number, options.matches, options.seed, options.jobs))
