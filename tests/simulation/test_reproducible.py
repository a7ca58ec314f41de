"""A run follows from its seed alone, byte for byte."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.many import run_share
from tests.simulation.run import run_seed

ROOT = Path(__file__).parents[2]
SEEDS = [*range(1, 13), 37]  # the toy, both real games among them
TRACES = "from tests.simulation.many import run_share; print(run_share({seeds}).digest)"


def test_the_same_seed_gives_the_same_trace() -> None:
    """Nothing of an earlier run is left in the process: ids, secrets, times and turns come anew."""
    first = [run_seed(seed).digest for seed in SEEDS]
    again = [run_seed(seed).digest for seed in reversed(SEEDS)]
    assert again == first[::-1]


def test_seeds_differ() -> None:
    """Each seed runs in its own way."""
    assert len({run_seed(seed).digest for seed in SEEDS}) == len(SEEDS)


@pytest.mark.parametrize("hash_seed", ["1", "4711"])
def test_another_process_gives_the_same_traces(hash_seed: str) -> None:
    """No order of a set and no address in memory has a say in a run."""
    here = run_share(SEEDS).digest
    environ = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", TRACES.format(seeds=SEEDS)]
    there = subprocess.run(
        command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True
    )
    assert there.stdout.strip() == here
