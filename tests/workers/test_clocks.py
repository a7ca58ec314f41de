"""Clocks: time runs out once, not too soon, and not for faults of the service (M15)."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from hypothesis import given, strategies as st

from domain.match.messages import RunOut
from domain.match.terms.clock import Clock
from domain.match.terms.joint_entropy import pledge_of
from service.api.health import checks
from service.base.metadata_fields import GAPS, WEBHOOK_NONCE
from service.base.private_files import private_file
from service.capabilities.clock import timers as clock_timers, use_cases as clocks
from service.capabilities.webhooks import timers as hook_timers
from service.matches import automation, lobby, timers
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.repository import load
from service.ops.backup import export, restore
from service.record.commit import milliseconds, parse_commit
from service.record.replay import Loaded
from service.record.terms.sides import read_terms
from service.record.verify.audit import verify_stored
from service.store.jobs.counters import TIMES_RUN_OUT, Counter
from service.store.journal.errors import JournalFull
from service.store.journal.memory import memory_journal
from service.store.journal.values import CLOCK, HOOK, Gap
from tests import toy
from tests.service.matches.conftest import by
from tests.service.matches.test_stamps import played
from tests.service.store.journal.ports import Over
from tests.service.toy_matches import move, new_context
from tests.terms import clock_of
from workers import app
from workers.bots import choose
from workers.timers import see_to_timers

START = 1_800_000_000_000
SECOND = 1_000
MINUTE = 60 * SECOND
BANK_S = 30
BANK = BANK_S * SECOND
TERMS = {"bank_s": BANK_S, "move_s": 0, "level": "random"}
HUMAN = {"kind": "human"}
LEASES_MS = {CLOCK: clock_timers.LEASE_MS, HOOK: hook_timers.LEASE_MS}


@dataclass
class Hall:
    """A service with a clock that the test moves.

    ahead, journal_ahead: the error of the service's clock, and of the journal's. rings: the jobs
    that the scheduler put into queues. times_run_out: its count of run-outs.
    """

    now: int = START
    ahead: int = 0
    journal_ahead: int = 0
    rings: list[str] = field(default_factory=list)
    times_run_out: int = 0

    def __post_init__(self) -> None:
        self.ctx = Context(
            journal=memory_journal(clock=lambda: self.now + self.journal_ahead),
            secret=b"s" * 32,
            clock=lambda: self.now + self.ahead,
            enqueue=lambda *_: None,
            allow_seed=True,
        )
        self.round()

    def put(self, _name: str, job_id: str, *_arguments: str | int) -> None:
        """Note a job."""
        self.rings.append(job_id)

    def count(self, counter: Counter) -> None:
        """Count that time has run out."""
        assert counter == TIMES_RUN_OUT
        self.times_run_out += 1

    def depth(self, _name: str) -> int:
        """Say that no job waits."""
        return 0

    def scheduler_beat(self, name: str) -> None:
        """Take no note of a scheduler."""

    def round(self) -> None:
        """Let the scheduler see to timers."""
        see_to_timers(self.ctx, app.timer_kinds(self.ctx, self, hooks=True))

    def let_pass(self, milliseconds_: int) -> None:
        """Let time pass with the scheduler at work."""
        end = self.now + milliseconds_
        while self.now < end:
            self.now = min(end, self.now + SECOND)
            self.round()

    def be_away(self, milliseconds_: int) -> None:
        """Let time pass without any work, and then begin again."""
        self.now += milliseconds_
        self.round()

    def open(self, **terms: Any) -> NewMatch:
        """Open a match of two humans. The first is awaited."""
        clock = {**TERMS, **terms}
        request = OpenRequest(
            "toy", [HUMAN, HUMAN], {"rounds": 3}, seed="toy", terms={"clock": clock}
        )
        opened = open_new(self.ctx, request)
        automation.act(self.ctx, opened.loaded.id)
        return opened

    def move(self, opened: NewMatch) -> int:
        """Make the move of the seat that is awaited, and return its number. The house follows."""
        seat = awaited(self, opened)
        move(self.ctx, opened, seat, "keep")
        automation.act(self.ctx, opened.loaded.id)
        return seat


@pytest.fixture(autouse=True)
def games(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is among the games."""
    toy.install(monkeypatch, toy.TOY)


