"""The web's main process replaces whatever dies of it, and never gives up once it has served."""

from typing import Any

import pytest
from granian.server import common

from service.process import child
from service.process.web import WebServer

DEATHS = 6


class Process:
    """A process that dies as soon as it is started, or at last has the whole server stop."""

    def __init__(self, server: "Server", number: int) -> None:
        self._server = server
        self._number = number

    def start(self) -> None:
        """Die, as Granian notices it."""
        self._server.started += 1
        if self._server.started > DEATHS:
            self._server.signal_handler_interrupt()
            return

        self._server.interrupt_children.append(self._number)
        self._server.main_loop_interrupt.set()

    def terminate(self) -> None:
        """Do nothing: it is dead."""

    def join(self, _seconds: float | None = None) -> None:
        """Return at once: it is dead."""


class Server(WebServer):
    """Granian with such processes; started: how many."""

    started = 0

    def _spawn_worker(self, idx: int, **_more: Any) -> Process:
        return Process(self, idx)

    def live(self) -> int:
        """Start and replace processes until the end; return how many were started."""
        self._spawn_workers(None, None)
        self._serve_loop(None, None)
        return self.started


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server with one process that answered once."""
    monkeypatch.setattr(common, "configure_logging", lambda *_: None)
    made = Server("nothing:here", workers=1, respawn_failed_workers=True)
    made.note_ready()
    return made


def test_a_process_that_dies_again_and_again_is_replaced(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two deaths within seconds end nothing."""
    monkeypatch.setattr(child, "_FIRST_PAUSE_SECONDS", 0.001)
    assert server.live() == DEATHS + 1


def test_a_process_that_had_lived_is_replaced_at_once(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pauses are for those that die as they start."""
    monkeypatch.setattr(child, "_STEADY_SECONDS", 0)
    monkeypatch.setattr(child, "_FIRST_PAUSE_SECONDS", 1000)
    monkeypatch.setattr(child, "_LONGEST_PAUSE_SECONDS", 1000)
    assert server.live() == DEATHS + 1


def test_a_stop_does_not_wait_for_a_pause(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is told to end while it waits ends, and starts nothing more."""
    monkeypatch.setattr(child, "_FIRST_PAUSE_SECONDS", 1000)
    monkeypatch.setattr(child, "_LONGEST_PAUSE_SECONDS", 1000)

    def be_told(seconds: float) -> None:
        if seconds:
            server.signal_handler_interrupt()

    monkeypatch.setattr("service.process.web.time.sleep", be_told)
    assert server.live() == 2


def test_a_start_that_cannot_succeed_ends(server: Server) -> None:
    """Before any process has answered the reason is told to whoever made the start."""
    server._has_answered = False
    assert server.live() == 2
