"""Lines that are written together: all of them, whole, in their order, and the last ones too."""

import io
import json
import logging
import subprocess
import sys
import threading
from functools import partial

import pytest

from service.process import logs
from service.process.logs import Batches, JsonLines
from tests.running import PATIENCE, until

# A process that is forked as Granian forks a web process; it says a line and ends at once.
CHILD = """
import logging, multiprocessing, sys
from service.process.logs import Batches
from service.process.logs import JsonLines

def main():
    batches = Batches(sys.stderr, JsonLines())
    batches.start()
    batches.put("giornale.request", logging.INFO, "the last line", {})

child = multiprocessing.get_context("fork").Process(target=main)
child.start()
child.join()
"""


def say(batches: Batches, number: int) -> None:
    """Put a line aside that names a number."""
    batches.put("giornale.request", logging.INFO, "request", {"number": number})


def say_many(batches: Batches, first: int) -> None:
    """Put 500 lines aside, as fast as possible."""
    for number in range(first, first + 500):
        say(batches, number)


def numbers_in(stream: io.StringIO) -> list[int]:
    """Return the numbers that the lines of a stream name."""
    return [json.loads(line)["number"] for line in stream.getvalue().splitlines()]


def has_numbers(stream: io.StringIO, count: int) -> bool:
    """Return whether the lines of a stream name the first numbers, in their order."""
    return numbers_in(stream) == list(range(count))


@pytest.fixture
def stream() -> io.StringIO:
    """Where the lines are written."""
    return io.StringIO()


@pytest.fixture
def batches(stream: io.StringIO) -> Batches:
    """Lines for machines; no thread writes them."""
    return Batches(stream, JsonLines())


def test_a_line_says_what_any_other_would(batches: Batches, stream: io.StringIO) -> None:
    """Time, level, logger, message and details."""
    batches.put("giornale.request", logging.INFO, "request", {"status": 200})
    batches.write()

    line = json.loads(stream.getvalue())
    assert line.pop("time").endswith("Z")
    assert line == {"level": "info", "logger": "giornale.request", "msg": "request", "status": 200}


def test_lines_wait_and_keep_their_order(batches: Batches, stream: io.StringIO) -> None:
    """Nothing is written before its time, and then all of it once."""
    for number in range(5):
        say(batches, number)
    assert stream.getvalue() == ""

    batches.write()
    batches.write()
    assert numbers_in(stream) == list(range(5))


def test_a_thread_writes_what_waits(batches: Batches, stream: io.StringIO) -> None:
    """Soon, without anybody asking for it, and again for what is said later."""
    batches.start()
    for number in range(3):
        say(batches, number)
        until(partial(has_numbers, stream, number + 1), "the line to be written")


def test_threads_lose_no_line(batches: Batches, stream: io.StringIO) -> None:
    """Each line is there once and in one piece, however many speak while others are written."""
    batches.start()
    threads = [
        threading.Thread(target=say_many, args=(batches, first)) for first in range(0, 4000, 500)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    batches.write()

    assert sorted(numbers_in(stream)) == list(range(4000))


def test_memory_is_bounded(
    batches: Batches, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever says one line too many writes all of them."""
    monkeypatch.setattr(logs, "_MOST_WAITING", 3)
    for number in range(4):
        say(batches, number)

    assert numbers_in(stream) == [0, 1, 2, 3]


def test_a_closed_stream_stops_nobody(batches: Batches, stream: io.StringIO) -> None:
    """Standard error may be closed; requests are answered all the same."""
    stream.close()
    say(batches, 1)
    batches.write()


def test_a_process_that_ends_writes_its_last_lines() -> None:
    """Also one that was forked, in which functions of `atexit` are not called."""
    ended = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert "the last line" in ended.stderr
