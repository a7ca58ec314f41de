"""Journals to back up and to restore into, and backups without progress bars."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.base.private_files import private_file
from service.matches import records
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.ops.backup.export import write
from service.ops.backup.file_format import Manifest
from service.store.journal.memory import memory_journal
from service.store.journal.ports import Journal
from service.store.journal.redis import open_journal
from service.store.journal.values import Tombstone
from tests.service.matches.conftest import bots, context_over, humans, play_on
from tests.service.store.journal.copies import Copy, copy_of_memory, put_back_in_memory

ONE_SEAT_OPEN = [{"kind": "human"}, {"kind": "bot", "level": "random"}, {"kind": "open"}]


def quiet(_commits: int) -> None:
    """Show no progress."""


def clock() -> int:
    """Return a constant time, in milliseconds."""
    return 1_800_000_000_000


@pytest.fixture(params=["memory", "redis"])
def target(request: pytest.FixtureRequest) -> Iterator[Journal]:
    """An empty journal of each kind, with another number of partitions than the source."""
    if request.param == "memory":
        yield memory_journal(partitions=8)
        return
    journal = open_journal(request.getfixturevalue("redis_url"), 4)
    yield journal
    journal.close()


@pytest.fixture(scope="session")
def copy_of_full() -> Copy:
    """The content of the journal of `full`. Playing its matches takes a while."""
    ctx = context_over(memory_journal())
    match = open_new(ctx, OpenRequest("calimala", humans(3), seed="test"))
    play_on(ctx, match, until=6)

    in_the_lobby = OpenRequest("firenze", ONE_SEAT_OPEN, seed="lobby")
    open_new(ctx, in_the_lobby, key="the key of the lobby")

    private = OpenRequest("firenze", bots(3), seed="bots", visibility="private")
    open_new(ctx, private)

    ended = open_new(ctx, OpenRequest("calimala", bots(3), seed="ended"))
    play_on(ctx, ended)

    elsewhere = context_over(memory_journal())
    imported = open_new(elsewhere, OpenRequest("calimala", bots(3), seed="imported"))
    play_on(elsewhere, imported)
    records.import_record(ctx, list(records.export(elsewhere, imported.loaded.id, None)))

    deleted = open_new(ctx, OpenRequest("calimala", humans(3), seed="doomed"))
    ctx.journal.lifecycle.delete(deleted.loaded.id, Tombstone(5, "command line", "private"))
    return copy_of_memory(ctx.journal)


@pytest.fixture
def full(copy_of_full: Copy) -> Context:
    """A context on a journal with open, running, ended, private, imported and deleted matches."""
    ctx = context_over(memory_journal())
    put_back_in_memory(ctx.journal, copy_of_full)
    return ctx


def back_up(journal: Journal, path: Path, private: dict[str, bytes] | None = None) -> Manifest:
    """Write a backup, by default without the secret and the keys."""
    with private_file(path) as file:
        return write(journal, file, private or {}, clock, quiet)
