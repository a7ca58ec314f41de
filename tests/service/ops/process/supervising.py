"""Helpers for tests of supervised processes: settings, and looking on until a condition holds."""

from collections.abc import Callable
from pathlib import Path

from service.base.config import Config
from service.ops.process.journal_server import JournalServer
from tests.running import until


def settings(data: Path, **more: str) -> Config:
    """Return the settings of a service on a data directory, at any free port."""
    environ = {f"GIORNALE_{name.upper()}": value for name, value in more.items()}
    return Config.load({"GIORNALE_DATA": str(data), "GIORNALE_PORT": "0", **environ})


def look_until(look: Callable[[], None], condition: Callable[[], object]) -> None:
    """Look again and again until something is true."""

    def looked() -> object:
        look()
        return condition()

    until(looked, "what is looked after")


def start(server: JournalServer) -> int:
    """Start a server, wait until it is ready and return its process id."""
    server.start()
    look_until(server.look_after, lambda: server.ready)
    assert server.pid is not None
    return server.pid
