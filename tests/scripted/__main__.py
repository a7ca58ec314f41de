"""The command line of the scripted requests. See the package."""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

import orjson

from tests.scripted import recording

ROOT = Path(__file__).parents[2]


def main(arguments: Sequence[str]) -> int:
    """Run the scripts. Return 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.scripted", description=__doc__)
    parser.add_argument("scripts", nargs="*", help="names of scripts (default: all)")
    parser.add_argument("--record", action="store_true", help="record anew")
    parser.add_argument("--tree", type=Path, metavar="CHECKOUT", help="compare with another")
    parser.add_argument("--emit", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)

    if options.emit:
        return _emit(options.scripts, options.emit)
    began = perf_counter()
    steps = wrong = 0
    for script, new, differences in _compared(options):
        steps += new
        wrong += bool(differences)
        if differences:
            print(recording.report(script, differences))
    seconds = perf_counter() - began
    print(f"{steps} steps in {seconds:.1f} s; {wrong} scripts differ")
    return 1 if wrong else 0


def _compared(options: argparse.Namespace) -> Iterator[tuple[str, int, list[str]]]:
    """Yield each script with its number of steps and its differences."""
    if options.tree:
        # Each tree runs its own scripts: they know the names of its modules.
        with ThreadPoolExecutor() as pool:
            trees = (options.tree.resolve(), ROOT)
            before, after = pool.map(lambda tree: _run_in_process(tree, options.scripts), trees)
        for script, steps in after.items():
            yield script, len(steps), recording.differences_between(before[script], steps)
        return

    from tests.scripted.scripts import SCRIPTS, run
    from tests.scripted.world import service

    with service() as running:
        for script in options.scripts or SCRIPTS:
            steps = run(running, script)
            if options.record:
                recording.write(script, steps)
            yield script, len(steps), recording.differences_from_recorded(script, steps)


def _run_in_process(tree: Path, scripts: Sequence[str]) -> dict[str, Any]:
    """Return the steps of scripts, run by a tree."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "steps.json"
        own = ["--tree", str(tree), "--emit", str(file)]
        command = [sys.executable, "-m", "tests.scripted", *own, *scripts]
        subprocess.run(command, cwd=tree, check=True)
        steps: dict[str, Any] = orjson.loads(file.read_bytes())
    return steps


def _emit(scripts: Sequence[str], file: Path) -> int:
    """Write the steps of scripts."""
    from tests.scripted.scripts import SCRIPTS, run
    from tests.scripted.world import service

    with service() as running:
        steps = {script: run(running, script) for script in scripts or SCRIPTS}
    file.write_bytes(orjson.dumps(steps))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
