"""The bundled server: Valkey or Redis as a child process, configured for the journal.

The server listens on a socket for its user alone, never on a port. If the path of its directory is
too long for a socket, the socket is in a directory of its own under /tmp.

On Linux the kernel ends the server with its parent. Elsewhere a server without a parent keeps the
lock of its directory. The next start then fails, names the process and leaves the data alone.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, Self

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Unreachable, RedisError, TimeoutError as Unanswered
from redis.retry import Retry

from service.base.disk import DiskSpace, write_note
from service.base.private_files import DIRECTORY_MODE
from service.ops.process import server_files
from service.ops.process.server_files import EmbeddedError

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
    # A rewritten file loads three times as fast as single writes. With these two settings at most a
    # third of the loaded bytes, or 64 MiB, are single writes.
    "auto-aof-rewrite-percentage": "50",
    "auto-aof-rewrite-min-size": "64mb",
}

# A starting server is stuck if it is silent, or loads nothing more, for this time. The server
# answers while it loads, so such a standstill points to a slow disk.
STUCK_SECONDS = 60.0

_CONFIG_FILE = "server.conf"
_LOG_FILE = "server.log"

_STOP_SECONDS = 20.0
_POLL_SECONDS = 0.01
_MEBIBYTE = 1024 * 1024

# A separate program, because a process with threads may run no Python between fork and exec.
_END_WITH_PARENT = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
if os.getppid() != int(sys.argv[1]):
    sys.exit("the parent has ended")
os.execv(sys.argv[2], sys.argv[2:])
"""

_ANSWER_SECONDS = 1.0  # limit to connect, and to change a setting


