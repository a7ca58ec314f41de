"""Restarts of ended parts: at once if they had served, else after growing pauses."""

import errno
import os
import signal
from pathlib import Path

import pytest

from service.ops.process import child
from service.ops.process.child import Child, Restarts, StartFailed
from service.ops.process.heartbeat import ActiveClock
from service.ops.process.journal_server import JournalServer
from service.ops.process.supervisor import Supervisor
from tests.running import until
from tests.service.ops.process.parts import beat
from tests.service.ops.process.supervising import look_until, settings, start
from workers.giornale import load_app

# A test forks as the supervisor does, but has threads. Newer Pythons warn of it.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")

STARTING = 2.0  # seconds from a start until the part is ready
A_WHILE = 1.5  # seconds of service before a part is killed
NO_TIME = 0.1
STEP = 0.05

LIFE = tuple[float | None, float]  # seconds until it is ready, if it ever is; and until its end


class Clock:
    """A clock in place of `time.monotonic`."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def monotonic(self) -> float:
        """Return the time."""
        return self.seconds

    def sleep_until_due(self, planned: Restarts) -> float:
        """Let time pass until a start is due, and return the elapsed seconds."""
        began = self.seconds
        while not planned.due:
            self.seconds += STEP
        return self.seconds - began


@pytest.mark.parametrize(
    ("lives", "pauses"),
    [
        ([(STARTING, A_WHILE)] * 4, [0.0, 0.0, 0.0, 0.0]),
        ([(None, NO_TIME)] * 7, [0.0, 0.2, 0.4, 0.8, 1.6, 3.0, 3.0]),
        ([(STARTING, NO_TIME)] * 3, [0.0, 0.2, 0.4]),
        ([(None, NO_TIME)] * 3 + [(STARTING, A_WHILE)], [0.0, 0.2, 0.4, 0.0]),
        ([(STARTING, A_WHILE), (None, NO_TIME), (None, NO_TIME)], [0.0, 0.2, 0.4]),
    ],
    ids=["served", "never-ready", "ends-when-ready", "served-at-last", "served-before"],
)
def test_pauses_grow_only_over_crashes_before_serving(
    monkeypatch: pytest.MonkeyPatch, lives: list[LIFE], pauses: list[float]
) -> None:
    """A part that is killed after a while of service comes back without a pause."""
    clock = Clock()
    monkeypatch.setattr(child, "time", clock)
    planned = Restarts()

    waited = []
    for seconds_to_ready, seconds_to_end in lives:
        if seconds_to_ready is not None:
            clock.seconds += seconds_to_ready
            planned.note_ready()
        clock.seconds += seconds_to_end
        planned.note_crash()
        waited.append(clock.sleep_until_due(planned))

    assert waited == pytest.approx(pauses, abs=2 * STEP)


@pytest.fixture
def long_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any ready part has served, and any pause is longer than a test waits."""
    monkeypatch.setattr(child, "_STEADY_SECONDS", 0)
    monkeypatch.setattr(child, "_FIRST_PAUSE_SECONDS", 1000)
    monkeypatch.setattr(child, "_LONGEST_PAUSE_SECONDS", 1000)


def test_a_server_that_was_ready_is_back_at_once(long_pauses: None, tmp_path: Path) -> None:
    """A ready server that is killed three times in a row is back without a pause."""
    server = JournalServer(tmp_path / "journal", 0, ActiveClock())
    try:
        start(server)
        for _ in range(3):
            assert server.pid is not None
            os.kill(server.pid, signal.SIGKILL)
            look_until(server.look_after, lambda: not server.ready)
            look_until(server.look_after, lambda: server.ready)
    finally:
        server.stop()


def test_a_first_start_that_cannot_succeed_ends(tmp_path: Path) -> None:
    """A child that ends at the first start ends it, since the user is there to read the reason."""
    supervisor = Supervisor(settings(tmp_path), load_app)
    supervisor.starting = True
    supervisor.children = [Child(name="web", run=lambda: 3, needs_journal=False)]
    try:
        with pytest.raises(StartFailed, match=r"web ended at its start \(exit code 3\)"):
            look_until(supervisor.look_around, lambda: False)
    finally:
        supervisor.stop_all()


NO_ROOM = os.strerror(errno.EAGAIN).lower()


def refuse_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every fork fail for lack of resources."""

    def refuse() -> int:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(os, "fork", refuse)


def open_files() -> int:
    """Return the number of this process's open files."""
    return len(list(Path("/dev/fd").iterdir()))


def test_a_first_start_without_room_for_a_process_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A first start that cannot fork ends at once, with the reason."""
    supervisor = Supervisor(settings(tmp_path), load_app)
    supervisor.starting = True
    supervisor.children = [Child(name="web", run=beat, needs_journal=False)]
    try:
        refuse_forks(monkeypatch)
        with pytest.raises(StartFailed, match=f"web cannot be started: {NO_ROOM}"):
            supervisor.look_around()
    finally:
        supervisor.stop_all()


def test_a_later_start_without_room_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Each try says why it failed and leaves no file open. When there is room, the child starts."""
    monkeypatch.setattr(child, "_FIRST_PAUSE_SECONDS", 0)
    web = Child(name="web", run=beat, needs_journal=False)
    supervisor = Supervisor(settings(tmp_path), load_app)
    supervisor.children = [web]
    files = open_files()
    try:
        with monkeypatch.context() as full:
            refuse_forks(full)
            for _ in range(5):
                supervisor.look_around()

        assert open_files() == files
        assert capsys.readouterr().out.count(f"cannot be started ({NO_ROOM})") == 5
        look_until(supervisor.look_around, lambda: web.announced)
    finally:
        supervisor.stop_all()


def test_a_child_takes_signals_as_a_new_process_does(tmp_path: Path) -> None:
    """A child does not use its supervisor's handler of SIGTERM."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    child_process = Child(name="web", run=beat)
    supervisor = Supervisor(settings(tmp_path), load_app)
    supervisor.children = [child_process]
    try:
        look_until(supervisor.look_around, lambda: child_process.announced)
        assert child_process.pid is not None
        os.kill(child_process.pid, signal.SIGTERM)
        until(lambda: child_process.exit_code == -signal.SIGTERM, "its end")
    finally:
        signal.signal(signal.SIGTERM, before)
        supervisor.stop_all()


def test_a_child_that_was_ready_is_back_at_once(long_pauses: None, tmp_path: Path) -> None:
    """A child that is killed several times after it was ready is restarted without a pause."""
    sleeper = Child(name="web", run=beat, needs_journal=False)
    supervisor = Supervisor(settings(tmp_path), load_app)
    supervisor.children = [sleeper]
    try:
        for _ in range(4):
            look_until(supervisor.look_around, lambda: sleeper.announced)
            assert sleeper.process is not None
            sleeper.process.kill()
            sleeper.process.join()
            look_until(supervisor.look_around, lambda: not sleeper.announced)
    finally:
        supervisor.stop_all()


def test_every_signal_that_ends_a_process_is_told() -> None:
    """Signals without a name, such as 40, are told by their numbers."""
    assert child.how_it_ended(3) == "exit code 3"
    assert child.how_it_ended(-signal.SIGKILL) == "signal SIGKILL"
    sentences = {child.how_it_ended(-number) for number in range(1, 65)}
    assert len(sentences) == 64
    assert child.how_it_ended(-40) == "signal 40"
