"""Signs of life: what hangs is ended and started again, what is busy or was asleep is not."""

import errno
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.datadir import DataUnusable
from service.process import heartbeat
from service.process.child import HANDOVER_SECONDS, Child
from service.process.heartbeat import ActiveClock, Heartbeat, Watchdog
from service.process.supervisor import Supervisor
from tests.running import PATIENCE, until
from tests.service.process.parts import BEATING
from tests.service.process.supervising import look_until, settings

# A test forks as the supervisor does, but has threads; newer Pythons warn of that.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")

PATIENT_SECONDS = 5.0
LONG_PAUSE = 3600.0  # seconds: a night with the lid closed


class Parts:
    """A supervisor with one part of which a test knows everything."""

    def __init__(self, data: Path, *arguments: str, overlaps: bool = False) -> None:
        self.supervisor = Supervisor(settings(data))
        self.watchdog = self.supervisor.watchdog
        self.child = Child(
            name="web",
            run=BEATING,
            ready=self.is_ready,
            arguments=arguments,
            patience=PATIENT_SECONDS,
            overlaps=overlaps,
        )
        self.processes = 1 + len(arguments)
        self.supervisor.children = [self.child]

    def is_ready(self, pid: int) -> bool:
        """Return whether all processes of the part have given a sign."""
        return self.watchdog.has_heard(pid) and len(self.watchdog.members(pid)) == (
            self.processes - 1
        )

    def look_until(self, condition: Callable[[], object]) -> None:
        """Let the supervisor look around until something is true."""
        look_until(self.supervisor.look_around, condition)

    def start(self) -> int:
        """Start the part, wait until it is ready and return its process id."""
        self.look_until(lambda: self.child.announced)
        assert self.child.pid is not None
        return self.child.pid

    def is_another(self, pid: int) -> bool:
        """Return whether the part is ready, in another process than this one."""
        return self.child.announced and self.child.pid not in (None, pid)


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    """A part of one process."""
    part = Parts(tmp_path)
    yield part
    part.supervisor.stop_all()


@pytest.fixture
def parts_with_member(tmp_path: Path) -> Iterator[Parts]:
    """A part of two processes, of which the second may outlive the first."""
    part = Parts(tmp_path, "with-member", overlaps=True)
    yield part
    part.supervisor.stop_all()


@pytest.fixture
def watchdog() -> Iterator[Watchdog]:
    """A pipe that somebody reads."""
    opened = Watchdog(ActiveClock())
    yield opened
    opened.close()


def hears(watchdog: Watchdog) -> bool:
    """Return whether this process has given a sign since the last look."""
    watchdog._beats.clear()
    watchdog.listen()
    return watchdog.has_heard(os.getpid())


