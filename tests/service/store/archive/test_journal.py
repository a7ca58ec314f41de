"""An archived match is read as one in the journal. tests/service/api tests this over HTTP."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from service.base import answers
from service.base.errors import MatchDeleted
from service.matches import lifecycle, listing, records
from service.matches.context import Context
from service.matches.repository import load
from service.store.archive.archive import Archive, archive_match, unarchive_match
from service.store.archive.journal import with_archive
from service.store.journal.errors import (
    ArchiveUnavailable,
    Conflict,
    JournalUnavailable,
    KeyReused,
)
from tests import toy
from tests.service.store.archive.conftest import NOW, cold, files_of
from tests.service.store.journal.entries import entry
from tests.service.toy_matches import new_context, opened, play_on

QUESTIONS: dict[str, Callable[[Context, str], object]] = {
    "head": lambda ctx, match: ctx.journal.events.head(match),
    "audit": lambda ctx, match: records.audit(ctx, match).as_json(),
    "listed": lambda ctx, _match: ctx.journal.index.listing("ended", None, 9),
    "overview": lambda ctx, match: ctx.journal.events.overviews([(match, ["seat:0", "kinds"])]),
    "counts": lambda ctx, _match: ctx.journal.index.listed_counts(),
    "metadata": lambda ctx, match: ctx.journal.metadata.dump(match),
    "commits": lambda ctx, match: [ctx.journal.events.read(match, after, 2) for after in range(99)],
    "tails": lambda ctx, match: [
        ctx.journal.events.tail(match, after, "x", 3) for after in range(99)
    ],
    "feeds": lambda ctx, _match: [
        ctx.journal.events.feed(number, "", 999) for number in range(256)
    ],
}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_an_archived_match_answers_as_before(
    ctx: Context, archive: Archive, ended: str, ask: Callable[[Context, str], object]
) -> None:
    """Even a process with empty caches answers as before, also once the match is back."""
    before = ask(cold(ctx, archive), ended)
    archive_match(ctx.journal, archive, ended, NOW)

    assert ask(cold(ctx, archive), ended) == before
    assert ask(ctx, ended) == before

    unarchive_match(ctx.journal, archive, ended)
    assert ask(cold(ctx, archive), ended) == before


def test_a_command_id_is_remembered(ctx: Context, archived_id: str) -> None:
    """A repeated command gets its first version. Another command under its id is refused."""
    journal = ctx.journal
    version, mark = journal.metadata.dump(archived_id).ids["open"]

    assert journal.events.version_made(archived_id, "open", mark) == version
    assert journal.events.version_made(archived_id, "unknown", mark) is None
    with pytest.raises(KeyReused):
        journal.events.version_made(archived_id, "open", "other")

    first = entry(archived_id, command_id="open", fingerprint=mark)
    assert journal.events.append(first).repeated
    with pytest.raises(KeyReused):
        journal.events.append(replace(first, fingerprint="other"))


@pytest.mark.parametrize("version", [1, 4])
def test_a_late_commit_learns_that_the_match_is_archived(
    ctx: Context, archived_id: str, version: int
) -> None:
    """A late commit is a conflict with the last one, even if its id is known and its token gone."""
    head = ctx.journal.events.head(archived_id)
    assert head is not None

    for changes in ({}, {"command_id": "open", "precondition": ("t:gone", "seat:0")}):
        with pytest.raises(Conflict) as refused:
            ctx.journal.events.append(entry(archived_id, version, **changes))
        assert refused.value.version == head.version


def test_a_record_of_an_archived_match_is_there_already(ctx: Context, archived_id: str) -> None:
    """The import of an archived match changes nothing."""
    lines = list(records.export(ctx, archived_id, None))
    _, was_there = records.import_record(ctx, lines)

    assert was_there
    assert ctx.journal.lifecycle.archived(archived_id) is not None


DAMAGE: dict[str, tuple[Callable[[Any], object], str]] = {
    "missing": (lambda file: file.unlink(), "there is no such file; put the file back"),
    "cut": (lambda file: file.write_bytes(file.read_bytes()[:99]), "SHA-256 differs"),
    "other": (lambda file: file.write_bytes(b"x"), "SHA-256 differs"),
    "not-readable": (lambda file: (file.unlink(), file.mkdir()), "check GIORNALE_ARCHIVE"),
}


@pytest.mark.parametrize(("spoil", "words"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_reported_with_match_place_and_remedy(
    ctx: Context, archive: Archive, archived_id: str, spoil: Callable[[Any], object], words: str
) -> None:
    """Head and list entry of the match can still be read."""
    [file] = files_of(archive)
    spoil(file)
    start = cold(ctx, archive)

    with pytest.raises(ArchiveUnavailable, match=words) as refused:
        load(start, archived_id)

    assert archived_id in str(refused.value)
    assert str(archive.place) in str(refused.value)
    assert start.journal.events.head(archived_id) is not None
    assert [one["match"] for one in overview(start)] == [archived_id]


def test_an_imported_match_is_listed_without_its_file(ctx: Context, archive: Archive) -> None:
    """The seats of an imported match are stored as metadata before it is archived."""
    other = new_context()
    match = opened(other)
    play_on(other, match)
    lines = list(records.export(other, match.loaded.id, None))
    records.import_record(ctx, lines)

    assert lifecycle.archive(ctx, archive, match.loaded.id) is not None
    [file] = files_of(archive)
    file.unlink()

    [listed] = overview(cold(ctx, archive))
    assert [seat["kind"] for seat in listed["seats"]] == ["human", "human"]


def overview(ctx: Context) -> list[answers.MatchSummary]:
    """Return the first page of the list of matches."""
    return listing.public(ctx, "", None, None, 9).matches


def test_a_match_deleted_during_a_read_is_no_missing_file(
    ctx: Context, archive: Archive, archived_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the file is gone because of a deletion, the match counts as deleted."""
    start = cold(ctx, archive)
    place_read = archive.place.read

    def delete_and_read(name: str) -> bytes:
        lifecycle.delete(start, archived_id, "ada")
        return place_read(name)

    monkeypatch.setattr(archive.place, "read", delete_and_read)
    assert start.journal.events.read(archived_id) == []
    with pytest.raises(MatchDeleted):
        load(start, archived_id)


def test_a_commit_stands_whatever_becomes_of_the_note_of_its_end(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the note of an end fails, the last commit and an import still succeed."""
    toy.install(monkeypatch)
    plain = new_context()
    ctx = replace(plain, journal=with_archive(plain.journal, archive, look=True))

    def fail(_times: object) -> None:
        raise JournalUnavailable("Redis cannot be reached")

    monkeypatch.setattr(plain.journal.index, "look_again", fail)
    match = opened(ctx)
    play_on(ctx, match)
    lines = list(records.export(ctx, match.loaded.id, None))
    assert load(ctx, match.loaded.id).match.revealed

    other = new_context()
    monkeypatch.setattr(other.journal.index, "look_again", fail)
    importing = replace(other, journal=with_archive(other.journal, archive, look=True))
    _audit, was_there = records.import_record(importing, lines)
    assert not was_there
