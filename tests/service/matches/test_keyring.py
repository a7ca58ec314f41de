"""Tokens are replaced and revoked in one step: no race leaves a token alive that should be dead."""

from collections.abc import Mapping

import pytest

from service.errors import NotFound, Unauthorized
from service.matches import keyring, traces
from service.matches.access import enter
from service.matches.bounds import MOST_COMMITS_AROUND
from service.matches.desk import Desk
from service.matches.opening import Opened


@pytest.fixture(
    autouse=True, params=[MOST_COMMITS_AROUND, 0], ids=["told-in-the-history", "beside-it"]
)
def told(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Every promise holds for changes with a commit and for those without."""
    monkeypatch.setattr(traces, "MOST_COMMITS_AROUND", request.param)


def race(desk: Desk, monkeypatch: pytest.MonkeyPatch, rival: str, opened: Opened) -> None:
    """Let the owner (or the holder) change the tokens of seat 0 right after they have been read."""
    read = desk.journal.asides

    def asides(match: str) -> Mapping[str, str]:
        found = read(match)
        monkeypatch.setattr(desk.journal, "asides", read)
        if rival == "revoke":
            keyring.revoke(desk, match, opened.tokens["owner"], "seat:0")
        else:
            keyring.rotate(desk, match, opened.tokens["seat:0"], None, "")
        return found

    monkeypatch.setattr(desk.journal, "asides", asides)


def alive(desk: Desk, opened: Opened) -> list[str]:
    """Return the fields of the tokens that count for seat 0."""
    fields = desk.journal.asides(opened.loaded.id)
    return [
        field for field, name in fields.items() if field.startswith("token:") and name == "seat:0"
    ]


def test_a_rotation_that_meets_a_revocation_makes_no_token(
    desk: Desk, calimala: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner revokes while the holder replaces: nothing of the seat counts any more."""
    race(desk, monkeypatch, "revoke", calimala)
    with pytest.raises((Unauthorized, NotFound)):
        keyring.rotate(desk, calimala.loaded.id, calimala.tokens["seat:0"], None, "")
    assert alive(desk, calimala) == []


def test_a_revocation_that_meets_a_rotation_takes_the_new_token(
    desk: Desk, calimala: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The holder replaces while the owner revokes: the replacement is revoked too."""
    race(desk, monkeypatch, "rotate", calimala)
    keyring.revoke(desk, calimala.loaded.id, calimala.tokens["owner"], "seat:0")
    assert alive(desk, calimala) == []


def test_of_two_rotations_at_once_one_wins(
    desk: Desk, calimala: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same token replaced twice at once: one new token counts, the other caller is told that his counts no more."""
    race(desk, monkeypatch, "rotate", calimala)
    with pytest.raises(Unauthorized):
        keyring.rotate(desk, calimala.loaded.id, calimala.tokens["seat:0"], None, "")
    assert len(alive(desk, calimala)) == 1


def test_a_replaced_token_counts_no_more(desk: Desk, calimala: Opened) -> None:
    """After a rotation the new token opens the seat, the old one nothing."""
    fresh = keyring.rotate(desk, calimala.loaded.id, calimala.tokens["seat:0"], None, "").token
    assert enter(desk, calimala.loaded.id, fresh)[1].seat == 0
    with pytest.raises(Unauthorized):
        enter(desk, calimala.loaded.id, calimala.tokens["seat:0"])
