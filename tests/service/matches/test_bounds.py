"""A match takes a bounded number of commits (M12)."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.errors import RuleBroken
from domain.match.messages import Abort, Join, Leave, Replace, Restore, Start
from service.errors import Illegal
from service.matches import access, bounds, lobby, playing
from service.matches.bounds import MOST_COMMITS, MOST_COMMITS_AROUND, require_room
from service.matches.desk import Desk
from service.matches.opening import Opened
from tests.service.matches.conftest import by, first_move, now

A_MOVE = object()
AROUND: list[Any] = [Join(0), Leave(0), Replace(0, "random"), Restore(0)]
LAST_VERSIONS = [
    *(pytest.param(command, MOST_COMMITS_AROUND, id=f"M12-{command.tag}") for command in AROUND),
    pytest.param(A_MOVE, MOST_COMMITS, id="M12-move"),
    pytest.param(Start(), MOST_COMMITS, id="M12-start"),
]


def has_room(version: int, command: Any) -> bool:
    """Return whether a match at a version takes a command."""
    try:
        require_room(version, command)
    except RuleBroken:
        return False
    return True


@pytest.mark.parametrize(("command", "last"), LAST_VERSIONS)
def test_the_last_version_that_a_command_may_make(command: Any, last: int) -> None:
    """Seats change hands up to version 1,000; moves, and the start, are made up to 5,000."""
    assert has_room(last - 1, command)
    assert not has_room(last, command)


def test_a_match_can_always_be_aborted() -> None:
    """M12: its owner is never shut in."""
    with pytest.raises(RuleBroken, match="M12 too_many_commits"):
        require_room(10**9, Start())
    assert has_room(10**9, Abort())


@pytest.fixture
def full(desk: Desk, calimala: Opened, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """A match that takes no more commits after seat 0's first move, made with the key "once"."""
    move = first_move(desk, calimala, 0)
    made = playing.move(desk, by(calimala, "seat:0", key="once"), move)

    monkeypatch.setattr(bounds, "MOST_COMMITS", made.version)
    monkeypatch.setattr(bounds, "MOST_COMMITS_AROUND", made.version)
    return calimala


def play_next(desk: Desk, full: Opened) -> None:
    """Let seat 1 make a move."""
    move = first_move(desk, full, 1)
    playing.move(desk, by(full, "seat:1"), move)


def preview_next(desk: Desk, full: Opened) -> None:
    """Let seat 1 ask what a move would do."""
    move = first_move(desk, full, 1)
    playing.dry_run(desk, by(full, "seat:1"), move)


def put_a_bot(desk: Desk, full: Opened) -> None:
    """Let the owner put a bot on seat 0."""
    lobby.replace(desk, by(full, "owner"), 0, "random")


@pytest.mark.parametrize("action", [play_next, preview_next, put_a_bot])
def test_a_full_match_refuses(
    desk: Desk, full: Opened, action: Callable[[Desk, Opened], None]
) -> None:
    """M12: the refusal names the rule, for the move, its dry run and a change of seats."""
    before = now(desk, full).version

    with pytest.raises(Illegal) as refused:
        action(desk, full)
    assert refused.value.rules == "match"
    assert refused.value.rule == "M12"
    assert now(desk, full).version == before


def test_a_full_match_still_answers_a_repeat(desk: Desk, full: Opened) -> None:
    """M12: an accepted move is answered again, although it would be refused now."""
    move = playing.legal_moves(full.loaded, 0)[0]
    assert playing.move(desk, by(full, "seat:0", key="once"), move).repeated


def test_a_full_match_can_be_aborted(desk: Desk, full: Opened) -> None:
    """M12: through the lobby, too."""
    before = now(desk, full).version
    aborted = lobby.abort(desk, by(full, "owner"))
    assert aborted.version == before + 1


def test_a_match_that_is_remembered_is_bounded_too(
    desk: Desk, calimala: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound also holds where the process need not read the journal first."""
    access.enter(desk, calimala.loaded.id, calimala.tokens["owner"])
    monkeypatch.setattr(bounds, "MOST_COMMITS_AROUND", 1)

    with pytest.raises(Illegal):
        put_a_bot(desk, calimala)
