"""A context with ended matches that may leave for an archive, and golden records as commits."""

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from service.matches.context import Context, MatchCache
from service.record import record
from service.record.commit import canonical
from service.store.archive.archive import Archive, archive_match
from service.store.archive.journal import with_archive
from service.store.archive.places import open_place
from service.store.journal.ports import Journal
from tests import toy
from tests.records.make import HOME, lines_in
from tests.service.toy_matches import new_context, opened, play_on

NOW = 1_900_000_000_000


class Golden(NamedTuple):
    """A golden record as the journal would hold its match."""

    match: str
    commits: list[bytes]


def golden(name: str) -> Golden:
    """Return a golden record by its name, such as "calimala/1-3-00"."""
    lines = lines_in(HOME / f"{name}.ndjson.gz")
    stored = [record.read_line(line)[0] for line in lines]
    return Golden(stored[0]["commit"]["match"], [canonical(one) for one in stored])


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An archive in a directory of its own."""
    return Archive(open_place(str(tmp_path / "archive")))


@pytest.fixture
def ctx(monkeypatch: pytest.MonkeyPatch, archive: Archive) -> Context:
    """A context with an archive beside its journal and the toy among its games."""
    toy.install(monkeypatch)
    plain = new_context()
    return replace(plain, journal=with_archive(plain.journal, archive))


@pytest.fixture
def ended(ctx: Context) -> str:
    """A match of the toy that was played to its revelation."""
    match = opened(ctx)
    play_on(ctx, match)
    return match.loaded.id


@pytest.fixture
def archived_id(ctx: Context, archive: Archive, ended: str) -> str:
    """An ended match in the archive."""
    assert archive_match(ctx.journal, archive, ended, NOW) is not None
    return ended


def without_archive(journal: Journal) -> Journal:
    """Return the journal below an archive."""
    ports: Any = journal
    return replace(
        journal,
        events=ports.events._port,
        metadata=ports.metadata._port,
        lifecycle=ports.lifecycle._port,
    )


def cold(ctx: Context, archive: Archive) -> Context:
    """Return the context of a new process, with empty caches."""
    archive._unpacked.clear()
    return replace(ctx, cache=MatchCache())


def files_of(archive: Archive) -> list[Path]:
    """Return the files in an archive's directory."""
    return sorted(path for path in Path(str(archive.place)).rglob("*") if path.is_file())
