"""How many connections a web process holds, how much a request's head may be, and when a connection is ended."""

import logging
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from granian.http import HTTP1Settings

_log = logging.getLogger(__name__)

HEAD_BYTES = 32 * 1024
IDLE_SECONDS = 5
_STUCK_SECONDS = 30
_MOST = 16_384
_OTHER_FILES = 256  # of this process: libraries, logs, measures, the server's own


def http1() -> HTTP1Settings:
    """Return how HTTP/1.1 is spoken: heads are bounded, and a connection without a request ends soon.

    The server's time for reading a head also runs while a connection is idle, from its beginning and after each answer.
    Its buffer may be filled once more while a head is read, so it has half of what a head may be.
    """
    return HTTP1Settings(header_read_timeout=IDLE_SECONDS * 1000, max_buffer_size=HEAD_BYTES // 2)


def open_files() -> int:
    """Raise the soft limit of open files to the hard one, as far as it is of use; return what holds now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 4 * _MOST
    wanted = most if hard == resource.RLIM_INFINITY else min(hard, most)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return most if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (ValueError, OSError) as error:  # macOS knows a lower limit than it tells
        _log.warning("the limit of open files stays", extra={"files": soft, "error": str(error)})
        return soft
    return wanted


def most_connections(files: int, working: int) -> int:
    """Return how many connections may be open at once: the files that are left when `working` requests have theirs.

    A request at work has a connection to Redis besides its own.
    """
    return max(128, min(_MOST, files - _OTHER_FILES - working))


def give_up_on_the_stuck() -> None:
    """Have the system end connections on which an answer has not moved for some time (Linux alone can do that).

    The server waits for ever for a client that stops reading. The sockets of new connections inherit the option from
    the one that listens, of which the server has the only name.
    """
    option = getattr(socket, "TCP_USER_TIMEOUT", None)
    if option is None:
        return
    for listener in _listeners():
        listener.setsockopt(socket.IPPROTO_TCP, option, _STUCK_SECONDS * 1000)


def _listeners() -> Iterator[socket.socket]:
    """Yield the sockets on which this process listens."""
    for descriptor in list(Path("/dev/fd").iterdir()):
        with suppress(OSError), socket.socket(fileno=os.dup(int(descriptor.name))) as found:
            if found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                yield found
