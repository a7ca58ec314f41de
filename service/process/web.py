"""The web process: Granian serving the WSGI app from threads, in one or more worker processes."""

import http.client
import logging
import multiprocessing
import os
import shutil
import socket
import threading
import time
from contextlib import suppress
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels

from service import tracing
from service.api.app import create_app
from service.api.wsgi import admission
from service.config import Config
from service.keys.secret import keep_private
from service.process import connections, logs
from service.process import parent_watch as lifeline
from service.process.stopping import when_stopped

_log = logging.getLogger(__name__)
_LOGS: dict[str, Any] = {
    "formatters": {},
    "handlers": {},
    "loggers": {"_granian": {"propagate": True}},
}
_STOP_SECONDS = 3
_LOOK_SECONDS = 0.05
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing is bound here
METRICS = "PROMETHEUS_MULTIPROC_DIR"


class PortTaken(Exception):
    """The address cannot be listened on; the message says why."""


def free_port(host: str, port: int) -> int:
    """Return the port, or any free one for 0; raises PortTaken.

    Granian shares its port with whoever asks (SO_REUSEPORT), so somebody must look before.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)
        with socket.create_server((host, port), family=family) as probe:
            return int(probe.getsockname()[1])
    except socket.gaierror as error:  # its numbers are not those of the system's other errors
        reason = (error.strerror or str(error)).lower()
        raise PortTaken(f"GIORNALE_HOST: cannot listen on {host}: {reason}") from None
    except OSError as error:
        raise PortTaken(
            f"cannot listen on {host}:{port}: {os.strerror(error.errno or 0).lower()}"
        ) from None


def check_port(config: Config) -> None:
    """Raise PortTaken if the configured address cannot be listened on."""
    free_port(config.host, config.port)


def run(config: Config) -> None:
    """Serve until SIGTERM or SIGINT; requests at hand are answered first."""
    threads = admission.threads(config)
    files = connections.open_files()
    most_connections = connections.most_connections(files, working=threads)
    _log.info(
        "limits", extra={"open_files": files, "connections": most_connections, "threads": threads}
    )

    port = free_port(config.host, config.port)
    server = Granian(
        "service.process.web:app",
        address=config.host,
        port=port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        http1_settings=connections.http1(),
        backpressure=most_connections,
        workers=config.web_workers,
        blocking_threads=threads,
        websockets=False,
        log_level=LogLevels.error,
        log_dictconfig=_LOGS,
        respawn_failed_workers=True,
        workers_kill_timeout=_STOP_SECONDS,
    )
    threading.Thread(
        target=_tell_when_ready, args=(server, config, port), name="ready", daemon=True
    ).start()
    server.serve(target_loader=app, wrap_loader=False)
    _log.info("the web has stopped")


def answers(host: str, port: int) -> bool:
    """Return whether a web process answers there; raises OSError or HTTPException where none does."""
    connection = http.client.HTTPConnection(_ANY.get(host, host), port, timeout=1)
    try:
        connection.request("GET", "/livez")
        return connection.getresponse().status == http.HTTPStatus.OK
    finally:
        connection.close()


def url(config: Config, port: int) -> str:
    """Return where the service is found by whoever is on this machine."""
    host = f"[{config.host}]" if ":" in config.host else config.host
    return f"http://{host}:{port}{config.path_prefix}"


def _tell_when_ready(server: Any, config: Config, port: int) -> None:
    """Log one line as soon as a worker process answers."""
    while len(server.wrks) < config.web_workers:
        time.sleep(_LOOK_SECONDS)  # no lock may be held here while the server forks

    ready = False
    while not ready:
        time.sleep(_LOOK_SECONDS)
        with suppress(OSError, http.client.HTTPException):
            ready = answers(config.host, port)
    _log.info("the web is ready", extra={"url": url(config, port)})


def share_metrics(config: Config) -> bool:
    """Name an empty directory in which worker processes add up what they measure; return whether that was still to do.

    prometheus_client looks for the name when it is imported, so a process that had to do it must start anew.
    """
    if os.environ.get(METRICS):
        return False
    # Web processes on other ports, or in other containers, may share the data directory, but not their measures.
    directory = config.data / "metrics" / f"{os.uname().nodename}-{config.port}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True, mode=0o700)
    os.environ[METRICS] = str(directory)
    return True


def app() -> Any:
    """Return the app of one of Granian's worker processes, which ends with its parent."""
    keep_private()
    parent = multiprocessing.parent_process()
    lifeline.hold(os.environ, parent.pid if parent else None)
    config = Config.load(os.environ, connected=True)
    logs.setup(config.log_level)
    connections.give_up_on_the_stuck()
    tracing.setup("web", os.environ)

    application = create_app(config)
    when_stopped(application.extensions["wakes"].stop)  # streams and long polls end at once
    return admission.Admission(application, config, application.extensions["desk"].holders)
