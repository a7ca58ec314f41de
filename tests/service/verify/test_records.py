"""Records out and in: what leaves a server any other can take in, byte for byte or not at all."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import orjson
import pytest

from service.errors import AlreadyThere, NotFound, Unauthorized
from service.journal.encoding import append_arguments
from service.journal.redis import events, open_journal
from service.journal.values import Entry
from service.ledger import record
from service.ledger.commit import parse_object
from service.matches import automation, records
from service.matches.access import enter
from service.matches.command_handler import Act, commit
from service.matches.context import Context
from service.matches.opening import Opened, OpenRequest, open_new
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


@pytest.fixture(params=["memory", "redis"])
def other(request: pytest.FixtureRequest) -> Any:
    """Another server's desk, over each kind of journal."""
    if request.param == "memory":
        return new_context()
    return request.getfixturevalue("busy")


def test_every_line_is_a_cloud_event(ctx: Context) -> None:
    """A line holds the attributes that CloudEvents 1.0 asks for.

    Its data is the commit with its hash and secrets.
    """
    for number, line in enumerate(whole(ctx), 1):
        event = orjson.loads(line)
        stored = event.pop("data")

        content = stored["commit"]
        assert event == {
            "specversion": "1.0",
            "type": "giornale.commit",
            "source": f"/v1/matches/{content['match']}",
            "id": str(number),
            "subject": content["match"],
            "time": content["time"],
            "datacontenttype": "application/json",
        }
        assert stored.keys() == {"commit", "hash", "secrets"}


def test_a_record_taken_in_and_written_again_is_the_same_to_the_byte(
    ctx: Context, other: Context
) -> None:
    """Import and export are each other's inverse: every commit is that of the original."""
    lines = whole(ctx)

    audit, was_there = import_record(other, lines)

    match = audit.report.match

    assert not was_there
    assert list(export(other, match, None)) == lines
    assert other.journal.events.read(match) == ctx.journal.events.read(match)


def test_a_match_taken_in_has_the_head_of_the_original(ctx: Context, other: Context) -> None:
    """All but the time of the import is as before; by that time it stands in the list."""
    lines = whole(ctx)
    match = match_of(lines)

    import_record(other, lines)

    head = other.journal.events.head(match)

    assert head is not None
    assert replace(head, imported=0) == ctx.journal.events.head(match)
    assert other.journal.index.listing("finished", None, 9) == [(head.imported, match)]


def test_a_match_taken_in_passes_the_audit(ctx: Context, other: Context) -> None:
    """What was right as a record is right in the journal that took it in."""
    lines = whole(ctx)

    import_record(other, lines)

    assert records.audit(other, match_of(lines)).wrong is None


def test_taking_a_record_in_again_changes_nothing(ctx: Context, other: Context) -> None:
    """The same record twice is no error and one match."""
    lines = whole(ctx)
    match = match_of(lines)
    import_record(other, lines)
    before = other.journal.events.read(match)

    _, was_there = import_record(other, lines)

    assert was_there is True
    assert other.journal.events.read(match) == before


def test_another_match_of_the_same_id_is_left_alone(ctx: Context, other: Context) -> None:
    """A match that is there and differs is neither replaced nor completed.

    That holds even if it is the beginning of the same match.
    """
    lines = whole(ctx)
    begun = opened(other)
    play_on(other, begun, until=3)
    before = other.journal.events.read(begun.loaded.id)

    assert begun.loaded.id == match_of(lines)

    with pytest.raises(AlreadyThere):
        import_record(other, lines)

    assert other.journal.events.read(begun.loaded.id) == before


def match_of(lines: list[bytes]) -> str:
    """Return the id of the match that a record is of."""
    match: str = parse_object(lines[0])["subject"]
    return match


@pytest.fixture
def busy(redis_url: str) -> Iterator[Context]:
    """A desk over Redis."""
    journal = open_journal(redis_url, 16)
    yield replace(new_context(), journal=journal)
    journal.close()


