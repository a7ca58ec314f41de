"""A match takes a bounded number of commits (M12)."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.errors import RuleBroken
from domain.match.messages import Join, Leave, Replace, Restore, Start
from service.errors import Illegal
from service.matches import command_handler, lobby, moves
from service.matches.access import enter
from service.matches.command_handler import MOST_COMMITS, MOST_COMMITS_AROUND, require_room
from service.matches.context import Context
from service.matches.opening import Opened
from tests.service.matches.conftest import by, first_move, now

A_MOVE = object()
AROUND: list[Any] = [Join(0), Leave(0), Replace(0, "random"), Restore(0)]
LAST_VERSIONS = [
    *(pytest.param(command, MOST_COMMITS_AROUND, id=f"M12-{command.tag}") for command in AROUND),
    pytest.param(A_MOVE, MOST_COMMITS, id="M12-move"),
    pytest.param(Start(), MOST_COMMITS, id="M12-start"),
]


@pytest.mark.parametrize(("command", "last"), LAST_VERSIONS)
def test_the_last_version_that_a_command_may_make(command: Any, last: int) -> None:
    """Seats change hands up to version 1,000. Moves, and the start, are made up to 5,000."""
    require_room(last - 1, command)
    with pytest.raises(RuleBroken, match="M12 too_many_commits"):
        require_room(last, command)


@pytest.fixture
def full(ctx: Context, calimala: Opened, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """A match that takes no more commits after seat 0's first move, made with the key "once"."""
    move = first_move(ctx, calimala, 0)
    made = moves.move(ctx, by(calimala, "seat:0", key="once"), move)

    monkeypatch.setattr(command_handler, "MOST_COMMITS", made.version)
    monkeypatch.setattr(command_handler, "MOST_COMMITS_AROUND", made.version)
    return calimala


def play_next(ctx: Context, full: Opened) -> None:
    """Let seat 1 make a move."""
    move = first_move(ctx, full, 1)
    moves.move(ctx, by(full, "seat:1"), move)


def preview_next(ctx: Context, full: Opened) -> None:
    """Let seat 1 ask what a move would do."""
    move = first_move(ctx, full, 1)
    moves.dry_run(ctx, by(full, "seat:1"), move)


def put_a_bot(ctx: Context, full: Opened) -> None:
    """Let the owner put a bot on seat 0."""
    lobby.replace(ctx, by(full, "owner"), 0, "random")


@pytest.mark.parametrize("action", [play_next, preview_next, put_a_bot])
def test_a_full_match_refuses(
    ctx: Context, full: Opened, action: Callable[[Context, Opened], None]
) -> None:
    """M12: the refusal names the rule, for the move, its dry run and a change of seats."""
    before = now(ctx, full).version

    with pytest.raises(Illegal) as refused:
        action(ctx, full)
    assert refused.value.rules == "match"
    assert refused.value.rule == "M12"
    assert now(ctx, full).version == before


def test_a_full_match_still_answers_a_repeat(ctx: Context, full: Opened) -> None:
    """M12: an accepted move is answered again, although it would be refused now."""
    move = moves.legal_moves(full.loaded, 0)[0]
    assert moves.move(ctx, by(full, "seat:0", key="once"), move).repeated


def test_a_full_match_can_be_aborted(ctx: Context, full: Opened) -> None:
    """M12: its owner is never shut in."""
    before = now(ctx, full).version
    assert lobby.abort(ctx, by(full, "owner")).version == before + 1


def test_a_match_that_is_remembered_is_bounded_too(
    ctx: Context, calimala: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound also holds where the process need not read the journal first."""
    enter(ctx, calimala.loaded.id, calimala.tokens["owner"])
    monkeypatch.setattr(command_handler, "MOST_COMMITS_AROUND", 1)

    with pytest.raises(Illegal):
        put_a_bot(ctx, calimala)
