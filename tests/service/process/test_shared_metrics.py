"""Metrics that web processes share: kept in memory, where a full disk does not end whoever adds."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from service import metrics
from service.config import METRICS_DIRECTORY
from service.process import web
from tests.service.process.supervising import settings


def name_directory(directory: Path) -> None:
    """Name a directory as `share` does, and share nothing."""
    os.environ[METRICS_DIRECTORY] = str(directory)


@pytest.fixture(autouse=True)
def _unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No directory is named yet, and this process goes on to count for itself."""
    monkeypatch.setenv(METRICS_DIRECTORY, "")
    monkeypatch.setattr(
        metrics, "share", lambda place: os.environ.update({METRICS_DIRECTORY: str(place)})
    )


def shared_directory(data: Path) -> Path:
    """Return the directory that a web process on a data directory names."""
    web._share_metrics(settings(data))
    return Path(os.environ[METRICS_DIRECTORY])


def test_metrics_lie_in_memory_for_their_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The data directory's disk is not needed; nobody else may read them; the end removes them."""
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(web, "_MEMORY", memory)

    directory = shared_directory(tmp_path / "data")
    [root] = memory.iterdir()
    assert directory.parent == root
    assert stat.S_IMODE(root.stat().st_mode) == 0o700

    web._forget_metrics(directory.stat().st_ino)
    assert list(memory.iterdir()) == []


def test_the_end_of_a_web_leaves_the_metrics_of_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A web that ends late, because what had forked it died, finds another one in its place."""
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(web, "_MEMORY", memory)
    former = shared_directory(tmp_path / "data").stat().st_ino

    monkeypatch.setenv(METRICS_DIRECTORY, "")
    taken = tmp_path / "keeps the former inode"
    next(memory.glob("*/*")).rename(taken)
    directory = shared_directory(tmp_path / "data")

    web._forget_metrics(former)
    assert directory.is_dir()


def test_metrics_lie_in_the_data_directory_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A system without memory for files, such as macOS, keeps them as before."""
    monkeypatch.setattr(web, "_MEMORY", tmp_path / "not-there")
    directory = shared_directory(tmp_path / "data")
    assert directory.parent == tmp_path / "data" / "metrics"


def test_a_place_that_another_user_has_taken_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link that somebody has put there leads nowhere."""
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(web, "_MEMORY", memory)
    directory = shared_directory(tmp_path / "data")
    taken = directory.parent

    web._forget_metrics(directory.stat().st_ino)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    taken.symlink_to(elsewhere)
    monkeypatch.setenv(METRICS_DIRECTORY, "")

    assert shared_directory(tmp_path / "data").parent == tmp_path / "data" / "metrics"


def test_what_was_loaded_before_is_shared_too(tmp_path: Path) -> None:
    """A process that forks has loaded the metrics before the directory has a name."""
    counted = """
import os, sys
from pathlib import Path
from service import metrics
metrics.share(Path(sys.argv[1]))
for _ in range(2):
    if os.fork() == 0:
        metrics.CONFLICTS.inc()
        metrics.REQUESTS.labels("move", "200").observe(1)
        metrics.STREAMS.inc()
        os._exit(0)
    os.wait()
print(metrics.exposition().decode())
"""
    unnamed = {name: value for name, value in os.environ.items() if name != METRICS_DIRECTORY}
    printed = subprocess.run(
        [sys.executable, "-c", counted, str(tmp_path)],
        env=unnamed,
        capture_output=True,
        text=True,
        check=True,
    )

    lines = printed.stdout.splitlines()
    assert printed.stderr == ""
    assert "giornale_conflicts_total 2.0" in lines
    assert 'giornale_request_seconds_count{operation="move",status="200"} 2.0' in lines
    assert 'giornale_shed_requests_total{wanted="work"} 0.0' in lines
