"""Matches that are left alone are ended by the house (M11), a bounded number at a time."""

import logging
from typing import Any

import pytest

from service.matches import automation, lifecycle, lobby
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.lifecycle import DAY, HOUR, Patience, expire
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.records import export
from service.matches.repository import load
from service.record.verify.audit import verify_record
from service.store.journal.errors import JournalUnavailable
from service.store.journal.memory import memory_journal
from tests.service.matches.conftest import SECRET, START, Clock, Wakes, bots, by, humans, now
from workers.bots import choose

OPEN = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]
PATIENCE = Patience(open=2 * HOUR, running=10 * HOUR)


@pytest.fixture
def clock() -> Clock:
    """The clock of the context."""
    return Clock()


@pytest.fixture
def ctx(clock: Clock, wakes: Wakes) -> Context:
    """A context with a clock set by the test."""
    return Context(memory_journal(), SECRET, clock, enqueue=lambda *wake: wakes.append(wake))


def open_match(ctx: Context, seats: list[dict[str, str]] = OPEN) -> NewMatch:
    """Open a match of Calimala."""
    return open_new(ctx, OpenRequest("calimala", seats))


def join(ctx: Context, opened: NewMatch, seat: int) -> None:
    """Let somebody take an open seat."""
    submission = Submission(opened.loaded.id, token=None)
    lobby.join(ctx, submission, seat, {"name": "", "entropy": ""})


def status_of(ctx: Context, opened: NewMatch) -> str:
    """Return the status of a match."""
    return now(ctx, opened).match.status.name


LONGEST = {"M11-open": (OPEN, 2 * HOUR), "M11-running": (humans(3), 10 * HOUR)}


