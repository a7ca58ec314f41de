"""The web process: Granian serving the WSGI app from threads."""

import gc
import logging
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

# Granian's allocator (jemalloc) reads this variable once, at the import below. By default it
# reserves 45 kB for each thread, and each stream occupies a thread.
os.environ.setdefault("_RJEM_MALLOC_CONF", "tcache:false")

from granian.constants import HTTPModes, Interfaces, RuntimeModes
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.net import SocketSpec  # type: ignore[attr-defined]  # that it is imported there
from granian.server.mp import MPServer

from service.api.access_log import AccessLog
from service.api.app import open_services
from service.api.http.limits import SENT_AHEAD_BYTES
from service.api.wsgi import App, admission
from service.base import metrics, tracing
from service.base.config import Config
from service.base.environment import METRICS_DIRECTORY
from service.base.private_files import keep_private
from service.ops.process import heartbeat, logs, preflight
from service.ops.process.logs import Batches
from service.ops.process.programs import MakeApp

_log = logging.getLogger(__name__)

HEAD_BYTES = 32 * 1024
IDLE_SECONDS = 5
_STUCK_SECONDS = 30

_MOST_CONNECTIONS = 16_384
_FEWEST_CONNECTIONS = 128
_MOST_IN_LINE = 1024
_OTHER_FILES = 256  # libraries, logs, metrics, connections to Redis
_USEFUL_FILES = 4 * _MOST_CONNECTIONS

_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)

# Granian passes its log lines to our root logger.
_GRANIAN_LOGS: dict[str, Any] = {
    "formatters": {},
    "handlers": {},
    "loggers": {"_granian": {"propagate": True}},
}


def run(make_app: MakeApp, shared: Any = None, core: int = 0) -> None:
    """Serve as a child of a supervisor until SIGTERM or SIGINT.

    The supervisor does all checks. Running requests are answered before the end, unless the
    supervisor kills the process.

    shared: the socket of all web processes, if they share one.
    core: number for `keep_to_one_core`.
    """
    keep_private()
    config = Config.load(os.environ, connected=True)
    if not config.web_any_core:
        keep_to_one_core(core)
    logs.setup(config.log_level)
    heartbeat.end_with_parent()
    tracing.setup("web", os.environ)
    metrics.share(Path(os.environ[METRICS_DIRECTORY]))

    files = raise_open_files()
    connections = connections_for(files, config.streams)
    threads = admission.threads(config)
    limits = {"open_files": files, "connections": connections, "threads": threads}
    _log.info("limits", extra=limits)

    server = _server(threads, connections)
    application = _application(config, make_app)
    listener = shared or listen(config.host, config.port, most_in_line(connections))

    heartbeat.beat(loops=False)
    _log.info("web process ready", extra={"url": config.url})
    server.serve_on(listener, application)
    _log.info("web process stopped")


def _application(config: Config, make_app: MakeApp) -> App:
    """Return the application of this process, with its services."""
    batches = Batches(sys.stderr, logs.formatter())
    batches.start()
    services = replace(open_services(config), access_log=AccessLog(batches.put))
    application = make_app(config, services)
    _spare_what_stays()
    when_stopped(services.notifications.stop)  # streams and long polls end at once

    unchecked = preflight.unchecked_note(os.environ[heartbeat.PIPE])
    return admission.Admission(application, config, services.ctx.cache.holders, unchecked)


