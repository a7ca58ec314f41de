"""Records out and in: what leaves a server any other can take in, byte for byte or not at all."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from service.errors import AlreadyThere, Unauthorized
from service.journal.redis import open_journal
from service.ledger import record
from service.ledger.commit import parse_object
from service.matches import automation, records
from service.matches.access import enter
from service.matches.command_handler import Act, commit
from service.matches.context import Context
from service.matches.records import export, import_record
from service.matches.repository import load
from service.verify.audit import verify_record
from tests import toy
from tests.attacks.forging import entries_of
from tests.service.toy_matches import (
    forged,
    import_fault,
    names_of,
    new_context,
    opened,
    play_on,
    put,
    record_of,
    whole,
)
from workers.bots import choose

COMMITS = 8  # of a whole record
SETTLED = 4  # the commit that ends a match of one round


@pytest.fixture
def busy(redis_url: str) -> Iterator[Context]:
    """Another server, over Redis."""
    journal = open_journal(redis_url, 16)
    yield replace(new_context(), journal=journal)
    journal.close()


@pytest.fixture(params=["memory", "redis"])
def other(request: pytest.FixtureRequest) -> Any:
    """Another server, over each kind of journal."""
    return new_context() if request.param == "memory" else request.getfixturevalue("busy")


def match_of(lines: list[bytes]) -> str:
    """Return the id of the match that a record is of."""
    match: str = parse_object(lines[0])["subject"]
    return match


def test_a_record_taken_in_and_written_again_is_the_same_to_the_byte(
    ctx: Context, other: Context
) -> None:
    """Import and export are each other's inverse; a second import changes nothing."""
    lines = whole(ctx)
    match = match_of(lines)

    assert import_record(other, lines)[1] is False
    before = other.journal.events.read(match)
    assert import_record(other, lines)[1] is True

    assert list(export(other, match, None)) == lines
    assert other.journal.events.read(match) == before == ctx.journal.events.read(match)
    assert records.audit(other, match).wrong is None

    # All of the head is as before, but for the time of the import, by which it is listed.
    head = other.journal.events.head(match)
    assert head is not None
    assert replace(head, imported=0) == ctx.journal.events.head(match)
    assert other.journal.index.listing("finished", None, 9) == [(head.imported, match)]


def test_another_match_of_the_same_id_is_left_alone(ctx: Context, other: Context) -> None:
    """It is neither replaced nor completed, even if it is the beginning of the same match."""
    lines = whole(ctx)
    begun = opened(other)
    play_on(other, begun, until=3)
    before = other.journal.events.read(begun.loaded.id)
    assert begun.loaded.id == match_of(lines)

    with pytest.raises(AlreadyThere):
        import_record(other, lines)

    assert other.journal.events.read(begun.loaded.id) == before


def redacted(lines: list[bytes]) -> list[bytes]:
    """Return a record without its secret parts."""
    return [record.line(record.redact(stored, [])) for stored in entries_of(lines)]


@pytest.mark.parametrize(
    ("spoil", "first_bad", "code"),
    [
        pytest.param(lambda _lines: [b"hello\n"], 1, "not_canonical", id="not-a-record"),
        pytest.param(lambda _lines: [], 0, "empty", id="empty"),
        pytest.param(lambda lines: lines[:3] + lines[4:], 4, "out_of_order", id="line-missing"),
        pytest.param(
            lambda lines: forged(lines, 4, put("commit.events.1.points", [99, 0])),
            4,
            "events_differ",
            id="forged",
        ),
        pytest.param(redacted, COMMITS, "not_whole", id="redacted"),
        pytest.param(lambda lines: redacted(lines)[:4], 4, "not_whole", id="unended"),
    ],
)
def test_what_is_not_whole_and_right_is_not_taken_in(
    ctx: Context, spoil: Callable[[list[bytes]], list[bytes]], first_bad: int, code: str
) -> None:
    """The answer names the first bad commit, and not one byte is stored."""
    other = new_context()
    lines = spoil(whole(ctx))

    assert import_fault(other, lines) == (first_bad, code)
    assert other.journal.index.listing("", None, 9) == []


def test_an_imported_match_is_nobodys(ctx: Context) -> None:
    """Tokens of the original open no door, no name travels, and the house has nothing to do."""
    played = opened(ctx)
    play_on(ctx, played)
    match = played.loaded.id
    elsewhere = new_context()
    import_record(elsewhere, record_of(ctx, played))
    before = elsewhere.journal.events.read(match)

    with pytest.raises(Unauthorized):
        enter(elsewhere, match, played.tokens["owner"])
    assert names_of(elsewhere, match) == {}

    automation.act(elsewhere, match)
    assert elsewhere.journal.events.read(match) == before


def audiences(lines: Iterable[bytes]) -> set[str]:
    """Return whose secret parts a record holds."""
    held: set[str] = set()
    for line in lines:
        stored, _content = record.read_line(line)
        held.update(stored["secrets"])
    return held


def test_between_the_end_and_the_revelation_nothing_is_revealed(ctx: Context) -> None:
    """M9: a match that is over is redacted until the house has laid its secrets open."""
    match = opened(ctx, 1, kind="bot")
    match_id = match.loaded.id
    while load(ctx, match_id).version < SETTLED:
        automation.play_bots(ctx, match_id, choose)
        commit(ctx, load(ctx, match_id), Act("house", toy.Settle()))

    assert audiences(record_of(ctx, match)) == set()

    automation.act(ctx, match_id)

    assert verify_record(record_of(ctx, match)).report.redacted is False