@pytest.fixture
def hall() -> Hall:
    """A service at work."""
    return Hall()


def loaded(hall: Hall, opened: NewMatch) -> Loaded:
    """Return a match as it is now."""
    return load(hall.ctx, opened.loaded.id)


def hall_clock(hall: Hall, opened: NewMatch) -> Clock:
    """Return the clock of a match as it is now."""
    clock = clock_of(loaded(hall, opened).match)
    assert clock is not None
    return clock


def expiries(hall: Hall, opened: NewMatch) -> list[tuple[int, int]]:
    """Return the times at which time has run out in a match, since its opening, with the seats."""
    pairs = []
    for stored in hall.ctx.journal.events.read(opened.loaded.id):
        content = parse_commit(stored)["commit"]
        out = [event for event in content["events"] if event["type"] == "time_ran_out"]
        pairs += [(milliseconds(content["time"]) - START, event["seat"]) for event in out]
    return pairs


def awaited(hall: Hall, opened: NewMatch) -> int:
    """Return the seat that is awaited first."""
    return loaded(hall, opened).status.seats[0]


def test_time_runs_out_once_and_a_bot_plays_on(hall: Hall) -> None:
    """M15: time runs out when the bank is empty, not before, and the run-out is counted."""
    opened = hall.open()
    seat = awaited(hall, opened)
    hall.let_pass(BANK - 1)
    assert expiries(hall, opened) == []

    hall.let_pass(1)
    assert (BANK, seat) in expiries(hall, opened)
    holder = loaded(hall, opened).match.seats[seat]
    assert (holder.kind, holder.level, holder.away) == ("bot", "random", "time")

    hall.let_pass(BANK)
    assert len(expiries(hall, opened)) == 1
    assert hall.times_run_out == 1


def test_a_player_who_moves_before_the_house_is_not_late(hall: Hall) -> None:
    """M15: a move that reaches the journal before the house counts, however late it is."""
    opened = hall.open()
    seat = awaited(hall, opened)
    hall.now += BANK + 2 * SECOND
    hall.move(opened)
    hall.round()

    assert seat not in {out for _, out in expiries(hall, opened)}
    assert hall_clock(hall, opened).banks[seat] == 0


def test_two_at_once_say_it_once(hall: Hall) -> None:
    """M15: of two schedulers with one match, the second finds that the match has moved on."""
    opened = hall.open()
    hall.now += BANK
    pulse = timers.beat(hall.ctx)
    late = loaded(hall, opened)
    claimed = hall.ctx.journal.timers.claim(LEASES_MS, 9)
    other = replace(hall.ctx, cache=type(hall.ctx.cache)())
    other.cache.put(late)
    # The time since the last beat would count as a gap and put the deadline off.
    pulse = replace(pulse, gaps=())

    clocks.see_to(hall.ctx, claimed[0], pulse)
    seat = late.status.seats[0]
    assert clock_of(late.match) is not None
    assert not clocks._commit(other, late, RunOut(seat, clock_of(late.match).due(seat)))
    outs = expiries(hall, opened)
    assert len(outs) == len(set(outs)) == 1


