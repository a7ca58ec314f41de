"""Records out and in: what leaves a server any other can take in, byte for byte or not at all."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import orjson
import pytest

from service.errors import AlreadyThere, BadRecord, Forbidden, NotFound, Unauthorized
from service.journal.packing import append_arguments
from service.journal.redis import appending, open_journal
from service.journal.values import Entry
from service.ledger import record
from service.ledger.canonical import parse_object
from service.matches import access, audits, house, lobby, names
from service.matches.committing import Act, commit
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Wish, open_new
from service.matches.reading import names_of
from service.matches.records import export, import_record
from service.matches.submitting import Submission
from service.verify.audit import verify_record
from tests import toy
from tests.attacks.forging import entries_of
from tests.service.toy_matches import forged, new_desk, opened, play_on, put, record_of, whole
from workers.bots import choose

END_OF_TIME = 10**15  # milliseconds since the epoch, tens of thousands of years ahead


@pytest.fixture(params=["memory", "redis"])
def other(request: pytest.FixtureRequest) -> Any:
    """Another server's desk, over each kind of journal."""
    if request.param == "memory":
        return new_desk()
    return request.getfixturevalue("busy")


def test_every_line_is_a_cloud_event(desk: Desk) -> None:
    """A line holds the attributes that CloudEvents 1.0 asks for.

    Its data is the commit with its hash and secrets.
    """
    lines = whole(desk)
    for number, line in enumerate(lines, 1):
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
    desk: Desk, other: Desk
) -> None:
    """Import and export are each other's inverse.

    The head, the outcome and every commit are those of the original.
    """
    lines = whole(desk)
    audit, was_there = import_record(other, lines)
    match = audit.report.match
    assert not was_there
    assert list(export(other, match, None)) == lines
    assert other.journal.read(match) == desk.journal.read(match)

    head = other.journal.head(match)
    assert head is not None
    assert replace(head, imported=0) == desk.journal.head(match)
    assert other.journal.listing("finished", None, 9) == [(head.imported, match)]
    assert audits.audit(other, match).wrong is None


def test_taking_a_record_in_again_changes_nothing(desk: Desk, other: Desk) -> None:
    """The same record twice is no error and one match."""
    lines = whole(desk)
    match = match_of(lines)
    import_record(other, lines)
    before = other.journal.read(match)

    _, was_there = import_record(other, lines)
    assert was_there is True
    assert other.journal.read(match) == before


def test_another_match_of_the_same_id_is_left_alone(desk: Desk, other: Desk) -> None:
    """A match that is there and differs is neither replaced nor completed.

    That holds even if it is the beginning of the same match.
    """
    lines = whole(desk)
    begun = opened(other)
    play_on(other, begun, until=3)
    before = other.journal.read(begun.loaded.id)
    assert begun.loaded.id == match_of(lines)

    with pytest.raises(AlreadyThere):
        import_record(other, lines)
    assert other.journal.read(begun.loaded.id) == before


def match_of(lines: list[bytes]) -> str:
    """Return the id of the match that a record is of."""
    match: str = parse_object(lines[0])["subject"]
    return match


@pytest.fixture
def busy(redis_url: str) -> Iterator[Desk]:
    """A desk over Redis."""
    journal = open_journal(redis_url, 16)
    yield replace(new_desk(), journal=journal)
    journal.close()


