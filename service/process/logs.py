"""Logs on standard error, with no token, seed or card in them.

Machines get one JSON object a line; a person at a terminal gets text that is easy to read.
"""

import logging
import sys
import time
import traceback
from functools import lru_cache
from types import TracebackType
from typing import Any

import click
import orjson

# Loggers of libraries that would say too much below the level `warning`.
_LIBRARIES = ("rq", "rq.worker", "redis")

# What every record has; all else was handed over as `extra`.
_STANDARD_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """Writes time (UTC, ISO 8601), level, logger, msg and whatever was handed over as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON."""
        line: dict[str, Any] = {
            "time": _utc_time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "msg": record.getMessage(),
        }
        line.update(_details(record))

        return orjson.dumps(line, default=str).decode()


class Readable(logging.Formatter):
    """Writes the time of day (local), the level, the message and the details as `name=value`."""

    COLOURS = {"WARNING": "yellow", "ERROR": "red", "CRITICAL": "red"}

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of text; control characters in it are escaped."""
        time_of_day = time.strftime("%H:%M:%S", time.localtime(record.created))
        level = click.style(f"{record.levelname.lower():<8}", fg=self.COLOURS.get(record.levelname))
        message = click.style(_printable(record.getMessage()), bold=True)
        details = [f"{name}={_as_text(value)}" for name, value in _details(record).items()]

        return " ".join([time_of_day, level, message, *details])


def setup(level: str) -> None:
    """Send every logger of the process to standard error; libraries speak from warnings on.

    The lines are JSON, unless standard error is a terminal.
    """
    # No line says which thread, process or line of code wrote it, so `logging` need not look that
    # up.
    logging._srcfile = ""
    logging.logThreads = False
    logging.logProcesses = False
    logging.logMultiprocessing = False

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Readable() if sys.stderr.isatty() else JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)

    level_number = logging.getLevelNamesMapping()[level]
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(max(logging.WARNING, level_number))


def _utc_time(record: logging.LogRecord) -> str:
    """Return when a record was made, in UTC (ISO 8601) with milliseconds."""
    return f"{_utc_second(int(record.created))}.{int(record.msecs):03}Z"


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
