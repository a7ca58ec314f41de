"""Schemathesis against the whole running house, by every check that it has.

`python -m tests.service.api.fuzzing [calls]` runs the campaign; it ends with 1 if anything failed.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.service.running import house

HERE = Path(__file__).parent
CALLS = 20_000
_OPERATIONS = 28
_CASES = re.compile(r"(\d+) generated")


def fuzz(examples: int, phases: str) -> tuple[int, int, str]:
    """Return the exit code of schemathesis, how many calls it made and what it said."""
    with tempfile.TemporaryDirectory() as directory, house(Path(directory), GIORNALE_ALLOW_SEED="1") as running:
        command = ["--config-file", str(HERE / "schemathesis.toml"), "--no-color", "run", f"{running.url}/openapi.json"]
        chosen = ["--max-examples", str(examples), "--phases", phases, "--workers", "2", "--continue-on-failure"]
        done = subprocess.run(
            [Path(sys.executable).with_name("st"), *command, *chosen],
            env=os.environ | {"SCHEMATHESIS_HOOKS": "tests.service.api.fuzz_hooks"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    made = _CASES.search(done.stdout)
    return done.returncode, int(made[1]) if made else 0, done.stdout + done.stderr


def main(calls: int = CALLS) -> int:
    """Run the campaign and print what was found."""
    examples = -(-2 * calls // _OPERATIONS)  # twice: some operations know fewer cases
    code, made, said = fuzz(examples, "examples,coverage,fuzzing,stateful")
    print(said)
    print(f"{made} calls of {calls} wanted")
    return code or int(made < calls)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
