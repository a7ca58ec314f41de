"""Audits of a journal: its head and its names fit the chain, which holds no name itself."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from service.errors import Forbidden, NotFound, Unauthorized
from service.matches import lobby, metadata_changes, records
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from tests.service.journal.copies import store_of
from tests.service.toy_matches import names_of, new_context, opened, play_on, record_of


def fault_in(ctx: Context, match: str) -> str:
    """Return the code of what the audit of a match finds, "" if nothing."""
    wrong = records.audit(ctx, match).wrong
    return "" if wrong is None else wrong.code


def test_an_erased_name_is_gone_and_every_chain_still_verifies(ctx: Context) -> None:
    """Names are bound to the chain by a salted digest only, which stays. Twice is as once."""
    match = opened(ctx)
    play_on(ctx, match)
    match_id = match.loaded.id
    lines = record_of(ctx, match)
    for content in (*lines, *ctx.journal.events.read(match_id)):
        assert b"Ginevra" not in content

    for _ in range(2):
        metadata_changes.erase(ctx, match_id, match.tokens["seat:0"], 0)
    assert names_of(ctx, match_id) == {1: "Ginevra"}
    metadata_changes.erase(ctx, match_id, match.tokens["owner"], 1)
    assert names_of(ctx, match_id) == {}

    assert record_of(ctx, match) == lines
    assert fault_in(ctx, match_id) == ""


def test_an_erased_name_cannot_be_guessed_from_what_is_kept(ctx: Context) -> None:
    """What the journal keeps of a request, to know its repeat, follows from the server's secret."""
    other = replace(new_context(), secret=b"o" * 32)

    assert mark_of_the_opening(ctx) != mark_of_the_opening(other)


def mark_of_the_opening(ctx: Context) -> str:
    """Open a match; return what the journal keeps of the request."""
    match = opened(ctx).loaded.id
    _, mark = ctx.journal.metadata.dump(match).ids["open"]
    return mark


@pytest.mark.parametrize(
    ("who", "seat", "error"),
    [
        pytest.param("seat:1", 0, Forbidden, id="M13-another-seat"),
        pytest.param(None, 0, Unauthorized, id="M13-nobody"),
        pytest.param("owner", 2, NotFound, id="M13-no-such-seat"),
    ],
)
def test_a_name_is_erased_by_its_bearer_or_the_owner(
    ctx: Context, who: str | None, seat: int, error: type[Exception]
) -> None:
    """Nobody else may, and the name is still there."""
    match = opened(ctx)
    token = None if who is None else match.tokens[who]

    with pytest.raises(error):
        metadata_changes.erase(ctx, match.loaded.id, token, seat)

    assert names_of(ctx, match.loaded.id) == {0: "Ginevra", 1: "Ginevra"}


def test_what_does_not_fit_the_chain_is_found(ctx: Context) -> None:
    """A name in another's place, or a head that is not the last commit's."""
    match = opened(ctx).loaded.id
    held = store_of(ctx.journal).known(match)
    true_head = held.head

    held.head = replace(true_head, hash="0" * 64)
    assert fault_in(ctx, match) == "head_differs"

    held.head = true_head
    ctx.journal.metadata.put(match, {"name:1": '{"name":"Cosimo","salt":"00"}'})
    assert fault_in(ctx, match) == "name_differs"

    with pytest.raises(NotFound):
        records.audit(ctx, "nothing")


def test_a_seat_that_changes_hands_while_it_is_audited_is_no_fault(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names are those of the moment of the head, whatever happens meanwhile."""
    plans = [{"kind": "open"}] * 2
    match = open_new(ctx, OpenRequest("toy", plans, seed="toy")).loaded.id
    token = join(ctx, match, "Ginevra")
    journal = ctx.journal
    first_read: list[str] = []

    def then_change_hands(read: Callable[[str], Any]) -> Callable[[str], Any]:
        """Let the seat change hands after the audit's first look at the journal."""

        def read_and_change(match: str) -> Any:
            value = read(match)
            if not first_read:
                first_read.append(match)
                lobby.leave(ctx, Submission(match, token), 0)
                join(ctx, match, "Cosimo")
            return value

        return read_and_change

    for port, name in (
        (journal.metadata, "fields"),
        (journal.events, "head"),
        (journal.metadata, "dump"),
    ):
        monkeypatch.setattr(port, name, then_change_hands(getattr(port, name)))

    assert fault_in(ctx, match) == ""
    assert names_of(ctx, match) == {0: "Cosimo"}


def join(ctx: Context, match: str, name: str) -> str | None:
    """Join the first seat under a name; return its token."""
    _, token = lobby.join(ctx, Submission(match, None), 0, {"name": name, "entropy": ""})
    return token
