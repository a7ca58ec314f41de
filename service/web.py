"""The web process: Granian serving the WSGI app from threads, in one or more worker processes."""

import logging
import multiprocessing
import os
import shutil
import socket
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels

from service import connections, create_app, lifeline, logs, tracing
from service.api import admission
from service.config import Config
from service.secret import keep_private

_log = logging.getLogger(__name__)
_LOGS: dict[str, Any] = {"formatters": {}, "handlers": {}, "loggers": {"_granian": {"propagate": True}}}
_STOP_SECONDS = 3
METRICS = "PROMETHEUS_MULTIPROC_DIR"


class PortTaken(Exception):
    """The address cannot be listened on; the message says why."""


def free_port(host: str, port: int) -> int:
    """Return the port, or any free one for 0; raises PortTaken.

    Granian shares its port with whoever asks (SO_REUSEPORT), so somebody must look before.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, port), family=family) as probe:
            return int(probe.getsockname()[1])
    except OSError as error:
        raise PortTaken(f"cannot listen on {host}:{port}: {os.strerror(error.errno or 0).lower()}") from None


def check_port(config: Config) -> None:
    """Raise PortTaken if the configured address cannot be listened on."""
    free_port(config.host, config.port)


def run(config: Config) -> None:
    """Serve until SIGTERM or SIGINT; requests at hand are answered first."""
    threads = admission.threads(config)
    files = connections.open_files()
    most_connections = connections.most_connections(files, working=threads)
    _log.info("limits", extra={"open_files": files, "connections": most_connections, "threads": threads})

    Granian(
        "service.web:app",
        address=config.host,
        port=free_port(config.host, config.port),
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
    ).serve(target_loader=app, wrap_loader=False)


def share_metrics(config: Config) -> bool:
    """Name an empty directory in which worker processes add up what they measure; return whether that was still to do.

    prometheus_client looks for the name when it is imported, so a process that had to do it must start anew.
    """
    if METRICS in os.environ:
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
    return admission.Admission(create_app(config), config)
