"""The web process: its connections, its metrics and its memory."""

import errno
import gc
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from service.api.http.limits import SENT_AHEAD_BYTES
from service.base.environment import METRICS_DIRECTORY
from service.ops.process import web
from service.ops.process.preflight import free_port
from service.ops.process.supervisor import Supervisor, child_processes
from tests.running import MARKS, processes, running_service
from tests.service.ops.process.supervising import settings
from workers.giornale import load_app

# ---- connections, and lasting garbage ------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "most", "in_line"),
    [(200, 128, 128), (1024, 384, 384), (4096, 3328, 1024), (65_536, 16_384, 1024)],
)
def test_connections_leave_files_for_all_else(files: int, most: int, in_line: int) -> None:
    """A long answer may need a second file.

    At most 1,024 connections wait, and no more than can be served.
    """
    assert web.connections_for(files, long_answers=512) == most
    assert web.most_in_line(most) == in_line


def test_web_processes_share_a_socket_outside_linux(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Outside Linux the system would give all connections of a port to one socket."""
    monkeypatch.setattr(sys, "platform", "darwin")
    port = free_port("127.0.0.1", 0)
    config = settings(tmp_path, port=str(port), web_workers="2")
    try:
        first, second = child_processes(config, load_app)
    finally:
        gc.unfreeze()

    make_app, first_socket, first_core = first.arguments
    assert second.arguments == (make_app, first_socket, first_core + 1)
    with socket.create_connection(("127.0.0.1", port), timeout=60):
        pass


@pytest.mark.whole
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system binds no process")
@pytest.mark.parametrize("any_core", ["false", "true"])
def test_each_web_process_keeps_to_a_core_of_its_own(tmp_path: Path, any_core: str) -> None:
    """All threads of a web process run on its core, unless the operator allows any core."""
    allowed = os.sched_getaffinity(0)
    with running_service(
        tmp_path / "data", GIORNALE_WEB_WORKERS="2", GIORNALE_WEB_ANY_CORE=any_core
    ) as service:
        supervisor = service.process.pid
        listed = processes().items()
        webs = [pid for pid, (above, line) in listed if (above, line) == (supervisor, MARKS["web"])]
        threads = [[*Path(f"/proc/{pid}/task").iterdir()] for pid in webs]
        cores = [[os.sched_getaffinity(int(one.name)) for one in each] for each in threads]
        of_bots = os.sched_getaffinity(service.children()["bots"])

    first, second = cores
    assert of_bots == allowed
    if any_core == "true":
        assert all(each == allowed for each in first + second)
    else:
        assert all(each == first[0] for each in first)
        assert all(each == second[0] for each in second)
        assert [len(first[0]), len(second[0])] == [1, 1]
        assert len(first[0] | second[0]) == min(2, len(allowed))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends what does not move")
def test_an_answer_that_nobody_reads_ends_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little of an answer is buffered. If nobody reads it, the sender gets a timeout."""
    monkeypatch.setattr(web, "_STUCK_SECONDS", 1)
    piece = bytes(SENT_AHEAD_BYTES)

    holder = web.listen("127.0.0.1", free_port("127.0.0.1", 0), in_line=1)
    with socket.socket(fileno=os.dup(holder.get_fd())) as listener:
        listener.setblocking(True)
        with socket.socket() as reader:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, len(piece))
            reader.connect(listener.getsockname())
            sender, _ = listener.accept()
            sender.settimeout(60)

            with sender, pytest.raises(TimeoutError) as ended:
                sender.sendall(10 * piece)
    assert ended.value.errno == errno.ETIMEDOUT


def test_a_full_collection_looks_through_next_to_nothing() -> None:
    """The garbage collector does not look again and again at permanent objects."""
    try:
        web._spare_what_stays()
        count = len(gc.get_objects())
        spared = gc.get_freeze_count()
    finally:
        gc.unfreeze()

    assert count < spared / 100


LOOK = """
import os, sys
class Look:
    def find_spec(self, name, *_):
        if name == "granian":
            print(os.environ["_RJEM_MALLOC_CONF"])
sys.meta_path.insert(0, Look())
import service.ops.process.web
"""


@pytest.mark.whole
@pytest.mark.parametrize(
    ("environment", "used"),
    [
        pytest.param({}, "tcache:false", id="ours"),
        pytest.param({"_RJEM_MALLOC_CONF": "narenas:2"}, "narenas:2", id="the-operator's"),
    ],
)
def test_threads_of_the_web_keep_no_memory_ready(environment: dict[str, str], used: str) -> None:
    """Granian's allocator is configured before it is loaded, since it reads its settings once."""
    command = [sys.executable, "-c", LOOK]
    plain = {name: value for name, value in os.environ.items() if name != "_RJEM_MALLOC_CONF"}
    completed = subprocess.run(
        command, env=plain | environment, check=True, capture_output=True, text=True
    )
    assert completed.stdout == f"{used}\n"


# ---- metrics shared by web processes -------------------------------------------------------------


def test_a_directory_that_is_named_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A named directory of metrics is used. Otherwise it is beside the supervisor's pipe."""
    supervisor = Supervisor(settings(tmp_path), load_app)
    try:
        own = supervisor.watchdog.pipe.with_name("metrics")
        assert supervisor._environment()[METRICS_DIRECTORY] == str(own)

        monkeypatch.setenv(METRICS_DIRECTORY, "/elsewhere")
        assert supervisor._environment()[METRICS_DIRECTORY] == "/elsewhere"
    finally:
        supervisor.stop_all()


COUNT_IN_TWO_CHILDREN = """
import os, sys
from pathlib import Path
from service.base import metrics
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


def test_metrics_loaded_before_the_fork_are_shared_too(tmp_path: Path) -> None:
    """Metrics are shared even if they are loaded before the directory has a name."""
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
