"""The clock of a match in answers: the match, states, lists, streams and webhook calls (M15)."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from service.api.health import checks
from service.capabilities.webhooks import use_cases as webhooks
from tests.service.api.conftest import Door, json, opened
from tests.service.api.test_lists import listed
from tests.service.api.test_my_matches import Lines
from tests.service.api.test_webhooks import URL

CLOCK = {"bank_s": 300, "move_s": 5, "level": "greedy"}


@pytest.fixture
def timed(door: Door) -> Door:
    """A match of three humans with a clock. All three are awaited."""
    return opened(door, clock=CLOCK)


def deadline_after(document: dict[str, Any], seconds: float) -> datetime:
    """Return a time so many seconds after the last commit of a match."""
    return datetime.fromisoformat(document["updated"]) + timedelta(seconds=seconds)


def at(text: str) -> datetime:
    """Return a time that was told."""
    return datetime.fromisoformat(text)


def test_everybody_is_told_how_much_time_is_left(timed: Door) -> None:
    """M15: the match and its state have the banks, the paying seats and the first deadline.

    A past state has the clock of its version, also in the list of states.
    """
    match = json(timed.get())
    assert match["clock"] == {
        **CLOCK,
        "left_ms": [300_000] * 3,
        "paying": [0, 1, 2],
        "due": match["clock"]["due"],
    }
    assert at(match["clock"]["due"]) == deadline_after(match, 300)
    assert json(timed.get("state"))["clock"] == match["clock"]
    assert json(timed.get("state", "seat:1"))["clock"] == match["clock"]

    timed.move("seat:0")
    moved = json(timed.get())["clock"]
    assert moved["paying"] == [1, 2]
    assert moved["left_ms"][0] == 300_000
    assert moved["left_ms"][1] == moved["left_ms"][2] < 300_000
    assert at(moved["due"]) == at(match["clock"]["due"])

    assert json(timed.get("state?version=1"))["clock"] == match["clock"]
    states = json(timed.get("states"))["states"]
    assert [state["clock"] for state in states] == [match["clock"], moved]
    lines = timed.get("states.ndjson").text.splitlines()
    assert len(lines) == 2


def test_lists_streams_and_calls_tell_the_deadline(timed: Door, door: Door) -> None:
    """M15: all these answers have the same deadline, and null if nobody's time runs.

    A match without a clock has no deadline and no `clock`.
    """
    due = json(timed.get())["clock"]["due"]
    token = timed.tokens["seat:0"]
    ctx = timed.services.ctx
    webhooks.put(ctx, timed.match, token, URL, ("turn",))

    assert listed(timed)["deadline"] == due
    assert json(timed.get())["deadline"] == due
    assert mine(timed)["deadline"] == due
    stream = Lines(timed, [token])
    assert stream.next()["deadline"] == due
    [call] = webhooks.calls(ctx, timed.match)[0]
    assert call.deadline == due

    timed.post("abort", None, "owner")
    assert stream.next()["deadline"] is None
    stream.close()
    assert json(timed.get())["clock"]["due"] is None
    assert listed(timed)["deadline"] is None

    without = opened(door)
    assert "clock" not in json(without.get())
    assert "clock" not in json(without.get("state"))
    assert listed(without)["deadline"] is None


def mine(door: Door) -> dict[str, Any]:
    """Return the entry of the door's match in the list of seat 0's matches."""
    summary: dict[str, Any] = json(door.get("/v1/matches?waiting_for=me", "seat:0"))["matches"][0]
    return summary


@pytest.mark.parametrize(
    ("ahead_ms", "warning"),
    [
        pytest.param(3_000, checks.OK, id="a-little"),
        pytest.param(
            6_500,
            "the clocks of this host and the journal differ by 6 s. Set them by NTP",
            id="too-much",
        ),
        pytest.param(
            -3_600_500,
            "the clocks of this host and the journal differ by 3600 s. Set them by NTP",
            id="an-hour-behind",
        ),
    ],
)
def test_clocks_that_differ_are_a_warning(door: Door, ahead_ms: int, warning: str) -> None:
    """M15: readiness reports the clock as advisory, so the skew does not stop matches."""
    services = door.services
    wrong = replace(services.ctx, clock=lambda: services.ctx.clock() + ahead_ms)
    findings = checks.look(checks.Subject(wrong, services.queues, services.config.data))
    assert findings.advisory["clock"] == warning
    assert "clock" not in findings.required
