"""`giornale serve` with real processes: it comes up, stays up, and leaves nothing behind."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir

import pytest

from service.ops.process.child import Child
from service.ops.process.supervisor import Supervisor
from tests.running import RunningService, environment, processes, running_service, until
from tests.service.ops.process.parts import end_with_others
from tests.service.ops.process.supervising import settings
from workers.giornale import load_app

# A test forks as the supervisor does, but has threads. Newer Pythons warn of it.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")

CHILDREN = ["journal", "web", "house", "bots", "exhibitions", "audits", "advice", "scheduler"]
MATCH_OF_BOTS = {"game": "calimala", "seats": [{"kind": "bot", "level": "random"}] * 3}
LOWEST_PRIORITY = 19
FOR_OTHER_USERS = 0o077
OWN_ALONE = 0o700
SOON = 5.0  # seconds after which an unanswered request is repeated


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One service for all tests that do not end it. It is started with the umask 0."""
    umask_before = os.umask(0)
    try:
        with running_service(tmp_path_factory.mktemp("service") / "data") as started:
            os.umask(umask_before)
            yield started
            assert_ends_all(started, signal.SIGTERM)
    finally:
        os.umask(umask_before)


def assert_ends_all(service: RunningService, number: signal.Signals) -> None:
    """End a service by a signal. None of its processes goes on."""
    children = set(service.children().values())

    assert service.end(number) == 0
    assert not children & processes().keys()


def answers(service: RunningService) -> bool:
    """Return True if a service answers now."""
    try:
        service.ask("/livez", seconds=SOON)
    except OSError:
        return False
    return True


def test_a_line_a_process_and_then_the_url_are_printed(service: RunningService) -> None:
    """The journal is ready first. The URL is printed last, when all parts are ready."""
    news = [line for line in service.lines if not line.startswith("{")]
    ready_lines = news[: len(CHILDREN)]
    url_line = news[len(CHILDREN)]

    assert ready_lines[0].split() == ["journal", "ready"]
    assert sorted(line.split() for line in ready_lines) == sorted([n, "ready"] for n in CHILDREN)
    assert url_line.startswith("http://127.0.0.1:")
    assert service.ask("/readyz")["status"] == "ok"


def test_bots_that_nobody_waits_for_come_last(service: RunningService) -> None:
    """The worker of bots-only matches has a lower priority than the worker of other bots."""
    children = service.children()
    niceness_of_bots = os.getpriority(os.PRIO_PROCESS, children["bots"])
    niceness_of_exhibitions = os.getpriority(os.PRIO_PROCESS, children["exhibitions"])

    assert niceness_of_exhibitions == min(LOWEST_PRIORITY, niceness_of_bots + 10)


def test_ctrl_c_reaches_the_supervisor_alone(service: RunningService) -> None:
    """Each child has a session of its own, without the terminal."""
    children = service.children()
    assert {name: os.getsid(pid) for name, pid in children.items()} == children


def test_every_file_of_a_run_is_its_users_alone(service: RunningService) -> None:
    """No other user may read secret, keys, journal, locks or addresses."""
    match = service.ask("/v1/matches", MATCH_OF_BOTS)["match"]
    service.ask(f"/v1/matches/{match}")
    service.ask("/v1/keys")

    data = service.directory
    paths = [data, *data.rglob("*")]
    modes = {path.name: path.stat().st_mode for path in paths if path.exists()}

    server_files = {"server.conf", "server.lock", "server.url"}
    assert {"data", "secret", "keys.json"} | server_files <= modes.keys()
    open_to_others = {
        name: oct(mode) for name, mode in modes.items() if stat.S_IMODE(mode) & FOR_OTHER_USERS
    }
    assert open_to_others == {}


@pytest.mark.parametrize("name", CHILDREN)
def test_killed_child_is_started_again(service: RunningService, name: str) -> None:
    """A dead part is reported, and comes back as another process."""
    before = service.children()
    os.kill(before[name], signal.SIGKILL)
    service.wait_for_line(f"{name:<8} ended")
    service.wait_for_line(f"{name:<8} ready again")

    until(lambda: len(service.children()) == len(CHILDREN), "all children")
    assert service.children()[name] != before[name]


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_a_process_that_forks_has_no_threads(service: RunningService) -> None:
    """The supervisor has one thread, since in a fork the lock of another would stay locked."""
    tasks = Path(f"/proc/{service.process.pid}/task")
    assert len(list(tasks.iterdir())) == 1


