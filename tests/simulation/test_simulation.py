"""The simulation: every fact holds in each seed, and faults planted in the product are found."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation import run
from tests.simulation.plan import ABSENCES, EVENTS, JOURNAL_FAULTS, QUEUE_FAULTS
from tests.simulation.planted import PLANTS
from tests.simulation.run import first_seed_that_finds, run_seed, run_share
from tests.simulation.sequencing import FAULTS as FILE_FAULTS
from tests.whole import whole_but

ROOT = Path(__file__).parents[2]
KINDS_OF_FAULTS = {
    *(f"journal: {name}" for name in JOURNAL_FAULTS),
    *(f"queue: {name}" for name in QUEUE_FAULTS),
    *(f"event: {name}" for name in (*EVENTS, *ABSENCES)),
    *(f"files: {name}" for name in FILE_FAULTS),
}

EASY_PLANTS = [name for name, plant in PLANTS.items() if plant.seeds < 100]
FEW_SEEDS = [*range(1, 7), 37]  # the toy, and a real game
DIGEST = "from tests.simulation.run import run_share; print(run_share({seeds}).digest)"


@pytest.mark.whole
@pytest.mark.parametrize(
    ("seeds", "least"),
    [
        pytest.param(range(1, 101), 3, id="100"),
        pytest.param(range(101, 1001), 40, id="1000"),
    ],
)
def test_every_fact_holds_in_the_first_seeds(seeds: range, least: int) -> None:
    """No seed fails, and each kind of fault happens at least `least` times."""
    tally = run_share(seeds)
    failures = [f"seed {seed}: {failure}" for seed, failure in tally.failures]
    assert failures == []

    assert {kind for kind in KINDS_OF_FAULTS if tally.counts[kind] < least} == set()
    assert tally.counts[run.ACKNOWLEDGED] > len(seeds)
    assert tally.counts[run.TAKEN_BACK] > least
    assert tally.counts[run.TIMES] > least
    assert tally.counts[run.ROUSED] > least / 3
    assert tally.counts[run.LATE] > least / 10
    assert tally.counts[run.LAPSES] > least / 3
    assert tally.counts[run.SEALED] > len(seeds)
    assert tally.counts[run.LOSSES] > least / 3


@pytest.mark.parametrize("name", whole_but(EASY_PLANTS, PLANTS))
def test_planted_fault_is_found(name: str) -> None:
    """A seed fails with the fault and holds without it."""
    assert first_seed_that_finds(name) is not None, PLANTS[name].text


@pytest.mark.whole
def test_a_run_follows_from_its_seed_alone() -> None:
    """Nothing of an earlier run is left in the process: ids, secrets, times and turns come anew."""
    first = [run_seed(seed).digest for seed in FEW_SEEDS]
    again = [run_seed(seed).digest for seed in reversed(FEW_SEEDS)]

    assert again == first[::-1]
    assert len(set(first)) == len(FEW_SEEDS)


@pytest.mark.whole
def test_another_process_gives_the_same_traces() -> None:
    """No order of a set and no address in memory has a say in a run."""
    here = run_share(FEW_SEEDS).digest
    environ = {**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", DIGEST.format(seeds=FEW_SEEDS)]
    there = subprocess.run(
        command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True
    )
    assert there.stdout.strip() == here
