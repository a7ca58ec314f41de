"""Schemathesis against the whole running service, by every check it has.

`python -m tests.service.api.fuzzing [calls]` runs the campaign.
Its exit code is that of the last round.
"""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.running import running_service
from tests.service.api.fuzz_hooks import OPERATOR

HERE = Path(__file__).parent
CALLS = 20_000
EXAMPLES = 500  # most examples of each operation in a round of the campaign
PHASES = "examples,coverage,fuzzing,stateful"

SETTINGS = {
    "GIORNALE_ALLOW_SEED": "1",
    "GIORNALE_OPENINGS": "0",
    "GIORNALE_OPERATOR_TOKEN": OPERATOR,
}
_GENERATED = re.compile(r"(\d+) generated")


@dataclass(frozen=True, slots=True)
class Round:
    """Result of one run of schemathesis: exit code, number of calls and output."""

    exit_code: int
    calls: int
    output: str


def fuzz(examples: int, seed: str = "") -> Round:
    """Call every operation with generated examples.

    Failures are printed with a curl and the seed.
    """
    with (
        tempfile.TemporaryDirectory() as directory,
        running_service(Path(directory), **SETTINGS) as service,
    ):
        completed = subprocess.run(
            [
                Path(sys.executable).with_name("st"),
                *("--config-file", str(HERE / "schemathesis.toml")),
                "--no-color",
                *("run", f"{service.url}/openapi.json"),
                *_options(examples, seed),
            ],
            env=os.environ | {"SCHEMATHESIS_HOOKS": "tests.service.api.fuzz_hooks"},
            capture_output=True,
            text=True,
            check=False,
        )

    generated = _GENERATED.search(completed.stdout)
    return Round(
        exit_code=completed.returncode,
        calls=int(generated[1]) if generated else 0,
        output=completed.stdout + completed.stderr,
    )


def _options(examples: int, seed: str) -> list[str]:
    """Return the options of the generator.

    One thread generates: with two, CPython 3.11 mixes up the depths of both in ast.parse and raises
    SystemError.
    """
    options = ["--max-examples", str(examples)]
    options += ["--phases", PHASES]
    options += ["--workers", "1"]
    options += ["--continue-on-failure"]
    if seed:
        options += ["--seed", seed, "--generation-database", "none"]
    return options


def main(calls: int = CALLS) -> int:
    """Run rounds, each with a seed of its own, until there were enough calls or a round failed."""
    exit_code = 0
    called = 0
    while called < calls and exit_code == 0:
        result = fuzz(min(EXAMPLES, calls))
        exit_code = result.exit_code
        called += result.calls
        print(result.output)
        print(f"{called} calls of {calls}", flush=True)
    return exit_code


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
