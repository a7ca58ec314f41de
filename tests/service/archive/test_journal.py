"""Whoever asks for a match cannot tell whether it lies in the journal or in the archive."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from service.archive.archive import Archive
from service.archive.journal import with_archive
from service.archive.leaving import come_back, leave
from service.errors import AlreadyThere, Illegal, KeyConflict, MatchDeleted
from service.journal.errors import (
    ArchiveUnavailable,
    Conflict,
    Deleted,
    JournalUnavailable,
    KeyReused,
)
from service.journal.port import Journal
from service.journal.values import Tombstone
from service.keys.tokens import Caller
from service.ledger.canonical import Json
from service.matches import (
    archiving,
    audits,
    deleting,
    differing,
    history,
    listing,
    playing,
    reading,
    records,
)
from service.matches.desk import Desk
from service.matches.differing import Ends
from service.matches.history import Filter, Selection
from service.matches.loading import at_version, load
from service.matches.moments import Moment, Span, version_of
from service.matches.opening import open_new
from service.matches.submitting import Submission
from tests import toy
from tests.service.archive.conftest import NOW, cold, files_of
from tests.service.journal.entries import entry
from tests.service.toy_matches import new_desk, opened, play_on

PUBLIC = Caller()


def versions(desk: Desk, match: str) -> list[Json]:
    """Return the public state at each version of a match."""
    head = load(desk, match)
    past = [at_version(desk, match, version) for version in range(1, head.version + 1)]
    return [reading.view(loaded, PUBLIC) for loaded in past]


def at_times(desk: Desk, match: str) -> list[int]:
    """Return the version at each time from the opening on, second by second."""
    loaded = load(desk, match)
    start = 1_700_000_000_000
    times = range(start + 60_000, start + 100_000, 1000)
    return [version_of(desk, loaded, Moment(time=time)) for time in times]


def differences(desk: Desk, match: str) -> list[Json]:
    """Return what changed from each version to the next."""
    loaded = load(desk, match)
    ends = pairwise(range(1, loaded.version + 1))
    return [differing.between(desk, loaded, PUBLIC, Ends(*pair), 9) for pair in ends]


def pages(desk: Desk, match: str) -> list[Any]:
    """Return the history in pages of three."""
    loaded = load(desk, match)
    spans = [Span(after, loaded.version, closed=True) for after in range(0, loaded.version, 3)]
    return [history.page(desk, loaded, PUBLIC, Selection(span, Filter()), 3) for span in spans]


QUESTIONS: dict[str, Callable[[Desk, str], object]] = {
    "head": lambda desk, match: desk.journal.head(match),
    "document": lambda desk, match: reading.document(load(desk, match), {}),
    "states": versions,
    "times": at_times,
    "differences": differences,
    "history": pages,
    "record": lambda desk, match: list(records.export(desk, match, None)),
    "audit": lambda desk, match: audits.audit(desk, match).as_json(),
    "listed": lambda desk, _match: desk.journal.listing("finished", None, 9),
    "overview": lambda desk, match: desk.journal.overviews([(match, ["seat:0", "kinds"])]),
    "counts": lambda desk, _match: desk.journal.listed_counts(),
    "metadata": lambda desk, match: desk.journal.metadata(match),
    "commits": lambda desk, match: [desk.journal.read(match, after, 2) for after in range(99)],
    "tails": lambda desk, match: [desk.journal.tail(match, after, "x", 3) for after in range(99)],
    "feeds": lambda desk, _match: [desk.journal.feed(number, "", 999) for number in range(256)],
}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_an_archived_match_is_told_as_before(
    desk: Desk, archive: Archive, ended: str, ask: Callable[[Desk, str], object]
) -> None:
    """By a process that has never seen it; and again after it has come back."""
    before = ask(cold(desk, archive), ended)
    leave(desk.journal, archive, ended, NOW)

    assert ask(cold(desk, archive), ended) == before
    assert ask(desk, ended) == before

    come_back(desk.journal, archive, ended)
    assert ask(cold(desk, archive), ended) == before


def test_the_stream_is_gone_and_one_file_is_there(desk: Desk, archive: Archive, left: str) -> None:
    """The commits lie in one place only; reading them leaves no snapshot in the journal."""
    bare: Journal = desk.journal._journal  # type: ignore[attr-defined]
    load(cold(desk, archive), left)

    assert bare.read(left) == []
    assert bare.snapshot(left) is None
    [file] = files_of(archive)
    assert file.name.startswith(left)
    assert file.parent.name == left[:2]


def test_a_repeated_opening_is_answered_as_the_first_time(desk: Desk, left: str) -> None:
    """The id, the tokens and the fact that it is a repeat."""
    again = opened(desk)

    assert again.repeated
    assert again.loaded.id == left


def test_a_key_that_opened_an_archived_match_opens_no_other(desk: Desk, left: str) -> None:
    """It is refused as before."""
    other = replace(toy_wish(desk), seed="other")
    with pytest.raises(KeyConflict):
        open_new(desk, other, key="the toy")


def toy_wish(desk: Desk) -> Any:
    """Return the wish by which `opened` opens."""
    wishes: list[Any] = []

    def note(_desk: Desk, wish: Any, key: str = "") -> None:
        wishes.append(wish)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.service.toy_matches.open_new", note)
        opened(desk)
    return wishes[0]


def test_a_late_move_is_refused_by_the_rules(desk: Desk, archive: Archive, left: str) -> None:
    """As in any match that is over, by a process that knows it and by one that does not."""
    token = opened(desk).tokens["seat:0"]
    for some in (desk, cold(desk, archive)):
        with pytest.raises(Illegal, match="over"):
            playing.move(some, Submission(left, token), {"type": "keep"})


def test_a_command_id_is_remembered(desk: Desk, left: str) -> None:
    """A repeat is answered with its version; another command under the id is refused."""
    journal = desk.journal
    [(command_id, (version, mark))] = [
        one for one in journal.metadata(left).ids.items() if one[0] == "open"
    ]

    assert journal.version_made(left, command_id, mark) == version
    assert journal.version_made(left, "unknown", mark) is None
    with pytest.raises(KeyReused):
        journal.version_made(left, command_id, "other")

    first = entry(left, command_id=command_id, fingerprint=mark)
    assert journal.append(first).repeated
    with pytest.raises(KeyReused):
        journal.append(replace(first, fingerprint="other"))


@pytest.mark.parametrize("version", [1, 4])
def test_a_late_commit_learns_where_the_match_is(desk: Desk, left: str, version: int) -> None:
    """It is a conflict with the last commit; with a token that is gone it is no repeat either."""
    head = desk.journal.head(left)
    assert head is not None

    for given in ({}, {"command_id": "open", "holds": ("t:gone", "seat:0")}):
        with pytest.raises(Conflict) as refused:
            desk.journal.append(entry(left, version, **given))
        assert refused.value.version == head.version


def test_a_record_of_an_archived_match_is_there_already(desk: Desk, left: str) -> None:
    """It is not imported over it."""
    lines = list(records.export(desk, left, None))
    _, was_there = records.import_record(desk, lines)

    assert was_there
    assert desk.journal.archived(left) is not None


def test_a_deleted_match_is_gone_from_the_archive(desk: Desk, archive: Archive, left: str) -> None:
    """Its file goes too, and its id is not used again."""
    deleting.delete(desk, left, "eve")

    assert files_of(archive) == []
    with pytest.raises(MatchDeleted):
        load(desk, left)
    with pytest.raises((KeyConflict, AlreadyThere, Deleted)):
        opened(desk)


def test_a_file_that_cannot_be_removed_is_named(
    desk: Desk, archive: Archive, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever deletes a match must know that something is left."""
    [file] = files_of(archive)
    file.unlink()
    (file / "in the way").mkdir(parents=True)

    with pytest.raises(ArchiveUnavailable, match=r"could not be removed.*verify --clean"):
        desk.journal.delete(left, Tombstone(1, "eve"))
    assert desk.journal.deleted(left) is not None


