"""Metrics that web processes share: kept in memory, where a full disk does not end whoever adds."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from service.config import METRICS_DIRECTORY
from service.process import metrics_directory
from tests.service.process.supervising import settings


@pytest.fixture(autouse=True)
def _unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No directory is named yet, and what a test names is forgotten."""
    monkeypatch.setenv(METRICS_DIRECTORY, "")


def shared_directory(data: Path) -> Path:
    """Return the directory that a web process on a data directory names."""
    metrics_directory.prepare(settings(data))
    return Path(os.environ[METRICS_DIRECTORY])


def test_metrics_lie_in_memory_for_their_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The data directory's disk is not needed; nobody else may read them; the end removes them."""
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(metrics_directory, "_MEMORY", memory)

    directory = shared_directory(tmp_path / "data")
    [root] = memory.iterdir()
    assert directory.parent == root
    assert stat.S_IMODE(root.stat().st_mode) == 0o700

    metrics_directory.forget()
    assert list(memory.iterdir()) == []


def test_metrics_lie_in_the_data_directory_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A system without memory for files, such as macOS, keeps them as before."""
    monkeypatch.setattr(metrics_directory, "_MEMORY", tmp_path / "not-there")
    directory = shared_directory(tmp_path / "data")
    assert directory.parent == tmp_path / "data" / "metrics"


def test_a_place_that_another_user_has_taken_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link that somebody has put there leads nowhere."""
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(metrics_directory, "_MEMORY", memory)
    taken = shared_directory(tmp_path / "data").parent

    metrics_directory.forget()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    taken.symlink_to(elsewhere)
    monkeypatch.setenv(METRICS_DIRECTORY, "")

    assert shared_directory(tmp_path / "data").parent == tmp_path / "data" / "metrics"


def test_the_directory_has_its_name_before_metrics_are_loaded() -> None:
    """The command `web` itself loads nothing that looks for the name."""
    loaded = "import sys, service.cli.processes; print(*sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    )

    assert "service.process.metrics_directory" in told.stdout.split()
    assert "prometheus_client" not in told.stdout.split()
