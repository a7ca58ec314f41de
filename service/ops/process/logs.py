"""Logs on standard error. No token, seed or card belongs in them.

Machines get one JSON object a line. A person at a terminal gets readable text.
"""

import logging
import os
import re
import sys
import threading
import time
import traceback
from abc import abstractmethod
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from multiprocessing.util import Finalize
from types import TracebackType
from typing import Any, NamedTuple

import click
import orjson

# Loggers of libraries that write too many lines below the level `warning`.
_LIBRARIES = ("rq", "rq.worker", "redis")

# Fields of every record. All others come from `extra`.
_STANDARD_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

_PAUSE_SECONDS = 0.01
_MOST_WAITING = 4096  # lines. A thread that adds one more writes all, so memory stays bounded


class LogLine(NamedTuple):
    """The parts of a line.   seconds: time since the epoch."""

    seconds: float
    level: str
    logger: str
    message: str
    details: Mapping[str, Any]


class LineFormatter(logging.Formatter):
    """Formats lines, from records of `logging` or from LogLine."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as one line."""
        line = LogLine(
            seconds=record.created,
            level=record.levelname,
            logger=record.name,
            message=record.getMessage(),
            details=_details(record),
        )
        return self.text(line)

    @abstractmethod
    def text(self, line: LogLine) -> str:
        """Format a line, without the newline."""


class JsonLines(LineFormatter):
    """JSON with time (UTC, ISO 8601), level, logger, msg, and all members of `extra`."""

    def text(self, line: LogLine) -> str:
        """Return one line of JSON."""
        value: dict[str, Any] = {
            "time": _utc_time(line.seconds),
            "level": line.level.lower(),
            "logger": line.logger,
            "msg": line.message,
        }
        value.update(line.details)

        return orjson.dumps(value, default=str).decode()


class Readable(LineFormatter):
    """Text with the local time of day, level, message, and details as `name=value`."""

    COLOURS = {"WARNING": "yellow", "ERROR": "red", "CRITICAL": "red"}

    def text(self, line: LogLine) -> str:
        """Return one line of text with escaped control characters."""
        time_of_day = time.strftime("%H:%M:%S", time.localtime(line.seconds))
        level = _style(f"{line.level.lower():<8}", fg=self.COLOURS.get(line.level))
        message = _style(_printable(line.message), bold=True)
        details = [f"{name}={_as_text(value)}" for name, value in line.details.items()]

        return " ".join([time_of_day, level, message, *details])


def _style(text: str, **style: Any) -> str:
    """Return a text with a style, or without it for NO_COLOR or a dumb terminal."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return click.style(text, **style)


def formatter() -> LineFormatter:
    """Return the formatter: JSON, or readable text if standard error is a terminal."""
    return Readable() if sys.stderr.isatty() else JsonLines()


def setup(level: str) -> None:
    """Send logs of the process to standard error, of _LIBRARIES only warnings and errors."""
    # No line names its thread, process or line of code, so `logging` need not look them up.
    logging._srcfile = ""
    logging.logThreads = False
    logging.logProcesses = False
    logging.logMultiprocessing = False

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter())
    logging.basicConfig(level=level, handlers=[handler], force=True)

    level_number = logging.getLevelNamesMapping()[level]
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(max(logging.WARNING, level_number))


def _utc_time(seconds: float) -> str:
    """Format seconds since the epoch in UTC (ISO 8601) with milliseconds."""
    whole = int(seconds)
    milliseconds = int((seconds - whole) * 1000)
    return f"{_utc_second(whole)}.{milliseconds:03}Z"


@lru_cache(maxsize=4)
def _utc_second(seconds: int) -> str:
    """Format a second since the epoch in UTC (ISO 8601). Lines of one second share the result."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def _details(record: logging.LogRecord) -> dict[str, Any]:
    """Return the members of `extra`, and type, text and places of an error."""
    details = {name: value for name, value in vars(record).items() if name not in _STANDARD_FIELDS}

    if record.exc_info and record.exc_info[0]:
        kind, error, trace = record.exc_info
        details["error"] = kind.__name__
        details["detail"] = _error_text(error)
        details["at"] = _places(trace)

    return details


def _error_text(error: BaseException | None) -> str:
    """Return the error's text, "" for an error of `domain`: errors of games may name cards."""
    is_of_a_game = type(error).__module__.startswith("domain")
    return "" if is_of_a_game else str(error)


def _places(trace: TracebackType | None) -> list[str]:
    """Return the places in a traceback as `FILE:LINE FUNCTION`, outermost first."""
    return [
        f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)
    ]


def _as_text(value: Any) -> str:
    """Return a detail as text, in quotes if it has a space."""
    plain = value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
    text = _printable(plain)
    return f'"{text}"' if " " in text else text


def _printable(text: str) -> str:
    """Escape unprintable characters: they could move a terminal's cursor or hide text."""
    return "".join(map(_escape, text))


def _escape(character: str) -> str:
    return character if character.isprintable() else f"\\u{ord(character):04x}"


class Batches:
    """Log lines written together, a hundredth of a second after the first line.

    Most requests have a line. If the thread of the request wrote it, that thread would have to wait
    for another thread that runs meanwhile, and for the handler's lock. With four connections this
    took a sixth of the time of a short request. So requests put lines into a queue, and one thread
    writes all of them in one piece. Safe to share among threads.

    A killed process loses the lines of its last hundredth of a second. A process that ends by
    itself writes all lines.
    """

    def __init__(self, stream: Any, formatter: LineFormatter) -> None:
        self._stream = stream
        self._formatter = formatter
        self._waiting: deque[LogLine] = deque()
        self._is_waiting = threading.Event()
        # One writer at a time keeps the lines in their order.
        self._writing = threading.Lock()

    def start(self) -> None:
        """Start the writing thread, and write the last lines when the process ends.

        Call this after a fork, because no thread survives one.
        """
        threading.Thread(target=self._run, name="log", daemon=True).start()
        # Functions of `atexit` are not called in children of `multiprocessing`.
        Finalize(None, self.write, exitpriority=0)

    def put(self, logger: str, level: int, message: str, details: Mapping[str, Any]) -> None:
        """Put a line with the time now into the queue."""
        level_name = logging.getLevelName(level)
        self._waiting.append(LogLine(time.time(), level_name, logger, message, details))
        if len(self._waiting) > _MOST_WAITING:
            self.write()
        elif not self._is_waiting.is_set():
            self._is_waiting.set()

    def write(self) -> None:
        """Write all waiting lines."""
        with self._writing:
            lines = []
            while self._waiting:
                lines.append(self._formatter.text(self._waiting.popleft()) + "\n")
            # Standard error is closed: no error can be reported.
            with suppress(OSError, ValueError):
                self._stream.write("".join(lines))
                self._stream.flush()

    def _run(self) -> None:
        while True:
            self._is_waiting.wait()
            time.sleep(_PAUSE_SECONDS)
            self._is_waiting.clear()
            self.write()


class Console:
    """The messages of `giornale serve` about one of its processes: one line a fact.

    name: name of the process.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._last_sentence = ""

    def print(self, news: str) -> None:
        """Print a line."""
        with suppress(OSError):  # the reader may have gone; the service stays
            click.echo(f"{self._name:<8} {news}")
        self._last_sentence = ""

    def print_once(self, news: str) -> None:
        """Print a line, unless it equals the last one or differs in numbers alone."""
        sentence = re.sub(r"\d+", "", news)
        if sentence != self._last_sentence:
            self.print(news)
        self._last_sentence = sentence
