"""The keeper lets matches leave for the archive some time after their end, and no others."""

import logging
from pathlib import Path

import pytest

from service.archive.archive import Archive
from service.archive.journal import with_archive
from service.archive.places import open_place
from service.config import Config
from service.journal.memory import MemoryJournal
from service.matches import house, lobby
from service.matches.desk import Desk
from service.matches.expiry import DAY, HOUR, Patience, expire
from service.matches.opening import Opened, Wish, open_new
from service.matches.submitting import Submission
from tests.running import until
from workers import keeper
from workers.archiving import LOOK_AGAIN_MS, Archiving

START = 1_800_000_000_000
NEVER = Patience(open=0, running=0)
AFTER = 30 * DAY
HUMANS = [{"kind": "human"}] * 3


class Clock:
    """A clock that a test sets."""

    now = START

    def __call__(self) -> int:
        """Return the time in milliseconds."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still."""
    return Clock()


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An archive in a directory of its own."""
    return Archive(open_place(str(tmp_path / "archive")))


@pytest.fixture
def desk(clock: Clock, archive: Archive) -> Desk:
    """A desk whose journal notes ends, as where an age is set."""
    journal = with_archive(MemoryJournal(), archive, look=True)
    return Desk(journal, b"s" * 32, clock, wake=lambda *_: None, allow_seed=True)


@pytest.fixture
def archiving(desk: Desk, archive: Archive) -> Archiving:
    """What archives thirty days after the end; its thread does not run."""
    return Archiving(desk, archive, AFTER)


def open_match(desk: Desk) -> Opened:
    """Open a match of humans."""
    return open_new(desk, Wish("calimala", HUMANS))


def end(desk: Desk, opened: Opened) -> str:
    """Abort a match and reveal it; return its id."""
    match = opened.loaded.id
    lobby.abort(desk, Submission(match, opened.tokens["owner"]))
    house.act(desk, match)
    return match


def rounds(desk: Desk, archiving: Archiving, patience: Patience = NEVER) -> int:
    """Let the keeper look once and archive what is due; return how many have left."""
    expire(desk, patience, archiving.look)
    return archiving.take()


def test_a_match_leaves_when_it_is_old_enough(
    desk: Desk, archiving: Archiving, clock: Clock
) -> None:
    """Not before, and not while it is played; once is enough."""
    played = open_match(desk).loaded.id
    ended = end(desk, open_match(desk))
    assert rounds(desk, archiving) == 0

    clock.now += AFTER - 1
    assert rounds(desk, archiving) == 0
    assert desk.journal.idle(clock.now, 9) == []

    clock.now += 1
    assert rounds(desk, archiving) == 1
    assert desk.journal.archived(ended) is not None
    assert desk.journal.archived(played) is None

    clock.now += LOOK_AGAIN_MS
    assert rounds(desk, archiving) == 0
    assert ended not in desk.journal.idle(clock.now + 99 * DAY, 9)


def test_a_match_that_is_ended_for_its_age_is_archived_later(
    desk: Desk, archiving: Archiving, clock: Clock
) -> None:
    """The house reveals it after the keeper has ended it, or just while it does."""
    patience = Patience(open=HOUR, running=HOUR)
    match = open_match(desk).loaded.id
    clock.now += HOUR
    expire(desk, patience, archiving.look)
    assert desk.journal.idle(clock.now + LOOK_AGAIN_MS, 9) == [match]

    house.act(desk, match)
    clock.now += LOOK_AGAIN_MS
    rounds(desk, archiving, patience)
    clock.now += AFTER
    assert rounds(desk, archiving, patience) == 1


def test_without_an_age_ended_matches_are_not_looked_at(desk: Desk, clock: Clock) -> None:
    """The keeper forgets them, as before."""
    end(desk, open_match(desk))
    clock.now += HOUR
    expire(desk, Patience(open=HOUR, running=0))
    assert desk.journal.idle(clock.now + 99 * DAY, 9) == []


def test_a_match_that_cannot_leave_stops_no_other(
    desk: Desk,
    archiving: Archiving,
    archive: Archive,
    clock: Clock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It stays in the journal, the log says why, and it is tried again."""
    unlucky, lucky = (end(desk, open_match(desk)) for _ in range(2))
    folder = Path(str(archive.place)) / unlucky[:2]
    folder.parent.mkdir()
    folder.write_text("in the way")
    clock.now += AFTER

    assert rounds(desk, archiving) == (1 if unlucky[:2] != lucky[:2] else 0)
    assert desk.journal.archived(unlucky) is None
    [record] = [one for one in caplog.records if unlucky in getattr(one, "reason", "")]
    assert record.getMessage() == "a match could not be archived"
    assert record.exc_info is None

    folder.unlink()
    clock.now += LOOK_AGAIN_MS
    assert rounds(desk, archiving) >= 1
    assert desk.journal.archived(unlucky) is not None


def test_a_match_that_raises_stops_no_other(
    desk: Desk,
    archiving: Archiving,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whatever is wrong with it is logged."""
    end(desk, open_match(desk))
    clock.now += AFTER

    def fail(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr("workers.archiving.archiving.archive", fail)
    with caplog.at_level(logging.ERROR):
        assert rounds(desk, archiving) == 0
    assert "a match could not be archived" in caplog.messages


def test_the_thread_archives_what_is_handed_over_and_ends(
    desk: Desk, archiving: Archiving, clock: Clock
) -> None:
    """The keeper itself does not wait for it."""
    ended = end(desk, open_match(desk))
    clock.now += AFTER
    archiving.start()

    expire(desk, NEVER, archiving.look)
    until(lambda: desk.journal.archived(ended), "the match to leave")
    archiving.stop(5)
    assert not archiving._thread.is_alive()


def test_the_thread_may_take_the_last_match_while_it_is_stopped(
    archiving: Archiving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The queue seemed to hold one more, and is empty: the keeper ends as always."""
    monkeypatch.setattr(archiving._waiting, "empty", lambda: False)
    archiving.start()
    archiving.stop(5)
    assert not archiving._thread.is_alive()


@pytest.mark.parametrize(("age", "is_archived"), [("", False), ("0", False), ("1h", True)])
def test_the_keeper_archives_only_where_an_age_is_set(
    desk: Desk, age: str, is_archived: bool
) -> None:
    """Unset means never."""
    config = Config.load({"GIORNALE_ARCHIVE_AFTER": age})
    assert (keeper._archiving(config, desk) is not None) == is_archived


def test_a_full_queue_is_no_obstacle(
    desk: Desk, archive: Archive, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What finds no room is looked at again."""
    monkeypatch.setattr("workers.archiving.MOST_WAITING", 1)
    archiving = Archiving(desk, archive, AFTER)
    for _ in range(3):
        end(desk, open_match(desk))
    clock.now += AFTER
    assert rounds(desk, archiving) == 1
    clock.now += LOOK_AGAIN_MS
    assert rounds(desk, archiving) == 1
