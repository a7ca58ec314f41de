"""Every command of Makefile and pages is run by `.ci/run`, here in a short form or elsewhere.

`giornale` commands are run in tests/service/cli/test_terminal.py.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import EVERY
from tests.running import environment

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text()
CI = (ROOT / ".ci/run").read_text()
MODULE = re.compile(r"(?:python3?|\$\(PY\)) -m ((?:tests|benchmarks|scaffold)[\w.]*)")

# Benchmarks in a short form: nothing is noted if a constant is set.
BENCHMARKS = {
    "append": "ROUNDS=1 COMMITS=10",
    "archive": "MATCHES=1 LOOKS=2",
    "load": "NUMBERS=1,2 STEP=1 STAY=1 SOAK=0.05 LOOK_SECONDS=0.3",
    "log": "MATCHES=200 COMMITS=5 LOOKS=5 RATED=100",
    "moves": "RUNS=1 APP_RUNS=1 FEW_MATCHES=1 MANY_MATCHES=2 MOVES=20",
    "my_matches": "STREAMS=3 MATCHES=3 MOVES=10 RUNS=1",
    "page": "RUNS=1 STEPS=5 MOVES=3 SIGNED=5",
    "peers": "ROUNDS=1 MOVES=220 BESIDE=4 MOVES_BESIDE=5 MOVES_AT_ONCE=5",
    "playouts": "RUNS=1 MATCHES=1 COPY_RUNS=1 COPIES=10",
    "processes": "RUNS=1",
    "reading": "RUNS=1 ASKED=5 MATCHES=100",
    "replay": "RUNS=1 COMMITS=40",
    "scale": "NUMBERS=20,50 COMMITS=5 ROUNDS=2 LENGTHS=25,50 LOOKS=2 MATCHES=1",
    "streams": "STREAMS=4 SPREAD_OVER=2 COMMITS=8 BEHIND=30 NUMBERS=1,2 MOVES=5 RUNS=1",
    "verifying": "RUNS=1 RECORDS=2 NUMBER=4",
}

# Modules by the file that runs or tests them; of `.ci/run`, by the target of make.
RUN_BY = {
    "benchmarks": "tests/e2e/test_named_commands.py",
    "scaffold": "tests/e2e/test_new_game.py",
    "tests.attacks.mutations": "make attack",
    "tests.campaign": "tests/campaign/test_short.py",
    "tests.campaign.runners": "tests/campaign/test_runners.py",
    "tests.e2e.agents": "tests/e2e/test_agents.py",
    "tests.failover": "make failover",
    "tests.pythons": "make test",
    "tests.ratchets": "make check",
    "tests.records.make": "tests/records/test_golden.py",
    "tests.records.tell": "tests/records/test_golden.py",
    "tests.records.test_bots": "make test",
    "tests.records.views": "tests/records/test_golden.py",
    "tests.service.api.fuzzing": "tests/service/api/test_fuzz.py",
    "tests.service.api.recording": "tests/e2e/test_new_game.py",
    "tests.simulation": "tests/simulation/test_simulation.py",
    "tests.trace": "here",
}

# What writes pictures, dictionaries or figures of whole runs, and the reason why nothing runs it.
NOT_RUN = {
    "benchmarks.plots": "it draws figures that whole runs have noted",
    "tests.browser.shots": "it takes the pictures of all pages anew",
    "tests.covered": "it needs the tests to be run once more under coverage",
    "tests.records.train": "a dictionary that is released is never made again",
}


def pages() -> str:
    """Return Makefile and pages, in which commands are named."""
    paths = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]
    texts = [path.read_text() for path in paths if path.name != "CHANGELOG.md"]
    return "\n".join([MAKEFILE, *texts])


def test_each_module_that_is_named_is_run() -> None:
    """A new one is run somewhere, or the table says why not."""
    named = {name.rstrip(".") for name in MODULE.findall(pages())}
    assert named >= {"benchmarks", "tests.trace"}
    assert named <= RUN_BY.keys() | NOT_RUN.keys()
    for module, place in RUN_BY.items():
        if place.startswith("make "):
            assert f"{place} " in CI or f"{place}\n" in CI, module
        elif place != "here":
            assert (ROOT / place).is_file(), module


def test_each_benchmark_that_is_named_is_run() -> None:
    """Each one has a short form."""
    assert BENCHMARKS.keys() == EVERY.keys()


@pytest.mark.whole
@pytest.mark.parametrize(
    "words",
    [f"benchmarks {name} {settings}" for name, settings in BENCHMARKS.items()] + ["tests.trace"],
)
def test_a_command_in_a_short_form(words: str) -> None:
    """It ends with 0."""
    done = subprocess.run(
        [sys.executable, "-m", *words.split()],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