DAMAGE: dict[str, tuple[Callable[[Any], object], str]] = {
    "missing": (lambda file: file.unlink(), "there is no such file; put the file back"),
    "cut": (lambda file: file.write_bytes(file.read_bytes()[:99]), "SHA-256 is another"),
    "other": (lambda file: file.write_bytes(b"x"), "SHA-256 is another"),
    "not-readable": (lambda file: (file.unlink(), file.mkdir()), "GIORNALE_ARCHIVE is right"),
}


@pytest.mark.parametrize(("spoil", "words"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_told_with_match_place_and_what_to_do(
    desk: Desk, archive: Archive, left: str, spoil: Callable[[Any], object], words: str
) -> None:
    """The head is told all the same; nothing is guessed of the rest."""
    [file] = files_of(archive)
    spoil(file)
    start = cold(desk, archive)

    with pytest.raises(ArchiveUnavailable, match=words) as refused:
        load(start, left)

    assert left in str(refused.value)
    assert str(archive.place) in str(refused.value)
    assert start.journal.head(left) is not None
    assert [one["id"] for one in overview(start)] == [left]


def test_an_imported_match_is_listed_without_its_file(desk: Desk, archive: Archive) -> None:
    """Its seats are kept beside the chain before it leaves; nothing else has kept them."""
    other = new_desk()
    match = opened(other)
    play_on(other, match)
    lines = list(records.export(other, match.loaded.id, None))
    records.import_record(desk, lines)

    assert archiving.archive(desk, archive, match.loaded.id) is not None
    [file] = files_of(archive)
    file.unlink()

    [listed] = overview(cold(desk, archive))
    assert [seat["kind"] for seat in listed["seats"]] == ["human", "human"]


def overview(desk: Desk) -> list[Json]:
    """Return the first page of the list of matches."""
    return listing.public(desk, "", None, None, 9).matches


def test_a_match_that_is_deleted_while_it_is_read_is_no_missing_file(
    desk: Desk, archive: Archive, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its marker was there and its file is not: whoever reads it is told of the deletion.

    So a backup goes on with the next match.
    """
    start = cold(desk, archive)
    place_read = archive.place.read

    def delete_and_read(name: str) -> bytes:
        deleting.delete(start, left, "ada")
        return place_read(name)

    monkeypatch.setattr(archive.place, "read", delete_and_read)
    assert start.journal.read(left) == []
    with pytest.raises(MatchDeleted):
        load(start, left)


def test_a_commit_stands_whatever_becomes_of_the_note_of_its_end(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last commit of a match, and a match that was restored, are told as done."""
    toy.install(monkeypatch)
    plain = new_desk()
    desk = replace(plain, journal=with_archive(plain.journal, archive, look=True))

    def fail(_times: object) -> None:
        raise JournalUnavailable("Redis cannot be reached")

    monkeypatch.setattr(plain.journal, "look_again", fail)
    match = opened(desk)
    play_on(desk, match)
    lines = list(records.export(desk, match.loaded.id, None))
    assert load(desk, match.loaded.id).match.revealed

    other = new_desk()
    monkeypatch.setattr(other.journal, "look_again", fail)
    importing = replace(other, journal=with_archive(other.journal, archive, look=True))
    _audit, was_there = records.import_record(importing, lines)
    assert not was_there
