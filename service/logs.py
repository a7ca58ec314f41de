"""Logs for machines: one JSON object a line on standard error, with no token, seed or card in it."""

import logging
import sys
import time
import traceback
from types import TracebackType
from typing import Any

import orjson

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """Write time (UTC, ISO 8601), level, logger, msg and whatever was handed over as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON."""
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "msg": record.getMessage(),
        }
        line.update({name: value for name, value in vars(record).items() if name not in _PLAIN})
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
            line["detail"] = _detail(record.exc_info[1])
            line["at"] = _places(record.exc_info[2])
        return orjson.dumps(line, default=str).decode()


def _detail(error: BaseException | None) -> str:
    """Return the error's text, but never a game's: it may name cards."""
    return "" if type(error).__module__.startswith("domain") else str(error)


def _places(trace: TracebackType | None) -> list[str]:
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)]


def setup(level: str) -> None:
    """Send every logger of the process to standard error as JSON lines; libraries speak from warnings on."""
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False  # no line tells them
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in ("rq", "rq.worker", "redis"):
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelNamesMapping()[level]))
