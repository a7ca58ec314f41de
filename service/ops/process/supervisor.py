"""`giornale serve` and `giornale web`: processes started and stopped in order, and restarted."""

import gc
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType

import click

from service.base.config import METRICS_DIRECTORY, Config
from service.base.private_files import DIRECTORY_MODE
from service.base.redis_urls import beside
from service.bootstrap import prepare_data
from service.ops.process import heartbeat, logs, preflight
from service.ops.process.child import SIGNALS, Child, StartFailed, how_it_ended, stop_together
from service.ops.process.heartbeat import SERVER, ActiveClock, Watchdog
from service.ops.process.journal_server import JournalServer
from service.ops.process.programs import LoadApp, LoadWorker
from service.ops.process.server_files import server_url
from service.ops.process.valkey import JOURNAL_DIRECTORY
from service.store.jobs.table import QUEUES, WEBHOOK_JOBS

_TICK_SECONDS = 0.1
_STARTING_TICK_SECONDS = 0.02
_READY_SECONDS = 60

# So long a process may be silent before it counts as hanging and is killed. It gives a sign every
# second, however busy it is. New connections hang while one of several web processes does; a
# worker's hang costs less than a job that is begun anew.
_WEB_PATIENCE = 5.0
_WORKER_PATIENCE = 10.0

_IN_LINE = 128  # connections on a socket that web processes share
_WEB_STOP_SECONDS = 3.0  # to answer the requests at hand


def serve(config: Config, load_app: LoadApp, load_worker: LoadWorker | None = None) -> None:
    """Run everything, or the web processes alone, until Ctrl-C, SIGTERM or SIGHUP.

    load_worker: None for the web processes alone.
    Raises StartFailed, EmbeddedError, Unsafe, PortTaken or DataUnusable.
    """
    logs.setup(config.log_level)
    supervisor = Supervisor(config, load_app, load_worker)

    def stop(_number: int, _frame: FrameType | None) -> None:
        supervisor.stopping = True  # no lock may be taken here

    for signal_number in SIGNALS:
        signal.signal(signal_number, stop)

    try:
        supervisor.start_all()
        supervisor.watch()
    finally:
        supervisor.stop_all()


