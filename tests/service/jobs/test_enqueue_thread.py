"""Jobs that requests enqueue: in their order, soon, and never in the way."""

import subprocess
import sys
import threading

import pytest

from service.jobs.queues import EnqueueThread

ENQUEUE_AND_END = """
import time
from service.jobs.queues import EnqueueThread

def enqueue(match, version, awaiting):
    time.sleep(0.01)
    print(match, version, awaiting)

thread = EnqueueThread(enqueue)
for version in range(3):
    thread.enqueue("m", version, "bots")
"""


def test_jobs_are_enqueued_in_their_order() -> None:
    """A thread enqueues them as they were given."""
    done: list[tuple[str, int, str]] = []
    thread = EnqueueThread(lambda *job: done.append(job))

    for version in range(100):
        thread.enqueue("m", version, "bots")
    thread.flush()

    assert done == [("m", version, "bots") for version in range(100)]


def test_no_request_waits_for_a_server_that_takes_long(caplog: pytest.LogCaptureFixture) -> None:
    """What is too much is dropped and logged: the scheduler enqueues it."""
    go_on = threading.Event()
    done: list[int] = []

    def enqueue(_match: str, version: int, _awaiting: str) -> None:
        go_on.wait(10)
        done.append(version)

    thread = EnqueueThread(enqueue, most_at_hand=2)
    for version in range(5):
        thread.enqueue("m", version, "bots")
    go_on.set()
    thread.flush()

    assert done == [0, 1]
    assert caplog.messages == ["a job was dropped"] * 3

    thread.enqueue("m", 5, "bots")
    thread.flush()
    assert done == [0, 1, 5], "there is room again"


def test_what_is_at_hand_is_done_before_the_process_ends() -> None:
    """A normal stop loses no wake."""
    ended = subprocess.run(
        [sys.executable, "-c", ENQUEUE_AND_END],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )

    assert ended.stdout.splitlines() == ["m 0 bots", "m 1 bots", "m 2 bots"]
