"""The bundled server: a Valkey as a child process, set up as the journal needs it.

It listens on a socket that its user alone can reach, never on a port. Where the directory's path
is too long for a socket, the socket lies in a directory of its own under /tmp.

The server ends when its parent does: on Linux the kernel sees to that. Elsewhere an orphan keeps
the lock of its directory, and the next start names it instead of touching its data.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from service.health.torn_note import write_note
from service.keys.private_files import DIRECTORY_MODE
from service.process.server_answers import Starting, ask, open_client
from service.process.server_data import check_files, file_sizes, torn_end
from service.process.server_files import (
    ADDRESS_FILE,
    choose_socket,
    lock_directory,
    note_process,
    noted_url,
    open_file,
    remove_socket_directory,
    socket_url,
    write_changed,
)
from service.process.server_log import explain
from service.process.server_program import EmbeddedError, find_program

JOURNAL_DIRECTORY = "journal"  # within a data directory

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
    # A rewritten file loads three times as fast as the writes in it one by one. With these two a
    # third of what is loaded, or 64 MiB, are such writes at most.
    "auto-aof-rewrite-percentage": "50",
    "auto-aof-rewrite-min-size": "64mb",
}

# So long a server may be silent while it starts, or load nothing more. It answers between any two
# pieces that it loads, so this is patience with the disk alone.
STUCK_SECONDS = 60.0

_CONFIG_FILE = "server.conf"
_LOG_FILE = "server.log"

_STOP_SECONDS = 20.0
_POLL_SECONDS = 0.01
_MEBIBYTE = 1024 * 1024

# A program of its own, since no code may run between fork and exec in a process that has threads.
_END_WITH_PARENT = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
if os.getppid() != int(sys.argv[1]):
    sys.exit("the parent has ended")
os.execv(sys.argv[2], sys.argv[2:])
"""


class Server:
    """A running server on a directory, which is made if it is missing (mode 0700).

    It ends by `stop` or at the end of `with`. Start it from a thread that lives as long as the
    server should: Linux counts that thread as the parent. Raises EmbeddedError.

    memory_mb: how much it may hold, in MiB, before it refuses more; 0: three quarters of the
    machine's memory. Without a bound the kernel would kill it.
    wait: whether to wait until it is ready, for as long as its journal takes to load.
    arguments: settings that overrule its configuration file.
    """

    def __init__(
        self,
        directory: Path,
        memory_mb: int = 0,
        *,
        wait: bool = True,
        arguments: Sequence[str] = (),
    ) -> None:
        self._directory = directory.absolute()
        self._directory.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
        self._directory.chmod(DIRECTORY_MODE)
        program = find_program()

        with lock_directory(self._directory) as lock_file:
            remove_socket_directory(noted_url(self._directory))  # of a server that was killed
            socket_path = choose_socket(self._directory)
            self.url = socket_url(socket_path)

            self._write_config(socket_path, _memory_bytes(memory_mb))
            write_changed(self._directory / ADDRESS_FILE, self.url)
            check_files(self._directory)
            self._sizes = file_sizes(self._directory)
            self._log_begins = _size(self._directory / _LOG_FILE)
            self._process = self._spawn(program, arguments, lock_file)
            note_process(lock_file, self._process.pid)

        if wait:
            self._wait_until_ready()

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the server has ended, by itself or stopped."""
        return self._process.poll() is not None

    @property
    def exit_code(self) -> int | None:
        """Its exit code; below 0 the negative number of a signal; None while it runs."""
        return self._process.poll()

    def log(self) -> str:
        """Return what it has logged since it was started."""
        with (self._directory / _LOG_FILE).open("rb") as log_file:
            log_file.seek(self._log_begins)
            return log_file.read().decode(errors="replace")

    def reason(self) -> str:
        """Return why it has ended, as its log tells."""
        return explain(self.log(), self._directory)

    def note_torn_end(self) -> str:
        """Write down if it has cut off the end of its file as it loaded; return the sentence.

        "" if it has not.
        """
        sentence = torn_end(self.log(), self._sizes)
        if sentence:
            write_note(self._directory, sentence)
        return sentence

    def kill(self) -> None:
        """End the server at once, even a stopped one; what it has acknowledged is on the disk."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End the server, gently first; a stopped server may be stopped again."""
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

        remove_socket_directory(self.url)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _write_config(self, socket_path: Path, memory_bytes: int) -> None:
        """Write the server's configuration file."""
        settings = SETTINGS | {
            "unixsocket": str(socket_path),
            "dir": str(self._directory),
            "maxmemory": str(memory_bytes),
        }
        lines = [f"{name} {_quoted(value)}\n" for name, value in settings.items()]
        write_changed(self._directory / _CONFIG_FILE, "".join(lines))

    def _spawn(
        self, program: Path, arguments: Sequence[str], lock_file: IO[str]
    ) -> subprocess.Popen[bytes]:
        """Start the server in a session of its own, so that Ctrl-C reaches its parent first."""
        starter = [sys.executable, "-I", "-S", "-c", _END_WITH_PARENT, str(os.getpid())]
        command = [str(program), str(self._directory / _CONFIG_FILE), *arguments]

        with open_file(self._directory / _LOG_FILE, "a") as log_file:
            return subprocess.Popen(
                [*starter, *command],
                stdin=subprocess.DEVNULL,
                stdout=log_file,
                stderr=log_file,
                start_new_session=True,
                pass_fds=[lock_file.fileno()],
                umask=0o077,
            )

    def _wait_until_ready(self) -> None:
        """Wait until the server answers and has loaded its journal; raises EmbeddedError."""
        starting = Starting(time.monotonic(), STUCK_SECONDS)

        with open_client(self.url) as client:
            while True:
                answer = ask(client)
                if answer is not None and not answer.loading:
                    self.note_torn_end()
                    return
                if answer is not None:
                    starting.note(answer, time.monotonic())

                if self.ended:
                    raise EmbeddedError(f"The server ended as soon as it started: {self.reason()}")
                if starting.is_stuck(time.monotonic()):
                    self.stop()
                    raise EmbeddedError(stuck(self))

                time.sleep(_POLL_SECONDS)


def stuck(server: Server) -> str:
    """Return the sentence about a server that was ended because it did not get on."""
    silence = f"The server neither answered nor loaded more for {STUCK_SECONDS:.0f} s"
    return f"{silence}: {server.reason()}"


def _memory_bytes(memory_mb: int) -> int:
    """Return how many bytes the server may hold: as set, or three quarters of the machine's."""
    if memory_mb:
        return memory_mb * _MEBIBYTE

    machine_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return machine_bytes * 3 // 4


def _quoted(value: str) -> str:
    """Return a value as the server's configuration file takes it, whatever characters it holds."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _size(path: Path) -> int:
    """Return the size of a file in bytes, 0 if there is none."""
    return path.stat().st_size if path.exists() else 0
