"""What is measured is right across processes."""

import os
import subprocess
import sys
from pathlib import Path

KILLED = """
import os
from service import metrics
metrics.STREAMS.inc()
metrics.CONFLICTS.inc()
os.abort()
"""

ASKED = """
from service import metrics
metrics.STREAMS.inc(2)
print(metrics.exposition().decode())
"""


def run(program: str, directory: Path) -> list[str]:
    """Return the lines that a process prints which shares its metrics in a directory."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(directory)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.splitlines()


def test_a_killed_process_holds_no_streams(tmp_path: Path) -> None:
    """What it counted stays, what it had at hand does not: its streams ended with it."""
    run(KILLED, tmp_path)
    lines = run(ASKED, tmp_path)

    assert "giornale_conflicts_total 1.0" in lines
    assert "giornale_streams 2.0" in lines