class Server:
    """A running server on a directory. A missing directory is created (mode 0700).

    `stop` or the end of `with` ends the server. Start it from a thread that lives as long as the
    server should: Linux counts that thread as the parent. Raises EmbeddedError.

    memory_mb: limit of the server's data in MiB. 0 is three quarters of the machine's memory, or of
        the container's if that is less. Without a limit the kernel might kill the server.
    wait: True to wait until the server is ready, however long the journal loads.
    arguments: settings that override the configuration file.
    clock: returns seconds, to measure silence.
    """

    def __init__(
        self,
        directory: Path,
        memory_mb: int = 0,
        *,
        wait: bool = True,
        arguments: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = directory.absolute()
        self._directory.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
        self._directory.chmod(DIRECTORY_MODE)
        self.url = server_files.server_url(self._directory)
        self.probe = Probe(self.url, clock)
        program = server_files.find_program()

        with server_files.lock_directory(self._directory) as lock_file:
            server_files.make_socket_directory(self._directory)
            self._write_config(_memory_bytes(memory_mb))
            server_files.write_file(self._directory / server_files.ADDRESS_FILE, self.url)
            server_files.check_files(self._directory)
            self._sizes = server_files.file_sizes(self._directory)
            self._log_begins = _size(self._directory / _LOG_FILE)
            self._process = self._spawn(program, arguments, lock_file)
            server_files.note_process(lock_file, self._process.pid)

        if wait:
            self._wait_until_ready()

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, None while the server runs, below 0 the negative number of a signal."""
        return self._process.poll()

    @property
    def standstill(self) -> str:
        """A sentence about a stuck start, "" for none."""
        silent_for = f"{STUCK_SECONDS:.0f} s"
        return (
            f"neither answered nor loaded further for {silent_for}" if self.probe.is_stuck else ""
        )

    def failed_start(self, how: str) -> EmbeddedError:
        """Return the error about a failed start."""
        return EmbeddedError(f"The server {how}: {self.reason()}")

    def log(self) -> str:
        """Return the server's log since the start."""
        with (self._directory / _LOG_FILE).open("rb") as log_file:
            log_file.seek(self._log_begins)
            return log_file.read().decode(errors="replace")

    def reason(self) -> str:
        """Return the reason of the server's end, from the log."""
        return explain(self.log(), self._directory)

    def note_torn_end(self) -> str:
        """Write a note if the server has cut off a torn end of a file at loading.

        Return the text of the note, "" if nothing was torn.
        """
        sentence = server_files.torn_end(self.log(), self._sizes)
        if sentence:
            write_note(self._directory, sentence)
        return sentence

    def kill(self) -> None:
        """End the server at once, even if it is suspended. Acknowledged writes are on the disk."""
        self._process.kill()
        self._process.wait()
        self.probe.close()

    def stop(self) -> None:
        """End the server with SIGTERM, after _STOP_SECONDS with SIGKILL. May be called again."""
        self.probe.close()
        if self.exit_code is None:
            server_files.remove_socket_directory(self._directory)

        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def _write_config(self, memory_bytes: int) -> None:
        """Write the server's configuration file."""
        settings = SETTINGS | {
            "unixsocket": str(server_files.socket_path(self._directory)),
            "dir": str(self._directory),
            "maxmemory": str(memory_bytes),
        }
        lines = [f"{name} {_quote(value)}\n" for name, value in settings.items()]
        server_files.write_file(self._directory / _CONFIG_FILE, "".join(lines))

    def _spawn(
        self, program: Path, arguments: Sequence[str], lock_file: IO[str]
    ) -> subprocess.Popen[bytes]:
        """Start the server in a session of its own, so that Ctrl-C reaches only its parent."""
        starter = [sys.executable, "-I", "-S", "-c", _END_WITH_PARENT, str(os.getpid())]
        command = [str(program), str(self._directory / _CONFIG_FILE), *arguments]

        with server_files.open_file(self._directory / _LOG_FILE, "a") as log_file:
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
        """Wait until the server answers and has loaded its journal. Raises EmbeddedError."""
        answer = None
        while answer is None or answer.loading:
            if self.exit_code is not None:
                raise self.failed_start("ended at its start")
            if self.standstill:
                self.stop()
                raise self.failed_start(self.standstill)

            time.sleep(_POLL_SECONDS)
            answer = self.probe.take()

        self.probe.close()
        self.note_torn_end()


def _memory_bytes(memory_mb: int) -> int:
    """Return the memory limit of the server: as set, or three quarters of the memory."""
    if memory_mb:
        return memory_mb * _MEBIBYTE

    return memory_bytes() * 3 // 4


def _quote(value: str) -> str:
    """Quote a value of any characters for the server's configuration file."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _size(path: Path) -> int:
    """Return the size of a file in bytes, 0 if it is missing."""
    return path.stat().st_size if path.exists() else 0


# ---- answers of the server: ready, or progress of loading ------------------------------------


@dataclass(frozen=True, slots=True)
class LoadProgress:
    """An answer of the server.

    loading: True while the server loads and refuses all commands for data.
    loaded_bytes: loaded bytes of the files.   percent: loaded part of the files.
    seconds_left: the server's estimate for the rest.
    """

    loading: bool = False
    loaded_bytes: int = 0
    percent: float = 0.0
    seconds_left: int = 0

    @property
    def progress(self) -> str:
        """The progress of loading, for the console."""
        return f"loading, {self.percent:.0f} %, about {self.seconds_left} s to go"


class Probe:
    """Requests the state of a server over one connection, and never waits for an answer.

    A loading server serves its connections only between blocks of commands, and a block may take
    seconds. So no new connection is opened for a request.

    clock: returns seconds.
    """

    def __init__(self, url: str, clock: Callable[[], float]) -> None:
        # No CLIENT SETINFO: while the server loads, each command waits.
        self.client = Redis.from_url(
            url,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=_ANSWER_SECONDS,
            socket_connect_timeout=_ANSWER_SECONDS,
            protocol=2,
            driver_info=None,
        )
        self._clock = clock
        self._connection: Any = self.client.connection_pool.make_connection()
        self._has_asked = False
        self._heard_at = self._advanced_at = clock()
        self._loaded_bytes = -1

    @property
    def silence(self) -> float:
        """Seconds since the server's last answer."""
        return self._clock() - self._heard_at

    @property
    def is_stuck(self) -> bool:
        """True if a starting server is silent, or has loaded no more, for STUCK_SECONDS."""
        return self._clock() - self._advanced_at > STUCK_SECONDS

    def close(self) -> None:
        """Close the connection."""
        self._connection.disconnect()
        self.client.close()

    def take(self) -> LoadProgress | None:
        """Return the answer since the last call, None without one. Keep one request pending."""
        answer = self._hear()
        if answer is not None:
            self._heard_at = self._clock()
            if not answer.loading or answer.loaded_bytes != self._loaded_bytes:
                self._advanced_at = self._heard_at
            self._loaded_bytes = answer.loaded_bytes

        if not self._has_asked:
            with suppress(RedisError):  # the server does not listen yet
                self._connection.send_command("INFO", "persistence")
                self._has_asked = True
        return answer

    def _hear(self) -> LoadProgress | None:
        try:
            if not self._has_asked or not self._connection.can_read(0):
                return None
            self._has_asked = False
            info = self._connection.read_response()
            return _answer_in(self.client.response_callbacks["INFO"](info))
        except (Unreachable, Unanswered) as error:
            self._has_asked = False
            return LoadProgress(loading=True) if _is_loading(error) else None
        except RedisError:  # a refusal is a sign of life, for example during a long script
            return LoadProgress()


def _answer_in(info: Mapping[str, Any]) -> LoadProgress:
    """Return the progress in an answer to INFO."""
    return LoadProgress(
        loading=info.get("loading") == 1,
        loaded_bytes=int(info.get("loading_loaded_bytes", 0)),
        percent=float(info.get("loading_loaded_perc", 0)),
        seconds_left=int(info.get("loading_eta_seconds", 0)),
    )


def _is_loading(error: RedisError) -> bool:
    """Return True for the refusal of a loading server (BusyLoadingError)."""
    return "loading" in str(error).lower()


# ---- the reason of a server's end, by its log ------------------------------------------------

_LOG_LINES = 10  # last lines that are shown if no pattern of _MEANINGS is in the log

_DISK_FULL = "the disk is full: {room}. Make room there"
_DAMAGED = (
    "its file {file} in {directory} is damaged. Nothing of it was changed. Copy the directory "
    "first. Then restore the last backup into a new data directory, or cut the file off at the "
    "damage: valkey-check-aof --fix (everything after it is lost)"
)
_MISSING = (
    "files are missing in {directory}, or their list is damaged. Put them back, or restore the "
    "last backup into a new data directory"
)
_NEWER = (
    "its files in {directory} were written by a newer server (format {file}). Use that one, or a "
    "newer one"
)
_NOT_ALLOWED = "it may not write to {directory}. Give the directory to the user of the server"
_NO_MEMORY = "the machine has too little memory for the matches in {directory}. Give it more"

# Pattern of a log, perhaps with a group for the file or format, and the sentence for it.
_MEANINGS = (
    (r"No space left on device|Disk quota exceeded", _DISK_FULL),
    (r"Short write while writing to the AOF file|AOF write error", _DISK_FULL),
    (r"Can't handle RDB format version (\d+)", _NEWER),
    (r"Bad file format reading the append only file ([^:\s]+)", _DAMAGED),
    (r"Error reading the RDB preamble of the AOF file ([^,\s]+)", _DAMAGED),
    (r"Unexpected end of file reading the append only file (\S+)\. You can", _DAMAGED),
    (r"Checking RDB file (\S+)", _DAMAGED),
    (r"the truncated file is not the last file", _DAMAGED),
    (r"FATAL AOF MANIFEST FILE ERROR|The AOF manifest file \S+ doesn't exist", _MISSING),
    (r"AOF file \S+ length|can.t open the append log file", _MISSING),
    (r"Permission denied|Read-only file system", _NOT_ALLOWED),
    (r"Out Of Memory|OUT OF MEMORY|Cannot allocate memory", _NO_MEMORY),
)


def explain(log: str, directory: Path) -> str:
    """Return the reason of a server's end, in words or as the last lines of its log.

    log: the server's log since its start.   directory: directory of its files.
    """
    for pattern, meaning in _MEANINGS:
        match = re.search(pattern, log)
        if match is not None:
            file = match[1] if match.groups() else "of the journal"
            return meaning.format(file=file, directory=directory, room=room_in(directory))

    lines = log.splitlines()
    if not lines:
        return "its log is empty"
    return "\n".join(["its log ends:", *lines[-_LOG_LINES:]])


def room_in(directory: Path) -> str:
    """Return the free space on the disk of a directory, in words."""
    try:
        return str(DiskSpace.of(directory))
    except OSError as error:
        return str(error)


# ---- memory of this process --------------------------------------------------------------------

# On Linux a control group limits all processes in it and in its own groups. Version 2 has one tree
# of groups (`memory.max`), version 1 a tree of its own for memory (`memory.limit_in_bytes`). A
# machine may have both. The limits of all visible groups around a group apply, too. Version 1 gives
# the least limit of invisible groups (`memory.stat`). "max", or more bytes than any machine has,
# is no limit.

_ROOT = Path("/")
_ESCAPE = re.compile(r"\\([0-7]{3})")  # of a blank and a few others in /proc/self/mountinfo
_HIERARCHICAL = re.compile(r"^hierarchical_memory_limit (\d+)$", re.MULTILINE)


class _Mount(NamedTuple):
    """A mounted tree of groups.   root: the group at `place`."""

    kind: str
    options: list[str]
    root: str
    place: str


def memory_bytes(root: Path = _ROOT) -> int:
    """Return the least of the machine's memory and all limits of this process's groups.

    root: directory of the system's files.
    """
    machine_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine_bytes, *_limits(root)])