@dataclass(slots=True)
class Supervisor:
    """What is started, and looked after.

    config: the settings, with the port and the server's addresses when it has started.
    load_app, load_worker: load all that children run; load_worker is None if there are web
        processes alone.
    children: the child processes.
    server: the bundled server; None where the journal is elsewhere.
    checked: whether what `preflight` checks was found in order.
    starting: whether something was not yet ready for the first time.
    stopping: whether everything is to end.
    clock: counts only while this process runs.
    watchdog: hears the heartbeats of the children.
    """

    config: Config
    load_app: LoadApp
    load_worker: LoadWorker | None = None
    children: list[Child] = field(default_factory=list)
    server: JournalServer | None = None
    checked: bool = True
    starting: bool = False
    stopping: bool = False
    clock: ActiveClock = field(default_factory=ActiveClock)
    watchdog: Watchdog = field(init=False)

    def __post_init__(self) -> None:
        self.watchdog = Watchdog(self.clock)

    @property
    def _unchecked(self) -> Path:
        """The note for the web process that the journal was not checked yet."""
        return preflight.unchecked_note(self.watchdog.pipe)

    @property
    def _metrics(self) -> Path:
        """Where web processes add up their metrics, unless another directory is named.

        The files are mapped into the processes. When the disk below them is full, a process that
        adds to them dies of SIGBUS; beside the pipe they lie in memory where the system can.
        """
        return self.watchdog.pipe.with_name("metrics")

    def start_all(self) -> None:
        """Start everything and print the URL; raises StartFailed if a child does not come up.

        While the bundled server loads, the web answers already that it does.
        """
        port = preflight.free_port(self.config.host, self.config.port)
        self.config = replace(self.config, port=port)
        prepare_data(self.config)
        self._metrics.mkdir(mode=DIRECTORY_MODE)

        if self.config.journal_url:
            self._check(preflight.REPLICA_SECONDS)
        else:
            self._start_server()
        self.children = child_processes(self.config, self.load_app, self.load_worker)

        self.starting = True
        while not all(child.announced for child in self.children):
            self.look_around()
            if self._pause(_STARTING_TICK_SECONDS):
                return

        self.starting = False
        click.echo(self.config.url)

    def watch(self) -> None:
        """Restart what crashes, until everything is to end."""
        while not self._pause(_TICK_SECONDS):
            self.look_around()

    def look_around(self) -> None:
        """Look at every part once, and restart what has ended; nothing is waited for."""
        self.clock.tick()
        if self.server is not None:
            self.server.look_after()
            self._check_journal(self.server)

        self.watchdog.listen()
        for child in self.children:
            self._look_after(child)
            self._end_what_hangs(child)

    def stop_all(self) -> None:
        """Stop the children together, the server last."""
        stop_together(self.children)
        if self.server is not None:
            self.server.stop()
        self.watchdog.close()

    def _pause(self, seconds: float) -> bool:
        """Wait, and return whether everything is to end."""
        time.sleep(seconds)
        return self.stopping

    def _check_journal(self, server: JournalServer) -> None:
        """Check the journal of the bundled server once, as soon as it is ready."""
        if server.ready and not self.checked:
            self._check()
            self._unchecked.unlink()
            self.checked = True

    def _check(self, patience_s: float = 0.0) -> None:
        """Check the journal, and say what is worth a warning.

        patience_s: how long to wait for replicas that are not in step yet.
        """
        warning = preflight.check(self.config, patience_s, lambda: self.stopping)
        if warning:
            click.echo(f"WARNING: {warning}", err=True)

    def _look_after(self, child: Child) -> None:
        """Restart a child that has crashed, and say when it is ready."""
        if child.exit_code is not None:
            self._clear_away(child, how_it_ended(child.exit_code))

        if child.due and self._may_start(child):
            self._start(child)
        elif self.checked and not child.announced and self.watchdog.has_heard(child.pid):
            child.console.print("ready" if self.starting else "ready again")
            child.note_ready()

    def _start(self, child: Child) -> None:
        """Start a child, or say why not; raises StartFailed if that is its first start."""
        try:
            child.start(self._environment(), self.clock.seconds)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            if self.starting:
                raise StartFailed(f"{child.name} cannot be started: {reason}") from None
            child.console.print(f"cannot be started ({reason}); it is tried again")

    def _clear_away(self, child: Child, how: str) -> None:
        """Say how a child has ended; raises StartFailed if it was not ready at the first start."""
        if self.starting and not child.announced:
            fact = f"{child.name} ended as it started ({how})"
            raise StartFailed(f"{fact}; what it said stands above")

        when = "" if self._may_start(child) else " when the journal takes moves"
        child.console.print(f"ended ({how}); it is started again{when}")
        self.watchdog.forget(child.pid)
        child.note_crash()

    def _may_start(self, child: Child) -> bool:
        """Return whether all is there that a child needs when it starts."""
        if not child.needs_journal:
            return True
        return self.checked and (self.starting or self.server is None or self.server.writable)

    def _end_what_hangs(self, child: Child) -> None:
        """Kill a child that has been silent for too long, or is not ready after its time."""
        if child.process is None:
            return

        how = ""
        if self.watchdog.is_silent(child.pid, child.patience):
            how = f"gave no sign of life for {child.patience:.0f} s"
        elif self._is_late(child):
            how = f"was not ready after {_READY_SECONDS} s"
        if not how:
            return

        if self.starting and not child.announced:
            raise StartFailed(f"{child.name} {how}")
        child.console.print(f"{how}, and is ended")
        child.kill()

    def _is_late(self, child: Child) -> bool:
        """Return whether a child should be ready by now."""
        has_run = self.clock.seconds - child.started_at
        return has_run > _READY_SECONDS and self.checked and not child.announced

    def _start_server(self) -> None:
        """Start the bundled server."""
        directory = self.config.data / JOURNAL_DIRECTORY
        self.server = JournalServer(directory, self.config.maxmemory_mb, self.clock)
        self.server.start()
        self.checked = False
        self._unchecked.touch()
        self.config = _at_server(self.config, server_url(directory))

    def _environment(self) -> dict[str, str]:
        """Return the environment of a child.

        Outside Linux it names the server too, so that a child whose parent has vanished can end it.
        """
        own_variables = self.config.environment()
        own_variables[heartbeat.PIPE] = str(self.watchdog.pipe)
        if not os.environ.get(METRICS_DIRECTORY):
            own_variables[METRICS_DIRECTORY] = str(self._metrics)

        server_pid = self.server.pid if self.server is not None else None
        if server_pid is not None and sys.platform != "linux":
            own_variables[SERVER] = str(server_pid)

        return os.environ | own_variables


def child_processes(
    config: Config, load_app: LoadApp, load_worker: LoadWorker | None = None
) -> list[Child]:
    """Return all child processes, not yet started, in the order in which they start.

    What they run is loaded now, while the bundled server starts; the garbage collector then leaves
    alone what they share.
    """
    from service.ops.process import web

    make_app = load_app()
    # Where the system does not spread the connections of a port over its sockets, all have one.
    shared = None if sys.platform == "linux" else web.listen(config.host, config.port, _IN_LINE)
    # Services beside one another, such as in containers, begin at different cores.
    first_core = random.randrange(os.cpu_count() or 1)
    webs = [
        Child(
            name="web",
            run=web.run,
            arguments=(make_app, shared, first_core + number),
            patience=_WEB_PATIENCE,
            stop_seconds=_WEB_STOP_SECONDS,
            needs_journal=False,
        )
        for number in range(config.web_workers)
    ]
    others = [] if load_worker is None else _workers(config, load_worker())
    gc.collect()
    gc.freeze()
    return [*webs, *others]


def _workers(config: Config, run: Callable[[str], int]) -> list[Child]:
    return [
        Child(name=kind, run=run, arguments=(kind,), patience=_WORKER_PATIENCE)
        for kind in [*QUEUES, "scheduler"]
        if kind != WEBHOOK_JOBS or config.hooks
    ]


def _at_server(config: Config, url: str) -> Config:
    """Return the settings with the server's address, where the queues lie, too, unless set."""
    return replace(config, journal_url=url, queue_url=config.queue_url or beside(url))