@pytest.mark.parametrize(
    ("ahead", "journal_ahead", "late"),
    [
        pytest.param(0, 4 * SECOND, 0, id="the-journal-is-ahead"),
        pytest.param(0, -4 * SECOND, 4 * SECOND, id="the-journal-is-behind"),
        pytest.param(-4 * SECOND, 0, 4 * SECOND, id="the-service-is-behind"),
    ],
)
def test_the_clock_of_the_service_decides(ahead: int, journal_ahead: int, late: int) -> None:
    """M15: no commit says that time has run out before it has, by the time of that commit."""
    hall = Hall(journal_ahead=journal_ahead)
    opened = hall.open()
    hall.ahead = ahead
    hall.let_pass(BANK + late - SECOND)
    assert expiries(hall, opened) == []

    hall.let_pass(2 * SECOND)
    [(when, _), *_] = expiries(hall, opened)
    assert when >= BANK


@pytest.mark.parametrize("ahead", [6 * SECOND, -6 * SECOND, 3600 * SECOND])
def test_clocks_that_differ_run_nobody_out(hall: Hall, ahead: int) -> None:
    """M15: while clocks differ nobody runs out, and that time does not count."""
    opened = hall.open()
    hall.let_pass(SECOND)
    hall.journal_ahead = ahead
    hall.let_pass(2 * BANK)
    assert expiries(hall, opened) == []
    assert timers.skew_ms(hall.ctx) > timers.MOST_SKEW_MS

    hall.journal_ahead = 0
    hall.ctx.journal.timers.ring(CLOCK, opened.loaded.id)  # the timer was put off
    hall.round()
    hall.let_pass(BANK - SECOND - 1)
    assert expiries(hall, opened) == []
    hall.let_pass(1)
    assert expiries(hall, opened)


# ---- gaps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(0, id="from-the-beginning"),
        pytest.param(BANK // 2, id="half-way"),
        pytest.param(BANK - SECOND, id="a-second-before-the-end"),
    ],
)
@pytest.mark.parametrize("away", [6 * SECOND, 20 * SECOND, 3600 * SECOND])
def test_a_deadline_is_as_much_later_as_the_service_was_away(
    hall: Hall, before: int, away: int
) -> None:
    """M15: nobody pays for time in which the service was away."""
    opened = hall.open()
    hall.let_pass(before)
    hall.be_away(away)
    hall.let_pass(BANK - before - 1)
    assert expiries(hall, opened) == []

    hall.let_pass(1)
    [(when, _), *_] = expiries(hall, opened)
    assert when == BANK + away


def test_gaps_of_earlier_turns_and_of_other_times_are_told_apart(hall: Hall) -> None:
    """M15: time of a gap is given back to a bank, also turns later.

    A gap before the opening gives nothing back, and a short pause is no gap.
    """
    hall.be_away(MINUTE)
    opened = hall.open()
    began = hall.now
    first = awaited(hall, opened)
    hall.let_pass(SECOND)
    hall.be_away(20 * SECOND)
    hall.move(opened)
    assert hall_clock(hall, opened).banks[first] == BANK - 21 * SECOND
    hall.move(opened)
    assert awaited(hall, opened) == first

    hall.be_away(timers.LONGEST_PAUSE_MS)
    hall.let_pass(BANK - SECOND - timers.LONGEST_PAUSE_MS - 1)
    assert expiries(hall, opened) == []
    hall.let_pass(1)
    [(when, seat), *_] = expiries(hall, opened)
    assert (when + START - began, seat) == (BANK + 20 * SECOND, first)


def quiet(_commits: int) -> None:
    """Show no progress."""