def _limits(root: Path) -> Iterator[int]:
    """Yield the limits of this process's groups."""
    groups = _groups(root)
    for mount in _mounts(root):
        is_v2 = mount.kind == "cgroup2"
        is_v1 = mount.kind == "cgroup" and "memory" in mount.options
        group = groups.get("" if is_v2 else "memory")
        if group is None or not (is_v1 or is_v2):
            continue

        place = root / mount.place.lstrip("/")
        for directory in _directories(place, mount.root, group):
            if is_v2:
                yield from _numbers(directory / "memory.max")
            else:
                yield from _numbers(directory / "memory.limit_in_bytes")
                yield from map(int, _HIERARCHICAL.findall(_text(directory / "memory.stat")))


def _groups(root: Path) -> dict[str, str]:
    """Return the group of this process by controller, with the key "" for version 2."""
    groups: dict[str, str] = {}
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        groups |= dict.fromkeys(controllers.split(","), group)
    return groups


def _mounts(root: Path) -> Iterator[_Mount]:
    """Yield all mounted file systems."""
    for line in _text(root / "proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        fields, kind_and_options = before.split(" "), after.split(" ")
        if len(fields) < 5 or len(kind_and_options) < 3:
            continue
        kind, _, options = kind_and_options[:3]
        yield _Mount(kind, options.split(","), _unescape(fields[3]), _unescape(fields[4]))


def _directories(place: Path, mounted: str, group: str) -> Iterator[Path]:
    """Yield the directories of a group and of the groups around it, up to the mounted group.

    A group outside the mounted tree is not visible. For such a group only the mounted one is used.
    """
    try:
        steps = PurePosixPath(group).relative_to(mounted).parts
    except ValueError:
        steps = ()
    if ".." in steps:
        steps = ()
    for length in range(len(steps), -1, -1):
        yield place.joinpath(*steps[:length])


def _numbers(file: Path) -> Iterator[int]:
    """Yield the number in a file, if there is one."""
    with suppress(ValueError):  # "max"
        yield int(_text(file))


def _text(file: Path) -> str:
    """Return the text of a file, "" if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)
