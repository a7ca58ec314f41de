"""`giornale serve` and `giornale web`: start and stop processes in order, and restart them.

The supervisor is one thread in a loop. `look_around` takes one short step for each part.
Children are forks of the supervisor. The bundled server is a program of its own (`valkey`).

    starting   until all children were ready once; StartFailed ends the supervisor
    watching   restarts ended and hanging children, until `stopping`
    stopping   asks all children to end, then ends the server

States of a child in `look_around`:

    waiting    no process; its pause is not over, or `_may_start` does not allow a start
    started    a process that is not ready yet
    ready      `announced`: a heartbeat was heard, and the journal is checked
    ended      the process has an exit code, and `_clear_away` makes it waiting

The web processes may start while the bundled server loads. Other children need a checked journal,
and later, for a restart, a server that takes writes. The file `_unchecked` tells the web processes
that the journal is not checked yet.

A worker hangs:

1. Its heartbeats stop. After `patience` seconds of the active clock `_end_what_hangs` kills it.
2. The next `look_around` finds the exit code. `_clear_away` reports it, and `Restarts` plans the
   next start: at once, or after a pause for crashes in a row.
3. `_start` forks again once the child is due and may start. Its first heartbeat makes it ready.

The supervisor is killed: nobody reads the pipe of the heartbeats any more, so each child ends
itself. On Linux the kernel ends the bundled server, elsewhere a child does.
"""

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

from service.base.config import Config
from service.base.environment import METRICS_DIRECTORY
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

# A process hangs after this silence, and is killed. Heartbeats come every second, but a machine
# short of processors may not run the thread for many seconds.
_PATIENCE_SECONDS = 30.0

_IN_LINE = 128  # waiting connections on a socket shared by web processes
_WEB_STOP_SECONDS = 3.0  # time to answer the running requests


def serve(config: Config, load_app: LoadApp, load_worker: LoadWorker | None = None) -> None:
    """Run everything, or the web processes alone, until Ctrl-C, SIGTERM or SIGHUP.

    load_worker: None for the web processes alone.
    Raises StartFailed, EmbeddedError, Unsafe, PortTaken or DataUnusable.
    """
    logs.setup(config.log_level)
    supervisor = Supervisor(config, load_app, load_worker)

    def stop(_number: int, _frame: FrameType | None) -> None:
        supervisor.stopping = True  # a signal handler may take no lock

    for signal_number in SIGNALS:
        signal.signal(signal_number, stop)

    try:
        supervisor.start_all()
        supervisor.watch()
    finally:
        supervisor.stop_all()


