"""Wakes of requests: in their order, soon, and never in the way."""

import subprocess
import sys
import threading

import pytest

from service.jobs.queues import Waker

WAKE_AND_END = """
import time
from service.jobs.queues import Waker

def wake(match, version, work):
    time.sleep(0.01)
    print(match, version, work)

waker = Waker(wake)
for version in range(3):
    waker.wake("m", version, "bots")
"""


def test_wakes_come_in_their_order() -> None:
    """A thread hands them on as they were given."""
    done: list[tuple[str, int, str]] = []
    waker = Waker(lambda *wake: done.append(wake))

    for version in range(100):
        waker.wake("m", version, "bots")
    waker.flush()

    assert done == [("m", version, "bots") for version in range(100)]


def test_nobody_waits_for_a_wake_that_takes_long(caplog: pytest.LogCaptureFixture) -> None:
    """What is too much is dropped and logged: the keeper wakes it."""
    go_on = threading.Event()
    done: list[int] = []

    def wake(_match: str, version: int, _work: str) -> None:
        go_on.wait(10)
        done.append(version)

    waker = Waker(wake, most_at_hand=2)
    for version in range(5):
        waker.wake("m", version, "bots")
    go_on.set()
    waker.flush()

    assert done == [0, 1]
    assert caplog.messages == ["a wake was dropped"] * 3

    waker.wake("m", 5, "bots")
    waker.flush()
    assert done == [0, 1, 5], "there is room again"


def test_what_is_at_hand_is_done_before_the_process_ends() -> None:
    """A normal stop loses no wake."""
    ended = subprocess.run(
        [sys.executable, "-c", WAKE_AND_END],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )

    assert ended.stdout.splitlines() == ["m 0 bots", "m 1 bots", "m 2 bots"]
