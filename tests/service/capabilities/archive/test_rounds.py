"""Archiving: ended matches leave the journal when they are old enough."""

from pathlib import Path
from typing import Any

import pytest

from service.base.config import Config
from service.capabilities.archive.rounds import LOOK_AGAIN_MS, Archiving
from service.matches import automation, lifecycle, lobby
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.lifecycle import DAY, HOUR, Patience, expire
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.store.archive.archive import Archive
from service.store.archive.journal import with_archive
from service.store.archive.places import open_place
from service.store.journal.errors import ArchiveUnavailable
from service.store.journal.memory import memory_journal
from tests.running import until
from tests.service.matches.conftest import Clock
from workers import app

HUMAN = {"kind": "human"}
NEVER = Patience(open=0, running=0)
AFTER = 30 * DAY


@pytest.fixture
def clock() -> Clock:
    """A stopped clock."""
    return Clock()


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An archive in its own directory."""
    return Archive(open_place(str(tmp_path / "archive")))


@pytest.fixture
def ctx(clock: Clock, archive: Archive) -> Context:
    """A context with a journal that notes ends, as if an age is set."""
    journal = with_archive(memory_journal(), archive, look=True)
    return Context(journal, b"s" * 32, clock, enqueue=lambda *_: None, allow_seed=True)


@pytest.fixture
def archiving(ctx: Context, archive: Archive) -> Archiving:
    """An archiver of matches thirty days after the end. Its thread does not run."""
    return Archiving(ctx, archive, AFTER)


def open_match(ctx: Context) -> NewMatch:
    """Open a match of humans."""
    return open_new(ctx, OpenRequest("calimala", [HUMAN] * 3))


def end(ctx: Context, opened: NewMatch) -> str:
    """Abort a match and reveal it. Return its id."""
    match = opened.loaded.id
    lobby.abort(ctx, Submission(match, opened.tokens["owner"]))
    automation.act(ctx, match)
    return match


def rounds(ctx: Context, archiving: Archiving, patience: Patience = NEVER) -> int:
    """Let the scheduler look once and archive due matches. Return the number of archived ones."""
    expire(ctx, patience, archiving.look)
    return archiving.take()


def test_a_match_leaves_when_it_is_old_enough(
    ctx: Context, archiving: Archiving, clock: Clock
) -> None:
    """A match leaves the journal once it is old enough, and not while it is played."""
    played = open_match(ctx).loaded.id
    ended = end(ctx, open_match(ctx))
    assert rounds(ctx, archiving) == 0

    clock.now += AFTER - 1
    assert rounds(ctx, archiving) == 0
    assert ctx.journal.index.idle(clock.now, 9) == []

    clock.now += 1
    assert rounds(ctx, archiving) == 1
    assert ctx.journal.lifecycle.archived(ended) is not None
    assert ctx.journal.lifecycle.archived(played) is None

    clock.now += LOOK_AGAIN_MS
    assert rounds(ctx, archiving) == 0
    assert ended not in ctx.journal.index.idle(clock.now + 99 * DAY, 9)


def test_a_match_that_is_ended_for_its_age_is_archived_later(
    ctx: Context, archiving: Archiving, clock: Clock
) -> None:
    """A match ended for its age is revealed by the house before it is archived."""
    patience = Patience(open=HOUR, running=HOUR)
    match = open_match(ctx).loaded.id
    clock.now += HOUR
    expire(ctx, patience, archiving.look)
    assert ctx.journal.index.idle(clock.now + LOOK_AGAIN_MS, 9) == [match]

    automation.act(ctx, match)
    clock.now += LOOK_AGAIN_MS
    rounds(ctx, archiving, patience)
    clock.now += AFTER
    assert rounds(ctx, archiving, patience) == 1


@pytest.mark.parametrize("error", [ArchiveUnavailable("match", "no room"), ValueError()])
def test_a_match_that_cannot_leave_stops_no_other(
    ctx: Context,
    archiving: Archiving,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    """A match that cannot be archived stays in the journal, is logged, and is tried again."""
    unlucky, lucky = (end(ctx, open_match(ctx)) for _ in range(2))
    clock.now += AFTER
    archive = lifecycle.archive

    def fail_for_one(*arguments: Any) -> Any:
        if unlucky in arguments:
            raise error
        return archive(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(lifecycle, "archive", fail_for_one)
        assert rounds(ctx, archiving) == 1
    assert ctx.journal.lifecycle.archived(unlucky) is None
    assert ctx.journal.lifecycle.archived(lucky) is not None
    assert "match could not be archived" in caplog.messages

    clock.now += LOOK_AGAIN_MS
    assert rounds(ctx, archiving) == 1
    assert ctx.journal.lifecycle.archived(unlucky) is not None


def test_the_thread_archives_its_matches_and_ends(
    ctx: Context, archiving: Archiving, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread of its own archives the matches, so that the scheduler does not wait."""
    ended = end(ctx, open_match(ctx))
    clock.now += AFTER
    archiving.start()

    expire(ctx, NEVER, archiving.look)
    until(lambda: ctx.journal.lifecycle.archived(ended), "the match to leave")
    # The queue seems to hold one more: the thread has just taken it.
    monkeypatch.setattr(archiving._waiting, "empty", lambda: False)
    archiving.stop()
    assert not archiving._thread.is_alive()


@pytest.mark.parametrize(("age", "is_archived"), [("", False), ("0", False), ("1h", True)])
def test_the_scheduler_archives_only_if_an_age_is_set(
    ctx: Context, age: str, is_archived: bool
) -> None:
    """Without an age set the scheduler archives no match."""
    config = Config.load({"GIORNALE_ARCHIVE_AFTER": age})
    assert (app.open_archiving(config, ctx) is not None) == is_archived


def test_a_full_queue_is_no_obstacle(
    ctx: Context, archive: Archive, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match that finds no room in the queue is looked at again."""
    monkeypatch.setattr("service.capabilities.archive.rounds.MOST_WAITING", 1)
    archiving = Archiving(ctx, archive, AFTER)
    for _ in range(3):
        end(ctx, open_match(ctx))
    clock.now += AFTER
    assert rounds(ctx, archiving) == 1
    clock.now += LOOK_AGAIN_MS
    assert rounds(ctx, archiving) == 1
