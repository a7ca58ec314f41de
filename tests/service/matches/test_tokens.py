"""Tokens are replaced and revoked in one step: no race leaves a token valid by mistake."""

from collections.abc import Callable, Mapping

import pytest

from service.base.errors import MatchDeleted, NotFound, Unauthorized
from service.matches import metadata_changes, tokens
from service.matches.access import enter
from service.matches.command_handler import LAST_SEAT_CHANGE, Submission
from service.matches.context import Context
from service.matches.opening import NewMatch
from service.store.journal.values import Tombstone

WHERE = {"in-the-history": LAST_SEAT_CHANGE, "beside-it": 0}
Change = Callable[[Context, NewMatch], object]


@pytest.fixture(autouse=True, params=list(WHERE.values()), ids=list(WHERE))
def _where(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Run every test for changes with a commit and for changes without one."""
    monkeypatch.setattr(metadata_changes, "LAST_SEAT_CHANGE", request.param)


def rotate(ctx: Context, opened: NewMatch) -> tokens.Rotated:
    """Let the holder of seat 0 replace their token."""
    return tokens.rotate(ctx, Submission(opened.loaded.id, opened.tokens["seat:0"]), None)


def revoke(ctx: Context, opened: NewMatch) -> None:
    """Let the owner revoke the token of seat 0."""
    tokens.revoke(ctx, Submission(opened.loaded.id, opened.tokens["owner"]), "seat:0")


def let_come_between(
    rival: Change, ctx: Context, opened: NewMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let a rival change the tokens of seat 0 right after they have been read."""
    read_fields = ctx.journal.metadata.fields

    def read_then_rival(match: str) -> Mapping[str, str]:
        sidecar = read_fields(match)
        monkeypatch.setattr(ctx.journal.metadata, "fields", read_fields)
        rival(ctx, opened)
        return sidecar

    monkeypatch.setattr(ctx.journal.metadata, "fields", read_then_rival)


def live_tokens(ctx: Context, opened: NewMatch) -> list[str]:
    """Return the fields of the valid tokens of seat 0."""
    sidecar = ctx.journal.metadata.fields(opened.loaded.id)
    fields_of_seat = [field for field, name in sidecar.items() if name == "seat:0"]
    return [field for field in fields_of_seat if field.startswith("token:")]


def test_a_rotation_that_meets_a_revocation_makes_no_token(
    ctx: Context, calimala: NewMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the owner revokes while the holder replaces, the seat has no valid token."""
    let_come_between(revoke, ctx, calimala, monkeypatch)

    with pytest.raises((Unauthorized, NotFound)):
        rotate(ctx, calimala)
    assert live_tokens(ctx, calimala) == []


def test_a_revocation_that_meets_a_rotation_takes_the_new_token(
    ctx: Context, calimala: NewMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the holder replaces while the owner revokes, the new token is revoked, too."""
    let_come_between(rotate, ctx, calimala, monkeypatch)
    revoke(ctx, calimala)

    assert live_tokens(ctx, calimala) == []


def test_of_two_rotations_at_once_one_wins(
    ctx: Context, calimala: NewMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One new token is valid. The other caller is refused."""
    let_come_between(rotate, ctx, calimala, monkeypatch)

    with pytest.raises(Unauthorized):
        rotate(ctx, calimala)
    assert len(live_tokens(ctx, calimala)) == 1


def test_a_replaced_token_counts_no_more(ctx: Context, calimala: NewMatch) -> None:
    """After a rotation the new token opens the seat, the old one nothing."""
    match = calimala.loaded.id
    fresh = rotate(ctx, calimala).token

    assert enter(ctx, match, fresh).caller.seat == 0
    with pytest.raises(Unauthorized):
        enter(ctx, match, calimala.tokens["seat:0"])


@pytest.mark.parametrize("change", [rotate, revoke])
def test_a_match_that_is_deleted_meanwhile_is_refused(
    ctx: Context, calimala: NewMatch, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal is that of a match deleted before."""

    def delete(ctx: Context, opened: NewMatch) -> None:
        ctx.journal.lifecycle.delete(opened.loaded.id, Tombstone(0, "operator"))

    let_come_between(delete, ctx, calimala, monkeypatch)
    with pytest.raises((MatchDeleted, Unauthorized)):
        change(ctx, calimala)
