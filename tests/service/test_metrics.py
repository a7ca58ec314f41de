"""What is measured is right across processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.health import surroundings
from service.jobs.queues import Queues
from service.journal.memory import MemoryJournal
from service.journal.port import JournalUnavailable, Memory

KILLED = "import os; from service import metrics; metrics.STREAMS.inc(); metrics.CONFLICTS.inc(); os.abort()"
ASKED = "from service import metrics; metrics.STREAMS.inc(2); print(metrics.exposition().decode())"


def run(program: str, directory: Path) -> str:
    """Return what a process says that shares its measures in a directory."""
    environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(directory)}
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False
    ).stdout


def test_a_killed_process_holds_no_streams(tmp_path: Path) -> None:
    """What it counted stays, what it had at hand does not: its streams ended with it."""
    run(KILLED, tmp_path)
    lines = run(ASKED, tmp_path).splitlines()
    assert "giornale_conflicts_total 1.0" in lines
    assert "giornale_streams 2.0" in lines


class Counting(MemoryJournal):
    """A journal that counts how often it is asked for its memory, and may be away."""

    asked = 0
    away = False

    def memory(self) -> Memory:
        """Count, and answer unless away."""
        self.asked += 1
        if self.away:
            raise JournalUnavailable("away")
        return Memory(1, 2)


def test_a_look_around_is_kept_for_some_seconds(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks again and again is told what was found a moment ago; then it is looked for anew."""
    now = [100.0]
    monkeypatch.setattr(surroundings, "monotonic", lambda: now[0])
    journal = Counting()
    around = surroundings.Surroundings(journal, Queues(redis_url), tmp_path)
    told = [around.exposition() for _ in range(5)]
    assert len(set(told)) == journal.asked == 1
    now[0] += surroundings.KEPT_SECONDS
    around.exposition()
    assert journal.asked == 2


def test_a_journal_that_is_away_is_told(tmp_path: Path) -> None:
    """Neither an error nor an old figure: the servers are down, and the rest is told."""
    journal = Counting()
    journal.away = True
    around = surroundings.Surroundings(journal, Queues(f"unix://{tmp_path}/none.sock"), tmp_path)
    lines = around.exposition().decode().splitlines()
    assert "giornale_journal_up 0.0" in lines
    assert "giornale_queues_up 0.0" in lines
    assert any(line.startswith("giornale_data_free_bytes ") for line in lines)
    assert not any(
        line.startswith(("giornale_workers", "giornale_journal_memory")) for line in lines
    )
