"""The clock of a match: the remaining time of each seat, folded from the times of commits (M15).

Requests and plans of a clock are in seconds. All other times are milliseconds, and points in time
are counted from 1970. No function here reads a clock of the machine. Time passes with the stamps of
commits.

    stopped   nobody pays: before the start, after the end, or while the house or a bot is to act
    running   all awaited humans pay at the same time
    ran out   a bot stands in at a seat after its bank was empty (`Seat.away` is "time")

Each commit takes the time since the last one off the banks of the paying seats. A move gains
`move_ms` for its human, unless they are still awaited after it. No bank holds more than `bank_ms`.

A race: a bank is empty, and its human ends the turn at the same time. No move is refused for being
late. The command `run_out` names the seat and `due`, the time at which the bank is empty. The
command is refused unless the seat still pays, `due` is right, and the stamp has reached `due`. So
if the move is stored first, the seat no longer pays, and `run_out` is refused. If `run_out` is
stored first, a bot holds the seat. The seat's human may return if the clock adds time, and gains
`move_ms` then.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from domain.errors import BadOption, Faults, MatchRuleBroken
from domain.game import Change, Message
from domain.match import messages
from domain.match.demands import require_seat
from domain.match.messages import ClockPlan, SeatPlan
from domain.match.sitting import Plays, Sitting
from domain.match.state import AppliedCommit, Match, Stories, Term
from domain.options import Choice, Number
from domain.story import Names, Sentence, in_time

_THIRTY_DAYS = 30 * 24 * 60 * 60  # seconds
_LEVEL = re.compile("[a-z]{1,16}")

BANK_S = Number(
    name="bank_s",
    default=5,
    text="seconds in each seat's bank",
    least=5,
    most=_THIRTY_DAYS,
)
MOVE_S = Number(
    name="move_s",
    default=0,
    text="seconds added after a turn of one's own",
    least=0,
    most=_THIRTY_DAYS,
)


@dataclass(frozen=True, slots=True)
class Clock(Term):
    """The banks of all seats at the last commit.

    bank_ms: content of a bank at first and at most.   move_ms: gain at the end of a turn.
    level: of the stand-in bots.
    banks: remaining time by seat.   added: sum of the gains of turns by seat.
    since: time of the last commit.   awaited: seats to act since then.
    is_running: True if the awaited seats pay. False if the house or a bot is to act.
    ran_out: time of the last run-out, 0 for none.
    """

    name: ClassVar[str] = "clock"
    keeps_time: ClassVar[bool] = True

    bank_ms: int
    move_ms: int
    level: str
    banks: tuple[int, ...]
    added: tuple[int, ...]
    since: int = 0
    awaited: tuple[int, ...] = ()
    is_running: bool = False
    ran_out: int = 0

    @property
    def paying(self) -> tuple[int, ...]:
        """The seats that pay now."""
        return self.awaited if self.is_running else ()

    @property
    def next_due(self) -> int | None:
        """The time at which the first bank is empty, None if nobody pays."""
        return min(map(self.due, self.paying), default=None)

    def due(self, seat: int) -> int:
        """Return the time at which a seat's bank is empty if it pays from the last commit on."""
        return self.since + self.banks[seat]

    def banks_at(self, at: int) -> tuple[int, ...]:
        """Return the remaining time by seat at a time after the last commit."""
        paying = self.paying
        if not paying:
            return self.banks
        elapsed = max(0, at - self.since)
        banks = list(self.banks)
        for seat in paying:
            banks[seat] = max(0, banks[seat] - elapsed)
        return tuple(banks)

    def with_more(self, seat: int) -> "Clock":
        """Return the clock with `move_ms` more in a seat's bank, up to `bank_ms`."""
        more = min(self.move_ms, self.bank_ms - self.banks[seat])
        return replace(self, banks=_plus(self.banks, seat, more))

    def advance(
        self, at: int, awaited: tuple[int, ...], *, mover: int | None, is_running: bool
    ) -> "Clock":
        """Return the clock after a commit.

        at: time of the commit.   awaited: the seats to act next.
        mover: the seat of the human behind a move. None: a bot, the house, or no move. The mover
        ends a turn, and gains time, if awaited before the commit and not after it.
        is_running: True if the seats to act next pay.
        """
        banks, added = self.banks_at(at), self.added
        if mover is not None and mover in self.awaited and mover not in awaited:
            more = min(self.move_ms, self.bank_ms - banks[mover])
            banks, added = _plus(banks, mover, more), _plus(added, mover, more)

        # Spelled out, since `replace` takes longer, and this is done at each commit.
        return Clock(
            bank_ms=self.bank_ms,
            move_ms=self.move_ms,
            level=self.level,
            banks=banks,
            added=added,
            since=max(self.since, at),
            awaited=awaited,
            is_running=is_running,
            ran_out=self.ran_out,
        )

    def back_to(
        self, banks: tuple[int, ...], added: tuple[int, ...], *, payer: int | None = None
    ) -> "Clock":
        """Return the clock after a take-back to a commit (M17).

        banks, added: of the clock at that commit.
        payer: the only seat to pay for its time since then. None: all seats pay.
        Later gains are lost, and no bank holds more than at that commit.
        """
        new_banks = []
        for seat, bank in enumerate(self.banks):
            without_gain = bank - (self.added[seat] - added[seat])
            is_paid = payer is None or seat == payer
            new_banks.append(max(0, min(banks[seat], without_gain)) if is_paid else banks[seat])
        return replace(self, banks=tuple(new_banks), added=added)

    @classmethod
    def from_opening(cls, event: messages.MatchOpened) -> Self | None:
        """Return the clock of a new match."""
        return cls.full(event.clock, len(event.seats)) if event.clock else None

    @classmethod
    def full(cls, plan: ClockPlan, seats: int) -> Self:
        """Return a clock with full banks."""
        bank_ms = plan.bank_s * 1000
        return cls(
            bank_ms=bank_ms,
            move_ms=plan.move_s * 1000,
            level=plan.level,
            banks=(bank_ms,) * seats,
            added=(0,) * seats,
        )

    @classmethod
    def in_words(cls, event: messages.MatchOpened) -> tuple[str, str] | None:
        """Tell the time of seats: "each seat has five minutes, and ten seconds more a turn"."""
        clock = event.clock
        if clock is None:
            return None
        bank = f"each seat has {in_time(clock.bank_s)}"
        more = f", and {in_time(clock.move_s)} more a turn" if clock.move_s else ""
        return "M15", bank + more

    @classmethod
    def guard(cls, match: Match, command: Message) -> None:
        """Refuse bots of another level, bots for seats with time left, and returns without time."""
        clock = match.term(cls)
        if clock is None:
            return
        match command:
            case messages.Replace():
                clock.guard_replacement(match, command)
            case messages.Resign() if command.level != clock.level:
                raise _wrong_level(clock, "M16")
            case messages.Restore() | messages.Return():
                clock.guard_return(match, command.seat)

    def guard_replacement(self, match: Match, command: messages.Replace) -> None:
        """Refuse to replace a seat with time left, or by another level, in a running match (M8).

        By match rules 1 nothing is refused.
        """
        if match.status.name != "running" or not match.match_rules.limits_replacement:
            return
        if match.seats[command.seat].away != "time":
            detail = (
                f"Seat {command.seat} has time left. A bot plays it only once its time runs out."
            )
            raise MatchRuleBroken("time_left", "M8", detail)
        if command.level != self.level:
            raise _wrong_level(self, "M8")

    def guard_return(self, match: Match, seat: int) -> None:
        """Refuse a human's return to an empty bank if the clock adds no time (M15)."""
        if match.seats[seat].away == "time" and self.move_ms == 0:
            detail = (
                f"The time of seat {seat} has run out, and this clock adds none. "
                "A bot plays it to the end."
            )
            raise MatchRuleBroken("no_time_left", "M15", detail)

    def needs_stamps(self, _match: Match) -> bool:
        """Return True. Commits take and add time."""
        return True

    def before_event(self, match: Match, event: Message) -> None:
        """Add time to the bank if a human returns after a run-out."""
        if isinstance(event, messages.SeatRestored) and match.seats[event.seat].away == "time":
            match.put(self.with_more(event.seat))

    def after_commit(self, match: Match, commit: AppliedCommit) -> None:
        """Take the time since the last commit off the banks, and add the gain of a turn."""
        status = commit.status
        clock = self.advance(
            commit.stamp.at,
            awaited=status.seats if status.name == "running" else (),
            mover=commit.mover,
            is_running=status.awaiting == "",
        )
        if commit.own_events and any(
            isinstance(event, messages.TimeRanOut) for event in commit.own_events
        ):
            clock = replace(clock, ran_out=clock.since)
        match.put(clock)

    def mark(self) -> list[list[int]]:
        """Return banks and gains by seat."""
        return [list(self.banks), list(self.added)]

    def rewind(self, mark: Any, payer: int | None) -> "Clock":
        """Return the clock after a take-back (M17)."""
        banks, added = mark
        return self.back_to(tuple(banks), tuple(added), payer=payer)

    def deadline(self, _match: Match) -> int | None:
        """Return the time at which the first bank is empty, None if nobody pays."""
        return self.next_due

    def may_return(self, match: Match, seat: int) -> bool:
        """Return True if the seat's time ran out and the clock adds time."""
        return match.seats[seat].away == "time" and self.move_ms > 0


