"""The bundled server: a Valkey as a child process, set up as the journal needs it.

It listens on a socket that its user alone can reach, never on a port. Where the directory's path
is too long for a socket, the socket lies in a directory of its own under /tmp.

The server ends when its parent does: on Linux the kernel sees to that. Elsewhere an orphan keeps
the lock of its directory, and the next start names it instead of touching its data.
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

_ANSWER_SECONDS = 1.0  # to connect, and to change a setting


class Server:
    """A running server on a directory, which is made if it is missing (mode 0700).

    It ends by `stop` or at the end of `with`. Start it from a thread that lives as long as the
    server should: Linux counts that thread as the parent. Raises EmbeddedError.

    memory_mb: how much it may hold, in MiB, before it refuses more; 0: three quarters of the
    machine's memory, or of the container's if that is less. Without a bound the kernel would
    kill it.
    wait: whether to wait until it is ready, for as long as its journal takes to load.
    arguments: settings that overrule its configuration file.
    clock: counts the seconds in which it may be silent.
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
        """Its exit code; below 0 the negative number of a signal; None while it runs."""
        return self._process.poll()

    @property
    def standstill(self) -> str:
        """In words that a start does not get on, "" while it does."""
        silent_for = f"{STUCK_SECONDS:.0f} s"
        return f"neither answered nor loaded more for {silent_for}" if self.probe.is_stuck else ""

    def failed_start(self, how: str) -> EmbeddedError:
        """Return the error about a start that failed."""
        return EmbeddedError(f"The server {how}: {self.reason()}")

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
        sentence = server_files.torn_end(self.log(), self._sizes)
        if sentence:
            write_note(self._directory, sentence)
        return sentence

    def kill(self) -> None:
        """End the server at once, even a stopped one; what it has acknowledged is on the disk."""
        self._process.kill()
        self._process.wait()
        self.probe.close()

    def stop(self) -> None:
        """End the server, gently first; a stopped server may be stopped again."""
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
        lines = [f"{name} {_quoted(value)}\n" for name, value in settings.items()]
        server_files.write_file(self._directory / _CONFIG_FILE, "".join(lines))

    def _spawn(
        self, program: Path, arguments: Sequence[str], lock_file: IO[str]
    ) -> subprocess.Popen[bytes]:
        """Start the server in a session of its own, so that Ctrl-C reaches its parent first."""
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
        """Wait until the server answers and has loaded its journal; raises EmbeddedError."""
        answer = None
        while answer is None or answer.loading:
            if self.exit_code is not None:
                raise self.failed_start("ended as soon as it started")
            if self.standstill:
                self.stop()
                raise self.failed_start(self.standstill)

            time.sleep(_POLL_SECONDS)
            answer = self.probe.take()

        self.probe.close()
        self.note_torn_end()


def _memory_bytes(memory_mb: int) -> int:
    """Return the bytes that the server may hold: as set, or three quarters of what there is."""
    if memory_mb:
        return memory_mb * _MEBIBYTE

    return memory_bytes() * 3 // 4


