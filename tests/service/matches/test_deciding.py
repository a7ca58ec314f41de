"""What one process remembers never outweighs what the journal says."""

from dataclasses import replace

import pytest

from service.errors import Stale, Unauthorized
from service.matches import access, keyring, playing
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Opened
from service.matches.shelf import Shelf
from service.matches.submitting import Submission


@pytest.fixture
def other(desk: Desk) -> Desk:
    """Another process at work on the same journal."""
    return replace(desk, shelf=Shelf(8), past=Shelf(8), holders={})


def move(desk: Desk, opened: Opened, seat: int) -> int:
    """Make a seat's first legal move as the desk sees it; return the version."""
    legal = playing.legal_moves(load(desk, opened.loaded.id), seat)[0]
    return playing.move(
        desk, Submission(opened.loaded.id, opened.tokens[f"seat:{seat}"]), legal
    ).version


def test_processes_take_turns(desk: Desk, other: Desk, calimala: Opened) -> None:
    """A process that remembers an older state moves on from the newest one."""
    assert [move(one, calimala, seat) for seat, one in enumerate((desk, other, desk))] == [2, 3, 4]


def test_a_stale_move_is_refused_over_a_remembered_state(
    desk: Desk, other: Desk, calimala: Opened
) -> None:
    """Although this process has not heard of the commit, a move for the old version is not made."""
    legal = playing.legal_moves(calimala.loaded, 1)[0]
    access.enter(desk, calimala.loaded.id, calimala.tokens["seat:1"])
    move(other, calimala, 0)
    with pytest.raises(Stale) as refused:
        playing.move(
            desk, Submission(calimala.loaded.id, calimala.tokens["seat:1"], expected=1), legal
        )
    assert (refused.value.version, len(refused.value.since)) == (2, 1)


def test_a_token_revoked_elsewhere_moves_nothing(desk: Desk, other: Desk, calimala: Opened) -> None:
    """The append makes sure that the token still counts."""
    match, token = calimala.loaded.id, calimala.tokens["seat:0"]
    legal = playing.legal_moves(calimala.loaded, 0)
    playing.move(desk, Submission(match, token, key="k"), legal[0])
    keyring.revoke(other, match, token, "seat:0")
    for key in ("k", ""):
        with pytest.raises(Unauthorized):
            playing.move(desk, Submission(match, token, key=key), legal[0])
    assert load(other, match).version == 3, "the move and the revocation"


def test_a_move_asks_the_journal_once(
    desk: Desk, calimala: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match and a token that were seen before cost no look before the append."""
    legal = playing.legal_moves(calimala.loaded, 1)[0]
    move(desk, calimala, 0)
    access.enter(desk, calimala.loaded.id, calimala.tokens["seat:1"])
    monkeypatch.setattr(desk.journal, "tail", lambda *_: pytest.fail("it looked first"))
    assert (
        playing.move(desk, Submission(calimala.loaded.id, calimala.tokens["seat:1"]), legal).version
        == 3
    )
