"""Log lines: JSON, and nothing in them that a player should not know."""

import json
import logging
import re
from types import SimpleNamespace
from typing import Any

import click
import pytest

from domain.errors import RuleBroken
from service.process.logs import JsonLines, Readable, setup


def json_line(error: Exception | None = None, **extra: Any) -> dict[str, Any]:
    """Return what a record becomes for machines."""
    record = logging.makeLogRecord(
        {"name": "service.jobs.queues", "levelname": "WARNING", "msg": "%s down", "args": ("q",)}
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
    """Return what a record becomes on a terminal, without colours."""
    record = logging.makeLogRecord({"levelname": "WARNING", "msg": message, "created": 0.0})
    vars(record).update(extra)
    return click.unstyle(Readable().format(record))


def test_line_is_one_json_object() -> None:
    """A record becomes time, level, logger, msg and what was handed over with it."""
    line = json_line(job="house-m-1")
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "warning",
        "logger": "service.jobs.queues",
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
    """An error is named with its place; what a game says of it is left out: it may name cards."""
    line = json_line(error)
    assert line["error"] == type(error).__name__
    assert line["detail"] == detail
    assert line["at"][-1].endswith(" json_line")


def test_a_terminal_gets_text() -> None:
    """A person reads the time of day, the level, what happened and its details."""
    line = readable_line("a job failed", job="bots-m-1", took_ms=12, at=["a.py:1 act"])
    time_and_level = r"\d\d:\d\d:\d\d warning  "
    details = r"job=bots-m-1 took_ms=12 at=.*a.py:1 act.*"
    assert re.fullmatch(f"{time_and_level}a job failed {details}", line)


def test_a_terminal_is_not_written_to_by_strangers() -> None:
    """Control characters that came from outside are shown, not obeyed."""
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
