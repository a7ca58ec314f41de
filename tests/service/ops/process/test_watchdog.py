"""Heartbeats: a hanging part is ended and restarted, a busy or sleeping one is not."""

import errno
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.base.datadir import DataUnusable
from service.ops.process import heartbeat
from service.ops.process.child import Child
from service.ops.process.heartbeat import ActiveClock, Heartbeat, Watchdog
from service.ops.process.supervisor import Supervisor
from tests.running import PATIENCE, until
from tests.service.ops.process.parts import beat, sleep
from tests.service.ops.process.supervising import look_until, settings
from workers.giornale import load_app

# A test forks as the supervisor does, but has threads. Newer Pythons warn of it.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")

PATIENT_SECONDS = 5.0
LONG_PAUSE = 3600.0  # seconds: a night with the lid closed


class Beating:
    """A supervisor with one child under the test's control."""

    def __init__(self, data: Path, run: Callable[[], None]) -> None:
        self.supervisor = Supervisor(settings(data), load_app)
        self.child = Child(name="web", run=run, patience=PATIENT_SECONDS)
        self.supervisor.children = [self.child]

    def look_until(self, condition: Callable[[], object]) -> None:
        """Let the supervisor look around until something is true."""
        look_until(self.supervisor.look_around, condition)

    def start(self) -> int:
        """Start the child, wait until it is ready and return its process id."""
        self.look_until(lambda: self.child.announced)
        assert self.child.pid is not None
        return self.child.pid

    def is_another(self, pid: int) -> bool:
        """Return True if the child is ready, in another process than this one."""
        return self.child.announced and self.child.pid not in (None, pid)


@pytest.fixture
def beating(tmp_path: Path) -> Iterator[Beating]:
    """A beating child."""
    instance = Beating(tmp_path, beat)
    yield instance
    instance.supervisor.stop_all()


@pytest.fixture
def watchdog() -> Iterator[Watchdog]:
    """A pipe with a reader."""
    opened = Watchdog(ActiveClock())
    yield opened
    opened.close()


def hears(watchdog: Watchdog) -> bool:
    """Return True if this process has given a sign since the last look."""
    watchdog._heard_at.clear()
    watchdog.listen()
    return watchdog.has_heard(os.getpid())


def test_a_child_that_hangs_is_started_again(
    beating: Beating, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stopped process gives no sign of life. After the limit it is killed and replaced."""
    hanging = beating.start()
    os.kill(hanging, signal.SIGSTOP)
    beating.supervisor.look_around()  # at its earlier signs
    beating.supervisor.clock.seconds += PATIENT_SECONDS - 2  # a look may add one
    beating.supervisor.look_around()
    assert not beating.is_another(hanging)
    assert beating.child.exit_code is None

    beating.supervisor.clock.seconds += 3
    beating.look_until(lambda: beating.is_another(hanging))
    lines = [line.removeprefix("web      ") for line in capsys.readouterr().out.splitlines()]
    assert lines[1:3] == [
        "gave no sign of life for 5 s, and was killed",
        "ended (signal SIGKILL), restarting",
    ]


def test_nobody_is_ended_because_the_machine_slept(
    beating: Beating, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After hours of sleep the supervisor counts no child as silent."""
    pid = beating.start()
    before_sleep = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: before_sleep() + LONG_PAUSE)
    beating.supervisor.look_around()
    beating.supervisor.look_around()

    assert beating.child.pid == pid
    assert beating.child.exit_code is None


def test_a_child_that_never_becomes_ready_is_ended(tmp_path: Path) -> None:
    """A child that hangs at its start, before any sign of life, is replaced after a minute."""
    silent = Beating(tmp_path, sleep)
    try:
        silent.supervisor.look_around()
        process = silent.child.process
        assert process is not None

        silent.supervisor.clock.seconds += 61
        silent.look_until(lambda: silent.child.process not in (None, process))
    finally:
        silent.supervisor.stop_all()


def test_a_number_that_another_process_has_now_counts_anew(watchdog: Watchdog) -> None:
    """Signs of an ended process do not count for the next one with its process id."""
    Heartbeat(str(watchdog.pipe), at_end=list).beat(loops=False)
    until(lambda: hears(watchdog), "a sign")
    watchdog.forget(os.getpid())
    assert not watchdog.has_heard(os.getpid())


def test_a_loop_that_hangs_gives_no_signs(
    watchdog: Watchdog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the loop hangs, signs stop although a thread lives on.

    When the loop beats, they return.
    """
    clock = SimpleNamespace(now=0.0)
    own_time = SimpleNamespace(monotonic=lambda: clock.now)
    monkeypatch.setattr(heartbeat, "time", own_time)
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.01)
    monkeypatch.setattr(heartbeat, "STILL_SECONDS", 1.0)
    own = Heartbeat(str(watchdog.pipe), at_end=list)
    own.beat(loops=True)
    until(lambda: hears(watchdog), "the first sign")
    until(lambda: hears(watchdog), "another sign")
    clock.now += 1.5
    until(lambda: silent_for_a_while(watchdog), "silence")

    def signs_again() -> bool:
        own.beat(loops=True)
        return hears(watchdog)

    until(signs_again, "signs again")


def test_a_process_that_has_no_loop_is_never_still(
    watchdog: Watchdog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process without a loop, such as a web process, a sign only proves that threads run."""
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.01)
    monkeypatch.setattr(heartbeat, "STILL_SECONDS", 0.0)
    Heartbeat(str(watchdog.pipe), at_end=list).beat(loops=False)
    until(lambda: hears(watchdog), "the first sign")
    until(lambda: hears(watchdog), "another sign")


def test_a_process_ends_when_nobody_reads_the_pipe() -> None:
    """A killed supervisor leaves the pipe behind. A process that writes there removes it, and ends.

    Even a process without a sign so far does so.
    """
    ended = threading.Event()
    watchdog = Watchdog(ActiveClock())
    Heartbeat(str(watchdog.pipe), at_end=ended.set)
    assert not ended.is_set()

    watchdog._hear_no_more()
    assert ended.wait(PATIENCE)
    assert not watchdog.pipe.parent.exists()


def test_a_machine_without_room_for_the_pipe_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """If no temporary directory can be made, the error has the reason and names TMPDIR."""

    def refuse(**_named: object) -> str:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with pytest.raises(DataUnusable, match=r"TMPDIR: .* read-only file system"):
        Watchdog(ActiveClock())


def test_without_dev_shm_the_pipe_lies_with_temporary_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without /dev/shm, as on macOS, the pipe is in the directory of temporary files."""
    monkeypatch.setattr(heartbeat, "_MEMORY", tmp_path / "none")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    opened = Watchdog(ActiveClock())
    opened.close()
    assert opened.pipe.parent.parent == tmp_path


def silent_for_a_while(watchdog: Watchdog) -> bool:
    """Return True if this process gives no sign for many beats."""
    hears(watchdog)
    time.sleep(0.2)
    return not hears(watchdog)
