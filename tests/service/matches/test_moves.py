"""A move is made once, by its seat, at its intended version, or not at all."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.errors import RuleBroken
from domain.match.messages import (
    AgreeTakeBack,
    AskTakeBack,
    Join,
    Leave,
    Replace,
    Resign,
    Restore,
    Return,
    Start,
)
from service.base.errors import (
    Busy,
    Forbidden,
    Illegal,
    KeyConflict,
    Unauthorized,
)
from service.matches import command_handler, lobby, moves
from service.matches.access import enter
from service.matches.command_handler import (
    LAST_SEAT_CHANGE,
    MOST_COMMITS,
    Submission,
    require_room,
)
from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.store.journal.errors import Conflict
from service.store.journal.values import Appended, Entry
from tests.service.matches.conftest import (
    Wakes,
    bots,
    by,
    first_move,
    humans,
    make_move,
    now,
)


def test_a_key_used_for_another_move_is_refused(ctx: Context, calimala: NewMatch) -> None:
    """A key with another body is refused. The same key of another seat is another key."""
    one_move, another_move, *_ = moves.legal_moves(calimala.loaded, 0)
    submission = by(calimala, "seat:0", key="k")
    moves.move(ctx, submission, one_move)

    with pytest.raises(KeyConflict):
        moves.move(ctx, submission, another_move)

    assert not make_move(ctx, calimala, 1, key="k").repeated


def test_a_match_that_never_stands_still_is_busy_not_wrong(
    ctx: Context, calimala: NewMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A move that loses every race is refused as busy."""

    def lose(_entry: Entry) -> Appended:
        raise Conflict(2)

    monkeypatch.setattr(ctx.journal.events, "append", lose)

    with pytest.raises(Busy):
        make_move(ctx, calimala, 0)


MADE_UP = f"gio_{'a' * 26}_{'b' * 43}"
WRONG = {
    "no-token": (None, Unauthorized),
    "owner": ("owner", Forbidden),
    "unknown-token": (MADE_UP, Unauthorized),
}


@pytest.mark.parametrize(("who", "refusal"), WRONG.values(), ids=WRONG)
def test_only_a_seats_token_moves(
    ctx: Context, calimala: NewMatch, who: str | None, refusal: type[Exception]
) -> None:
    """Without a token, with the owner's or with an invented one no move is made (M6)."""
    token = calimala.tokens.get(who or "", who)
    submission = Submission(calimala.loaded.id, token)
    move = first_move(ctx, calimala, 0)

    with pytest.raises(refusal):
        moves.move(ctx, submission, move)
    assert now(ctx, calimala).version == 1


def test_a_commit_wakes_bots_at_once_and_nobody_for_a_human(
    ctx: Context, calimala: NewMatch, wakes: Wakes
) -> None:
    make_move(ctx, calimala, 0)
    assert wakes == []

    with_bots = open_new(ctx, OpenRequest("calimala", [*humans(1), *bots(2)], seed="x"))
    assert wakes == [(with_bots.loaded.id, 1, "bots")]


# ---- limits: a match takes a bounded number of commits (M12) -------------------------------------

A_MOVE = object()
SEAT_CHANGES: list[Any] = [Join(0), Leave(0), Replace(0, "random"), Restore(0)]
LAST_VERSIONS = [
    *(pytest.param(command, LAST_SEAT_CHANGE, id=f"M12-{command.tag}") for command in SEAT_CHANGES),
    pytest.param(AskTakeBack(0, 1), LAST_SEAT_CHANGE, id="M12-ask_take_back"),
    pytest.param(AgreeTakeBack(0), MOST_COMMITS, id="M12-agree_take_back"),
    pytest.param(Return(0), MOST_COMMITS, id="M12-return"),
    pytest.param(Resign(0, "random"), MOST_COMMITS, id="M12-resign"),
    pytest.param(A_MOVE, MOST_COMMITS, id="M12-move"),
    pytest.param(Start(), MOST_COMMITS, id="M12-start"),
]


@pytest.mark.parametrize(("command", "last"), LAST_VERSIONS)
def test_the_last_version_that_a_command_may_make(command: Any, last: int) -> None:
    """M12: seats change hands up to version 1,000. Moves and the start are made up to 5,000."""
    require_room(last - 1, command)
    with pytest.raises(RuleBroken, match="M12 too_many_commits"):
        require_room(last, command)


@pytest.fixture
def full(ctx: Context, calimala: NewMatch, monkeypatch: pytest.MonkeyPatch) -> NewMatch:
    """A match that takes no more commits after seat 0's first move, made with the key "once"."""
    move = first_move(ctx, calimala, 0)
    result = moves.move(ctx, by(calimala, "seat:0", key="once"), move)

    monkeypatch.setattr(command_handler, "MOST_COMMITS", result.version)
    monkeypatch.setattr(command_handler, "LAST_SEAT_CHANGE", result.version)
    return calimala


def play_next(ctx: Context, full: NewMatch) -> None:
    """Let seat 1 make a move."""
    move = first_move(ctx, full, 1)
    moves.move(ctx, by(full, "seat:1"), move)


def preview_next(ctx: Context, full: NewMatch) -> None:
    """Let seat 1 preview a move."""
    move = first_move(ctx, full, 1)
    moves.dry_run(ctx, by(full, "seat:1"), move)


def put_a_bot(ctx: Context, full: NewMatch) -> None:
    """Let the owner put a bot on seat 0."""
    lobby.replace(ctx, by(full, "owner"), 0, "random")


@pytest.mark.parametrize("action", [play_next, preview_next, put_a_bot])
def test_a_full_match_refuses(
    ctx: Context, full: NewMatch, action: Callable[[Context, NewMatch], None]
) -> None:
    """M12: the refusal names the rule, for the move, its dry run and a change of seats."""
    before = now(ctx, full).version

    with pytest.raises(Illegal) as refused:
        action(ctx, full)
    assert refused.value.rules == "match"
    assert refused.value.rule == "M12"
    assert now(ctx, full).version == before


def test_a_full_match_still_answers_a_repeat_and_can_be_aborted(
    ctx: Context, full: NewMatch
) -> None:
    """M12: an accepted move is answered again, although it would be refused now.

    The owner can still abort the match.
    """
    move = moves.legal_moves(full.loaded, 0)[0]
    assert moves.move(ctx, by(full, "seat:0", key="once"), move).repeated

    before = now(ctx, full).version
    assert lobby.abort(ctx, by(full, "owner")).version == before + 1


def test_a_match_that_is_remembered_is_bounded_too(
    ctx: Context, calimala: NewMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound also holds for a cached match."""
    enter(ctx, calimala.loaded.id, calimala.tokens["owner"])
    monkeypatch.setattr(command_handler, "LAST_SEAT_CHANGE", 1)

    with pytest.raises(Illegal):
        put_a_bot(ctx, calimala)
