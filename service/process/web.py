"""The web process: Granian serving the WSGI app from threads, in one or more worker processes."""

import gc
import http.client
import logging
import multiprocessing
import os
import resource
import shutil
import signal
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

from service import metrics, tracing
from service.api.access_log import AccessLog
from service.api.app import create_app, open_services
from service.api.http.limits import SENT_AHEAD_BYTES
from service.api.wsgi import admission
from service.config import METRICS_DIRECTORY, Config
from service.keys.private_files import DIRECTORY_MODE, keep_private
from service.process import heartbeat, logs, preflight
from service.process.child import Restarts
from service.process.logs import Batches
from service.process.preflight import answers, service_url

_log = logging.getLogger(__name__)

_MEMORY = Path("/dev/shm")  # noqa: S108 - a directory is made there

HEAD_BYTES = 32 * 1024
IDLE_SECONDS = 5
_STUCK_SECONDS = 30

_SOCKET_LOOK_SECONDS = 0.02

_MOST_CONNECTIONS = 16_384
_FEWEST_CONNECTIONS = 128
_MOST_IN_LINE = 1024
_OTHER_FILES = 256  # of this process: libraries, logs, metrics, connections to Redis
_USEFUL_FILES = 4 * _MOST_CONNECTIONS

_STOP_SECONDS = 3
_LOOK_SECONDS = 0.05
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)

# Granian hands its own lines to our root logger.
_GRANIAN_LOGS: dict[str, Any] = {
    "formatters": {},
    "handlers": {},
    "loggers": {"_granian": {"propagate": True}},
}


def run_supervised() -> None:
    """Serve as a child of `giornale serve`, which has checked everything."""
    keep_private()
    config = Config.load(os.environ, connected=True)
    logs.setup(config.log_level)
    heartbeat.end_with_parent()
    run(config)


def run(config: Config) -> None:
    """Serve until SIGTERM or SIGINT; requests at hand are answered first."""
    # Granian's processes read the settings anew, and options of the command line are among them.
    os.environ.update(config.environment())
    own_metrics = _share_metrics(config)
    _let_granian_fork()

    server = _make_server(config)

    announcer = threading.Thread(
        target=_log_when_ready,
        args=(server, config),
        name="ready",
        daemon=True,
    )
    announcer.start()

    heartbeat.beat(loops=False)
    server.serve(target_loader=app, wrap_loader=False)
    _forget_metrics(own_metrics)
    _log.info("the web has stopped")


def app() -> Any:
    """Return the app of one of Granian's worker processes, which ends with its parent.

    Under `giornale serve` it goes on without its parent, until another one has taken its place.
    """
    keep_private()
    parent = multiprocessing.parent_process()
    parent_pid = parent.pid if parent else None

    config = Config.load(os.environ, connected=True)
    logs.setup(config.log_level)
    end_stuck_connections()
    tracing.setup("web", os.environ)

    batches = Batches(sys.stderr, logs.formatter())
    batches.start()
    services = replace(open_services(config), access_log=AccessLog(batches.put))
    application = create_app(config, services)
    _spare_what_stays()
    when_stopped(services.notifications.stop)  # streams and long polls end at once
    heartbeat.end_with_parent(group=parent_pid)
    heartbeat.beat(loops=False)

    pipe = os.environ.get(heartbeat.PIPE)
    unchecked = preflight.unchecked_note(pipe) if pipe else None
    return admission.Admission(application, config, services.ctx.cache.holders, unchecked)


def _let_granian_fork() -> None:
    """Have web processes share what is loaded here.

    Outside Linux it loads everything anew: there a fork of a process with threads is not safe.
    """
    if sys.platform == "linux":
        multiprocessing.set_start_method("fork", force=True)


def _spare_what_stays() -> None:
    """Keep the garbage collector from looking again and again through what is there to the end.

    Modules and the application are 90,000 objects. Each full collection would go through them, and
    every request and stream would stand still for 50 ms.
    """
    gc.collect()
    gc.freeze()


def _make_server(config: Config) -> "WebServer":
    """Return Granian, set up but not started."""
    threads = admission.threads(config)
    files = raise_open_files()
    most_connections = connections_for(files, config.streams)

    limits = {"open_files": files, "connections": most_connections, "threads": threads}
    _log.info("limits", extra=limits)

    return WebServer(
        "service.process.web:app",
        address=config.host,
        port=config.port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        http1_settings=http1(),
        backlog=most_in_line(most_connections),
        backpressure=most_connections,
        workers=config.web_workers,
        blocking_threads=threads,
        websockets=False,
        log_level=LogLevels.error,
        log_dictconfig=_GRANIAN_LOGS,
        respawn_failed_workers=True,
        workers_kill_timeout=_STOP_SECONDS,
        process_name="giornale web",
    )


