"""`giornale serve`: everything as child processes, started and stopped in order, restarted after a crash."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import FrameType

import click

from service.bootstrap import prepare_data
from service.config import Config, beside
from service.datadir import explained
from service.jobs.queues import FUNCTIONS, Queues
from service.process import preflight, web
from service.process.child import Part, python
from service.process.parent_watch import PARENT, SERVER
from service.process.valkey import JOURNAL, Server

_TICK_SECONDS = 0.1
_READY_SECONDS = 60


class StartFailed(Exception):
    """A part did not come up; the message says which."""


def serve(config: Config) -> None:
    """Run everything until Ctrl-C or SIGTERM; raises StartFailed, EmbeddedError, Unsafe, PortTaken or DataUnusable."""
    house = House(config)

    def stop(_number: int, _frame: FrameType | None) -> None:
        house.stopping.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        house.open()
        house.watch()
    finally:
        house.close()


@dataclass(slots=True)
class House:
    """The server, if it is ours, and the parts in the order in which they stop; `config` learns the addresses."""

    config: Config
    parts: list[Part] = field(default_factory=list)
    server: Server | None = None
    stopping: threading.Event = field(default_factory=threading.Event)

    def open(self) -> None:
        """Start everything and print the URL."""
        self.config = replace(self.config, port=web.free_port(self.config.host, self.config.port))
        prepare_data(self.config)
        if not self.config.journal_url:
            self._start_server()
        preflight.check(self.config)
        _say("journal", "ready")
        self.parts = _parts(self.config)
        for part in self.parts:
            part.start(self._environment())
        for part in self.parts:
            self._await(part)
        if not self.stopping.is_set():
            click.echo(web.url(self.config, self.config.port))

    def watch(self) -> None:
        """Restart what crashes until told to stop."""
        while not self.stopping.wait(_TICK_SECONDS):
            if self.server is not None and self.server.ended:
                self._restart_server()
            for part in self.parts:
                self._look_after(part)

    def close(self) -> None:
        """Stop the parts in order, the server last."""
        for part in self.parts:
            part.stop()
        if self.server is not None:
            self.server.stop()

    def _await(self, part: Part) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while not part.is_ready():
            if part.ended() is not None:
                raise StartFailed(f"{part.name} ended as it started; what it said stands above")
            if time.monotonic() > deadline:
                raise StartFailed(f"{part.name} was not ready after {_READY_SECONDS} s")
            if self.stopping.wait(_TICK_SECONDS):
                return
        part.told = True
        _say(part.name, "ready")

    def _look_after(self, part: Part) -> None:
        code = part.ended()
        if code is not None:
            _say(part.name, f"ended ({_cause(code)}); it is started again")
            part.bury()
        if part.due():
            part.start(self._environment())
        elif not part.told and part.is_ready():
            part.told = True
            _say(part.name, "ready again")

    def _start_server(self) -> None:
        with explained(self.config.data):
            self.server = Server(self.config.data / JOURNAL, self.config.maxmemory_mb)
        url = self.server.url
        self.config = replace(
            self.config, journal_url=url, queue_url=self.config.queue_url or beside(url)
        )

    def _restart_server(self) -> None:
        """Start the server again; if it has another address, every part must start again to learn it."""
        _say("journal", "ended; it is started again")
        before = self.config
        own_queues = before.queue_url == beside(before.journal_url)
        self.config = replace(before, queue_url="" if own_queues else before.queue_url)
        self._start_server()
        _say("journal", "ready again")
        if self.config != before:
            for part in self.parts:
                part.stop()

    def _environment(self) -> dict[str, str]:
        """Return what a part must know; outside Linux a part whose parent has vanished ends the server, too."""
        ours = self.config.environment() | {PARENT: str(os.getpid())}
        if self.server is not None and sys.platform != "linux":
            ours[SERVER] = str(self.server.pid)
        return os.environ | ours


def _parts(config: Config) -> list[Part]:
    queues = Queues(config.queue_url)

    def works_on(name: str) -> Callable[[int], bool]:
        return lambda pid: any(worker.endswith(f"-{pid}") for worker in queues.workers()[name])

    return [
        Part(
            "web",
            python("service.cli", "web"),
            lambda _pid: web.answers(config.host, config.port),
        ),
        *(Part(name, python("workers", name), works_on(name)) for name in FUNCTIONS),
        Part(
            "keeper",
            python("workers", "keeper"),
            lambda pid: (queues.keeper() or "").endswith(f"-{pid}"),
        ),
    ]


def _say(name: str, news: str) -> None:
    with suppress(OSError):  # whoever listened may have gone; the house stays
        click.echo(f"{name:<8} {news}")


def _cause(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
