"""Metrics of the surroundings are read on request, cached, and left out for absent servers."""

from dataclasses import replace
from pathlib import Path

import pytest

from service.api.health import surroundings
from service.api.health.surroundings import KEPT_SECONDS, Surroundings
from service.store.jobs.queues import Queues
from service.store.journal.errors import JournalUnavailable
from service.store.journal.memory import memory_journal
from service.store.journal.memory.server import MemoryServer
from service.store.journal.values import Memory


class CountingServer(MemoryServer):
    """A server that counts how often it is asked for its memory, and may be away."""

    questions = 0
    away = False

    def memory(self) -> Memory:
        """Count the question, and answer it unless the server is away."""
        self.questions += 1
        if self.away:
            raise JournalUnavailable("away")
        return Memory(1, 2)


def test_a_finding_is_cached_for_some_seconds(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Callers share the cached metrics until they are KEPT_SECONDS old."""
    now = [100.0]
    monkeypatch.setattr(surroundings, "monotonic", lambda: now[0])
    server = CountingServer()
    collector = Surroundings(
        replace(memory_journal(), server=server), Queues(redis_url, b"s" * 32), tmp_path
    )

    answers = {collector.exposition() for _ in range(5)}
    assert len(answers) == 1
    assert server.questions == 1

    now[0] += KEPT_SECONDS
    collector.exposition()
    assert server.questions == 2


def test_a_journal_that_is_away_is_told(tmp_path: Path) -> None:
    """Without Redis, the metrics report both servers as down, and the free disk space as usual."""
    server = CountingServer()
    server.away = True
    no_server = Queues(f"unix://{tmp_path}/none.sock", b"s" * 32)
    lines = (
        Surroundings(replace(memory_journal(), server=server), no_server, tmp_path)
        .exposition()
        .decode()
        .splitlines()
    )

    assert "giornale_journal_up 0.0" in lines
    assert "giornale_queues_up 0.0" in lines
    assert any(line.startswith("giornale_data_free_bytes ") for line in lines)

    unknown = ("giornale_workers", "giornale_journal_memory")
    assert not any(line.startswith(unknown) for line in lines)
