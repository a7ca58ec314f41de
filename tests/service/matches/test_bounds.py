"""A match takes a bounded number of commits (M12)."""

from typing import Any

import pytest

from domain.errors import RuleBroken
from domain.match.messages import Abort, Join, Leave, Replace, Restore, Start
from service.errors import Illegal
from service.matches import access, bounds, lobby, playing
from service.matches.bounds import MOST_COMMITS, MOST_COMMITS_AROUND, require_room
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Opened
from service.matches.submitting import Submission

A_MOVE = object()
AROUND: list[Any] = [Join(0), Leave(0), Replace(0, "random"), Restore(0)]


def allowed(version: int, command: Any) -> bool:
    try:
        require_room(version, command)
    except RuleBroken:
        return False
    return True


@pytest.mark.parametrize(
    ("command", "last"),
    [
        *(
            pytest.param(command, MOST_COMMITS_AROUND, id=f"M12-{command.tag}")
            for command in AROUND
        ),
        pytest.param(A_MOVE, MOST_COMMITS, id="M12-move"),
        pytest.param(Start(), MOST_COMMITS, id="M12-start"),
    ],
)
def test_the_last_version_that_a_command_may_make(command: Any, last: int) -> None:
    """Seats change hands up to version 1,000; moves, and the start, are made up to 5,000."""
    assert allowed(last - 1, command)
    assert not allowed(last, command)


def test_a_match_can_always_be_aborted() -> None:
    """M12: its owner is never shut in."""
    with pytest.raises(RuleBroken, match="M12 too_many_commits"):
        require_room(10**9, Start())
    assert allowed(10**9, Abort())


def test_a_full_match_refuses_and_can_be_aborted(
    desk: Desk, calimala: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M12: the refusal names the rule, for the move and its dry run; a repeat of an accepted move is still answered."""
    match, owner = calimala.loaded.id, calimala.tokens["owner"]
    seat = calimala.tokens["seat:0"]
    move = playing.legal_moves(load(desk, match), 0)[0]
    playing.move(desk, Submission(match, seat, key="once"), move)
    version = load(desk, match).version
    monkeypatch.setattr(bounds, "MOST_COMMITS", version)
    monkeypatch.setattr(bounds, "MOST_COMMITS_AROUND", version)
    assert playing.move(desk, Submission(match, seat, key="once"), move).repeated
    waiting = load(desk, match)
    turn = waiting.match.standing.actors[0]
    legal = playing.legal_moves(waiting, turn)[0]
    for refused in (
        lambda: playing.move(desk, Submission(match, calimala.tokens[f"seat:{turn}"]), legal),
        lambda: playing.dry_run(desk, Submission(match, calimala.tokens[f"seat:{turn}"]), legal),
        lambda: lobby.replace(desk, Submission(match, owner), 0, "random"),
    ):
        with pytest.raises(Illegal) as error:
            refused()
        assert (error.value.rule, error.value.rules) == ("M12", "match")
    assert load(desk, match).version == version
    assert lobby.abort(desk, Submission(match, owner)).version == version + 1


def test_the_remembered_match_is_held_to_it_too(
    desk: Desk, calimala: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The short way through a match that this process remembers knows the bound."""
    owner = calimala.tokens["owner"]
    access.enter(desk, calimala.loaded.id, owner)
    monkeypatch.setattr(bounds, "MOST_COMMITS_AROUND", 1)
    with pytest.raises(Illegal):
        lobby.replace(desk, Submission(calimala.loaded.id, owner), 0, "random")
