"""The web process: Granian serving the WSGI app from threads, in one or more worker processes."""

import gc
import http.client
import logging
import multiprocessing
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels

from service import tracing
from service.api.app import create_app
from service.api.wsgi import admission
from service.config import Config
from service.keys.private_files import keep_private
from service.process import connections, life, logs, metrics_directory, preflight
from service.process.address import answers, service_url
from service.process.log_batches import Batches
from service.process.parent_watch import watch_parent
from service.process.stopping import when_stopped
from service.process.web_server import WebServer

_log = logging.getLogger(__name__)

_STOP_SECONDS = 3
_LOOK_SECONDS = 0.05

# Granian hands its own lines to our root logger.
_GRANIAN_LOGS: dict[str, Any] = {
    "formatters": {},
    "handlers": {},
    "loggers": {"_granian": {"propagate": True}},
}


def run(config: Config) -> None:
    """Serve until SIGTERM or SIGINT; requests at hand are answered first."""
    server = _make_server(config)

    announcer = threading.Thread(
        target=_log_when_ready,
        args=(server, config),
        name="ready",
        daemon=True,
    )
    announcer.start()

    life.begin()
    server.serve(target_loader=app, wrap_loader=False)
    metrics_directory.forget()
    _log.info("the web has stopped")


def app() -> Any:
    """Return the app of one of Granian's worker processes, which ends with its parent.

    Under `giornale serve` it goes on until another one has taken its place.
    """
    keep_private()
    parent = multiprocessing.parent_process()
    parent_pid = parent.pid if parent else None

    config = Config.load(os.environ, connected=True)
    logs.setup(config.log_level)
    connections.end_stuck_connections()
    tracing.setup("web", os.environ)

    application = create_app(config)
    batches = Batches(sys.stderr, logs.formatter())
    batches.start()
    application.extensions["say"] = batches.put
    _spare_what_stays()
    when_stopped(application.extensions["wakes"].stop)  # streams and long polls end at once
    own_life = life.begin(group=parent_pid)
    watch_parent(os.environ, parent_pid, own_life)

    pipe = os.environ.get(life.PIPE)
    unchecked = preflight.unchecked_note(pipe) if pipe else None
    return admission.Admission(
        application, config, application.extensions["desk"].holders, unchecked
    )


def _spare_what_stays() -> None:
    """Keep the garbage collector from looking again and again through what is there to the end.

    Modules and the application are 90,000 objects. Each full collection would go through them, and
    every request and stream would stand still for 50 ms.
    """
    gc.collect()
    gc.freeze()


def _make_server(config: Config) -> WebServer:
    """Return Granian, set up but not started."""
    threads = admission.threads(config)
    files = connections.raise_open_files()
    most_connections = connections.most_connections(files, config.streams)

    limits = {"open_files": files, "connections": most_connections, "threads": threads}
    _log.info("limits", extra=limits)

    return WebServer(
        "service.process.web:app",
        address=config.host,
        port=config.port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        http1_settings=connections.http1(),
        backlog=connections.most_in_line(most_connections),
        backpressure=most_connections,
        workers=config.web_workers,
        blocking_threads=threads,
        websockets=False,
        log_level=LogLevels.error,
        log_dictconfig=_GRANIAN_LOGS,
        respawn_failed_workers=True,
        workers_kill_timeout=_STOP_SECONDS,
    )


def _log_when_ready(server: WebServer, config: Config) -> None:
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