def clock_of(match: Match) -> Clock | None:
    """Return the clock of a match. None: seats have unlimited time."""
    return match.term(Clock)


def _wrong_level(clock: Clock, rule: str) -> MatchRuleBroken:
    detail = f"In this match {clock.level} bots stand in. Name no other level."
    return MatchRuleBroken("wrong_level", rule, detail)


def _play_run_out(sitting: Sitting, command: messages.RunOut) -> None:
    require_seat(sitting.match, command.seat)
    clock = clock_of(sitting.match)
    if clock is None:
        detail = "The match was opened without a clock. Its seats have unlimited time."
        raise MatchRuleBroken("no_clock", "M15", detail)
    if command.seat not in clock.paying:
        detail = f"The clock of seat {command.seat} is not running."
        raise MatchRuleBroken("not_paying", "M15", detail)

    due = clock.due(command.seat)
    assert sitting.stamp is not None, "a clock needs to know of each commit"
    if command.due != due or sitting.stamp.at < due:
        detail = f"The time of seat {command.seat} runs out at {due}. No bot stands in before."
        raise MatchRuleBroken("not_due", "M15", detail)

    sitting.emit(messages.TimeRanOut(command.seat, due))
    sitting.emit(messages.SeatReplaced(command.seat, clock.level))


PLAYS: Plays = {messages.RunOut: _play_run_out}


