"""The bundled server under supervision: started, waited for while it loads, started again.

Nothing here waits: `look_after` is called several times a second, beside all else that the
supervisor looks after.
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

# So long a running server may be silent. Whoever has read or written this long has given up by
# then. A server that waits for its disk looks the same: it is given the time of a slow one, since
# a start would have to read the whole journal from that disk.
SILENT_SECONDS = 20.0

_PROGRESS_SECONDS = 5.0  # between two lines that say how far it has loaded
_QUIET_SECONDS = 1.0  # of loading before the first such line

# A server that is killed while it starts for the first time may start so often.
_FIRST_TRIES = 3

_SETTING = "min-replicas-to-write"
_REFUSE = "1"  # this server never has a replica
_ALLOW = "0"

# Writes are taken again when twice the room is free: else a write would make it refuse again.
_TWICE = 2


class JournalServer:
    """The bundled server on a directory.

    ready: whether it has loaded its journal and answers.
    tries: how often it was started since it was last ready.
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
        """Whether it answers and takes writes."""
        return self.ready and not self._guard.refuses

    @property
    def pid(self) -> int | None:
        """Its process id, None while it does not run."""
        return None if self._server is None else self._server.pid

    def start(self) -> None:
        """Start it, without waiting until it is ready; raises EmbeddedError or DataUnusable."""
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
        """Take in what it says; end it if it hangs, and start it again when it has ended.

        Raises EmbeddedError if it cannot even start for the first time.
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
        """End it."""
        if self._server is not None:
            self._server.stop()

    def _hear(self, answer: LoadProgress, server: Server) -> None:
        """Take in an answer."""
        if answer.loading:
            self._report_progress(answer)
            return

        if not self.ready:
            self._note_ready(server)
        news = self._guard.look(server.probe.client)
        if news:
            self._console.print(news)

    def _report_progress(self, answer: LoadProgress) -> None:
        """Say now and then how far it has loaded."""
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
        """Return how it has ended, or why it has to, "" if all is well."""
        if server.exit_code is not None:
            return how_it_ended(server.exit_code)
        if self.ready and server.probe.silence > SILENT_SECONDS:
            return f"gave no answer for {SILENT_SECONDS:.0f} s"
        return server.standstill if not self.ready else ""

    def _note_end(self, server: Server, how: str) -> None:
        """Say how it ended, and plan its next start; raises EmbeddedError if there is none."""
        was_killed = (server.exit_code or 0) < 0
        has_hung = server.exit_code is None
        server.kill()
        self._server = None
        self.ready = False
        self._restarts.note_crash()

        tried_on = was_killed and self._restarts.crashes_in_a_row < _FIRST_TRIES
        if not (self._was_ready or tried_on):
            raise server.failed_start(how if has_hung else "ended as soon as it started")

        # Of many ends in a row the first one and each new reason are reported.
        if self.tries == 0:
            self._console.print(f"ended ({how}); it is started again")
        elif was_killed or has_hung:
            self._console.print_once(f"ended as it started ({how}), which is tried again")
        if not (was_killed or has_hung):
            self._console.print_once(server.reason())

    def _start_again(self) -> None:
        """Start it; where that fails say so, and plan the next try."""
        try:
            self.start()
        except (EmbeddedError, DataUnusable) as error:
            self._restarts.note_crash()
            self._console.print_once(f"cannot be started, which is tried again: {error}")


class DiskGuard:
    """Keeps a server from writing while the disk of its directory is as good as full.

    With `appendfsync always` a server ends when a write fails, and would end again at each write.
    So writes are refused before, as in a server that has too few replicas. Reads go on.

    refuses: whether writes are refused now.
    """

    def __init__(self, directory: Path) -> None:
        self.refuses = False
        self._has_said = False
        self._directory = directory

    def arguments(self) -> list[str]:
        """Return what a server's command line needs, so that it starts as it should go on."""
        self.refuses = _is_used_up(self._directory)
        return [f"--{_SETTING}", _REFUSE] if self.refuses else []

    def look(self, client: Redis) -> str:
        """Look at the disk, and have the server refuse writes or take them again.

        Return what is new, "" if nothing is.
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
