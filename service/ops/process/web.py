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

# Granian's allocator (jemalloc) reads this once, when it is loaded just below. It would keep 45 kB
# ready for each thread, and each stream holds one.
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
from service.base.config import METRICS_DIRECTORY, Config
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
_OTHER_FILES = 256  # of this process: libraries, logs, metrics, connections to Redis
_USEFUL_FILES = 4 * _MOST_CONNECTIONS

_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)

# Granian hands its own lines to our root logger.
_GRANIAN_LOGS: dict[str, Any] = {
    "formatters": {},
    "handlers": {},
    "loggers": {"_granian": {"propagate": True}},
}


def run(make_app: MakeApp, shared: Any = None, core: int = 0) -> None:
    """Serve as a child of a supervisor, which has checked everything, until SIGTERM or SIGINT.

    Requests at hand are answered first.

    shared: the socket of all web processes, if they have one.
    core: on which this one runs (`keep_to_one_core`).
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
    _log.info("the web is ready", extra={"url": config.url})
    server.serve_on(listener, application)
    _log.info("the web has stopped")


def _application(config: Config, make_app: MakeApp) -> App:
    """Return what answers the requests of this process."""
    batches = Batches(sys.stderr, logs.formatter())
    batches.start()
    services = replace(open_services(config), access_log=AccessLog(batches.put))
    application = make_app(config, services)
    _spare_what_stays()
    when_stopped(services.notifications.stop)  # streams and long polls end at once

    unchecked = preflight.unchecked_note(os.environ[heartbeat.PIPE])
    return admission.Admission(application, config, services.ctx.cache.holders, unchecked)


def keep_to_one_core(number: int) -> None:
    """Run all threads that will be in this process on one core, where the system can (Linux).

    One thread at a time runs Python. A thread that lets another go on for the time of a short call
    would wake it on another core, and then wait for it; on one core it goes on first. With 16
    connections that makes a fifth to a quarter more moves (docs/performance.md).

    number: which core, counted round those that this process may use.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[number % len(cores)]})


def _spare_what_stays() -> None:
    """Keep the garbage collector from looking again and again through what is there to the end.

    Modules and the application are 90,000 objects. Each full collection would go through them, and
    every request and stream would stand still for 50 ms.
    """
    gc.collect()
    gc.freeze()


# ---- Granian ---------------------------------------------------------------------------------


class WebServer(MPServer):
    """Granian without its main process: the supervisor does all that this one would do."""

    def serve_on(self, listener: Any, application: App) -> None:
        """Serve in this process, on a socket of ours, until SIGTERM or SIGINT."""
        self._sso = None
        self._shd = listener
        worker = self._spawn_worker(0, self._spawn_wsgi_worker, lambda: application)
        worker.inner.run()  # what another process would run


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
    """Return a socket that listens, perhaps beside those of other web processes.

    The system takes little of an answer ahead, and ends connections where it does not move. Without
    a bound it would take up to 4 MB, and this process would not know of them; and Granian waits for
    ever for a client that stops reading. New connections inherit these options. The end of stuck
    connections is for Linux alone.
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

    Granian sets its own handlers when it begins to serve, and then waits for every answer to end
    before any code of ours runs again. But Python also writes the number of each signal into a file
    descriptor, whatever handles the signal (`signal.set_wakeup_fd`). A thread reads there.

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
    """Read signal numbers, one byte each, until one of them is a stop; then act."""
    signal_number = 0
    while signal_number not in _STOP_SIGNALS:
        signal_number = os.read(reading_end, 1)[0]

    action()


# ---- connections: how many, how long they last, how large a head may be ------------------------


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


def connections_for(files: int, long_answers: int) -> int:
    """Return how many connections may be open at once.

    files: how many files the process may open.   long_answers: how many it sends at once; what is
    to be sent of each may lie in a file, so a connection that has one needs two.
    """
    free_files = files - _OTHER_FILES
    connections = max(free_files // 2, free_files - long_answers)
    return max(_FEWEST_CONNECTIONS, min(_MOST_CONNECTIONS, connections))


def most_in_line(connections: int) -> int:
    """Return how many more connections the system may keep until there is room for them.

    No more than are served: a client that opens more than there is room for, and says nothing,
    would keep those in line behind for one idle time after the other.
    """
    return min(_MOST_IN_LINE, connections)
