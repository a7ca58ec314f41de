"""Audits of a journal: its head and its names fit the chain, which holds no name itself."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from service.errors import Forbidden, NotFound, Unauthorized
from service.matches import audits, lobby, names
from service.matches.desk import Desk
from service.matches.opening import Wish, open_new
from service.matches.submitting import Submission
from tests.service.toy_matches import names_of, new_desk, opened, play_on, record_of


def test_an_erased_name_is_gone_and_every_chain_still_verifies(desk: Desk) -> None:
    """Names are bound to the chain by a salted digest only, which stays."""
    match = opened(desk)
    play_on(desk, match)
    match_id = match.loaded.id
    lines = record_of(desk, match)

    names.erase(desk, match_id, match.tokens["seat:0"], 0)
    names.erase(desk, match_id, match.tokens["owner"], 1)

    assert names_of(desk, match_id) == {}
    assert record_of(desk, match) == lines
    assert audits.audit(desk, match_id).wrong is None


def test_a_name_may_be_erased_twice(desk: Desk) -> None:
    """The second time changes nothing, and others' names stay."""
    match = opened(desk)
    play_on(desk, match)
    match_id = match.loaded.id

    for _ in range(2):
        names.erase(desk, match_id, match.tokens["seat:0"], 0)

    assert names_of(desk, match_id) == {1: "Ginevra"}


def test_no_name_stands_in_the_chain(desk: Desk) -> None:
    """Neither the record nor the journal's commits hold a name."""
    match = opened(desk)
    play_on(desk, match)
    stored = desk.journal.read(match.loaded.id)

    for content in (*record_of(desk, match), *stored):
        assert b"Ginevra" not in content


def test_an_erased_name_cannot_be_guessed_from_what_is_kept(desk: Desk) -> None:
    """What the journal keeps of a request, to know its repeat, follows from the server's secret.

    Whoever lacks the secret cannot try out names.
    """
    other = replace(new_desk(), secret=b"o" * 32)

    assert mark_of_the_opening(desk) != mark_of_the_opening(other)


def mark_of_the_opening(desk: Desk) -> str:
    """Open a match; return what the journal keeps of the request."""
    match = opened(desk).loaded.id
    _, mark = desk.journal.metadata(match).ids["open"]
    return mark


@pytest.mark.parametrize(
    ("who", "seat", "error"),
    [
        pytest.param("seat:1", 0, Forbidden, id="another-seat"),
        pytest.param(None, 0, Unauthorized, id="nobody"),
        pytest.param("owner", 2, NotFound, id="no-such-seat"),
    ],
)
def test_a_name_is_erased_by_its_bearer_or_the_owner(
    desk: Desk, who: str | None, seat: int, error: type[Exception]
) -> None:
    """Nobody else may, and the name is still there."""
    match = opened(desk)
    token = None if who is None else match.tokens[who]

    with pytest.raises(error):
        names.erase(desk, match.loaded.id, token, seat)

    assert names_of(desk, match.loaded.id) == {0: "Ginevra", 1: "Ginevra"}


def test_a_name_put_in_anothers_place_is_found(desk: Desk) -> None:
    """The audit of a journal holds the names against their digests."""
    match = opened(desk).loaded.id
    another_name = '{"name":"Cosimo","salt":"00"}'
    desk.journal.put_sidecar(match, {"name:1": another_name})

    wrong = audits.audit(desk, match).wrong

    assert wrong is not None
    assert wrong.code == "name_differs"


def test_a_seat_that_changes_hands_while_it_is_audited_is_no_fault(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names are those of the moment of the head, whoever leaves and joins meanwhile."""
    plans = [{"kind": "open"}] * 2
    match = open_new(desk, Wish("toy", plans, seed="toy")).loaded.id
    token = join(desk, match, "Ginevra")
    journal = desk.journal
    first_read: list[str] = []

    def then_change_hands(read: Callable[[str], Any]) -> Callable[[str], Any]:
        """Let the seat change hands after the audit's first look at the journal."""

        def read_and_change(match: str) -> Any:
            value = read(match)
            if not first_read:
                first_read.append(match)
                lobby.leave(desk, Submission(match, token), 0)
                join(desk, match, "Cosimo")
            return value

        return read_and_change

    for read in (journal.sidecar, journal.head, journal.metadata):
        monkeypatch.setattr(journal, read.__name__, then_change_hands(read))
    wrong = audits.audit(desk, match).wrong

    assert wrong is None
    assert names_of(desk, match) == {0: "Cosimo"}


def join(desk: Desk, match: str, name: str) -> str | None:
    """Join the first seat under a name; return its token."""
    wish = {"name": name, "entropy": ""}
    _, token = lobby.join(desk, Submission(match, None), 0, wish)
    return token


def test_a_head_that_is_not_the_last_commit_is_found(desk: Desk) -> None:
    """The audit of a journal holds its head against its commits."""
    match = opened(desk).loaded.id
    journal: Any = desk.journal
    held = journal._matches[match]
    held.head = replace(held.head, hash="0" * 64)

    wrong = audits.audit(desk, match).wrong

    assert wrong is not None
    assert wrong.code == "head_differs"


def test_no_match_no_audit(desk: Desk) -> None:
    """An unknown match cannot be audited."""
    with pytest.raises(NotFound):
        audits.audit(desk, "nothing")
