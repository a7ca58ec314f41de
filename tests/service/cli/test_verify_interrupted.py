"""What comes from outside while `giornale verify` works on many files."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.service.cli.conftest import Run
from tests.service.cli.shelf import Shelf


def at_the_first_record(monkeypatch: pytest.MonkeyPatch, action: Callable[[], None]) -> None:
    """Let something happen when the first result is there and processes work on the next ones."""

    @contextmanager
    def no_bar(_length: int) -> Iterator[Callable[[int], None]]:
        actions = iter([action])
        yield lambda _more: next(actions, lambda: None)()

    monkeypatch.setattr("service.cli.verify.records_bar", no_bar)


@pytest.fixture
def heeded_ctrl_c() -> Iterator[None]:
    """Ctrl-C is heeded, also where the tests run in the background of a shell."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, usual)


@pytest.mark.usefixtures("heeded_ctrl_c")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_an_interruption_ends_all_processes(
    run_alone: Run,
    shelf: Shelf,
    monkeypatch: pytest.MonkeyPatch,
    jobs: int,
    number: signal.Signals,
) -> None:
    """With 130, one word and no trace of Python; SIGTERM does afterwards what it did before."""
    usual = signal.getsignal(signal.SIGTERM)
    at_the_first_record(monkeypatch, lambda: os.kill(os.getpid(), number))

    result = run_alone("verify", "--jobs", jobs, *[shelf.plain] * 20)
    assert result.exit_code == 130
    assert result.stdout == ""
    assert result.stderr == "Interrupted.\n"
    assert multiprocessing.active_children() == []
    assert signal.getsignal(signal.SIGTERM) == usual


def test_a_process_that_dies_is_told(
    run_alone: Run, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No verdict is given then, and 2 says so."""

    def kill_one() -> None:
        multiprocessing.active_children()[0].kill()

    at_the_first_record(monkeypatch, kill_one)
    result = run_alone("verify", "--jobs", 2, *[shelf.plain] * 20)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == (
        "Error: a process was ended from outside (Killed); the machine may be short of memory\n"
    )
    assert multiprocessing.active_children() == []
