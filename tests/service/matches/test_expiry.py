"""Matches that are left alone are ended by the house (M11), a bounded number at a time."""

import logging
from typing import Any

import pytest

from service.journal.memory import MemoryJournal
from service.journal.port import JournalUnavailable
from service.matches import expiry, house, lobby
from service.matches.desk import Desk
from service.matches.expiry import DAY, HOUR, Patience, expire
from service.matches.loading import load
from service.matches.opening import Wish, open_new
from service.matches.records import export
from service.matches.submitting import Submission
from service.verify.audit import verify_record
from tests.service.matches.conftest import START, Wakes, bots, humans
from workers.bots import choose

OPEN = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]
PATIENCE = Patience(open=2 * HOUR, running=10 * HOUR)


class Clock:
    """A clock that stands still until it is set."""

    now = START

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def desk(clock: Clock, wakes: Wakes) -> Desk:
    """A desk whose clock the test sets."""
    return Desk(MemoryJournal(), b"s" * 32, clock, lambda *wake: wakes.append(wake))


def opened(desk: Desk, seats: list[dict[str, str]] = OPEN) -> str:
    return open_new(desk, Wish("calimala", seats)).loaded.id


@pytest.mark.parametrize(
    ("seats", "longest"),
    [(OPEN, 2 * HOUR), (humans(3), 10 * HOUR)],
    ids=["M11-open", "M11-running"],
)
def test_a_match_expires_after_its_time_and_not_before(
    desk: Desk, clock: Clock, wakes: Wakes, seats: list[dict[str, str]], longest: int
) -> None:
    """To the millisecond; the house is woken to reveal, and the whole record verifies."""
    match = opened(desk, seats)
    for moment in (0, longest // 2, longest - 1):
        clock.now = START + moment
        assert expire(desk, PATIENCE) == 0
    clock.now = START + longest
    assert expire(desk, PATIENCE) == 1
    assert wakes[-1] == (match, 2, "house")
    house.act(desk, match)
    loaded = load(desk, match)
    assert (loaded.match.standing.status, loaded.match.revealed) == ("aborted", True)
    report = verify_record(export(desk, match, None)).report
    assert (report.wrong, report.decided, report.unchecked) == (None, 3, [])
    clock.now += DAY
    assert expire(desk, PATIENCE) == 0


def test_whoever_comes_back_starts_the_time_anew(desk: Desk, clock: Clock) -> None:
    """The time counts from the last commit."""
    match = opened(desk)
    clock.now = START + HOUR
    lobby.join(desk, Submission(match, None), 1, {"name": "", "entropy": ""})
    clock.now = START + 2 * HOUR
    assert expire(desk, PATIENCE) == 0
    clock.now = START + 3 * HOUR
    assert expire(desk, PATIENCE) == 1


@pytest.mark.parametrize(
    ("patience", "left"),
    [
        pytest.param(Patience(0, 0), 2, id="never"),
        pytest.param(Patience(HOUR, 0), 1, id="running-never"),
        pytest.param(Patience(0, HOUR), 1, id="open-never"),
    ],
)
def test_patience_may_be_endless(desk: Desk, clock: Clock, patience: Patience, left: int) -> None:
    """0 is for ever; another setting later finds the match all the same."""
    matches = [opened(desk), opened(desk, humans(3))]
    for year in range(3):
        clock.now = START + year * 365 * DAY
        expire(desk, patience)
    heads = desk.journal.heads(matches)
    assert sum(head is not None and head.status in ("open", "running") for head in heads) == left
    clock.now += 365 * DAY
    assert expire(desk, Patience(HOUR, HOUR)) == left


def test_a_match_that_starts_late_is_found(desk: Desk, clock: Clock) -> None:
    """An open match is looked at again in time even if it may be left alone for less long once it runs."""
    seats = [{"kind": "human"}, {"kind": "human"}, {"kind": "open"}]
    opening = open_new(desk, Wish("calimala", seats))
    impatient = Patience(open=100 * HOUR, running=HOUR)
    expire(desk, impatient)
    lobby.join(desk, Submission(opening.loaded.id, None), 2, {"name": "", "entropy": ""})
    lobby.start(desk, Submission(opening.loaded.id, opening.tokens["owner"]))
    clock.now = START + HOUR
    assert expire(desk, impatient) == 1


def test_what_has_ended_is_looked_at_no_more(desk: Desk, clock: Clock) -> None:
    """An aborted match, and one that was deleted meanwhile, leave the idle index at the first look."""
    opening = open_new(desk, Wish("calimala", OPEN))
    lobby.abort(desk, Submission(opening.loaded.id, opening.tokens["owner"]))
    desk.journal.look_again({"gone": START})
    clock.now = START + 365 * DAY
    assert expire(desk, PATIENCE) == 0
    assert desk.journal.idle(10**15, 9) == []


def test_a_round_is_bounded_and_the_next_goes_on(
    desk: Desk, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many there are, the keeper has its other work to do."""
    monkeypatch.setattr(expiry, "MOST_ENDED", 2)
    monkeypatch.setattr(expiry, "MOST_LOOKS", 3)
    for _ in range(5):
        opened(desk)
    clock.now = START + 2 * HOUR
    assert [expire(desk, PATIENCE) for _ in range(4)] == [2, 2, 1, 0]


def test_a_broken_match_stops_no_other(
    desk: Desk, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What cannot be ended is told in the log and tried again a day later; the others end."""
    broken, well = opened(desk), opened(desk)
    real = load

    def spoiled(at: Desk, match: str, *more: Any) -> Any:
        if match == broken:
            raise KeyError(match)
        return real(at, match, *more)

    monkeypatch.setattr(expiry, "load", spoiled)
    clock.now = START + 2 * HOUR
    with caplog.at_level(logging.ERROR):
        assert expire(desk, PATIENCE) == 1
    assert caplog.messages == ["a match could not be ended"]
    assert load(desk, well).match.standing.status == "aborted"
    assert desk.journal.idle(clock.now + DAY - 1, 9) == []
    assert desk.journal.idle(clock.now + DAY, 9) == [broken]


def test_a_journal_that_is_away_is_for_the_keeper_to_tell(
    desk: Desk, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no fault of a match."""
    opened(desk)

    def away(*_args: object) -> Any:
        raise JournalUnavailable("it is away")

    monkeypatch.setattr(expiry, "load", away)
    clock.now = START + 2 * HOUR
    with pytest.raises(JournalUnavailable):
        expire(desk, PATIENCE)


def test_somebody_who_comes_back_in_the_last_moment_is_not_thrown_out(
    desk: Desk, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit between the look at the head and the end counts."""
    match = opened(desk)
    clock.now = START + 2 * HOUR
    stale = desk.journal.head(match)

    def heads(_matches: object) -> Any:
        monkeypatch.undo()
        lobby.join(desk, Submission(match, None), 1, {"name": "", "entropy": ""})
        return [stale]

    monkeypatch.setattr(desk.journal, "heads", heads)
    assert expire(desk, PATIENCE) == 0
    assert load(desk, match).match.standing.status == "open"
    assert expire(desk, PATIENCE) == 0


def test_bots_without_room_are_ended_by_the_house(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M12: a match whose bots may move no more would wait for them for ever, so it expires."""
    monkeypatch.setattr(house, "MOST_COMMITS", 5)
    match = opened(desk, bots(3))
    house.play_bots(desk, match, choose)
    house.act(desk, match)
    loaded = load(desk, match)
    assert (loaded.version, loaded.match.standing.status, loaded.match.revealed) == (
        7,
        "aborted",
        True,
    )