def _on_time_ran_out(match: Match, event: messages.TimeRanOut) -> None:
    match.seats[event.seat] = replace(match.seats[event.seat], away="time")


CHANGES: dict[type, Change[Match]] = {messages.TimeRanOut: _on_time_ran_out}


def _time_ran_out(_match: Match | None, event: messages.TimeRanOut, names: Names) -> Sentence:
    name = names[event.seat]
    return Sentence(f"The time of {name} has run out.", rules=("M15",))


STORIES: Stories = {messages.TimeRanOut: _time_ran_out}


# ---- the requested clock -------------------------------------------------------------------------


def read_clock(
    request: Mapping[str, object], levels: Sequence[str], seats: Sequence[SeatPlan]
) -> ClockPlan:
    """Return the plan of a requested clock (M15).

    request: members by name.   levels: the levels to choose stand-in bots from.
    Raises BadOption with the faults. Each has the name of its member in its path. A fault of the
    clock as a whole has an empty path.
    """
    level = Choice(name="level", default="", text="which bot stands in", choices=tuple(levels))
    members = {option.name: option for option in (BANK_S, MOVE_S, level)}
    faults = Faults(BadOption)
    unknown = [name for name in request if name not in members]
    faults.add_unknown(unknown, (), f"unknown field. Known fields: {', '.join(members)}")

    for name, option in members.items():
        if name not in request:
            faults.add(BadOption((name,), "is missing"))
            continue
        try:
            option.read(request[name])
        except BadOption as error:
            faults.add(error)
    if are_bots_alone(seats):
        faults.add(BadOption((), "bots alone have no clock. Leave it out"))

    faults.raise_any()
    return ClockPlan(
        bank_s=BANK_S.read(request["bank_s"]),
        move_s=MOVE_S.read(request["move_s"]),
        level=level.read(request["level"]),
    )


def asked_for(clock: Clock) -> dict[str, object]:
    """Return the members of a request for a clock like this one."""
    return {
        "bank_s": clock.bank_ms // 1000,
        "move_s": clock.move_ms // 1000,
        "level": clock.level,
    }


def is_possible(plan: ClockPlan, seats: Sequence[SeatPlan]) -> bool:
    """Return True if a match of these seats may have this clock (M15).

    Any name of 1 to 16 small letters is a possible level.
    """
    try:
        BANK_S.read(plan.bank_s)
        MOVE_S.read(plan.move_s)
    except BadOption:
        return False
    return _LEVEL.fullmatch(plan.level) is not None and not are_bots_alone(seats)


def are_bots_alone(seats: Sequence[SeatPlan]) -> bool:
    """Return True if bots hold all seats."""
    return all(plan.kind == "bot" for plan in seats)


def _plus(numbers: tuple[int, ...], place: int, more: int) -> tuple[int, ...]:
    """Return the numbers with an addition in one place."""
    return (*numbers[:place], numbers[place] + more, *numbers[place + 1 :])
