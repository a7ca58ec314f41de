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


def line(error: Exception | None = None, **extra: Any) -> dict[str, Any]:
    """Return what a record becomes."""
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


def test_line_is_one_json_object() -> None:
    """A record becomes time, level, logger, msg and what was handed over with it."""
    value = line(job="house-m-1")
    assert value.pop("time").endswith("Z")
    assert value == {
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
    """An error is named with its place; what a game says of it is left out, for it may name cards."""
    value = line(error)
    assert (value["error"], value["detail"]) == (type(error).__name__, detail)
    assert value["at"][-1].endswith(" line")


def readable(message: str, **extra: Any) -> str:
    """Return what a record becomes on a terminal, without colours."""
    record = logging.makeLogRecord({"levelname": "WARNING", "msg": message, "created": 0.0})
    vars(record).update(extra)
    return click.unstyle(Readable().format(record))


def test_a_terminal_gets_text() -> None:
    """A person reads the time of day, the level, what happened and its details."""
    line = readable("a job failed", job="bots-m-1", took_ms=12, at=["a.py:1 act"])
    assert re.fullmatch(
        r"\d\d:\d\d:\d\d warning  a job failed job=bots-m-1 took_ms=12 at=.*a.py:1 act.*", line
    )


def test_a_terminal_is_not_written_to_by_strangers() -> None:
    """Control characters that came from outside are shown, not obeyed."""
    line = readable("queue\ndown", path="\x1b[2Jx\u202e")
    assert "\n" not in line
    assert "\x1b" not in line
    assert line.endswith(r"queue\u000adown path=\u001b[2Jx\u202e")


@pytest.mark.parametrize(("terminal", "kind"), [(True, Readable), (False, JsonLines)])
def test_the_form_follows_the_reader(
    terminal: bool, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal gets text, a file or a pipe JSON."""
    root = logging.getLogger()
    held, level = root.handlers[:], root.level
    monkeypatch.setattr(
        "sys.stderr", SimpleNamespace(isatty=lambda: terminal, write=print, flush=print)
    )
    try:
        setup("INFO")
        assert [type(handler.formatter) for handler in root.handlers] == [kind]
    finally:
        root.handlers[:] = held
        root.setLevel(level)