def _quoted(value: str) -> str:
    """Return a value as the server's configuration file takes it, whatever characters it holds."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _size(path: Path) -> int:
    """Return the size of a file in bytes, 0 if there is none."""
    return path.stat().st_size if path.exists() else 0


# ---- what it says of itself: ready, or how far it has loaded ---------------------------------


@dataclass(frozen=True, slots=True)
class LoadProgress:
    """An answer of the server.

    loading: whether it still loads; then all commands for data are refused.
    loaded_bytes: how much of its files it has loaded.   percent: the same, of all.
    seconds_left: its own estimate.
    """

    loading: bool = False
    loaded_bytes: int = 0
    percent: float = 0.0
    seconds_left: int = 0

    @property
    def progress(self) -> str:
        """How far it has loaded, for a person."""
        return f"loading, {self.percent:.0f} %, about {self.seconds_left} s to go"


class Probe:
    """Asks a server how it is, over one connection, and never waits for the answer.

    A server that loads turns to its connections only between so many commands, which may take
    seconds; a new connection would wait once more.   clock: counts any seconds.
    """

    def __init__(self, url: str, clock: Callable[[], float]) -> None:
        # It does not introduce itself (CLIENT SETINFO): while the server loads, each word waits.
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
        """For how many seconds it has said nothing."""
        return self._clock() - self._heard_at

    @property
    def is_stuck(self) -> bool:
        """Whether a server that starts has neither answered nor loaded more for too long."""
        return self._clock() - self._advanced_at > STUCK_SECONDS

    def close(self) -> None:
        """Ask no more."""
        self._connection.disconnect()
        self.client.close()

    def take(self) -> LoadProgress | None:
        """Return what it has answered since the last look, None if it did not answer; then ask."""
        answer = self._hear()
        if answer is not None:
            self._heard_at = self._clock()
            if not answer.loading or answer.loaded_bytes != self._loaded_bytes:
                self._advanced_at = self._heard_at
            self._loaded_bytes = answer.loaded_bytes

        if not self._has_asked:
            with suppress(RedisError):  # nobody listens yet
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
        except RedisError:  # it refuses, so it lives: a long script is at work, for example
            return LoadProgress()


def _answer_in(info: Mapping[str, Any]) -> LoadProgress:
    """Return what the server says in its answer to INFO."""
    return LoadProgress(
        loading=info.get("loading") == 1,
        loaded_bytes=int(info.get("loading_loaded_bytes", 0)),
        percent=float(info.get("loading_loaded_perc", 0)),
        seconds_left=int(info.get("loading_eta_seconds", 0)),
    )


def _is_loading(error: RedisError) -> bool:
    """Return whether the server has refused because it loads (BusyLoadingError)."""
    return "loading" in str(error).lower()


# ---- what its log means, and what to do about it ---------------------------------------------

_LOG_LINES = 10  # that are repeated where none of them is understood

_DISK_FULL = "the disk is full: {room}. Make room there"
_DAMAGED = (
    "its file {file} in {directory} is damaged; nothing of it was changed. Copy the directory "
    "first. Then restore the last backup into a new data directory, or cut the file off where the "
    "damage begins: valkey-check-aof --fix (what comes after is lost)"
)
_MISSING = (
    "files are missing in {directory}, or the list of them is damaged. Put back what was taken "
    "away, or restore the last backup into a new data directory"
)
_NEWER = (
    "its files in {directory} were written by a newer server (format {file}). Use that one, or a "
    "newer one"
)
_NOT_ALLOWED = "it may not write to {directory}. Give the directory to the user who runs it"
_NO_MEMORY = "the machine has too little memory for the matches in {directory}. Give it more"

# What a log holds, with the file or format that it names, and what that means.
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
    """Return why a server has ended: a sentence, or the end of its log.

    log: what it has logged since it was started.   directory: where its files lie.
    """
    for pattern, meaning in _MEANINGS:
        found = re.search(pattern, log)
        if found is not None:
            file = found[1] if found.groups() else "of the journal"
            return meaning.format(file=file, directory=directory, room=room_in(directory))

    lines = log.splitlines()
    if not lines:
        return "its log says nothing"
    return "\n".join(["its log ends:", *lines[-_LOG_LINES:]])


def room_in(directory: Path) -> str:
    """Return how much room there is where a directory lies, in words."""
    try:
        return str(DiskSpace.of(directory))
    except OSError as error:
        return str(error)


# ---- memory of this process --------------------------------------------------------------------

# On Linux a control group limits all processes in it and in its own groups. Version 2 has one tree
# of groups (`memory.max`), version 1 a tree of its own for memory (`memory.limit_in_bytes`). A
# machine may have both. A group counts with all visible groups around it. Of the invisible ones,
# version 1 tells the least limit (`memory.stat`). "max", or more bytes than any machine has, is no
# limit.

_ROOT = Path("/")
_ESCAPE = re.compile(r"\\([0-7]{3})")  # of a blank and a few others in /proc/self/mountinfo
_HIERARCHICAL = re.compile(r"^hierarchical_memory_limit (\d+)$", re.MULTILINE)


class _Mount(NamedTuple):
    """A tree of groups. root: the group that lies at its place."""

    kind: str
    options: list[str]
    root: str
    place: str


def memory_bytes(root: Path = _ROOT) -> int:
    """Return the least of the machine's memory and all limits of this process's groups.

    root: where the files of the system lie.
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
    """Return the group of this process by controller, "" for that of version 2."""
    groups: dict[str, str] = {}
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        groups |= dict.fromkeys(controllers.split(","), group)
    return groups


def _mounts(root: Path) -> Iterator[_Mount]:
    """Yield what is mounted."""
    for line in _text(root / "proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        fields, kind_and_options = before.split(" "), after.split(" ")
        if len(fields) < 5 or len(kind_and_options) < 3:
            continue
        kind, _, options = kind_and_options[:3]
        yield _Mount(kind, options.split(","), _unescaped(fields[3]), _unescaped(fields[4]))


def _directories(place: Path, mounted: str, group: str) -> Iterator[Path]:
    """Yield the directory of a group, then those of the groups around it, up to the mounted one.

    A group that lies outside of what is mounted is not visible: the mounted one stands for it.
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
    """Return what a file holds, "" if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 8)), text)