def test_an_import_lands_whole_or_not_at_all(
    desk: Desk, busy: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import that dies half way leaves no trace for a worker to find, and can be made again."""
    lines = whole(desk)
    match = match_of(lines)

    def die_half_way(entry: Entry) -> Any:
        if entry.expected == len(lines) // 2:
            raise KeyboardInterrupt
        return append_arguments(entry)

    with monkeypatch.context() as patch:
        patch.setattr(appending, "append_arguments", die_half_way)
        with pytest.raises(KeyboardInterrupt):
            import_record(busy, lines)
    assert busy.journal.read(match) == []
    assert busy.journal.head(match) is None
    assert busy.journal.pending(END_OF_TIME, 9) == []

    _, was_there = import_record(busy, lines)
    assert was_there is False


def test_a_match_begun_meanwhile_stops_the_import(
    desk: Desk, busy: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If another begins the match between the look and the append, nothing is appended to it."""
    lines = whole(desk)
    match = match_of(lines)
    others_to_begin = [busy]

    def race(entry: Entry) -> Any:
        while others_to_begin:
            opened(others_to_begin.pop())
        return append_arguments(entry)

    monkeypatch.setattr(appending, "append_arguments", race)
    with pytest.raises(AlreadyThere):
        import_record(busy, lines)
    assert len(busy.journal.read(match)) == 1


def bad_record(desk: Desk, kind: str) -> tuple[list[bytes], int, str]:
    """Return a record not to be taken in, the commit that is named, and the code."""
    lines = whole(desk)
    bare = [record.line(record.redact(stored, [])) for stored in entries_of(lines)]
    match kind:
        case "not-a-record":
            return [b"hello\n"], 1, "not_canonical"
        case "empty":
            return [], 0, "empty"
        case "line-missing":
            return lines[:3] + lines[4:], 4, "out_of_order"
        case "forged":
            overpaid = forged(lines, 4, put("commit.events.1.points", [99, 0]))
            return overpaid, 4, "events_differ"
        case "redacted":
            return bare, len(bare), "not_whole"
        case _:
            return bare[:4], 4, "not_whole"


@pytest.mark.parametrize(
    "kind", ["not-a-record", "empty", "line-missing", "forged", "redacted", "unended"]
)
def test_what_is_not_whole_and_right_is_not_taken_in(desk: Desk, other: Desk, kind: str) -> None:
    """The answer names the first bad commit, and not one byte is stored."""
    lines, first_bad, code = bad_record(desk, kind)
    with pytest.raises(BadRecord) as refused:
        import_record(other, lines)
    assert (refused.value.commit, refused.value.code) == (first_bad, code)
    assert other.journal.listing("", None, 9) == []


def test_an_imported_match_is_nobodys(desk: Desk) -> None:
    """Tokens of the original open no door, and no name has travelled.

    Nobody of the house has anything to do.
    """
    match = opened(desk)
    play_on(desk, match)
    match_id = match.loaded.id
    elsewhere = new_desk()
    import_record(elsewhere, record_of(desk, match))

    with pytest.raises(Unauthorized):
        access.enter(elsewhere, match_id, match.tokens["owner"])
    assert names_of(elsewhere, match_id) == {}

    before = elsewhere.journal.read(match_id)
    house.act(elsewhere, match_id)
    assert elsewhere.journal.read(match_id) == before


def audiences(lines: Iterable[bytes]) -> set[str]:
    """Return whose secret parts a record holds."""
    found: set[str] = set()
    for line in lines:
        stored, _ = record.read_line(line)
        found.update(stored["secrets"])
    return found


def test_a_private_match_is_exported_to_its_own_alone(desk: Desk) -> None:
    """Without a token there is no such match; with one its record is redacted for the bearer."""
    plan = [{"kind": "human"}] * 2
    match = open_new(desk, Wish("toy", plan, visibility="private"))
    with pytest.raises(NotFound):
        export(desk, match.loaded.id, None)

    held = {name: audiences(record_of(desk, match, token)) for name, token in match.tokens.items()}
    assert held == {
        "owner": set(),
        "spectator": set(),
        "seat:0": {"seat:0"},
        "seat:1": {"seat:1"},
    }


def test_between_the_end_and_the_revelation_nothing_is_revealed(desk: Desk) -> None:
    """A match that is over is redacted until the house has laid its secrets open (M9)."""
    match = opened(desk, 1, kind="bot")
    match_id = match.loaded.id
    while load(desk, match_id).version < 4:
        house.play_bots(desk, match_id, choose)
        commit(desk, load(desk, match_id), Act("house", toy.Settle()))
    assert audiences(record_of(desk, match)) == set()

    house.act(desk, match_id)
    assert verify_record(record_of(desk, match)).report.redacted is False


def test_an_erased_name_is_gone_and_every_chain_still_verifies(desk: Desk) -> None:
    """Names are bound to the chain by a salted digest only.

    Erased, they leave nothing to be guessed from.
    """
    match = opened(desk)
    play_on(desk, match)
    match_id = match.loaded.id
    lines = record_of(desk, match)
    for content in (*lines, *desk.journal.read(match_id)):
        assert b"Ginevra" not in content

    for _ in range(2):
        names.erase(desk, match_id, match.tokens["seat:0"], 0)
    assert names_of(desk, match_id) == {1: "Ginevra"}

    names.erase(desk, match_id, match.tokens["owner"], 1)
    assert names_of(desk, match_id) == {}
    assert record_of(desk, match) == lines
    assert audits.audit(desk, match_id).wrong is None


def test_an_erased_name_cannot_be_guessed_from_what_is_kept(desk: Desk) -> None:
    """What the journal keeps of a request tells nothing to who lacks the server's secret.

    It keeps that to know the request's repeat.
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
    match = opened(desk)
    desk.journal.put_sidecar(match.loaded.id, {"name:1": '{"name":"Cosimo","salt":"00"}'})
    wrong = audits.audit(desk, match.loaded.id).wrong
    assert wrong is not None
    assert wrong.code == "name_differs"


def test_a_seat_that_changes_hands_while_it_is_audited_is_no_fault(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names are those of the moment of the head, whoever leaves and joins meanwhile."""
    match = open_new(desk, Wish("toy", [{"kind": "open"}] * 2, seed="toy")).loaded.id
    token = join(desk, match, "Ginevra")
    journal = desk.journal
    reads = [journal.sidecar, journal.head, journal.metadata]
    was_read: list[str] = []

    def then_change_hands(read: Callable[[str], Any]) -> Callable[[str], Any]:
        def read_and_change(match: str) -> Any:
            found = read(match)
            if not was_read:
                was_read.append(match)
                lobby.leave(desk, Submission(match, token), 0)
                join(desk, match, "Cosimo")
            return found

        return read_and_change

    for read in reads:
        monkeypatch.setattr(journal, read.__name__, then_change_hands(read))
    assert audits.audit(desk, match).wrong is None
    assert names_of(desk, match) == {0: "Cosimo"}


def join(desk: Desk, match: str, name: str) -> str | None:
    """Join the first seat under a name; return its token."""
    wish = {"name": name, "entropy": ""}
    _, token = lobby.join(desk, Submission(match, None), 0, wish)
    return token


def test_a_head_that_is_not_the_last_commit_is_found(desk: Desk) -> None:
    """The audit of a journal holds its head against its commits."""
    match = opened(desk)
    journal: Any = desk.journal
    held = journal._matches[match.loaded.id]
    held.head = replace(held.head, hash="0" * 64)
    wrong = audits.audit(desk, match.loaded.id).wrong
    assert wrong is not None
    assert wrong.code == "head_differs"


def test_no_match_no_audit(desk: Desk) -> None:
    """An unknown match cannot be audited."""
    with pytest.raises(NotFound):
        audits.audit(desk, "nothing")
