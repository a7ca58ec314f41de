"""Logs on standard error, with no token, seed or card in them.

Machines get one JSON object a line; a person at a terminal gets text that is easy to read.
"""

import logging
import sys
import time
import traceback
from types import TracebackType
from typing import Any

import click
import orjson

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """Write time (UTC, ISO 8601), level, logger, msg and whatever was handed over as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON."""
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "msg": record.getMessage(),
        }
        line.update(_details(record))
        return orjson.dumps(line, default=str).decode()


class Readable(logging.Formatter):
    """Write the time of day (local), the level, the message and the details as `name=value`."""

    COLOURS = {"WARNING": "yellow", "ERROR": "red", "CRITICAL": "red"}

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of text; control characters in it are escaped."""
        clock = time.strftime("%H:%M:%S", time.localtime(record.created))
        level = click.style(f"{record.levelname.lower():<8}", fg=self.COLOURS.get(record.levelname))
        details = [f"{name}={_text(value)}" for name, value in _details(record).items()]

        said = _printable(record.getMessage())
        return " ".join([clock, level, click.style(said, bold=True), *details])


def _details(record: logging.LogRecord) -> dict[str, Any]:
    """Return what was handed over as `extra`, and of an error its kind, its text and where it came from."""
    details = {name: value for name, value in vars(record).items() if name not in _PLAIN}
    if record.exc_info and record.exc_info[0]:
        details["error"] = record.exc_info[0].__name__
        details["detail"] = _detail(record.exc_info[1])
        details["at"] = _places(record.exc_info[2])
    return details


def _text(value: Any) -> str:
    """Return a detail as text, in quotes where it holds a space."""
    text = _printable(
        value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
    )
    return f'"{text}"' if " " in text else text


def _printable(text: str) -> str:
    """Return a text that cannot move a terminal's cursor or hide what it says."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def _detail(error: BaseException | None) -> str:
    """Return the error's text, but never a game's: it may name cards."""
    return "" if type(error).__module__.startswith("domain") else str(error)


def _places(trace: TracebackType | None) -> list[str]:
    return [
        f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)
    ]


def setup(level: str) -> None:
    """Send every logger of the process to standard error; libraries speak from warnings on.

    The lines are JSON, unless standard error is a terminal: then somebody reads along.
    """
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = (
        False  # no line tells them
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Readable() if sys.stderr.isatty() else JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in ("rq", "rq.worker", "redis"):
        logging.getLogger(name).setLevel(
            max(logging.WARNING, logging.getLevelNamesMapping()[level])
        )
