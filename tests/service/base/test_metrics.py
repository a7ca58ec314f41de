"""Metrics are summed across processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHARES = """
import os
from pathlib import Path
from service.base import metrics
metrics.share(Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]))
"""

KILLED = """
metrics.STREAMS.inc()
metrics.CONFLICTS.inc()
os.abort()
"""

ASKED = """
metrics.STREAMS.inc(2)
print(metrics.exposition().decode())
"""

COUNTS_ALONE = """
from service.base import metrics
metrics.STREAMS.inc(4)
print(metrics.web_processes())
print(metrics.exposition().decode())
"""


def run(program: str, directory: Path) -> list[str]:
    """Return the output lines of a process that shares its metrics in a directory."""
    completed = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(directory)},
        capture_output=True,
        text=True,
        check=False,
    )
    return completed.stdout.splitlines()


@pytest.mark.whole
def test_a_killed_process_holds_no_streams(tmp_path: Path) -> None:
    """The counters of a killed process stay, but not its gauges: its streams ended with it."""
    run(SHARES + KILLED, tmp_path)
    lines = run(SHARES + ASKED, tmp_path)

    assert "giornale_conflicts_total 1.0" in lines
    assert "giornale_streams 2.0" in lines


@pytest.mark.whole
def test_files_of_dead_processes_are_added_up(tmp_path: Path) -> None:
    """Files of dead processes are added up: at most two of a kind on average. No count is lost."""
    for _ in range(5):
        run(SHARES + KILLED, tmp_path)
    for _ in range(2):
        lines = run(SHARES + ASKED, tmp_path)

    assert "giornale_conflicts_total 5.0" in lines
    kinds = {file.stem.rpartition("_")[0] for file in tmp_path.glob("*.db")}
    files = list(tmp_path.glob("*.db"))
    assert len(files) <= 2 * len(kinds), files


def test_only_processes_with_shared_metrics_count_as_web(tmp_path: Path) -> None:
    """Processes without shared metrics write nothing, although they may know the directory."""
    lines = run(COUNTS_ALONE, tmp_path)

    assert lines[0] == "[]"
    assert "giornale_streams 4.0" in lines
    assert list(tmp_path.iterdir()) == []