def test_a_part_that_hangs_is_started_again(
    parts: Parts, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stopped process gives no signs; after its time it is killed, and another one is there."""
    hanging = parts.start()
    os.kill(hanging, signal.SIGSTOP)
    parts.supervisor.look_around()  # at what it had said before
    parts.supervisor.clock.seconds += PATIENT_SECONDS - 2  # a look may add one
    parts.supervisor.look_around()
    assert not parts.is_another(hanging)
    assert parts.child.exit_code() is None

    parts.supervisor.clock.seconds += 3
    parts.look_until(lambda: parts.is_another(hanging))
    lines = [line.removeprefix("web      ") for line in capsys.readouterr().out.splitlines()]
    assert lines[1:3] == [
        "it gave no sign of life for 5 s, and is ended",
        "ended (signal SIGKILL); it is started again",
    ]


def test_a_hanging_process_of_a_part_is_ended_alone(parts_with_member: Parts) -> None:
    """The part itself goes on: it starts another process for the one that hung."""
    part = parts_with_member.start()
    [member] = parts_with_member.watchdog.members(part)
    os.kill(member, signal.SIGSTOP)
    parts_with_member.supervisor.look_around()

    def forgotten() -> bool:
        parts_with_member.supervisor.clock.seconds += 1
        parts_with_member.look_until(lambda: parts_with_member.watchdog.silence(part) < 1)
        return member not in parts_with_member.watchdog.members(part)

    until(forgotten, "the process that hangs is forgotten")
    until(lambda: state_of(member) in ("Z", ""), "its end")
    assert parts_with_member.child.exit_code() is None


def test_what_is_left_of_a_part_goes_on_until_the_next_is_ready(parts_with_member: Parts) -> None:
    """When the first process is killed the second stays for a moment beside the new ones."""
    part = parts_with_member.start()
    [member] = parts_with_member.watchdog.members(part)

    os.kill(part, signal.SIGKILL)
    parts_with_member.look_until(lambda: parts_with_member.is_another(part))
    assert state_of(member) in ("S", "R")

    parts_with_member.supervisor.clock.seconds += 2 * HANDOVER_SECONDS
    parts_with_member.look_until(lambda: state_of(member) in ("Z", ""))


def test_nobody_is_ended_because_the_machine_slept(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a night without a look at anything a look finds nobody silent."""
    pid = parts.start()
    before_sleep = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: before_sleep() + LONG_PAUSE)
    parts.supervisor.look_around()
    parts.supervisor.look_around()

    assert parts.child.pid == pid
    assert parts.child.exit_code() is None


def test_a_part_that_never_becomes_ready_is_ended(parts: Parts) -> None:
    """One that hangs as it starts has given no sign that could fail to come again."""
    parts.processes = 9
    parts.supervisor.look_around()
    process = parts.child.process
    assert process is not None

    parts.supervisor.clock.seconds += 61
    parts.look_until(lambda: parts.child.process is not process)


def test_a_loop_that_hangs_gives_no_signs(
    watchdog: Watchdog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread may live on while what it speaks for does not; each sign of the loop starts anew."""
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.01)
    monkeypatch.setattr(heartbeat, "STILL_SECONDS", 0.1)
    own = Heartbeat(str(watchdog.pipe), at_end=list)
    own.beat(loops=True)
    until(lambda: hears(watchdog), "the first sign")
    until(lambda: silent_for_a_while(watchdog), "silence")

    own.beat(loops=True)
    until(lambda: hears(watchdog), "signs again")


def test_a_process_that_has_no_loop_is_never_still(
    watchdog: Watchdog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The threads of a web process answer for themselves; a sign says that they can run."""
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.01)
    monkeypatch.setattr(heartbeat, "STILL_SECONDS", 0.0)
    Heartbeat(str(watchdog.pipe), at_end=list).beat(loops=False)
    until(lambda: hears(watchdog), "the first sign")
    until(lambda: hears(watchdog), "another sign")


def test_a_process_ends_when_nobody_reads_the_pipe() -> None:
    """A supervisor that was killed leaves the pipe behind; who writes there removes it, and ends.

    Also a process that has not yet given a sign.
    """
    ended = threading.Event()
    watchdog = Watchdog(ActiveClock())
    Heartbeat(str(watchdog.pipe), at_end=ended.set)
    assert not ended.is_set()

    watchdog._hear_no_more()
    assert ended.wait(PATIENCE)
    assert not watchdog.pipe.parent.exists()


def test_a_machine_without_room_for_the_pipe_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing temporary can be made one sentence says so, and names the variable."""

    def refuse(**_named: object) -> str:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with pytest.raises(DataUnusable, match=r"TMPDIR: .* read-only file system"):
        Watchdog(ActiveClock())


def silent_for_a_while(watchdog: Watchdog) -> bool:
    """Return whether this process gives no sign for many beats."""
    hears(watchdog)
    time.sleep(0.2)
    return not hears(watchdog)


def state_of(pid: int) -> str:
    """Return the state of a process as `ps` tells it: S, T, Z ..., "" if there is none."""
    told = subprocess.run(
        ["/bin/ps", "-o", "stat=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout.strip()[:1]