@dataclass(slots=True)
class Supervisor:
    """The parent of all processes of a service.

    config: the settings. `start_all` adds the port and the address of the bundled server.
    load_app, load_worker: load the code of the children. load_worker is None for the web processes
        alone.
    children: the child processes.
    server: the bundled server, None if the journal is elsewhere.
    checked: True if `preflight` has passed the journal.
    starting: True while children become ready for the first time.
    stopping: True if everything is to end.
    clock: counts only while this process runs.
    watchdog: reads the heartbeats of the children.
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
        """Path of the note for web processes: the journal is not checked yet."""
        return preflight.unchecked_note(self.watchdog.pipe)

    @property
    def _metrics(self) -> Path:
        """Default directory for the metrics of the web processes.

        The files are mapped into the processes. If the disk is full, a process that makes such a
        file longer dies of SIGBUS. Beside the pipe the files are in memory, if the system can.
        """
        return self.watchdog.pipe.with_name("metrics")

    def start_all(self) -> None:
        """Start everything and print the URL. Raises StartFailed if a child does not come up.

        While the bundled server loads, the web processes say so in their responses.
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
        """Restart crashed processes, until everything is to end."""
        while not self._pause(_TICK_SECONDS):
            self.look_around()

    def look_around(self) -> None:
        """Look at every part once, and restart ended processes."""
        self.clock.tick()
        if self.server is not None:
            self.server.look_after()
            self._check_journal(self.server)

        self.watchdog.listen()
        for child in self.children:
            self._look_after(child)
            self._end_what_hangs(child)

    def stop_all(self) -> None:
        """Stop the children together, and the server after them."""
        stop_together(self.children)
        if self.server is not None:
            self.server.stop()
        self.watchdog.close()

    def _pause(self, seconds: float) -> bool:
        """Wait. Return True if everything is to end."""
        time.sleep(seconds)
        return self.stopping

    def _check_journal(self, server: JournalServer) -> None:
        """Check the journal of the bundled server once, as soon as it is ready."""
        if server.ready and not self.checked:
            self._check()
            self._unchecked.unlink()
            self.checked = True

    def _check(self, patience_s: float = 0.0) -> None:
        """Check the journal, and print a warning if there is one.

        patience_s: time to wait for replicas that are not in step yet.
        """
        warning = preflight.check(self.config, patience_s, lambda: self.stopping)
        if warning:
            click.echo(f"WARNING: {warning}", err=True)

    def _look_after(self, child: Child) -> None:
        """Restart a crashed child, and report a ready one."""
        if child.exit_code is not None:
            self._clear_away(child, how_it_ended(child.exit_code))

        if child.due and self._may_start(child):
            self._start(child)
        elif self.checked and not child.announced and self.watchdog.has_heard(child.pid):
            child.console.print("ready" if self.starting else "ready again")
            child.note_ready()

    def _start(self, child: Child) -> None:
        """Start a child. A failure is reported. During the first start it raises StartFailed."""
        try:
            child.start(self._environment(), self.clock.seconds)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            if self.starting:
                raise StartFailed(f"{child.name} cannot be started: {reason}") from None
            child.console.print(f"cannot be started ({reason}), retrying")

    def _clear_away(self, child: Child, how: str) -> None:
        """Report the end of a child, and plan its next start.

        Raises StartFailed if the child ended during the first start before it was ready.
        """
        if self.starting and not child.announced:
            fact = f"{child.name} ended at its start ({how})"
            raise StartFailed(f"{fact}. Its messages are above")

        when = "" if self._may_start(child) else " once the journal takes moves"
        child.console.print(f"ended ({how}), restarting{when}")
        self.watchdog.forget(child.pid)
        child.note_crash()

    def _may_start(self, child: Child) -> bool:
        """Return True if the journal is ready for a child, or the child does not need it."""
        if not child.needs_journal:
            return True
        return self.checked and (self.starting or self.server is None or self.server.writable)

    def _end_what_hangs(self, child: Child) -> None:
        """Kill a child after too long a silence, or if it is late to be ready.

        During the first start raises StartFailed instead, unless the child was ready before.
        """
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
        child.console.print(f"{how}, and was killed")
        child.kill()

    def _is_late(self, child: Child) -> bool:
        """Return True if a child should be ready by now, and is not."""
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

        Outside Linux the environment has the process id of the server, too, so that an orphaned
        child can end the server.
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
    """Return all child processes, not yet started, in the order of their start.

    The code of the children is loaded now, while the bundled server starts. After that the garbage
    collector skips all loaded objects, so that the children keep sharing their memory.
    """
    from service.ops.process import web

    make_app = load_app()
    # Linux spreads the connections of a port over several sockets. Elsewhere all share one.
    shared = None if sys.platform == "linux" else web.listen(config.host, config.port, _IN_LINE)
    # Several services on one machine, such as in containers, begin at different cores.
    first_core = random.randrange(os.cpu_count() or 1)
    webs = [
        Child(
            name="web",
            run=web.run,
            arguments=(make_app, shared, first_core + number),
            patience=_PATIENCE_SECONDS,
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
        Child(name=kind, run=run, arguments=(kind,), patience=_PATIENCE_SECONDS)
        for kind in [*QUEUES, "scheduler"]
        if kind != WEBHOOK_JOBS or config.hooks
    ]


def _at_server(config: Config, url: str) -> Config:
    """Return the settings with the server's address, and the queues beside it unless set."""
    return replace(config, journal_url=url, queue_url=config.queue_url or beside(url))
