"""Exports and imports of records, and audits of a match with its names."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from service.base.errors import AlreadyThere, Forbidden, NotFound, Unauthorized
from service.matches import automation, lobby, metadata_changes, records
from service.matches.access import enter
from service.matches.command_handler import Act, Submission, commit
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.records import export, import_record
from service.matches.repository import OtherStream, load
from service.record import record
from service.record.commit import parse_object
from service.record.verify.audit import verify_record
from service.store.journal.redis import open_journal
from tests import toy
from tests.attacks.forging import entries_of
from tests.service.record.verify.forged_table import PUBLIC, drop_signature
from tests.service.store.journal.copies import store_of
from tests.service.toy_matches import (
    forged,
    import_fault,
    names_of,
    new_context,
    opened,
    play_on,
    put,
    record_of,
    signed,
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


@pytest.mark.parametrize(
    ("change", "code", "commit"),
    [
        (lambda _entries: [], "empty", 0),
        (lambda entries: entries[:3], "head_differs", 3),
        (lambda entries: [*entries[:2], b"no commit", *entries[3:]], "not_canonical", 3),
        (lambda entries: [*entries[:2], *entries[3:]], "out_of_order", 3),
    ],
    ids=["none", "fewer", "damaged", "one-lacks"],
)
def test_an_audit_reports_missing_and_damaged_commits(
    ctx: Context,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[list[bytes]], list[bytes]],
    code: str,
    commit: int,
) -> None:
    """The fault is a part of the report, also at the bound between two reads."""
    match = match_of(whole(ctx))
    entries = change(ctx.journal.events.read(match))
    monkeypatch.setattr(records, "PIECE", 2)
    monkeypatch.setattr(
        ctx.journal.events, "read", lambda _match, after, number: entries[after : after + number]
    )

    wrong = records.audit(ctx, match).wrong

    assert wrong is not None
    assert (wrong.code, wrong.commit) == (code, commit)


def test_an_audit_of_a_journal_that_goes_back_is_no_fault(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commits of two streams do not fit together, which says nothing of either."""
    match = match_of(whole(ctx))
    entries = ctx.journal.events.read(match)
    head = ctx.journal.events.head(match)
    assert head is not None
    monkeypatch.setattr(ctx.journal.events, "read", lambda *_: entries[:2])
    monkeypatch.setattr(ctx.journal.events, "head", lambda _: replace(head, version=2))

    with pytest.raises(OtherStream):
        records.audit(ctx, match)


def match_of(lines: list[bytes]) -> str:
    """Return the id of a record's match."""
    match: str = parse_object(lines[0])["subject"]
    return match


def test_a_record_imported_and_exported_is_equal_to_the_byte(ctx: Context, other: Context) -> None:
    """Import and export are each other's inverse. A second import changes nothing."""
    lines = whole(ctx)
    match = match_of(lines)

    assert import_record(other, lines)[1] is False
    before = other.journal.events.read(match)
    assert import_record(other, lines)[1] is True

    assert list(export(other, match, None)) == lines
    assert other.journal.events.read(match) == before == ctx.journal.events.read(match)
    assert records.audit(other, match).wrong is None

    # The head is as before, except for the time of the import, by which lists are sorted.
    head = other.journal.events.head(match)
    assert head is not None
    assert replace(head, imported=0) == ctx.journal.events.head(match)
    assert other.journal.index.listing("ended", None, 9) == [(head.imported, match)]


def test_another_match_of_the_same_id_is_left_alone(ctx: Context, other: Context) -> None:
    """The stored match stays, even if it is the beginning of the imported one."""
    lines = whole(ctx)
    match = opened(other)
    play_on(other, match, until=3)
    before = other.journal.events.read(match.loaded.id)
    assert match.loaded.id == match_of(lines)

    with pytest.raises(AlreadyThere):
        import_record(other, lines)

    assert other.journal.events.read(match.loaded.id) == before


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
def test_a_damaged_or_wrong_record_is_not_imported(
    ctx: Context, spoil: Callable[[list[bytes]], list[bytes]], first_bad: int, code: str
) -> None:
    """The error names the first bad commit, and no match is stored."""
    other = new_context()
    lines = spoil(whole(ctx))

    assert import_fault(other, lines) == (first_bad, code)
    assert other.journal.index.listing("", None, 9) == []


def test_an_imported_match_is_nobodys(ctx: Context) -> None:
    """An imported match has no tokens and no names, and no work for the house."""
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
    """Return the audiences of a record's secret parts."""
    readers: set[str] = set()
    for line in lines:
        stored, _content = record.read_line(line)
        readers.update(stored["secrets"])
    return readers


