"""What is measured is right across processes."""

import os
import subprocess
import sys
from pathlib import Path

KILLED = "import os; from service import metrics; metrics.STREAMS.inc(); metrics.CONFLICTS.inc(); os.abort()"
ASKED = "from service import metrics; metrics.STREAMS.inc(2); print(metrics.exposition().decode())"


def run(program: str, directory: Path) -> str:
    """Return what a process says that shares its measures in a directory."""
    environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(directory)}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout


def test_a_killed_process_holds_no_streams(tmp_path: Path) -> None:
    """What it counted stays, what it had at hand does not: its streams ended with it."""
    run(KILLED, tmp_path)
    lines = run(ASKED, tmp_path).splitlines()
    assert "giornale_conflicts_total 1.0" in lines
    assert "giornale_streams 2.0" in lines
