"""The supervised server: loading is waited for, a hang ends, a crash is followed by a start."""

import multiprocessing
import os
import shutil
import signal
import socket
import stat
import threading
import time
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, Self

import httpx
import pytest
from redis import Redis
from redis.exceptions import ResponseError

from service.base.config import Config
from service.ops.process import (
    child,
    journal_server,
    server_files,
    supervisor as supervisor_module,
    valkey,
)
from service.ops.process.child import Child
from service.ops.process.heartbeat import ActiveClock
from service.ops.process.journal_server import SILENT_SECONDS, DiskGuard, JournalServer
from service.ops.process.preflight import free_port
from service.ops.process.programs import LoadApp
from service.ops.process.server_files import EmbeddedError, server_url
from service.ops.process.supervisor import Supervisor, child_processes, serve
from service.ops.process.valkey import STUCK_SECONDS, LoadProgress, Probe, Server
from service.store.journal.errors import TooFewReplicas
from service.store.journal.redis import open_journal
from tests.running import PATIENCE, until
from tests.service.ops.process.parts import beat
from tests.service.ops.process.supervising import look_until, settings, start
from tests.service.store.journal.entries import commit, entry
from workers.giornale import load_app

# A test forks as the supervisor does, but has threads. Newer Pythons warn of it.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")

# A loading server answers after every 1,024 keys: with these delays every two seconds, or five
# times a second, or more slowly on a busy machine.
DELAY_MICROSECONDS = "2000"
SHORT_DELAY_MICROSECONDS = "200"
MANY_KEYS = 40_000  # loaded in 80 seconds with the long delay
SECONDS_TO_STOP = 60.0  # less than the rest of such a load

FULL_DISK = """#!/bin/sh
echo "# Can't open or create append-only dir appendonlydir: No space left on device"
exit 1
"""
WITHOUT_END = "#!/bin/sh\nexec sleep 1000\n"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a server with much to load."""
    directory = tmp_path_factory.mktemp("filled") / "journal"
    with Server(directory) as server, Redis.from_url(server.url) as client:
        pipeline = client.pipeline(transaction=False)
        for number in range(MANY_KEYS):
            pipeline.set(f"key-{number}", "x" * 100)
        pipeline.execute()
    return directory


@pytest.fixture
def long_journal(filled: Path, tmp_path: Path) -> Path:
    """A copy of the directory, as the journal of a service."""
    without_socket = shutil.ignore_patterns("server.sock")
    return Path(shutil.copytree(filled, tmp_path / "journal", ignore=without_socket))


def slow_down(monkeypatch: pytest.MonkeyPatch, microseconds: str) -> None:
    """Delay every server at each loaded key."""
    monkeypatch.setitem(valkey.SETTINGS, "key-load-delay", microseconds)


def load_the_rest_at_once(directory: Path) -> None:
    """Remove the delay of a loading server."""
    with Redis.from_url(f"unix://{directory}/server.sock") as client:
        client.config_set("key-load-delay", 0)


@pytest.fixture
def clock() -> ActiveClock:
    """A clock under the test's sole control."""
    return ActiveClock()


@pytest.fixture
def supervised(tmp_path: Path, clock: ActiveClock) -> Iterator[JournalServer]:
    """A server under supervision, not yet started."""
    server = JournalServer(tmp_path / "journal", 0, clock)
    yield server
    server.stop()


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """A function to make a script the program of every server from now on."""

    def use(script: str) -> None:
        path = written(tmp_path, script)
        monkeypatch.setattr(server_files, "find_program", lambda: path)

    return use


class SlowServer:
    """A loading server. It answers after some seconds, one connection at a time.

    connections: number of opened ones.   asked: the commands, their words with a space between.
    """

    def __init__(self, path: Path, *, seconds: float) -> None:
        self.path = path
        self.connections = 0
        self.asked: list[bytes] = []
        self._seconds = seconds
        self._ended = threading.Event()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        with suppress(OSError):  # it has ended
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                with connection:
                    self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        """Answer each command after a while. Each answer reports one more loaded byte."""
        while request := connection.recv(1000):
            self.asked.append(b" ".join(request.split(b"\r\n")[2::2]))
            self._ended.wait(self._seconds)
            info = f"loading:1\r\nloading_loaded_bytes:{len(self.asked)}\r\n"
            connection.sendall(f"${len(info)}\r\n{info}\r\n".encode())