def test_between_the_end_and_the_revelation_nothing_is_revealed(ctx: Context) -> None:
    """M9: the record of an ended match is redacted until the house reveals the secrets."""
    match = opened(ctx, 1, kind="bot")
    match_id = match.loaded.id
    while load(ctx, match_id).version < SETTLED:
        automation.play_bots(ctx, match_id, choose)
        commit(ctx, load(ctx, match_id), Act("house", toy.Settle()))

    assert audiences(record_of(ctx, match)) == set()

    automation.act(ctx, match_id)

    assert verify_record(record_of(ctx, match)).report.redacted is False


def fault_in(ctx: Context, match: str) -> str:
    """Return the code of the audit's finding in a match, "" if there is none."""
    wrong = records.audit(ctx, match).wrong
    return "" if wrong is None else wrong.code


def test_an_erased_name_is_gone_and_every_chain_still_verifies(ctx: Context) -> None:
    """The chain has only a salted digest of a name, so it stays.

    A second erasure changes nothing.
    """
    match = opened(ctx)
    play_on(ctx, match)
    match_id = match.loaded.id
    lines = record_of(ctx, match)
    for content in (*lines, *ctx.journal.events.read(match_id)):
        assert b"Ginevra" not in content

    for _ in range(2):
        metadata_changes.erase(ctx, Submission(match_id, match.tokens["seat:0"]), 0)
    assert names_of(ctx, match_id) == {1: "Ginevra"}
    metadata_changes.erase(ctx, Submission(match_id, match.tokens["owner"]), 1)
    assert names_of(ctx, match_id) == {}

    assert record_of(ctx, match) == lines
    assert fault_in(ctx, match_id) == ""


def test_an_erased_name_cannot_be_guessed_from_stored_requests(ctx: Context) -> None:
    """The stored fingerprint of a request depends on the server's secret."""
    other = replace(new_context(), secret=b"o" * 32)

    assert mark_of_the_opening(ctx) != mark_of_the_opening(other)


def mark_of_the_opening(ctx: Context) -> str:
    """Open a match. Return the stored fingerprint of the request."""
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
    """An erasure by anybody else is refused, and the name stays."""
    match = opened(ctx)
    token = None if who is None else match.tokens[who]

    with pytest.raises(error):
        metadata_changes.erase(ctx, Submission(match.loaded.id, token), seat)

    assert names_of(ctx, match.loaded.id) == {0: "Ginevra", 1: "Ginevra"}


def test_metadata_that_contradicts_the_chain_is_found(ctx: Context) -> None:
    """A name or a head that contradicts the chain is found."""
    match = opened(ctx).loaded.id
    stored_match = store_of(ctx.journal).known(match)
    true_head = stored_match.head

    stored_match.head = replace(true_head, hash="0" * 64)
    assert fault_in(ctx, match) == "head_differs"

    stored_match.head = true_head
    ctx.journal.metadata.put(match, {"name:1": '{"name":"Cosimo","salt":"00"}'})
    assert fault_in(ctx, match) == "name_differs"

    with pytest.raises(NotFound):
        records.audit(ctx, "nothing")


def test_a_seat_that_changes_hands_during_its_audit_is_no_fault(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The audit reads names and head at the same moment, so a change meanwhile is no fault."""
    plans = [{"kind": "open"}] * 2
    match = open_new(ctx, OpenRequest("toy", plans, seed="toy")).loaded.id
    token = join(ctx, match, "Ginevra")
    journal = ctx.journal
    first_read: list[str] = []

    def then_change_hands(reader: Callable[[str], Any]) -> Callable[[str], Any]:
        """Let the seat change hands after the audit's first look at the journal."""

        def read_and_change(match: str) -> Any:
            value = reader(match)
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
    """Join the first seat under a name. Return its token."""
    _, token = lobby.join(ctx, Submission(match, None), 0, {"name": name, "entropy": ""})
    return token


def test_a_signed_record_is_imported_and_a_forged_one_is_not(ctx: Context) -> None:
    """M18: an import checks signatures, too."""
    lines = signed(new_context())
    unsigned = forged(lines, PUBLIC, drop_signature)
    assert import_fault(ctx, unsigned) == (PUBLIC, "signature_wrong")

    audit, _ = import_record(ctx, lines)

    assert audit.report.signed == 4
    assert list(export(ctx, audit.report.match, None)) == lines
