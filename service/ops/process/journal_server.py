"""The supervision of the bundled server: its start, progress of loading, and restarts.

The supervisor calls `look_after` several times a second. The call does not wait for loading.

    loading    the process runs, and the probe's answers report progress
    ready      the journal is loaded. Writes are accepted unless the disk is nearly full
    waiting    no process, until `Restarts` allows the next start

The server hangs or dies:

1. `_failure_of` finds an exit code, a long silence or a stuck start. `_note_end` kills the server,
   reports the failure and plans the next start.
2. `look_after` starts the server again once the start is due. The server loads its journal.
   `_note_ready` reports a torn end of the journal's file, if there was one.

A failure before the server was ever ready ends `giornale serve` (EmbeddedError). After a kill by a
signal the server is started again, until it has failed _FIRST_TRIES times in a row.
"""

from contextlib import suppress
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from service.base.datadir import DataUnusable, explained
from service.base.disk import DiskSpace
from service.ops.process.child import Restarts, how_it_ended
from service.ops.process.heartbeat import ActiveClock
from service.ops.process.logs import Console
from service.ops.process.server_files import EmbeddedError
from service.ops.process.valkey import LoadProgress, Server, room_in

# Longest silence of a running server before it is restarted. This time is long, because a server
# that waits for a slow disk is silent, too. A restart would read the whole journal from that disk.
SILENT_SECONDS = 20.0

_PROGRESS_SECONDS = 5.0  # between two lines about progress
_QUIET_SECONDS = 1.0  # time of loading before the first such line

# Largest number of starts of a server that was never ready and is killed each time.
_FIRST_TRIES = 3

_SETTING = "min-replicas-to-write"
_REFUSE = "1"  # this server never has a replica
_ALLOW = "0"

# Refused writes are accepted again once twice `DiskSpace.least` is free. At `least` itself the next
# write could make the server refuse again.
_TWICE = 2


class JournalServer:
    """The bundled server on a directory.

    ready: True if the server has loaded its journal and answers.
    tries: number of starts since the server was last ready.
    """

    def __init__(self, directory: Path, memory_mb: int, clock: ActiveClock) -> None:
        self.ready = False
        self.tries = 0

        self._directory = directory
        self._memory_mb = memory_mb
        self._clock = clock
        self._console = Console("journal")
        self._restarts = Restarts()
        self._guard = DiskGuard(directory)

        self._server: Server | None = None
        self._next_progress_at = 0.0
        self._was_ready = False

    @property
    def writable(self) -> bool:
        """True if the server answers and accepts writes."""
        return self.ready and not self._guard.refuses

    @property
    def pid(self) -> int | None:
        """The server's process id, None without a process."""
        return None if self._server is None else self._server.pid

    def start(self) -> None:
        """Start the server without waiting for its readiness.

        Raises EmbeddedError or DataUnusable.
        """
        with explained(self._directory):
            self._server = Server(
                self._directory,
                self._memory_mb,
                wait=False,
                arguments=self._guard.arguments(),
                clock=lambda: self._clock.seconds,
            )
        self.tries += 1
        self._next_progress_at = self._clock.seconds + _QUIET_SECONDS

    def look_after(self) -> None:
        """Read the server's answer. End a hanging server, and start an ended one again.

        Raises EmbeddedError if the server fails before it was ever ready. The first kills by a
        signal only cause restarts.
        """
        if self._server is None:
            if self._restarts.due:
                self._start_again()
            return

        answer = self._server.probe.take()
        if answer is not None:
            self._hear(answer, self._server)
        failure = self._failure_of(self._server)
        if failure:
            self._note_end(self._server, failure)

    def stop(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.stop()

    def _hear(self, answer: LoadProgress, server: Server) -> None:
        if answer.loading:
            self._report_progress(answer)
            return

        if not self.ready:
            self._note_ready(server)
        news = self._guard.look(server.probe.client)
        if news:
            self._console.print(news)

    def _report_progress(self, answer: LoadProgress) -> None:
        now = self._clock.seconds
        if now >= self._next_progress_at:
            self._console.print(answer.progress)
            self._next_progress_at = now + _PROGRESS_SECONDS

    def _note_ready(self, server: Server) -> None:
        torn = server.note_torn_end()
        if torn:
            self._console.print(torn)

        self._console.print("ready again" if self._was_ready else "ready")
        self.ready = self._was_ready = True
        self.tries = 0
        self._restarts.note_ready()

    def _failure_of(self, server: Server) -> str:
        """Return the server's exit or the reason to kill it, in words. "": no failure."""
        if server.exit_code is not None:
            return how_it_ended(server.exit_code)
        if self.ready and server.probe.silence > SILENT_SECONDS:
            return f"did not answer for {SILENT_SECONDS:.0f} s"
        return server.standstill if not self.ready else ""

    def _note_end(self, server: Server, how: str) -> None:
        """Report the server's end, and plan the next start.

        Raises EmbeddedError if there is no next start.
        """
        was_killed = (server.exit_code or 0) < 0
        has_hung = server.exit_code is None
        server.kill()
        self._server = None
        self.ready = False
        self._restarts.note_crash()

        tried_on = was_killed and self._restarts.crashes_in_a_row < _FIRST_TRIES
        if not (self._was_ready or tried_on):
            raise server.failed_start(how if has_hung else "ended at its start")

        # Report the first of several ends in a row, and a later end if its reason is new.
        if self.tries == 0:
            self._console.print(f"ended ({how}), restarting")
        elif was_killed or has_hung:
            self._console.print_once(f"ended at its start ({how}), retrying")
        if not (was_killed or has_hung):
            self._console.print_once(server.reason())

    def _start_again(self) -> None:
        """Start the server. Report a failure, and plan the next attempt."""
        try:
            self.start()
        except (EmbeddedError, DataUnusable) as error:
            self._restarts.note_crash()
            self._console.print_once(f"cannot be started, retrying: {error}")


class DiskGuard:
    """Makes a server refuse writes while the disk of its directory is nearly full.

    With `appendfsync always` a server ends when a write to the disk fails. So the guard makes it
    refuse writes earlier, by a minimum of one replica, and it still answers reads.

    refuses: True if writes are refused now.
    """

    def __init__(self, directory: Path) -> None:
        self.refuses = False
        self._has_said = False
        self._directory = directory

    def arguments(self) -> list[str]:
        """Look at the disk. Return arguments to refuse writes from the start, [] for none."""
        self.refuses = _is_used_up(self._directory)
        return [f"--{_SETTING}", _REFUSE] if self.refuses else []

    def look(self, client: Redis) -> str:
        """Look at the disk, and make the server refuse writes or accept them again.

        Return a text for the console after a change, "" without a change.
        """
        is_used_up = _is_used_up(self._directory, _TWICE if self.refuses else 1)
        if is_used_up != self.refuses:
            with suppress(RedisError):  # the next look tries again
                client.config_set(_SETTING, _REFUSE if is_used_up else _ALLOW)
                self.refuses = is_used_up

        if self.refuses == self._has_said:
            return ""
        self._has_said = self.refuses
        if not self.refuses:
            return "takes moves again"
        return (
            f"takes no moves, since the disk is full: {room_in(self._directory)}. Make room there"
        )


def _is_used_up(directory: Path, times: int = 1) -> bool:
    try:
        space = DiskSpace.of(directory)
    except OSError:
        return False
    return space.free < times * space.least