def test_a_restored_match_has_its_clock_again(
    hall: Hall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M15: the match is due as much later as it was away, though the new journal knows no gap."""
    opened = hall.open()
    hall.let_pass(10 * SECOND)
    path = tmp_path / "backup"
    with private_file(path) as file:
        export.write(hall.ctx.journal, file, {}, hall.ctx.clock, quiet)

    there = Hall(now=hall.now + 3600 * SECOND)
    monkeypatch.setattr("service.ops.backup.restore.clock", there.ctx.clock)
    reader = restore.check(path, quiet)
    restore.restore(there.ctx.journal, reader, quiet, merge=True)

    there.let_pass(BANK - 10 * SECOND - 1)
    assert expiries(there, opened) == []
    there.let_pass(1)
    assert [when for when, _ in expiries(there, opened)] == [BANK + 3600 * SECOND]


class TakesNothing(Over):
    """The timers of a journal that is full."""

    def beat(self, _time: int, _longest_ms: int) -> Any:
        """Refuse, as an append is refused."""
        raise JournalFull("the journal has no memory left")


def test_a_clock_that_was_ahead_stops_no_bank(hall: Hall, caplog: pytest.LogCaptureFixture) -> None:
    """A clock set right after ten seconds costs nobody more time than that. All matches go on."""
    old = hall.open()
    hall.let_pass(SECOND)
    hall.ahead = hall.journal_ahead = 120 * SECOND
    hall.let_pass(10 * SECOND)
    hall.ahead = hall.journal_ahead = 0
    hall.round()
    new = hall.open()
    hall.let_pass(BANK + 10 * SECOND)

    [(of_old, _), *_] = expiries(hall, old)
    assert BANK <= of_old <= BANK + 11 * SECOND
    [(of_new, _), *_] = expiries(hall, new)
    assert of_new == BANK + 11 * SECOND
    [record] = [one for one in caplog.records if "set back" in one.message]
    assert record.seconds == pytest.approx(120, abs=2)  # type: ignore[attr-defined]
    assert hall.ctx.journal.timers.set_backs().times == 1


def test_a_gap_of_a_backup_does_not_lie_in_the_future(hall: Hall) -> None:
    """A gap that was noted with a clock far ahead does not stop the match until its end."""
    opened = hall.open()
    gap = clocks.restored("", START, START + 500 * SECOND)
    hall.ctx.journal.metadata.put(opened.loaded.id, {GAPS: gap})
    hall.let_pass(3 * BANK)
    assert expiries(hall, opened)[0][0] <= 2 * BANK


def test_readiness_tells_of_a_clock_that_was_ahead(hall: Hall) -> None:
    """Readiness warns until the time that the clock had shown, for commits may hold it."""
    subject = checks.Subject(hall.ctx, queues=cast("Any", None), data=Path())
    hall.ahead = hall.journal_ahead = 120 * SECOND
    hall.round()
    assert checks.clock(subject) == {"clock": "ok"}
    hall.ahead = hall.journal_ahead = 0
    hall.round()
    assert "2027-01-15T08:02:00.000Z" in checks.clock(subject)["clock"]
    hall.let_pass(120 * SECOND)
    assert checks.clock(subject) == {"clock": "ok"}


def test_a_journal_that_takes_no_moves_lets_no_time_run(hall: Hall) -> None:
    """M15: with a full journal nobody runs out, webhooks are called, and time does not count."""
    opened = hall.open()
    journal = hall.ctx.journal
    full: Any = TakesNothing(journal.timers)
    whole = hall.ctx
    hall.ctx = replace(whole, journal=replace(journal, timers=full))
    journal.metadata.put(opened.loaded.id, {WEBHOOK_NONCE: "1"})
    journal.timers.ring("hook", opened.loaded.id)
    hall.let_pass(2 * BANK)
    assert expiries(hall, opened) == []
    assert hall.rings

    hall.ctx = whole
    hall.round()
    hall.let_pass(BANK - SECOND)
    assert expiries(hall, opened) == []
    hall.let_pass(SECOND)
    assert expiries(hall, opened)


def test_a_round_that_stood_still_says_nothing_of_before(hall: Hall) -> None:
    """M15: the findings of a beat count for five seconds. A process that was halted asks again."""
    opened = hall.open()
    pulse = timers.beat(hall.ctx)
    hall.now += BANK
    [timer] = hall.ctx.journal.timers.claim(LEASES_MS, 9)
    clocks.see_to(hall.ctx, timer, pulse)
    assert expiries(hall, opened) == []


def test_a_broken_match_stops_no_other(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A match that cannot be folded is logged, and tried again later."""
    broken, right = hall.open(), hall.open()
    fold = load

    def load_or_fail(ctx: Context, match_id: str) -> Loaded:
        if match_id == broken.loaded.id:
            raise ValueError("broken")
        return fold(ctx, match_id)

    monkeypatch.setattr("service.capabilities.clock.use_cases.load", load_or_fail)
    hall.let_pass(BANK)
    assert expiries(hall, right)
    assert expiries(hall, broken) == []
    assert "clock could not be checked" in caplog.text


def test_much_to_do_makes_no_gap(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round ends in time for the next beat, however many matches are due. None is forgotten."""
    opened = [hall.open() for _ in range(40)]

    def load_slowly(ctx: Context, match_id: str) -> Loaded:
        hall.now += SECOND // 2
        return load(ctx, match_id)

    monkeypatch.setattr("service.capabilities.clock.use_cases.load", load_slowly)
    hall.let_pass(BANK)
    for _ in opened:
        hall.now += SECOND // 2
        hall.round()
    assert all(expiries(hall, one) for one in opened)
    assert timers.beat(hall.ctx).gaps == ()


def test_an_ended_match_has_no_timer(hall: Hall) -> None:
    """After an abort no timer can be claimed."""
    opened = hall.open()
    lobby.abort(hall.ctx, Submission(opened.loaded.id, opened.tokens["owner"]))
    hall.now += BANK
    assert hall.ctx.journal.timers.claim(LEASES_MS, 9) == []


@pytest.fixture(scope="module")
def long_match() -> tuple[Context, NewMatch]:
    """A match with take-backs, a time that ran out, and a return."""
    ctx = new_context()
    return ctx, played(ctx, "calimala")


@pytest.mark.whole
@given(seed=st.integers(0, 2**32))
def test_nobody_has_less_time_for_a_gap(long_match: tuple[Context, NewMatch], seed: int) -> None:
    """M15: for any gaps, no deadline is before that of the rules.

    Without gaps, the clock is the match's own.
    """
    ctx, opened = long_match
    match = load(ctx, opened.loaded.id)
    own = clock_of(match.match)
    assert clock_of(clocks._match_without(ctx, match, [])) == own

    chance = Random(seed)
    opened_at, moved_at = milliseconds(match.created), milliseconds(match.time)
    gaps = []
    for _ in range(chance.randint(1, 5)):
        start = chance.randint(opened_at - MINUTE, moved_at)
        gaps.append(Gap(start, start + chance.randint(0, 2 * MINUTE)))
    joined = clocks._joined(gaps)
    without = clock_of(clocks._match_without(ctx, match, joined))

    assert (without.awaited, without.is_running) == (own.awaited, own.is_running)
    for seat, bank in enumerate(own.banks):
        assert without.banks[seat] >= bank
        remaining = without.due(seat) - clocks._counted(moved_at, joined)
        assert remaining >= own.due(seat) - moved_at


# ---- what is owed before the start (M19) ---------------------------------------------------------


def gathered(hall: Hall, clock: dict[str, Any] | None = None) -> NewMatch:
    """Open a match of two humans with joint draws. One of them has not pledged."""
    seats = [{**HUMAN, "pledge": pledge_of("5a" * 32, 0)}, HUMAN]
    terms = read_terms({"joint_entropy": True, "clock": clock})
    request = OpenRequest("toy", seats, {"rounds": 3}, terms=terms)
    return open_new(hall.ctx, request)


def kinds(hall: Hall, opened: NewMatch) -> list[str]:
    """Return the kinds of a match's seats."""
    return [seat.kind for seat in loaded(hall, opened).match.seats]


@pytest.mark.parametrize(("clock", "patience"), [(None, 60 * MINUTE), (TERMS, BANK)])
def test_a_seat_that_owes_something_lapses_on_time(
    hall: Hall, clock: dict[str, Any] | None, patience: int
) -> None:
    """M19: a seat lapses once, after the bank of a clock or an hour. Then nothing is due."""
    opened = gathered(hall, clock)

    hall.let_pass(patience - SECOND)
    assert kinds(hall, opened) == ["human", "human"]
    hall.let_pass(2 * SECOND)
    assert kinds(hall, opened) == ["human", "open"]
    assert hall.times_run_out == 1
    assert "holder:seat:1" not in hall.ctx.journal.metadata.fields(opened.loaded.id)
    assert hall.ctx.journal.timers.claim(LEASES_MS, 9) == []


def test_pledges_and_disclosures_put_the_lapse_off(hall: Hall) -> None:
    """M19: the time runs anew from each pledge and disclosure, and ends with the start."""
    opened = gathered(hall, TERMS)
    match = opened.loaded.id
    hall.let_pass(BANK - SECOND)
    lobby.pledge(hall.ctx, by(opened, "seat:1"), pledge_of("a5" * 32, 1))
    hall.let_pass(BANK - SECOND)
    lobby.disclose(hall.ctx, by(opened, "seat:1"), "a5" * 32)
    hall.let_pass(BANK - SECOND)
    lobby.disclose(hall.ctx, by(opened, "seat:0"), "5a" * 32)

    assert load(hall.ctx, match).status.name == "running"
    hall.let_pass(BANK - SECOND)
    assert kinds(hall, opened) == ["human", "human"], "now the clock runs"


def test_time_in_which_nobody_could_pledge_does_not_count(hall: Hall) -> None:
    """M19: a gap puts the lapse off. The lapse names the time by the commits (M15)."""
    opened = gathered(hall, TERMS)
    hall.let_pass(10 * SECOND)
    hall.be_away(5 * MINUTE)
    assert kinds(hall, opened) == ["human", "human"]

    hall.let_pass(BANK - 10 * SECOND - 2 * SECOND)
    assert kinds(hall, opened) == ["human", "human"]
    hall.let_pass(4 * SECOND)
    assert kinds(hall, opened) == ["human", "open"]
    assert verify_stored(hall.ctx.journal.events.read(opened.loaded.id)).report.wrong is None


def test_a_match_without_a_clock_has_no_timer_after_its_start(hall: Hall) -> None:
    """M19: the last disclosure removes the timer."""
    opened = gathered(hall)
    lobby.pledge(hall.ctx, by(opened, "seat:1"), pledge_of("a5" * 32, 1))
    lobby.disclose(hall.ctx, by(opened, "seat:1"), "a5" * 32)
    lobby.disclose(hall.ctx, by(opened, "seat:0"), "5a" * 32)

    hall.now += 2 * 60 * MINUTE
    assert hall.ctx.journal.timers.claim(LEASES_MS, 9) == []


def test_time_for_a_pledge_comes_back_from_a_backup(
    hall: Hall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M19: a restored match has as much time for a pledge as was left when the backup began."""
    opened = gathered(hall)
    hall.let_pass(50 * MINUTE)
    path = tmp_path / "backup"
    with private_file(path) as file:
        export.write(hall.ctx.journal, file, {}, hall.ctx.clock, quiet)

    there = Hall(now=hall.now + 24 * 60 * MINUTE)
    monkeypatch.setattr("service.ops.backup.restore.clock", there.ctx.clock)
    restore.restore(there.ctx.journal, restore.check(path, quiet), quiet, merge=True)

    there.let_pass(9 * MINUTE)
    assert kinds(there, opened) == ["human", "human"]
    there.let_pass(2 * MINUTE)
    assert kinds(there, opened) == ["human", "open"]


def left_by_all(hall: Hall, jobs: list[tuple[int, str]] | None = None, **terms: Any) -> NewMatch:
    """Return a match after the time of both humans has run out.

    jobs: filled with the versions and the kinds of the jobs that are put into queues.
    """
    if jobs is not None:

        def enqueue(_match: str, version: int, awaiting: str) -> None:
            jobs.append((version, awaiting))

        hall.ctx = replace(hall.ctx, enqueue=enqueue)
    opened = hall.open(move_s=10, **terms)
    hall.let_pass(BANK)
    automation.play_bots(hall.ctx, opened.loaded.id, choose)
    hall.let_pass(BANK)
    assert loaded(hall, opened).match.only_bots
    return opened


@pytest.mark.parametrize(("bank", "rest"), [(BANK_S, MINUTE), (90, 90 * SECOND)])
def test_bots_rest_after_the_last_run_out(hall: Hall, bank: int, rest: int) -> None:
    """M15: bots rest as long as one bank, at least a minute, so the match does not end at once."""
    opened = hall.open(move_s=10, bank_s=bank)
    hall.let_pass(bank * SECOND)
    automation.play_bots(hall.ctx, opened.loaded.id, choose)
    hall.let_pass(bank * SECOND)
    version = loaded(hall, opened).version
    hall.let_pass(rest - SECOND)
    assert not automation.play_bots(hall.ctx, opened.loaded.id, choose)
    assert loaded(hall, opened).version == version

    hall.let_pass(SECOND)
    assert automation.play_bots(hall.ctx, opened.loaded.id, choose)
    assert loaded(hall, opened).version > version


def test_a_resting_match_is_not_pending(hall: Hall) -> None:
    """The totals of waiting matches do not count a match until its rest is over."""
    jobs: list[tuple[int, str]] = []
    opened = left_by_all(hall, jobs)
    version = loaded(hall, opened).version
    hall.let_pass(MINUTE - SECOND)
    automation.sweep(hall.ctx, 0)
    assert automation.totals(hall.ctx) == (0, 0, 0)
    assert (version, "exhibition") not in jobs

    hall.let_pass(SECOND)
    assert automation.totals(hall.ctx) == (1, 0, 0)
    assert jobs[-1] == (version, "exhibition")
    hall.let_pass(2 * SECOND)
    assert automation.totals(hall.ctx).longest_wait == 2 * SECOND


def test_a_failure_after_the_rest_is_noted(hall: Hall) -> None:
    """A match that has rested is tried again and parked like any other."""
    opened = left_by_all(hall)
    hall.let_pass(MINUTE)
    automation.note(hall.ctx, opened.loaded.id, "ValueError")
    [waiting] = automation.waiting_matches(hall.ctx, 9)
    assert waiting.pending.tries == 1


def test_a_player_who_comes_back_ends_the_rest(hall: Hall) -> None:
    """M15: after a return the bots of the others move at once, and time runs."""
    opened = left_by_all(hall)
    seat = loaded(hall, opened).match.status.seats[0]
    lobby.return_(hall.ctx, by(opened, f"seat:{seat}"))
    assert automation.totals(hall.ctx) == (0, 0, 0)
    hall.let_pass(10 * SECOND)
    assert expiries(hall, opened)[-1][1] == seat
    assert len(expiries(hall, opened)) == 3


def test_time_away_before_the_last_run_out_is_no_rest(hall: Hall) -> None:
    """The rest begins when the house says that time has run out."""
    opened = hall.open(move_s=10)
    hall.let_pass(BANK)
    automation.play_bots(hall.ctx, opened.loaded.id, choose)
    hall.be_away(60 * MINUTE)
    hall.let_pass(BANK)
    assert loaded(hall, opened).match.only_bots
    assert not automation.play_bots(hall.ctx, opened.loaded.id, choose)


def test_bots_go_on_at_once_if_nobody_may_come_back(hall: Hall) -> None:
    """M15: a clock without added time brings nobody back."""
    opened = hall.open()
    hall.let_pass(BANK)
    automation.play_bots(hall.ctx, opened.loaded.id, choose)
    hall.let_pass(BANK)
    assert loaded(hall, opened).match.only_bots
    assert automation.play_bots(hall.ctx, opened.loaded.id, choose)