@contextmanager
def serving(config: Config) -> Iterator[None]:
    """A supervisor in a process of its own: it forks, and a test may have threads."""
    process = multiprocessing.get_context("fork").Process(target=serve, args=(config, load_app))
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join()


def answer(url: str) -> tuple[int, Any]:
    """Return the status and the JSON of the answer at a URL, 0 and None without one."""
    try:
        response = httpx.get(url, timeout=PATIENCE, verify=False)  # noqa: S501 - it speaks no TLS
    except httpx.TransportError:
        return 0, None
    return response.status_code, response.json()


def written(directory: Path, script: str) -> Path:
    """Write a script as a program, and return its path."""
    path = directory / "program"
    path.write_text(script)
    path.chmod(stat.S_IRWXU)
    return path


def loads(url: str) -> bool:
    """Return True if a server reports loading."""
    with closing(Probe(url, time.monotonic)) as probe:
        answer: LoadProgress = until(probe.take, "an answer")
    return answer.loading


def is_ready(supervisor: Supervisor) -> bool:
    """Return True if a supervisor's server is ready."""
    return supervisor.server is not None and supervisor.server.ready


def news(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the output since the last look, without the name of the part."""
    return [line[len("journal  ") :] for line in capsys.readouterr().out.splitlines()]


@pytest.mark.whole
def test_loading_may_take_longer_than_any_patience(
    long_journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server with steady progress in loading is waited for, however long it takes."""
    slow_down(monkeypatch, SHORT_DELAY_MICROSECONDS)
    usual = Probe.take
    loaded: list[int] = []

    def take_long(probe: Probe) -> LoadProgress | None:
        """Let all but the last second of its patience pass between two answers with progress."""
        answer = usual(probe)
        if answer is not None and answer.loaded_bytes > (loaded[-1] if loaded else 0):
            loaded.append(answer.loaded_bytes)
            if len(loaded) == 3:
                load_the_rest_at_once(long_journal)
        return answer

    monkeypatch.setattr(Probe, "take", take_long)
    with (
        Server(long_journal, clock=lambda: (STUCK_SECONDS - 1) * len(loaded)) as server,
        Redis.from_url(server.url) as client,
    ):
        assert client.dbsize() == MANY_KEYS
    assert len(loaded) >= 3


@pytest.mark.whole
def test_a_slow_answer_is_waited_for_on_the_same_connection(tmp_path: Path) -> None:
    """A server that takes more than a second is only asked for progress, on one connection."""
    path = tmp_path / "server.sock"
    with (
        SlowServer(path, seconds=1.2) as slow,
        closing(Probe(f"unix://{path}", time.monotonic)) as probe,
    ):
        heard = {until(probe.take, "an answer") for _ in range(2)}

    assert {answer.loaded_bytes for answer in heard} == {1, 2}
    assert slow.connections == 1
    assert set(slow.asked) == {b"INFO persistence"}


@pytest.mark.whole
def test_progress_of_loading_is_told(
    long_journal: Path,
    supervised: JournalServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Lines before `ready` show the loaded part and the remaining time."""
    slow_down(monkeypatch, SHORT_DELAY_MICROSECONDS)
    monkeypatch.setattr(journal_server, "_QUIET_SECONDS", 0)
    supervised.start()
    lines: list[str] = []

    def is_told() -> list[str]:
        lines.extend(news(capsys))
        return lines

    look_until(supervised.look_after, is_told)
    load_the_rest_at_once(long_journal)
    look_until(supervised.look_after, lambda: supervised.ready)

    *progress, ready_line = is_told()
    assert progress[0].startswith("loading, ")
    assert "%, about" in progress[0]
    assert ready_line == "ready"


def test_a_server_that_loads_nothing_more_is_ended(
    supervised: JournalServer, clock: ActiveClock, program: Callable[[str], None]
) -> None:
    """A server without an answer or progress is ended with an error."""
    program(WITHOUT_END)
    supervised.start()
    supervised.look_after()
    clock.seconds += STUCK_SECONDS + 1

    with pytest.raises(EmbeddedError, match="neither answered nor loaded further for 60 s"):
        supervised.look_after()
    assert supervised.pid is None


@pytest.mark.whole
def test_loading_does_not_keep_anything_else_waiting(
    tmp_path: Path, long_journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a restarted server loads, a dead part is started again, and a stop is quick."""
    supervisor = Supervisor(settings(tmp_path), load_app)
    supervisor.server = JournalServer(long_journal, 0, supervisor.clock)
    sleeper = Child(name="web", run=beat, needs_journal=False)
    try:
        start(supervisor.server)
        supervisor.children = [sleeper]
        supervisor.look_around()
        first = sleeper.process
        assert first is not None

        slow_down(monkeypatch, DELAY_MICROSECONDS)
        assert supervisor.server.pid is not None
        os.kill(supervisor.server.pid, signal.SIGKILL)
        look_until(supervisor.look_around, lambda: not is_ready(supervisor))
        first.kill()
        look_until(supervisor.look_around, lambda: sleeper.process not in (None, first))
        look_until(supervisor.look_around, lambda: loads(server_url(long_journal)))
        assert not is_ready(supervisor)
    finally:
        began = time.monotonic()
        supervisor.stop_all()

    assert time.monotonic() - began < SECONDS_TO_STOP


@pytest.mark.whole
def test_requests_are_answered_while_the_journal_first_loads(
    tmp_path: Path, long_journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """During loading requests get 503, /readyz names the loading, and /livez answers as usual."""
    slow_down(monkeypatch, DELAY_MICROSECONDS)
    monkeypatch.setattr(supervisor_module, "child_processes", the_web_alone)
    port = free_port("127.0.0.1", 0)
    url = f"http://127.0.0.1:{port}"

    with serving(settings(tmp_path, port=str(port))):
        until(lambda: answer(f"{url}/livez") == (200, {"status": "ok"}), "the web")
        status, body = answer(f"{url}/v1/matches")
        assert (status, body["type"]) == (503, "/problems/journal-unavailable")
        status, body = answer(f"{url}/readyz")
        assert (status, body["checks"]) == (503, {"journal": "the journal is loading"})

        load_the_rest_at_once(long_journal)
        until(
            lambda: answer(f"{url}/v1/matches") == (200, {"matches": [], "next": None}),
            "the matches",
        )


def the_web_alone(config: Config, load_app: LoadApp, _load_worker: object) -> list[Child]:
    """Return the web process as the only child."""
    return child_processes(config, load_app)


def test_a_hanging_server_is_started_again(
    supervised: JournalServer, clock: ActiveClock, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stopped process is replaced after SILENT_SECONDS, and not before."""
    first = start(supervised)
    os.kill(first, signal.SIGSTOP)
    supervised.look_after()  # at its earlier answers
    clock.seconds += SILENT_SECONDS - 1
    supervised.look_after()
    assert supervised.pid == first

    clock.seconds += 2
    look_until(supervised.look_after, lambda: supervised.ready and supervised.pid != first)
    hung = f"ended (did not answer for {SILENT_SECONDS:.0f} s), restarting"
    assert news(capsys) == ["ready", hung, "ready again"]


def test_a_server_that_cannot_start_again_is_tried_on(
    tmp_path: Path,
    supervised: JournalServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A server that dies in several starts gives the reason once, and comes back when it can."""
    first = start(supervised)
    monkeypatch.setattr(child, "_FIRST_PAUSE_SECONDS", 0.01)
    with monkeypatch.context() as spoiled:
        spoiled.setattr(server_files, "find_program", lambda: written(tmp_path, FULL_DISK))
        os.kill(first, signal.SIGKILL)
        look_until(supervised.look_after, lambda: supervised.tries > 2)

    look_until(supervised.look_after, lambda: supervised.ready)

    ready, killed, full, again = news(capsys)
    assert (ready, again) == ("ready", "ready again")
    assert killed == "ended (signal SIGKILL), restarting"
    assert full.startswith("the disk is full: ")


def test_a_first_start_that_fails_says_why(
    supervised: JournalServer, program: Callable[[str], None]
) -> None:
    """A first start on a new directory is not retried: the user is there to read the reason."""
    program(FULL_DISK)
    supervised.start()
    with pytest.raises(EmbeddedError, match=r"the disk is full: .* are free in /"):
        look_until(supervised.look_after, lambda: False)


def test_a_first_start_is_tried_again_after_a_kill(supervised: JournalServer) -> None:
    """A kill was not the server's own decision, so it is started again."""
    supervised.start()
    assert supervised.pid is not None
    os.kill(supervised.pid, signal.SIGKILL)
    look_until(supervised.look_after, lambda: supervised.ready)


# ---- a disk that is as good as full --------------------------------------------------------------

Usage = namedtuple("Usage", "total used free")
MEBIBYTE = 2**20
GIBIBYTE = 2**30


class Disk:
    """A disk with a free space set by the test."""

    def __init__(self) -> None:
        self.size = 100 * GIBIBYTE
        self.free = 50 * GIBIBYTE

    def usage(self, _directory: Path) -> Usage:
        """Return the result of `shutil.disk_usage`."""
        return Usage(self.size, self.size - self.free, self.free)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    """The disk of every directory."""
    disk = Disk()
    monkeypatch.setattr(shutil, "disk_usage", disk.usage)
    return disk


def test_a_full_disk_takes_no_moves_and_is_read_on(
    tmp_path: Path, supervised: JournalServer, disk: Disk, capsys: pytest.CaptureFixture[str]
) -> None:
    """Writes are refused before one fails, and taken again when there is room. Both are printed."""
    start(supervised)
    journal = open_journal(server_url(tmp_path / "journal"))
    new_entry = commit(journal)

    disk.free = 31 * MEBIBYTE
    look_until(supervised.look_after, lambda: not supervised.writable)
    with pytest.raises(TooFewReplicas):
        journal.events.append(entry(version=2))
    assert journal.events.read("m") == [new_entry.commit_bytes]

    disk.free = 65 * MEBIBYTE
    look_until(supervised.look_after, lambda: supervised.writable)
    journal.events.append(entry(version=2))
    journal.close()

    supervised.look_after()
    _ready, full, again = news(capsys)
    assert full.startswith("takes no moves, since the disk is full: 31 MiB (0.0 %) are free in ")
    assert again == "takes moves again"


def test_writes_are_taken_again_only_when_twice_the_room_is_free(
    tmp_path: Path, disk: Disk
) -> None:
    """If the limit alone were free, the next write would have writes refused again."""
    guard = DiskGuard(tmp_path)
    client: Any = SimpleNamespace(config_set=lambda *_setting: None)
    refuses = []
    for mebibytes in (33, 31, 33, 63, 65, 33):
        disk.free = mebibytes * MEBIBYTE
        guard.look(client)
        refuses.append(guard.refuses)

    assert refuses == [False, True, True, True, False, False]


def test_a_server_starts_on_a_full_disk_to_be_read(tmp_path: Path, disk: Disk) -> None:
    """A server on a full disk refuses even the first write, since a failed write would end it."""
    disk.free = 0
    arguments = DiskGuard(tmp_path).arguments()

    with Server(tmp_path, arguments=arguments) as server, Redis.from_url(server.url) as client:
        assert client.get("key") is None
        with pytest.raises(ResponseError, match="NOREPLICAS"):
            client.set("key", "value")


def test_a_server_starts_on_a_read_only_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server starts with its existing files of configuration, address and lock."""
    with Server(tmp_path) as server:
        url = server.url

    open_file = server_files.open_file

    def refuse(path: Path, mode: str) -> IO[str]:
        if mode == "w":
            raise OSError(28, "No space left on device")
        return open_file(path, mode)

    monkeypatch.setattr(server_files, "open_file", refuse)
    with Server(tmp_path) as server:
        assert server.url == url


def test_a_small_disk_is_not_full_from_the_beginning(tmp_path: Path, disk: Disk) -> None:
    """A small disk is full if less than a hundredth is free, so an empty one is not."""
    disk.size = disk.free = 20 * MEBIBYTE
    assert DiskGuard(tmp_path).arguments() == []
