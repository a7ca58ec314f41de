"""Connections of a web process: how many, how long they last, how large a head may be."""

import logging
import os
import resource
import socket
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from granian.http import HTTP1Settings

from service.api.wsgi.long_bodies import SENT_AHEAD_BYTES

_log = logging.getLogger(__name__)

HEAD_BYTES = 32 * 1024
IDLE_SECONDS = 5
_STUCK_SECONDS = 30

_LOOK_SECONDS = 0.02

_MOST_CONNECTIONS = 16_384
_FEWEST_CONNECTIONS = 128
_MOST_IN_LINE = 1024
_OTHER_FILES = 256  # of this process: libraries, logs, metrics, connections to Redis
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


def most_connections(files: int, long_answers: int) -> int:
    """Return how many connections may be open at once.

    files: how many files the process may open.   long_answers: how many it sends at once; what is
    to be sent of each may lie in a file, so a connection that has one needs two.
    """
    free_files = files - _OTHER_FILES
    connections = max(free_files // 2, free_files - long_answers)
    return max(_FEWEST_CONNECTIONS, min(_MOST_CONNECTIONS, connections))


def most_in_line(connections: int) -> int:
    """Return how many more connections the system may keep until there is room for them.

    No more than are served: whoever opens more at once than there is room for, and says nothing,
    would keep those in line behind for one idle time after the other.
    """
    return min(_MOST_IN_LINE, connections)


def end_stuck_connections() -> None:
    """Have the system take little of an answer ahead, and end connections where it does not move.

    Without a bound the system would take up to 4 MB, and this process would not know of them.

    Granian waits for ever for a client that stops reading. New connections inherit the options from
    the socket that listens. Granian alone has that socket, and opens it when the application is
    there; so a thread looks for it among this process's open files. The end of stuck connections
    is for Linux alone.
    """
    threading.Thread(target=_bound_listeners, name="listeners", daemon=True).start()


def _bound_listeners() -> None:
    """Wait until this process listens, then set the options."""
    found = False
    while not found:
        time.sleep(_LOOK_SECONDS)
        for listener in _listeners():
            _bound(listener)
            found = True


def _bound(listener: socket.socket) -> None:
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SENT_AHEAD_BYTES)
    option = getattr(socket, "TCP_USER_TIMEOUT", None)
    if option is not None:
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
