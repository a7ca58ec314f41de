"""The code reached by the tests, and the domain's floor.

`make coverage` runs the tests under coverage.py and then `python -m tests.covered`.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).parents[1]

DOMAIN_LINES = 100.0  # percent of all lines of the domain
DOMAIN_BRANCHES = 98.0  # percent of all branches of the domain

Files = dict[str, dict[str, Any]]  # coverage.py's JSON report on each file, by its path


def report() -> Files:
    """Return coverage.py's report on the last measurement."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "report.json"
        command = [sys.executable, "-m", "coverage", "json", "--quiet", "-o", str(path)]
        subprocess.run(command, cwd=ROOT, check=True)
        files: Files = json.loads(path.read_text())["files"]
    return dict(sorted(files.items()))


def shares(files: Files) -> tuple[float, float]:
    """Return the percentages of executed lines and branches of files, 100 without any."""
    summaries = [file["summary"] for file in files.values()]

    def share(part: str, whole: str) -> float:
        there = sum(summary[whole] for summary in summaries)
        ran = sum(summary[part] for summary in summaries)
        return 100.0 * ran / there if there else 100.0

    lines = share("covered_lines", "num_statements")
    branches = share("covered_branches", "num_branches")
    return lines, branches


def table(files: Files) -> Iterator[str]:
    """Yield a line for each package: the shares of its executed lines and branches."""
    packages: dict[str, Files] = {}
    for path, file in files.items():
        packages.setdefault(str(PurePosixPath(path).parent), {})[path] = file

    yield f"{'package':30} {'lines':>8} {'branches':>9}"
    for name, own_files in [*packages.items(), ("all", files)]:
        lines, branches = shares(own_files)
        yield f"{name:30} {lines:>6.1f} % {branches:>7.1f} %"


def gaps(files: Files) -> Iterator[str]:
    """Yield each missed line, and each missed branch of a line that ran.

    The end of a branch is a line, or "exit" if the branch leads out of its function.
    """
    for path, file in files.items():
        missing_lines = file["missing_lines"]
        for line in missing_lines:
            yield f"{path}:{line} did not run"
        for start, end in file["missing_branches"]:
            target = "exit" if end < 0 else f"line {end}"
            if start not in missing_lines:
                yield f"{path}:{start} never went to {target}"


def faults(domain: Files) -> Iterator[str]:
    """Yield a sentence for each floor of the domain that is not reached."""
    lines, branches = shares(domain)
    if lines < DOMAIN_LINES:
        yield f"The tests ran {lines:.2f} % of the domain's lines, not {DOMAIN_LINES:g} %."
    if branches < DOMAIN_BRANCHES:
        yield f"The tests ran {branches:.2f} % of the domain's branches, not {DOMAIN_BRANCHES:g} %."


def main() -> int:
    """Print the table, the missed parts of the domain, and missed floors.

    Return 1 if a floor is missed.
    """
    files = report()
    domain = {path: file for path, file in files.items() if path.startswith("domain/")}
    missed = list(faults(domain))
    print("\n".join([*table(files), "", *gaps(domain), *missed]))
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
