"""The figures of a run, written into docs/simulation.md between two marks."""

from collections.abc import Sequence
from pathlib import Path

from tests.simulation.many import Tally, run_and_tell
from tests.simulation.planted import PLANTS
from tests.simulation.run import run_seed

PAGE = Path(__file__).parents[2] / "docs/simulation.md"
BEGIN = "<!-- figures: python -m tests.simulation report -->"
END = "<!-- end of the figures -->"


def write_report(seeds: Sequence[int], jobs: int) -> int:
    """Run seeds and planted faults, and write what came of them; return 1 if a seed failed."""
    tally = run_and_tell(seeds, jobs)
    lines = [*_table(seeds, tally), "", *_planted_table()]
    figures = "\n".join(lines)

    page = PAGE.read_text()
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)

    parts = [before + BEGIN, figures, END + after]
    PAGE.write_text("\n\n".join(parts))
    return 1 if tally.failures else 0


def first_seed_that_finds(name: str) -> int | None:
    """Return the first seed that fails with a planted fault and not without it.

    None if none of the seeds that are to find it does.
    """
    plant = PLANTS[name]
    for seed in range(1, plant.seeds + 1):
        fails_with_it = bool(run_seed(seed, plant).failure)
        if fails_with_it and not run_seed(seed).failure:
            return seed
    return None


def _table(seeds: Sequence[int], tally: Tally) -> list[str]:
    rows = {
        "seeds": f"{seeds[0]:,} to {seeds[-1]:,}",
        "seeds that failed": f"{len(tally.failures):,}",
        "virtual time": f"{tally.virtual / 86_400:,.1f} days",
        "virtual seconds in a real second of one core": f"{tally.speed:,.0f}",
        "steps told in the traces": f"{tally.steps:,}",
        "matches": f"{tally.matches:,}",
        "commits in the journals at the end": f"{tally.commits:,}",
        "commits acknowledged to clients": f"{tally.acknowledged:,}",
        "states told to clients": f"{tally.read:,}",
        **{name: f"{count:,}" for name, count in sorted(tally.faults.items())},
        "digest of all traces": f"`{tally.digest}`",
    }
    lines = [f"| {label} | {figure} |" for label, figure in rows.items()]
    return ["| what | how many |", "|---|---|", *lines]


def _planted_table() -> list[str]:
    lines = ["| planted fault | found by seed | at the latest by |", "|---|---|---|"]
    for name, plant in PLANTS.items():
        found = first_seed_that_finds(name)
        lines.append(f"| {plant.text} | {found or 'NOT FOUND'} | {plant.seeds} |")
    return lines
