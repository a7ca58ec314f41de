"""How far an arena is, told where nobody watches a bar."""

import sys

import pytest

from workers.arena import command


def told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], seconds_a_match: float
) -> list[str]:
    """Return the lines that are written while four matches are played."""
    moments = iter(number * seconds_a_match for number in range(100))
    monkeypatch.setattr("workers.arena.command.time.monotonic", lambda: next(moments))

    with command.shown_progress(4) as step:
        for _match in range(4):
            step()
    return capsys.readouterr().err.splitlines()


def test_a_fast_arena_tells_its_end_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A log gets no line for every match."""
    assert told(monkeypatch, capsys, 1) == ["4 of 4 matches are played"]


def test_a_slow_arena_tells_how_long_the_rest_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After half a minute there is a line, with the time left."""
    lines = told(monkeypatch, capsys, 120)

    assert lines[0] == "1 of 4 matches are played, about 6 minutes left"
    assert lines[-1] == "4 of 4 matches are played"


def test_on_a_terminal_there_is_a_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It shows how many matches are played of how many, on standard error."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with command.shown_progress(4) as step:
        for _match in range(4):
            step()

    shown = capsys.readouterr()
    assert "matches" in shown.err
    assert "4/4" in shown.err
    assert shown.out == ""
