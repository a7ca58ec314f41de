"""Connections of a web process: how many, how long they last, how large a head may be."""

import logging
import os
import resource
import socket
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from granian.http import HTTP1Settings

_log = logging.getLogger(__name__)

HEAD_BYTES = 32 * 1024
IDLE_SECONDS = 5
_STUCK_SECONDS = 30

_MOST_CONNECTIONS = 16_384
_FEWEST_CONNECTIONS = 128
_OTHER_FILES = 256  # of this process: libraries, logs, metrics, the server's own
_USEFUL_FILES = 4 * _MOST_CONNECTIONS


def http1() -> HTTP1Settings:
    """Return the settings of HTTP/1.1: heads are bounded, and an idle connection ends soon.

    Granian's time for reading a head also runs while a connection is idle: from its beginning, and
    after each answer. Its buffer may be filled once more while a head is read, so it has half of
    HEAD_BYTES.
    """
    return HTTP1Settings(
        header_read_timeout=IDLE_SECONDS * 1000,
        max_buffer_size=HEAD_BYTES // 2,
    )


def raise_open_files() -> int:
    """Raise the soft limit of open files towards the hard one, as far as it is useful.

    Return the limit.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return _USEFUL_FILES

    wanted = _USEFUL_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(hard, _USEFUL_FILES)
    if soft >= wanted:
        return soft

    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (ValueError, OSError) as error:  # macOS has a lower limit than the one it reports
        _log.warning(
            "the limit of open files stays",
            extra={"files": soft, "error": str(error)},
        )
        return soft

    return wanted


def most_connections(files: int, working: int) -> int:
    """Return how many connections may be open at once.

    files: how many files the process may open.   working: how many requests it works on at once;
    each of those has a connection to Redis besides its own.
    """
    free_files = files - _OTHER_FILES - working
    return max(_FEWEST_CONNECTIONS, min(_MOST_CONNECTIONS, free_files))


def end_stuck_connections() -> None:
    """Have the system end connections on which an answer does not move on (Linux only).

    Granian waits for ever for a client that stops reading. New connections inherit the option from
    the socket that listens. Granian alone has that socket, so it is found among this process's
    open files.
    """
    option = getattr(socket, "TCP_USER_TIMEOUT", None)
    if option is None:
        return

    for listener in _listeners():
        listener.setsockopt(socket.IPPROTO_TCP, option, _STUCK_SECONDS * 1000)


def _listeners() -> Iterator[socket.socket]:
    """Yield the sockets on which this process listens."""
    for entry in list(Path("/dev/fd").iterdir()):
        with suppress(OSError):  # the file that listed the directory is closed by now
            number = int(entry.name)
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue

            with socket.socket(fileno=os.dup(number)) as candidate:
                if candidate.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    yield candidate
