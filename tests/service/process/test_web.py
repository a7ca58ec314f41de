"""The web process: its main process, its connections, its metrics and its memory."""

import errno
import gc
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from granian.server import common

from service import metrics
from service.api.http.limits import SENT_AHEAD_BYTES
from service.config import METRICS_DIRECTORY
from service.process import child, web
from service.process.web import WebServer
from tests.service.process.supervising import settings

# ---- the main process replaces what dies of it ---------------------------------------------------

DEATHS = 6


class Process:
    """A process that dies as soon as it is started, or at last has the whole server stop."""

    def __init__(self, server: "Server", number: int) -> None:
        self._server = server
        self._number = number

    def start(self) -> None:
        """Die, as Granian notices it."""
        self._server.started += 1
        if self._server.started > DEATHS:
            self._server.signal_handler_interrupt()
            return

        self._server.interrupt_children.append(self._number)
        self._server.main_loop_interrupt.set()

    def terminate(self) -> None:
        """Do nothing: it is dead."""

    def join(self, _seconds: float | None = None) -> None:
        """Return at once: it is dead."""


class Server(WebServer):
    """Granian with such processes; started: how many."""

    started = 0

    def _spawn_worker(self, idx: int, **_more: Any) -> Process:
        return Process(self, idx)

    def live(self) -> int:
        """Start and replace processes until the end; return how many were started."""
        self._spawn_workers(None, None)
        self._serve_loop(None, None)
        return self.started


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server with one process that answered once; its pauses are longer than a test waits."""
    monkeypatch.setattr(common, "configure_logging", lambda *_: None)
    monkeypatch.setattr(child, "_FIRST_PAUSE_SECONDS", 1000)
    monkeypatch.setattr(child, "_LONGEST_PAUSE_SECONDS", 1000)
    made = Server("nothing:here", workers=1, respawn_failed_workers=True)
    made.note_ready()
    return made


def test_a_process_that_dies_again_and_again_is_replaced(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two deaths within seconds end nothing."""
    monkeypatch.setattr(child, "_FIRST_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(child, "_LONGEST_PAUSE_SECONDS", 0.1)
    assert server.live() == DEATHS + 1


def test_a_process_that_had_lived_is_replaced_at_once(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pauses are for those that die as they start."""
    monkeypatch.setattr(child, "_STEADY_SECONDS", 0)
    assert server.live() == DEATHS + 1


def test_a_stop_does_not_wait_for_a_pause(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is told to end while it waits ends, and starts nothing more."""

    def be_told(seconds: float) -> None:
        if seconds:
            server.signal_handler_interrupt()

    monkeypatch.setattr("service.process.web.time.sleep", be_told)
    assert server.live() == 2


def test_a_start_that_cannot_succeed_ends(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any process has answered the start fails, and the reason can be read."""
    monkeypatch.setattr(child, "_FIRST_PAUSE_SECONDS", 0.001)
    server._has_answered = False
    assert server.live() == 2


# ---- connections, and the garbage that stays -----------------------------------------------------


@pytest.mark.parametrize(
    ("files", "most", "in_line"),
    [(200, 128, 128), (1024, 384, 384), (4096, 3328, 1024), (65_536, 16_384, 1024)],
)
def test_connections_leave_files_for_all_else(files: int, most: int, in_line: int) -> None:
    """A long answer may need a second file; what waits for room is no more than what has it."""
    assert web.connections_for(files, long_answers=512) == most
    assert web.most_in_line(most) == in_line


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends what does not move")
def test_an_answer_that_nobody_reads_ends_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little is taken of it before it is read; when nothing moves the sender is told in time."""
    monkeypatch.setattr(web, "_STUCK_SECONDS", 1)
    piece = bytes(SENT_AHEAD_BYTES)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        web._bound(listener)
        with socket.socket() as reader:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, len(piece))
            reader.connect(listener.getsockname())
            sender, _ = listener.accept()
            sender.settimeout(60)

            with sender, pytest.raises(TimeoutError) as ended:
                sender.sendall(10 * piece)
    assert ended.value.errno == errno.ETIMEDOUT


def test_a_full_collection_looks_through_next_to_nothing() -> None:
    """The garbage collector does not look again and again at what is there to the end."""
    try:
        web._spare_what_stays()
        left = len(gc.get_objects())
        spared = gc.get_freeze_count()
    finally:
        gc.unfreeze()

    assert left < spared / 100


# ---- metrics that web processes share ------------------------------------------------------------


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files lie in memory; no directory is named yet, and this process shares nothing."""
    monkeypatch.setenv(METRICS_DIRECTORY, "")
    monkeypatch.setattr(
        metrics, "share", lambda place: os.environ.update({METRICS_DIRECTORY: str(place)})
    )
    directory = tmp_path / "memory"
    directory.mkdir()
    monkeypatch.setattr(web, "_MEMORY", directory)
    return directory


def shared_directory(data: Path) -> Path:
    """Return the directory that a web process on a data directory names."""
    os.environ[METRICS_DIRECTORY] = ""
    web._share_metrics(settings(data))
    return Path(os.environ[METRICS_DIRECTORY])


def test_metrics_lie_in_memory_for_their_user_alone(memory: Path, tmp_path: Path) -> None:
    """The data directory's disk is not needed; nobody else may read them; the end removes them."""
    directory = shared_directory(tmp_path / "data")
    assert directory.parent == memory
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700

    web._forget_metrics(directory.stat().st_ino)
    assert list(memory.iterdir()) == []


def test_the_end_of_a_web_leaves_the_metrics_of_the_next(memory: Path, tmp_path: Path) -> None:
    """A web that ends late, because what had forked it died, finds another one in its place."""
    former = shared_directory(tmp_path / "data").stat().st_ino
    next(memory.iterdir()).rename(tmp_path / "keeps the former inode")
    directory = shared_directory(tmp_path / "data")

    web._forget_metrics(former)
    assert directory.is_dir()


@pytest.mark.parametrize("reason", ["no memory", "taken"])
def test_metrics_lie_in_the_data_directory_elsewhere(
    memory: Path, tmp_path: Path, reason: str
) -> None:
    """Where there is no memory for files, as on macOS, or a link of another user in the place."""
    if reason == "taken":
        directory = shared_directory(tmp_path / "data")
        web._forget_metrics(directory.stat().st_ino)
        (tmp_path / "elsewhere").mkdir()
        directory.symlink_to(tmp_path / "elsewhere")
    else:
        memory.rmdir()

    assert shared_directory(tmp_path / "data").parent == tmp_path / "data" / "metrics"


COUNT_IN_TWO_CHILDREN = """
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


def test_what_was_loaded_before_is_shared_too(tmp_path: Path) -> None:
    """A process that forks has loaded the metrics before the directory has a name."""
    unnamed = {name: value for name, value in os.environ.items() if name != METRICS_DIRECTORY}
    printed = subprocess.run(
        [sys.executable, "-c", COUNT_IN_TWO_CHILDREN, str(tmp_path)],
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
