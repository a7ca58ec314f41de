"""`python -m tests.simulation --seeds 1-1000`: run the service under virtual time, faults and all.

Everything in a run follows from its seed. The first failing seeds are printed with the failed fact
and the last steps. `--seed N --trace` prints all steps of a seed.
"""

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from tests.promises.pages import DOCS, put_tables, table
from tests.simulation.planted import PLANTS
from tests.simulation.run import Tally, first_seed_that_finds, run_and_show, run_seed

PAGE = DOCS / "explanation/simulation.md"
LAST_STEPS = 40
SHOWN_FAILURES = 5


def main(arguments: list[str]) -> int:
    """Run the command. Return 1 if a seed failed."""
    chosen = _parser().parse_args(arguments)
    if chosen.what == "report":
        return write_report(chosen.seeds, chosen.jobs)
    if chosen.seed is not None:
        return _one(chosen.seed, chosen.plant, whole=chosen.trace)
    return _many(chosen.seeds, chosen.jobs)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument(
        "what",
        nargs="?",
        choices=("run", "report"),
        default="run",
        help="run seeds, or run them and write the figures into docs/explanation/simulation.md",
    )
    parser.add_argument("--seeds", type=_span, default="1-1000", help="such as 1-100000")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    parser.add_argument("--seed", type=int, help="run this seed alone")
    parser.add_argument("--trace", action="store_true", help="tell every step of --seed")
    parser.add_argument("--plant", choices=PLANTS, help="plant this fault in --seed")
    return parser


def _span(text: str) -> Sequence[int]:
    """Return the seeds of "1-1000" or "7"."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _one(seed: int, plant: str | None, *, whole: bool) -> int:
    """Run one seed and print its trace: of a failed one the last steps, unless `whole` is given."""
    planted = PLANTS[plant] if plant else None
    result = run_seed(seed, planted)

    lines = result.trace.lines
    if result.failure and not whole:
        lines = lines[-LAST_STEPS:]
    print("\n".join(lines))
    outcome = f"FAILED: {result.failure}" if result.failure else "every fact holds"
    speed = result.virtual / result.core
    print(f"seed {seed}: {outcome}")
    print(f"{result.virtual:.0f} virtual seconds, {speed:,.0f} times real time; {result.digest}")
    return 1 if result.failure else 0


def _many(seeds: Sequence[int], jobs: int) -> int:
    tally = run_and_show(seeds, jobs)
    for seed, _ in tally.failures[:SHOWN_FAILURES]:
        _one(seed, None, whole=False)
        print()
    for name, figure in figures(seeds, tally).items():
        print(f"{figure:>20} {name}")
    print(f"failed: {[seed for seed, _ in tally.failures]}")
    return 1 if tally.failures else 0


def write_report(seeds: Sequence[int], jobs: int) -> int:
    """Run seeds and planted faults, and write the results. Return 1 if a seed failed."""
    tally = run_and_show(seeds, jobs)
    found = {plant.text: first_seed_that_finds(name) for name, plant in PLANTS.items()}
    for text, seed in found.items():
        print(f"{seed or 'NOT FOUND':>20} {text}")

    found_by = [seed for seed in found.values() if seed]
    planted = [
        ("planted faults", len(found)),
        ("found", len(found_by)),
        ("the last one found by seed", max(found_by, default=0)),
    ]
    tables = {
        "seeds": table(("what", "how many"), brief(figures(seeds, tally))),
        "planted": table(("what", "how many"), planted),
    }
    put_tables(PAGE, tables)
    return 1 if tally.failures else 0


def figures(seeds: Sequence[int], tally: Tally) -> dict[str, str]:
    """Return the results of all seeds, each figure by its name."""
    return {
        "seeds": f"{seeds[0]:,} to {seeds[-1]:,}",
        "seeds that failed": f"{len(tally.failures):,}",
        "virtual time": f"{tally.virtual / 86_400:,.1f} days",
        "virtual seconds in a real second of one core": f"{tally.speed:,.0f}",
        **{name: f"{tally.counts[name]:,}" for name in sorted(tally.counts, key=_faults_last)},
        "digest of all traces": f"`{tally.digest}`",
    }


def brief(figures: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the figures, and in one row for each place the faults there, as "fault number"."""
    faults: defaultdict[str, list[str]] = defaultdict(list)
    for name, figure in figures.items():
        place, colon, fault = name.partition(": ")
        if colon:
            faults[place].append(f"{fault} {figure}")
        else:
            yield name, figure
    for place, numbers in faults.items():
        yield f"faults: {place}", ", ".join(numbers)


def _faults_last(name: str) -> tuple[bool, str]:
    return ": " in name, name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