def _log_when_ready(server: "WebServer", config: Config) -> None:
    """Log one line as soon as a worker process answers, and tell the server."""
    while len(server.wrks) < config.web_workers:
        time.sleep(_LOOK_SECONDS)  # no lock may be held here while the server forks

    ready = False
    while not ready:
        time.sleep(_LOOK_SECONDS)
        with suppress(OSError, http.client.HTTPException):
            ready = answers(config.host, config.port)

    server.note_ready()
    _log.info("the web is ready", extra={"url": service_url(config)})


# ---- where web processes add up their metrics --------------------------------------------------


def _share_metrics(config: Config) -> int:
    """Have web processes add up their metrics in a new directory, or in the one that is named.

    Return the inode of a directory that was made, 0 for one that was named.
    """
    if os.environ.get(METRICS_DIRECTORY):
        metrics.share(Path(os.environ[METRICS_DIRECTORY]))
        return 0

    directory = _new_metrics_directory(config)
    metrics.share(directory)
    return directory.stat().st_ino


def _new_metrics_directory(config: Config) -> Path:
    """Make the directory: in memory where the system can, else in the data directory.

    The files are mapped into the processes. When the disk below them is full, a process that adds
    to them dies of SIGBUS.
    """
    # Web processes on other ports, or in other containers, may share the data directory, but not
    # their metrics.
    name = f"{os.uname().nodename}-{config.port}"
    place = config.data.absolute() / "metrics" / name
    in_memory = _MEMORY / f"giornale-{os.getuid()}-{sha256(os.fsencode(place)).hexdigest()[:16]}"

    shutil.rmtree(in_memory, ignore_errors=True)
    with suppress(OSError):  # there is no such memory, or another user has something of that name
        in_memory.mkdir(mode=DIRECTORY_MODE)
        return in_memory

    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True, mode=DIRECTORY_MODE)
    return place


def _forget_metrics(own: int) -> None:
    """Remove the metrics of a web process that ends.

    own: the inode of the directory that it made. The next web may have put its own in the place
    already, and without that all its answers would fail.
    """
    directory = Path(os.environ[METRICS_DIRECTORY])
    with suppress(OSError):  # it is gone
        if directory.stat().st_ino == own:
            shutil.rmtree(directory, ignore_errors=True)


# ---- Granian ---------------------------------------------------------------------------------


class WebServer(Granian):  # type: ignore[misc,valid-type]  # one of two classes
    """Granian's main process, which replaces a web process that dies, however often that happens.

    Granian itself ends when one of its processes dies within 5.5 s of its start, and ends the other
    processes with it. Here that is so only until the first of them has answered: a start that
    cannot succeed ends, and its sender learns why.

    `note_ready` is to be called when one has answered.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._has_answered = False
        self._restarts: dict[int, Restarts] = {}

    def note_ready(self) -> None:
        """Note that a web process has answered."""
        self._has_answered = True

    def _respawn_workers(self, workers: list[int], *arguments: Any, **more: Any) -> None:
        """Replace processes, given by their numbers: at once, unless they die as they start."""
        for number in workers:
            self._wait_until_due(number)
        if self.interrupt_signal:
            return

        super()._respawn_workers(workers, *arguments, **more)
        for number in workers:
            self._restarts[number].note_ready()  # nobody tells when: it serves if it does not die
        if self._has_answered:
            self.respawned_wrks.clear()  # by this Granian would know that one died again
        if self.interrupt_children:
            self.main_loop_interrupt.set()  # one that died just now must not be overlooked

    def _wait_until_due(self, number: int) -> None:
        """Wait until a process that has died may start again, or everything is to end."""
        restarts = self._restarts.setdefault(number, Restarts())
        restarts.note_crash()
        while not restarts.due and not self.interrupt_signal:
            time.sleep(_LOOK_SECONDS)


def when_stopped(action: Callable[[], None]) -> None:
    """Call an action once, in a thread, as soon as SIGTERM or SIGINT reaches this process.

    Granian sets its own handlers in a worker process, and then waits for every answer to end before
    any code of ours runs again. But Python also writes the number of each signal into a file
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
        time.sleep(_SOCKET_LOOK_SECONDS)
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
