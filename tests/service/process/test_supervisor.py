"""`giornale serve` with real processes: it comes up, stays up, and leaves nothing behind."""

import itertools
import os
import signal
import stat
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from service.process.child import Child
from service.process.supervisor import Supervisor
from tests.running import RunningService, processes, running_service, until
from tests.service.process.parts import ENDS_WITH_OTHERS
from tests.service.process.supervising import settings

# A test forks as the supervisor does, but has threads; newer Pythons warn of that.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")

CHILDREN = ["journal", "web", "house", "bots", "exhibitions", "audits", "advice", "scheduler"]
MATCH_OF_BOTS = {"game": "calimala", "seats": [{"kind": "bot", "level": "random"}] * 3}
LOWEST_PRIORITY = 19
FOR_OTHER_USERS = 0o077
LONGEST_GAP = 1.0  # seconds without an answer
SOON = 5.0  # seconds after which an answer that has not come is asked for anew
AFTERWARDS = 1.5  # seconds in which what is left of the last web process ends


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One service for all tests that leave it standing; its user lets others read new files."""
    umask_before = os.umask(0)
    try:
        with running_service(tmp_path_factory.mktemp("service") / "data") as started:
            os.umask(umask_before)
            yield started
            assert_ends_all(started, signal.SIGTERM)
    finally:
        os.umask(umask_before)


def assert_ends_all(service: RunningService, number: signal.Signals) -> None:
    """End a service by a signal, and see that none of its processes goes on."""
    children = set(service.children().values())

    assert service.end(number) == 0
    assert not children & processes().keys()


def answers(service: RunningService) -> bool:
    """Return whether a service answers now."""
    try:
        service.ask("/livez", seconds=SOON)
    except OSError:
        return False
    return True


def test_a_line_a_process_and_then_the_url_are_printed(service: RunningService) -> None:
    """The journal is ready first, and at last it is said where to go; all is there then."""
    news = [line for line in service.lines if not line.startswith("{")]
    ready_lines = news[: len(CHILDREN)]
    url_line = news[len(CHILDREN)]

    assert ready_lines[0].split() == ["journal", "ready"]
    assert sorted(line.split() for line in ready_lines) == sorted([n, "ready"] for n in CHILDREN)
    assert url_line.startswith("http://127.0.0.1:")
    assert service.ask("/readyz")["status"] == "ok"


def test_bots_that_nobody_waits_for_come_last(service: RunningService) -> None:
    """Their worker leaves the processor to every other process."""
    children = service.children()
    niceness_of_bots = os.getpriority(os.PRIO_PROCESS, children["bots"])
    niceness_of_exhibitions = os.getpriority(os.PRIO_PROCESS, children["exhibitions"])

    assert niceness_of_exhibitions == min(LOWEST_PRIORITY, niceness_of_bots + 10)


def test_every_file_of_a_run_is_its_users_alone(service: RunningService) -> None:
    """Secret, keys, journal, locks, addresses: no other user may read one of them."""
    match = service.ask("/v1/matches", MATCH_OF_BOTS)["id"]
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
    """Whatever dies is back soon, and said to be; the others stay."""
    before = service.children()
    os.kill(before[name], signal.SIGKILL)
    service.wait_for_line(f"{name:<8} ended")
    service.wait_for_line(f"{name:<8} ready again")

    until(lambda: len(service.children()) == len(CHILDREN), "all children")
    assert service.children()[name] != before[name]


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_what_forks_has_no_threads(service: RunningService) -> None:
    """A fork has only the thread that called it; a lock that another one held stays locked."""
    tasks = Path(f"/proc/{service.process.pid}/task")
    assert len(list(tasks.iterdir())) == 1


def test_requests_are_answered_while_the_web_is_started_again(service: RunningService) -> None:
    """The processes that answer outlive the one that started them, until others take over."""
    answered_at = [time.monotonic()]
    enough = threading.Event()

    def ask_on() -> None:
        while not enough.is_set():
            if answers(service):
                answered_at.append(time.monotonic())

    asker = threading.Thread(target=ask_on)
    asker.start()
    killed_at = time.monotonic()
    os.kill(service.children()["web"], signal.SIGKILL)
    service.wait_for_line("web      ready again")
    ready_at = time.monotonic()
    enough.wait(AFTERWARDS)
    enough.set()
    asker.join()

    half_way = (killed_at + ready_at) / 2
    assert any(half_way < moment < ready_at for moment in answered_at)

    # On a slow machine the new one listens late: but the gap is never as long as its start.
    gaps = [later - earlier for earlier, later in itertools.pairwise(answered_at)]
    assert max(gaps) < max(LONGEST_GAP, ready_at - killed_at)


def test_stopped_web_process_is_replaced(service: RunningService) -> None:
    """New connections hang as long as one of the processes that share the port is stopped."""
    web = service.children()["web"]
    [stopped] = [pid for pid, (parent, _) in processes().items() if parent == web]
    os.kill(stopped, signal.SIGSTOP)
    service.wait_for_line("web      one of its processes gave no sign of life for 5 s")

    until(lambda: stopped not in processes(), "the end of the stopped process")
    until(lambda: answers(service), "an answer")
    assert service.children()["web"] == web


def test_second_service_on_the_same_data_is_refused(service: RunningService) -> None:
    """Two servers never write to the same files: the second says which process holds them."""
    second = RunningService(service.directory)
    error_line = second.wait_for_line("Error: ")

    assert second.wait() == 1
    assert str(service.children()["journal"]) in error_line


def test_no_process_is_left_and_the_next_start_finds_all(tmp_path: Path) -> None:
    """By Ctrl-C the exit code is 0; after a kill each process notices it, and ends.

    The pipe into which they wrote goes with them.
    """
    with running_service(tmp_path) as first:
        match = first.ask("/v1/matches", MATCH_OF_BOTS)["id"]
        assert_ends_all(first, signal.SIGINT)

    with TemporaryDirectory() as name:
        temporary = Path(name)
        with running_service(tmp_path, TMPDIR=name) as second:
            assert second.ask(f"/v1/matches/{match}")["id"] == match
            assert list(temporary.glob("*/beats"))
            children = set(second.children().values())
            assert len(children) == len(CHILDREN)

            second.end(signal.SIGKILL)
            until(lambda: not children & processes().keys(), "the orphans' end")
            until(lambda: not list(temporary.iterdir()), "the end of the pipe")


def test_all_children_are_told_to_stop_before_any_is_waited_for(tmp_path: Path) -> None:
    """Each ends only when all were told: told one after the other, they would have to be killed."""
    notes = [tmp_path / name for name in ("web", "bots", "scheduler")]
    supervisor = Supervisor(settings(tmp_path))
    for note in notes:
        child = Child(
            name=note.name,
            run=ENDS_WITH_OTHERS,
            arguments=(str(note), *map(str, notes)),
            ready=lambda _pid: True,
        )
        child.start(dict(os.environ))
        supervisor.children.append(child)
    for note in notes:
        until(note.with_suffix(".ready").exists, note.name)

    supervisor.stop_all()

    assert [note.read_text() for note in notes] == ["ended"] * len(notes)