def keep_to_one_core(number: int) -> None:
    """Run this thread and all later ones on one core, if the system can (Linux).

    One thread at a time runs Python. On several cores a thread that releases the interpreter for a
    short call wakes another thread, and then waits for it. On one core the first thread goes on.
    With 16 connections that makes 22 % more moves (docs/explanation/performance-limits.md).

    number: index of the core among those of this process, modulo their number.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[number % len(cores)]})


def _spare_what_stays() -> None:
    """Exclude the permanent objects from garbage collections.

    Modules and the application have some 90,000 objects. Without this each full collection would go
    through them and stop every request and stream for 50 ms.
    """
    gc.collect()
    gc.freeze()


# ---- Granian ---------------------------------------------------------------------------------


class WebServer(MPServer):
    """Granian without its main process. The supervisor does the work of that process."""

    def serve_on(self, listener: Any, application: App) -> None:
        """Serve in this process, on a socket of ours, until SIGTERM or SIGINT."""
        self._sso = None
        self._shd = listener
        worker = self._spawn_worker(0, self._spawn_wsgi_worker, lambda: application)
        worker.inner.run()  # Granian itself calls this in a process of its own


def _server(threads: int, connections: int) -> WebServer:
    return WebServer(
        "",
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        http1_settings=http1(),
        backpressure=connections,
        runtime_mode=RuntimeModes.mt,
        blocking_threads=threads,
        websockets=False,
        log_level=LogLevels.error,
        log_dictconfig=_GRANIAN_LOGS,
    )


def listen(host: str, port: int, in_line: int) -> Any:
    """Return a listening socket, perhaps beside those of other web processes.

    Two options of the socket, inherited by its connections, limit the bytes of an answer that the
    system buffers, and make Linux end stuck connections. Without the options Linux may buffer some
    4 MB unknown to this process, and no timeout ends the wait for a client that stops reading.

    in_line: limit of connections that wait to be accepted.
    """
    holder = SocketSpec(host, port, in_line).build()
    with socket.socket(fileno=os.dup(holder.get_fd())) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SENT_AHEAD_BYTES)
        option = getattr(socket, "TCP_USER_TIMEOUT", None)
        if option is not None:
            listener.setsockopt(socket.IPPROTO_TCP, option, _STUCK_SECONDS * 1000)
        listener.listen(in_line)
    return holder


def when_stopped(action: Callable[[], None]) -> None:
    """Call an action once, in a thread, as soon as SIGTERM or SIGINT reaches this process.

    Granian replaces our handlers when it begins to serve, and after a signal waits for every answer
    to end before any code of ours runs again. But Python also writes the number of each signal into
    a file descriptor, whatever the handler is (`signal.set_wakeup_fd`). A thread reads it there.

    Call this in the main thread, once in a process.
    """
    reading_end, writing_end = os.pipe()
    os.set_blocking(writing_end, False)
    signal.set_wakeup_fd(writing_end, warn_on_full_buffer=False)

    listener = threading.Thread(
        target=_wait_for_stop,
        args=(reading_end, action),
        name="stopping",
        daemon=True,
    )
    listener.start()


def _wait_for_stop(reading_end: int, action: Callable[[], None]) -> None:
    """Read signal numbers, one byte each, until one of them is a stop. Then act."""
    signal_number = 0
    while signal_number not in _STOP_SIGNALS:
        signal_number = os.read(reading_end, 1)[0]

    action()


# ---- limits of connections: number, idle time, size of a head ----------------------------------


def http1() -> HTTP1Settings:
    """Return the settings of HTTP/1.1: limits of heads and of idle connections.

    Granian's timeout for a head also runs while a connection is idle: from the beginning of the
    connection, and after each answer. Granian's buffer may be filled once more while a head is
    read, so its size is half of HEAD_BYTES.
    """
    return HTTP1Settings(
        header_read_timeout=IDLE_SECONDS * 1000,
        max_buffer_size=HEAD_BYTES // 2,
    )


def raise_open_files() -> int:
    """Raise the soft limit of open files to _USEFUL_FILES, or to the hard limit if that is less.

    Return the limit.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return _USEFUL_FILES

    limit = _USEFUL_FILES
    if hard != resource.RLIM_INFINITY:
        limit = min(hard, _USEFUL_FILES)
    if soft >= limit:
        return soft

    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    except (ValueError, OSError) as error:  # macOS has a lower limit than reported
        _log.warning(
            "limit of open files not raised",
            extra={"files": soft, "error": str(error)},
        )
        return soft

    return limit


def connections_for(files: int, long_answers: int) -> int:
    """Return the limit of open connections.

    files: limit of open files.
    long_answers: number of long answers at once. The rest of a long answer may be in a file, so its
        connection needs two files.
    """
    free_files = files - _OTHER_FILES
    connections = max(free_files // 2, free_files - long_answers)
    return max(_FEWEST_CONNECTIONS, min(_MOST_CONNECTIONS, connections))


def most_in_line(connections: int) -> int:
    """Return the number of connections that the system may let wait for room.

    The number is at most the limit of open connections. With more waiting connections, a client
    with many silent ones would delay the others by several times IDLE_SECONDS.
    """
    return min(_MOST_IN_LINE, connections)