@pytest.mark.parametrize(("seats", "longest"), LONGEST.values(), ids=LONGEST)
def test_a_match_expires_after_its_time_and_not_before(
    ctx: Context, clock: Clock, wakes: Wakes, seats: list[dict[str, str]], longest: int
) -> None:
    """A match expires to the millisecond.

    The house reveals it, and its record verifies (M9, M11).
    """
    opened = open_match(ctx, seats)
    match = opened.loaded.id
    for waited in (0, longest // 2, longest - 1):
        clock.now = START + waited
        assert expire(ctx, PATIENCE) == 0

    clock.now = START + longest
    assert expire(ctx, PATIENCE) == 1
    assert wakes[-1] == (match, 2, "house")
    clock.now += DAY
    assert expire(ctx, PATIENCE) == 0

    automation.act(ctx, match)
    assert status_of(ctx, opened) == "aborted"
    assert now(ctx, opened).match.revealed

    report = verify_record(export(ctx, match, None)).report
    assert report.wrong is None
    assert report.decided == 3
    assert report.unchecked == []


PATIENCES = [
    pytest.param(Patience(0, 0), 2, id="never"),
    pytest.param(Patience(HOUR, 0), 1, id="running-never"),
    pytest.param(Patience(0, HOUR), 1, id="open-never"),
]


@pytest.mark.parametrize(("patience", "remaining"), PATIENCES)
def test_patience_may_be_endless(
    ctx: Context, clock: Clock, patience: Patience, remaining: int
) -> None:
    """With 0 a match does not expire. A later setting still finds the match."""
    waiting = open_match(ctx)
    running = open_match(ctx, humans(3))

    for year in range(3):
        clock.now = START + year * 365 * DAY
        expire(ctx, patience)

    statuses = [status_of(ctx, waiting), status_of(ctx, running)]
    assert statuses.count("aborted") == 2 - remaining

    clock.now += 365 * DAY
    assert expire(ctx, Patience(HOUR, HOUR)) == remaining


def test_a_match_that_starts_late_is_found(ctx: Context, clock: Clock) -> None:
    """An open match is checked in time, even if patience is shorter once it runs."""
    seats = [{"kind": "human"}, {"kind": "human"}, {"kind": "open"}]
    opened = open_match(ctx, seats)
    impatient = Patience(open=100 * HOUR, running=HOUR)
    expire(ctx, impatient)

    join(ctx, opened, 2)
    lobby.start(ctx, by(opened, "owner"))
    clock.now = START + HOUR

    assert expire(ctx, impatient) == 1


def test_an_ended_match_leaves_the_idle_index(ctx: Context, clock: Clock) -> None:
    """An aborted match and a deleted one leave the idle index when they are checked."""
    opened = open_match(ctx)
    lobby.abort(ctx, by(opened, "owner"))
    ctx.journal.index.look_again({"gone": START})

    clock.now = START + 365 * DAY

    assert expire(ctx, PATIENCE) == 0
    assert ctx.journal.index.idle(10**15, 9) == []


def test_a_round_is_bounded_and_the_next_goes_on(
    ctx: Context, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round ends a bounded number of matches, and the next rounds end the rest."""
    monkeypatch.setattr(lifecycle, "MOST_ENDED", 2)
    monkeypatch.setattr(lifecycle, "MOST_LOOKS", 3)
    for _ in range(5):
        open_match(ctx)

    clock.now = START + 2 * HOUR
    ended = [expire(ctx, PATIENCE) for _ in range(4)]
    assert ended == [2, 2, 1, 0]


def test_a_broken_match_stops_no_other(
    ctx: Context, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A match that cannot be ended is logged and tried again a day later. The others end."""
    broken = open_match(ctx).loaded.id
    well = open_match(ctx)

    def load_unless_broken(at: Context, match: str) -> Any:
        if match == broken:
            raise KeyError(match)
        return load(at, match)

    monkeypatch.setattr(lifecycle, "load", load_unless_broken)
    clock.now = START + 2 * HOUR
    with caplog.at_level(logging.ERROR):
        assert expire(ctx, PATIENCE) == 1

    logged = [line.msg for line in caplog.records if line.name == "service.matches.lifecycle"]
    assert logged == ["match could not be ended"]
    assert status_of(ctx, well) == "aborted"

    assert ctx.journal.index.idle(clock.now + DAY - 1, 9) == []
    assert ctx.journal.index.idle(clock.now + DAY, 9) == [broken]


def test_a_journal_that_is_away_is_the_schedulers_to_report(
    ctx: Context, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An outage of the journal is raised, and is not logged as a fault of a match."""
    open_match(ctx)

    def be_away(*_args: object) -> Any:
        raise JournalUnavailable("it is away")

    monkeypatch.setattr(lifecycle, "load", be_away)
    clock.now = START + 2 * HOUR

    with pytest.raises(JournalUnavailable):
        expire(ctx, PATIENCE)


def test_a_match_that_has_just_started_is_left_alone_for_ever(
    ctx: Context, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match that starts after its head was read is checked by the patience of running matches."""
    opened = open_match(ctx, [{"kind": "human"}, {"kind": "human"}, {"kind": "open"}])
    clock.now = START + 2 * HOUR
    old_head = ctx.journal.events.head(opened.loaded.id)

    def read_heads_and_start(_matches: object) -> Any:
        monkeypatch.undo()
        join(ctx, opened, 2)
        lobby.start(ctx, by(opened, "owner"))
        return [old_head]

    monkeypatch.setattr(ctx.journal.events, "heads", read_heads_and_start)
    assert expire(ctx, Patience(open=HOUR, running=0)) == 0
    assert status_of(ctx, opened) == "running"


def test_a_player_who_comes_back_at_the_last_moment_stays(
    ctx: Context, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit after the head was read keeps the match from its end."""
    opened = open_match(ctx)
    clock.now = START + 2 * HOUR
    old_head = ctx.journal.events.head(opened.loaded.id)

    def read_heads_and_join(_matches: object) -> Any:
        monkeypatch.undo()
        join(ctx, opened, 1)
        return [old_head]

    monkeypatch.setattr(ctx.journal.events, "heads", read_heads_and_join)

    assert expire(ctx, PATIENCE) == 0
    assert status_of(ctx, opened) == "open"
    assert expire(ctx, PATIENCE) == 0


def test_bots_without_room_are_ended_by_the_house(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M12: the house aborts a match with too many commits for its bots to move."""
    monkeypatch.setattr(automation, "MOST_COMMITS", 5)
    opened = open_match(ctx, bots(3))
    match = opened.loaded.id
    automation.play_bots(ctx, match, choose)
    automation.act(ctx, match)

    loaded = now(ctx, opened)

    assert loaded.version == 7
    assert loaded.match.status.name == "aborted"
    assert loaded.match.revealed
