"""Log lines: JSON, and nothing in them that a player should not know."""

import json
import logging
from typing import Any

import pytest

from domain.errors import RuleBroken
from service.logs import JsonLines


def line(error: Exception | None = None, **extra: Any) -> dict[str, Any]:
    """Return what a record becomes."""
    record = logging.makeLogRecord({"name": "service.jobs", "levelname": "WARNING", "msg": "%s down", "args": ("q",)})
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
    assert value == {"level": "warning", "logger": "service.jobs", "msg": "q down", "job": "house-m-1"}


@pytest.mark.parametrize(
    ("error", "detail"),
    [(ValueError("broken pipe"), "broken pipe"), (RuleBroken("no", "C15", "you hold barcelona"), "")],
    ids=["library", "game"],
)
def test_error_is_told_but_no_card(error: Exception, detail: str) -> None:
    """An error is named with its place; what a game says of it is left out, for it may name cards."""
    value = line(error)
    assert (value["error"], value["detail"]) == (type(error).__name__, detail)
    assert value["at"][-1].endswith(" line")