@pytest.mark.whole
def test_one_of_two_web_processes_is_enough(tmp_path: Path) -> None:
    """When one is killed the other answers, and when one hangs it is replaced."""
    with running_service(tmp_path, GIORNALE_WEB_WORKERS="2") as service:
        first, second = web_processes(service)
        os.kill(first, signal.SIGKILL)
        until(lambda: first not in processes(), "the end of the killed process")
        while len(web_processes(service)) == 1:
            assert answers(service)

        service.wait_for_line("web      ready again")
        os.kill(second, signal.SIGSTOP)
        service.wait_for_line("web      gave no sign of life for 30 s")
        service.wait_for_line("web      ready again")

        assert not {first, second} & set(web_processes(service))
        until(lambda: answers(service), "an answer")


def web_processes(service: RunningService) -> list[int]:
    """Return the process ids of the web processes of a service."""
    return [
        pid
        for pid, (parent, title) in processes().items()
        if (parent, title) == (service.process.pid, "giornale web")
    ]


@pytest.mark.whole
def test_second_service_on_the_same_data_is_refused(service: RunningService) -> None:
    """Two servers never write to the same files: the second names the holder of the files."""
    second = RunningService(service.directory)
    error_line = second.wait_for_line("Error: ")

    assert second.wait() == 1
    assert str(service.children()["journal"]) in error_line


@pytest.mark.whole
def test_no_process_is_left_and_the_next_start_finds_all(tmp_path: Path) -> None:
    """Ctrl-C ends a service with 0. If the supervisor is killed, each process notices it and ends.

    Their pipe is removed with the metrics beside it.
    """
    with running_service(tmp_path) as first:
        match = first.ask("/v1/matches", MATCH_OF_BOTS)["match"]
        assert_ends_all(first, signal.SIGINT)

    with running_service(tmp_path) as second:
        assert second.ask(f"/v1/matches/{match}")["match"] == match
        children = second.children()
        directory = directory_of(children["web"])
        assert stat.S_ISFIFO((directory / "beats").stat().st_mode)
        assert stat.S_IMODE(directory.stat().st_mode) == OWN_ALONE
        assert len(children) == len(CHILDREN)

        second.end(signal.SIGKILL)
        until(lambda: not set(children.values()) & processes().keys(), "the orphans' end")
        until(lambda: not directory.exists(), "the end of the pipe and of the metrics")


def directory_of(web: int) -> Path:
    """Return the directory of the supervisor with the metrics of this web process."""
    places = (Path("/dev/shm"), Path(gettempdir()))  # noqa: S108 - it is only read
    pattern = f"giornale-*/metrics/counter_{web}.db"
    [metrics] = [file.parent for place in places for file in place.glob(pattern)]
    return metrics.parent


def test_all_children_are_told_to_stop_before_any_is_waited_for(tmp_path: Path) -> None:
    """Each child ends only when all were told to stop.

    Told one by one, they would have to be killed.
    """
    notes = [tmp_path / name for name in ("web", "bots", "scheduler")]
    supervisor = Supervisor(settings(tmp_path), load_app)
    for note in notes:
        child = Child(
            name=note.name,
            run=end_with_others,
            arguments=(str(note), *map(str, notes)),
        )
        child.start(os.environ, 0.0)
        supervisor.children.append(child)
    for note in notes:
        until(note.with_suffix(".ready").exists, note.name)

    supervisor.stop_all()

    assert [note.read_text() for note in notes] == ["ended"] * len(notes)


@pytest.mark.whole
def test_the_supervisor_logs_lines_of_json(tmp_path: Path) -> None:
    """The supervisor logs JSON, here about a directory with a secret and no keys."""
    (tmp_path / "secret").write_text("s" * 40)
    with subprocess.Popen(
        [sys.executable, "-m", "workers.giornale", "serve"],
        env=environment(GIORNALE_DATA=str(tmp_path), GIORNALE_PORT="0"),
        stderr=subprocess.PIPE,
    ) as serving:
        assert serving.stderr is not None
        first_line = serving.stderr.readline()
        serving.send_signal(signal.SIGINT)
        serving.stderr.read()
    assert "keys were lost" in str(json.loads(first_line))