def test_an_import_lands_whole_or_not_at_all(
    ctx: Context, busy: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import that dies half way leaves no trace for a worker to find, and can be made again."""
    lines = whole(ctx)
    match = match_of(lines)

    def die_half_way(entry: Entry, channel: str) -> Any:
        if entry.expected == len(lines) // 2:
            raise KeyboardInterrupt
        return append_arguments(entry, channel)

    with monkeypatch.context() as patch:
        patch.setattr(events, "append_arguments", die_half_way)
        with pytest.raises(KeyboardInterrupt):
            import_record(busy, lines)

    assert busy.journal.events.read(match) == []
    assert busy.journal.events.head(match) is None
    assert busy.journal.pending.due(0, 9) == []

    _, was_there = import_record(busy, lines)

    assert was_there is False


def test_a_match_begun_meanwhile_stops_the_import(
    ctx: Context, busy: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If another begins the match between the look and the append, nothing is appended to it."""
    lines = whole(ctx)
    match = match_of(lines)
    others_to_begin = [busy]

    def race(entry: Entry, channel: str) -> Any:
        while others_to_begin:
            opened(others_to_begin.pop())
        return append_arguments(entry, channel)

    monkeypatch.setattr(events, "append_arguments", race)
    with pytest.raises(AlreadyThere):
        import_record(busy, lines)

    assert len(busy.journal.events.read(match)) == 1


# What makes of a whole record one that is not to be taken in.
Spoil = Callable[[list[bytes]], list[bytes]]


def not_a_record(lines: list[bytes]) -> list[bytes]:
    return [b"hello\n"]


def nothing(lines: list[bytes]) -> list[bytes]:
    return []


def without_the_fourth(lines: list[bytes]) -> list[bytes]:
    return lines[:3] + lines[4:]


def overpaid(lines: list[bytes]) -> list[bytes]:
    return forged(lines, 4, put("commit.events.1.points", [99, 0]))


def redacted(lines: list[bytes]) -> list[bytes]:
    return [record.line(record.redact(stored, [])) for stored in entries_of(lines)]


def redacted_and_unended(lines: list[bytes]) -> list[bytes]:
    return redacted(lines)[:4]


@pytest.mark.parametrize(
    ("spoil", "first_bad", "code"),
    [
        pytest.param(not_a_record, 1, "not_canonical", id="not-a-record"),
        pytest.param(nothing, 0, "empty", id="empty"),
        pytest.param(without_the_fourth, 4, "out_of_order", id="line-missing"),
        pytest.param(overpaid, 4, "events_differ", id="forged"),
        pytest.param(redacted, COMMITS, "not_whole", id="redacted"),
        pytest.param(redacted_and_unended, 4, "not_whole", id="unended"),
    ],
)
def test_what_is_not_whole_and_right_is_not_taken_in(
    ctx: Context, other: Context, spoil: Spoil, first_bad: int, code: str
) -> None:
    """The answer names the first bad commit, and not one byte is stored."""
    lines = spoil(whole(ctx))

    assert import_fault(other, lines) == (first_bad, code)
    assert other.journal.index.listing("", None, 9) == []


@pytest.fixture
def played(ctx: Context) -> Opened:
    """A match that was played to its end."""
    match = opened(ctx)
    play_on(ctx, match)
    return match


@pytest.fixture
def elsewhere(ctx: Context, played: Opened) -> Context:
    """Another server's desk, where the match was taken in."""
    other = new_context()
    import_record(other, record_of(ctx, played))
    return other


def test_tokens_of_the_original_open_no_door(played: Opened, elsewhere: Context) -> None:
    """An imported match is nobody's."""
    with pytest.raises(Unauthorized):
        enter(elsewhere, played.loaded.id, played.tokens["owner"])


def test_no_name_travels_with_a_record(played: Opened, elsewhere: Context) -> None:
    """Where a match was taken in, nobody knows who played."""
    assert names_of(elsewhere, played.loaded.id) == {}


def test_the_house_has_nothing_to_do_in_an_imported_match(
    played: Opened, elsewhere: Context
) -> None:
    """Its commits stay as they were taken in."""
    match = played.loaded.id
    before = elsewhere.journal.events.read(match)

    automation.act(elsewhere, match)

    assert elsewhere.journal.events.read(match) == before


def audiences(lines: Iterable[bytes]) -> set[str]:
    """Return whose secret parts a record holds."""
    held: set[str] = set()
    for line in lines:
        stored, _content = record.read_line(line)
        held.update(stored["secrets"])
    return held


@pytest.fixture
def private(ctx: Context) -> Opened:
    """A private match."""
    plans = [{"kind": "human"}] * 2
    return open_new(ctx, OpenRequest("toy", plans, visibility="private"))


def test_without_a_token_there_is_no_private_match(ctx: Context, private: Opened) -> None:
    """Whoever may not see a match is not told that it is there."""
    with pytest.raises(NotFound):
        export(ctx, private.loaded.id, None)


def test_a_private_match_is_exported_to_its_own_alone(ctx: Context, private: Opened) -> None:
    """The record is redacted for the bearer of each token."""
    held = {
        name: audiences(record_of(ctx, private, token)) for name, token in private.tokens.items()
    }

    assert held == {
        "owner": set(),
        "spectator": set(),
        "seat:0": {"seat:0"},
        "seat:1": {"seat:1"},
    }


def test_between_the_end_and_the_revelation_nothing_is_revealed(ctx: Context) -> None:
    """A match that is over is redacted until the house has laid its secrets open (M9)."""
    match = opened(ctx, 1, kind="bot")
    match_id = match.loaded.id
    while load(ctx, match_id).version < SETTLED:
        automation.play_bots(ctx, match_id, choose)
        settle = Act("house", toy.Settle())
        commit(ctx, load(ctx, match_id), settle)

    assert audiences(record_of(ctx, match)) == set()

    automation.act(ctx, match_id)

    assert verify_record(record_of(ctx, match)).report.redacted is False
