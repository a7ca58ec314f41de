"""Logs on standard error, with no token, seed or card in them.

Machines get one JSON object a line; a person at a terminal gets text that is easy to read.
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

# Loggers of libraries that would say too much below the level `warning`.
_LIBRARIES = ("rq", "rq.worker", "redis")

# What every record has; all else was handed over as `extra`.
_STANDARD_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

_PAUSE_SECONDS = 0.01
_MOST_WAITING = 4096  # lines; a thread that adds one more writes them, so memory stays bounded


class LogLine(NamedTuple):
    """What a line says: when (seconds since the epoch), how grave it is, who says what of what."""

    seconds: float
    level: str
    logger: str
    message: str
    details: Mapping[str, Any]


class LineFormatter(logging.Formatter):
    """Writes lines, which most often come as records of `logging`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line."""
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
        """Return a line as it is written, without its end."""


class JsonLines(LineFormatter):
    """Writes time (UTC, ISO 8601), level, logger, msg and whatever was handed over as `extra`."""

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
    """Writes the time of day (local), the level, the message and the details as `name=value`."""

    COLOURS = {"WARNING": "yellow", "ERROR": "red", "CRITICAL": "red"}

    def text(self, line: LogLine) -> str:
        """Return one line of text; control characters in it are escaped."""
        time_of_day = time.strftime("%H:%M:%S", time.localtime(line.seconds))
        level = _styled(f"{line.level.lower():<8}", fg=self.COLOURS.get(line.level))
        message = _styled(_printable(line.message), bold=True)
        details = [f"{name}={_as_text(value)}" for name, value in line.details.items()]

        return " ".join([time_of_day, level, message, *details])


def _styled(text: str, **style: Any) -> str:
    """Return a text with its style, or as it is if NO_COLOR or the terminal says so."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return click.style(text, **style)


def formatter() -> LineFormatter:
    """Return how lines are written: as JSON, unless standard error is a terminal."""
    return Readable() if sys.stderr.isatty() else JsonLines()


def setup(level: str) -> None:
    """Send every logger of the process to standard error; libraries speak from warnings on."""
    # No line says which thread, process or line of code wrote it, so `logging` need not look that
    # up.
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
    """Return a time, given in seconds since the epoch, in UTC (ISO 8601) with milliseconds."""
    whole = int(seconds)
    milliseconds = int((seconds - whole) * 1000)
    return f"{_utc_second(whole)}.{milliseconds:03}Z"


@lru_cache(maxsize=4)
def _utc_second(seconds: int) -> str:
    """Return a second since the epoch in UTC (ISO 8601); most lines share one with another."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def _details(record: logging.LogRecord) -> dict[str, Any]:
    """Return what was handed over as `extra`, and of an error its type, its text and its places."""
    details = {name: value for name, value in vars(record).items() if name not in _STANDARD_FIELDS}

    if record.exc_info and record.exc_info[0]:
        kind, error, trace = record.exc_info
        details["error"] = kind.__name__
        details["detail"] = _error_text(error)
        details["at"] = _places(trace)

    return details


def _error_text(error: BaseException | None) -> str:
    """Return the error's text, but "" for an error of a game: it may name cards."""
    is_of_a_game = type(error).__module__.startswith("domain")
    return "" if is_of_a_game else str(error)


def _places(trace: TracebackType | None) -> list[str]:
    """Return the places that an error passed, as `FILE:LINE FUNCTION`, the outermost first."""
    return [
        f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)
    ]


def _as_text(value: Any) -> str:
    """Return a detail as text, in quotes where it holds a space."""
    plain = value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
    text = _printable(plain)
    return f'"{text}"' if " " in text else text


def _printable(text: str) -> str:
    """Return a text that cannot move a terminal's cursor or hide what it says."""
    return "".join(map(_escaped, text))


def _escaped(character: str) -> str:
    return character if character.isprintable() else f"\\u{ord(character):04x}"


class Batches:
    """Lines of log that are written together, a hundredth of a second after they were said.

    Every request has a line. Written by the thread of the request, each line lets another thread go
    on, for which this one then has to wait, and all threads meet at the handler's lock: with four
    connections that took a sixth of the time of a short request. So the web process puts lines
    aside, and one thread writes all of them in one piece. Safe to share among threads.

    A process that is killed loses the lines of its last hundredth of a second; one that ends by
    itself writes them.
    """

    def __init__(self, stream: Any, formatter: LineFormatter) -> None:
        self._stream = stream
        self._formatter = formatter
        self._waiting: deque[LogLine] = deque()
        self._is_waiting = threading.Event()
        # Held while lines are written, which keeps them in their order.
        self._writing = threading.Lock()

    def start(self) -> None:
        """Begin to write, in a thread of its own, and write the last lines when the process ends.

        Call this in the process that says the lines: no thread outlives a fork.
        """
        threading.Thread(target=self._run, name="log", daemon=True).start()
        # Functions of `atexit` are not called in children of `multiprocessing`.
        Finalize(None, self.write, exitpriority=0)

    def put(self, logger: str, level: int, message: str, details: Mapping[str, Any]) -> None:
        """Put a line aside, which is said now."""
        level_name = logging.getLevelName(level)
        self._waiting.append(LogLine(time.time(), level_name, logger, message, details))
        if len(self._waiting) > _MOST_WAITING:
            self.write()
        elif not self._is_waiting.is_set():
            self._is_waiting.set()

    def write(self) -> None:
        """Write all lines that wait."""
        with self._writing:
            lines = []
            while self._waiting:
                lines.append(self._formatter.text(self._waiting.popleft()) + "\n")
            # Where standard error is closed nobody reads, and there is no other place to say so.
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
    """What `giornale serve` says of one of its processes: one line a fact.

    name: the process.
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
        """Print a line, unless the last one was the same but for its numbers."""
        sentence = re.sub(r"\d+", "", news)
        if sentence != self._last_sentence:
            self.print(news)
        self._last_sentence = sentence
