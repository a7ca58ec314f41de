"""What one process remembers never outweighs what the journal says."""

from dataclasses import replace

import pytest

from service.errors import Stale, Unauthorized
from service.matches import access, moves, tokens
from service.matches.cache import MatchCache
from service.matches.context import Context
from service.matches.opening import Opened
from tests.service.matches.conftest import by, make_move, now


@pytest.fixture
def other(ctx: Context) -> Context:
    """Another process at work on the same journal."""
    return replace(ctx, cache=MatchCache())


def enter(ctx: Context, opened: Opened, who: str) -> None:
    """Let the process remember the match, and whose the token is."""
    access.enter(ctx, opened.loaded.id, opened.tokens[who])


def test_processes_take_turns(ctx: Context, other: Context, calimala: Opened) -> None:
    """A process that remembers an older state moves on from the newest one."""
    first = make_move(ctx, calimala, 0)
    second = make_move(other, calimala, 1)
    third = make_move(ctx, calimala, 2)

    assert first.version == 2
    assert second.version == 3
    assert third.version == 4


def test_a_stale_move_is_refused_over_a_remembered_state(
    ctx: Context, other: Context, calimala: Opened
) -> None:
    """Although this process has not heard of the commit, a move for the old version is not made."""
    move = moves.legal_moves(calimala.loaded, 1)[0]
    enter(ctx, calimala, "seat:1")
    make_move(other, calimala, 0)

    submission = by(calimala, "seat:1", expected=1)
    with pytest.raises(Stale) as refused:
        moves.move(ctx, submission, move)

    assert refused.value.version == 2
    assert len(refused.value.since) == 1


@pytest.mark.parametrize("key", ["k", ""], ids=["a-repeat", "without-a-key"])
def test_a_token_revoked_elsewhere_moves_nothing(
    ctx: Context, other: Context, calimala: Opened, key: str
) -> None:
    """The append makes sure that the token still counts."""
    move = moves.legal_moves(calimala.loaded, 0)[0]
    moves.move(ctx, by(calimala, "seat:0", key="k"), move)

    token = calimala.tokens["seat:0"]
    tokens.revoke(other, calimala.loaded.id, token, "seat:0")
    after_the_revocation = now(other, calimala).version

    with pytest.raises(Unauthorized):
        moves.move(ctx, by(calimala, "seat:0", key=key), move)

    assert after_the_revocation == 3
    assert now(other, calimala).version == after_the_revocation


def test_a_move_asks_the_journal_once(
    ctx: Context, calimala: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match and a token that were seen before cost no look before the append."""
    move = moves.legal_moves(calimala.loaded, 1)[0]
    make_move(ctx, calimala, 0)
    enter(ctx, calimala, "seat:1")

    monkeypatch.setattr(ctx.journal.events, "overviews", lambda *_: pytest.fail("it looked first"))
    made = moves.move(ctx, by(calimala, "seat:1"), move)
    assert made.version == 3
