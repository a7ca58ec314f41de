"""Schemathesis against the whole running house, by every check that it has.

`python -m tests.service.api.fuzzing [calls]` runs the campaign; it ends with 1 if anything failed.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.running import running_service
from tests.service.api.fuzz_hooks import OPERATOR

HERE = Path(__file__).parent
CALLS = 20_000
EXAMPLES = 500  # of each operation in a round of the campaign; some know fewer cases
PHASES = "examples,coverage,fuzzing,stateful"
_CASES = re.compile(r"(\d+) generated")


def fuzz(examples: int, seed: str = "") -> tuple[int, int, str]:
    """Return the exit code of schemathesis, how many calls it made and what it said: failures with a curl, the seed.

    One thread generates: with two, CPython 3.11 mixes up how deep each is in ast.parse and raises SystemError.
    """
    settings = {
        "GIORNALE_ALLOW_SEED": "1",
        "GIORNALE_OPENINGS": "0",
        "GIORNALE_EXHIBITIONS": "0",
        "GIORNALE_OPERATOR_TOKEN": OPERATOR,
    }
    with (
        tempfile.TemporaryDirectory() as directory,
        running_service(Path(directory), **settings) as running,
    ):
        command = [
            "--config-file",
            str(HERE / "schemathesis.toml"),
            "--no-color",
            "run",
            f"{running.url}/openapi.json",
        ]
        chosen = [
            "--max-examples",
            str(examples),
            "--phases",
            PHASES,
            "--workers",
            "1",
            "--continue-on-failure",
        ]
        known = ["--seed", seed, "--generation-database", "none"] if seed else []
        done = subprocess.run(
            [Path(sys.executable).with_name("st"), *command, *chosen, *known],
            env=os.environ | {"SCHEMATHESIS_HOOKS": "tests.service.api.fuzz_hooks"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    made = _CASES.search(done.stdout)
    return done.returncode, int(made[1]) if made else 0, done.stdout + done.stderr


def main(calls: int = CALLS) -> int:
    """Run rounds of the campaign, each with a seed of its own, until there were enough calls or one failed."""
    code = made = 0
    while made < calls and not code:
        code, more, said = fuzz(min(EXAMPLES, calls))
        made += more
        print(said, f"{made} calls of {calls}", sep="\n", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
