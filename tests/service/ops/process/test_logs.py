"""Log lines: JSON, and nothing in them is secret from players."""

import io
import json
import logging
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import click
import pytest

from domain.errors import RuleBroken
from service.ops.process import logs
from service.ops.process.logs import Batches, JsonLines, Readable, setup
from tests.running import PATIENCE, until


def json_line(error: Exception | None = None, **extra: Any) -> dict[str, Any]:
    """Return a record's line for machines."""
    record = logging.makeLogRecord(
        {
            "name": "service.store.jobs.queues",
            "levelname": "WARNING",
            "msg": "%s down",
            "args": ("q",),
        }
    )
    vars(record).update(extra)
    if error:
        with pytest.raises(type(error)) as caught:
            raise error
        record.exc_info = (caught.type, caught.value, caught.tb)

    text = JsonLines().format(record)
    assert "\n" not in text
    value: dict[str, Any] = json.loads(text)
    return value


def readable_line(message: str, **extra: Any) -> str:
    """Return a record's line on a terminal, without colours."""
    record = logging.makeLogRecord({"levelname": "WARNING", "msg": message, "created": 0.0})
    vars(record).update(extra)
    return click.unstyle(Readable().format(record))


def test_line_is_one_json_object() -> None:
    """A record becomes time, level, logger, msg and its extra members."""
    line = json_line(job="house-m-1")
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "warning",
        "logger": "service.store.jobs.queues",
        "msg": "q down",
        "job": "house-m-1",
    }


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (ValueError("broken pipe"), "broken pipe"),
        (RuleBroken("no", "C15", "you hold barcelona"), ""),
    ],
    ids=["library", "game"],
)
def test_error_is_told_but_no_card(error: Exception, detail: str) -> None:
    """An error is logged with its place.

    The text of a game's error is left out: it may name cards.
    """
    line = json_line(error)
    assert line["error"] == type(error).__name__
    assert line["detail"] == detail
    assert line["at"][-1].endswith(" json_line")


def test_a_terminal_gets_text() -> None:
    """A person reads the time of day, the level, the event and its details."""
    line = readable_line("a job failed", job="bots-m-1", took_ms=12, at=["a.py:1 act"])
    time_and_level = r"\d\d:\d\d:\d\d warning  "
    details = r"job=bots-m-1 took_ms=12 at=.*a.py:1 act.*"
    assert re.fullmatch(f"{time_and_level}a job failed {details}", line)


def test_a_terminal_is_not_written_to_by_strangers() -> None:
    """Control characters from outside are escaped."""
    line = readable_line("queue\ndown", path="\x1b[2Jx\u202e")
    assert "\n" not in line
    assert "\x1b" not in line
    assert line.endswith(r"queue\u000adown path=\u001b[2Jx\u202e")


@pytest.mark.parametrize(("terminal", "formatter"), [(True, Readable), (False, JsonLines)])
def test_the_form_follows_the_reader(
    terminal: bool, formatter: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal gets text, a file or a pipe JSON."""
    root = logging.getLogger()
    handlers_before = root.handlers[:]
    level_before = root.level
    standard_error = SimpleNamespace(isatty=lambda: terminal, write=print, flush=print)
    monkeypatch.setattr("sys.stderr", standard_error)

    try:
        setup("INFO")
        assert [type(handler.formatter) for handler in root.handlers] == [formatter]
    finally:
        root.handlers[:] = handlers_before
        root.setLevel(level_before)


# ---- lines written together ----------------------------------------------------------------------

# A process that is forked as the supervisor forks a web process. It logs a line and ends at once.
CHILD = """
import logging, multiprocessing, sys
from service.ops.process.logs import Batches
from service.ops.process.logs import JsonLines

def main():
    batches = Batches(sys.stderr, JsonLines())
    batches.start()
    batches.put("giornale.request", logging.INFO, "the last line", {})

child = multiprocessing.get_context("fork").Process(target=main)
child.start()
child.join()
"""


def say(batches: Batches, number: int) -> None:
    """Buffer a line with a number."""
    batches.put("giornale.request", logging.INFO, "request", {"number": number})


def numbers_in(stream: io.StringIO) -> list[int]:
    """Return the numbers in the lines of a stream."""
    return [json.loads(line)["number"] for line in stream.getvalue().splitlines()]


@pytest.fixture
def stream() -> io.StringIO:
    """The stream of the lines."""
    return io.StringIO()


@pytest.fixture
def batches(stream: io.StringIO) -> Batches:
    """A buffer of JSON lines, without a writing thread."""
    return Batches(stream, JsonLines())


def test_lines_wait_and_keep_their_order(batches: Batches, stream: io.StringIO) -> None:
    """Buffered lines are written only by `write`, each once."""
    for number in range(5):
        say(batches, number)
    assert stream.getvalue() == ""

    batches.write()
    batches.write()
    assert numbers_in(stream) == list(range(5))

    first_line = json.loads(stream.getvalue().splitlines()[0])
    assert first_line.pop("time").endswith("Z")
    assert first_line == {
        "level": "info",
        "logger": "giornale.request",
        "msg": "request",
        "number": 0,
    }


def test_a_thread_writes_waiting_lines_and_threads_lose_none(
    batches: Batches, stream: io.StringIO
) -> None:
    """A thread writes buffered lines soon, and later lines again.

    Each is written once and whole.
    """
    batches.start()
    say(batches, 0)
    until(lambda: numbers_in(stream) == [0], "the line to be written")

    def say_many(first: int) -> None:
        for number in range(first, first + 500):
            say(batches, number)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(say_many, range(1, 4001, 500)))
    until(lambda: len(stream.getvalue().splitlines()) == 4001, "all lines to be written")
    assert sorted(numbers_in(stream)) == list(range(4001))


def test_memory_is_bounded(
    batches: Batches, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line beyond the limit is written at once, with all buffered lines."""
    monkeypatch.setattr(logs, "_MOST_WAITING", 3)
    for number in range(4):
        say(batches, number)

    assert numbers_in(stream) == [0, 1, 2, 3]


def test_a_closed_stream_stops_nobody(batches: Batches, stream: io.StringIO) -> None:
    """Standard error may be closed. Neither `put` nor `write` raises."""
    stream.close()
    say(batches, 1)
    batches.write()


def test_a_process_that_ends_writes_its_last_lines() -> None:
    """Even a forked process, whose `atexit` functions do not run, writes its last lines."""
    ended = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert "the last line" in ended.stderr
