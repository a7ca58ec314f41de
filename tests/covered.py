"""What the tests ran of the code, by package, and whether the domain reaches its floor.

`make coverage` runs the tests under coverage.py and then `python -m tests.covered`.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).parents[1]

DOMAIN_LINES = 100.0  # percent of all lines of the domain
DOMAIN_BRANCHES = 98.0  # percent of all branches of the domain


@dataclass(frozen=True)
class Counts:
    """How many lines and branches there are, and how many of them ran."""

    lines: int = 0
    lines_run: int = 0
    branches: int = 0
    branches_run: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            lines=self.lines + other.lines,
            lines_run=self.lines_run + other.lines_run,
            branches=self.branches + other.branches,
            branches_run=self.branches_run + other.branches_run,
        )

    @property
    def line_percent(self) -> float:
        """Return the share of lines that ran, 100 where there is none."""
        return percent(self.lines_run, self.lines)

    @property
    def branch_percent(self) -> float:
        """Return the share of branches that ran, 100 where there is none."""
        return percent(self.branches_run, self.branches)


@dataclass(frozen=True)
class File:
    """What ran of one file, and what did not: line numbers, and branches from line to line."""

    path: str
    counts: Counts
    missing_lines: tuple[int, ...]
    missing_branches: tuple[tuple[int, int], ...]

    @property
    def package(self) -> str:
        """Return the folder in which the file lies, such as "service/api"."""
        return str(PurePosixPath(self.path).parent)

    @property
    def in_domain(self) -> bool:
        """Tell whether the file belongs to the domain."""
        return self.path.startswith("domain/")


def percent(part: int, whole: int) -> float:
    """Return a share in percent; nothing is the whole of nothing."""
    return 100.0 * part / whole if whole else 100.0


def read(report: Mapping[str, Any]) -> list[File]:
    """Return the files of coverage.py's JSON report, by path."""
    files = []
    for path, measured in sorted(report["files"].items()):
        summary = measured["summary"]
        counts = Counts(
            lines=summary["num_statements"],
            lines_run=summary["covered_lines"],
            branches=summary["num_branches"],
            branches_run=summary["covered_branches"],
        )
        missing_branches = tuple((start, end) for start, end in measured["missing_branches"])
        files.append(File(path, counts, tuple(measured["missing_lines"]), missing_branches))
    return files


def total(files: Iterable[File]) -> Counts:
    """Return the counts of several files together."""
    return sum((file.counts for file in files), Counts())


def table(files: Iterable[File]) -> list[str]:
    """Return a line for each package: lines, branches, and the shares that ran."""
    packages: dict[str, Counts] = {}
    for file in files:
        packages[file.package] = packages.get(file.package, Counts()) + file.counts

    rows = [f"{'package':30} {'lines':>7} {'run':>8} {'branches':>9} {'run':>8}"]
    for name, counts in [*packages.items(), ("all", total(files))]:
        line_share = f"{counts.line_percent:.1f} %"
        branch_share = f"{counts.branch_percent:.1f} %"
        rows.append(
            f"{name:30} {counts.lines:>7} {line_share:>8} {counts.branches:>9} {branch_share:>8}"
        )
    return rows


def gaps(files: Iterable[File]) -> list[str]:
    """Return each line, and each branch from a line to a line, that did not run.

    A branch that leaves its function has no line to go to; its end is told as "exit".
    """
    found = []
    for file in files:
        found += [f"{file.path}:{line} did not run" for line in file.missing_lines]

        branches_of_run_lines = (
            branch for branch in file.missing_branches if branch[0] not in file.missing_lines
        )
        for start, end in branches_of_run_lines:
            target = "exit" if end < 0 else f"line {end}"
            found.append(f"{file.path}:{start} never went to {target}")
    return found


def faults(files: Iterable[File]) -> list[str]:
    """Return a sentence for each floor of the domain that is not reached."""
    domain = total(file for file in files if file.in_domain)

    found = []
    if domain.line_percent < DOMAIN_LINES:
        share = f"{domain.line_percent:.2f}"
        found.append(f"The tests ran {share} % of the domain's lines, not {DOMAIN_LINES:g} %.")
    if domain.branch_percent < DOMAIN_BRANCHES:
        share = f"{domain.branch_percent:.2f}"
        found.append(
            f"The tests ran {share} % of the domain's branches, not {DOMAIN_BRANCHES:g} %."
        )
    return found


def report() -> dict[str, Any]:
    """Return coverage.py's report on what was measured last."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "report.json"
        command = [sys.executable, "-m", "coverage", "json", "--quiet", "-o", str(path)]
        subprocess.run(command, cwd=ROOT, check=True)
        written: dict[str, Any] = json.loads(path.read_text())
    return written


def main() -> int:
    """Print the table, what did not run of the domain, and the floors not reached; 1 if any."""
    files = read(report())
    missed = faults(files)

    domain_gaps = gaps(file for file in files if file.in_domain)
    print("\n".join([*table(files), "", *domain_gaps, *missed]))
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
