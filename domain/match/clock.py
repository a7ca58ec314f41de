"""The clock of a match: the time that each seat has left, folded from the times of commits (M15).

Times are in milliseconds, moments since 1970. Nothing here reads a clock: each commit brings the
time at which it was made.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from domain.errors import BadOption, Faults
from domain.match.messages import ClockPlan, SeatPlan
from domain.options import Choice, Number

_THIRTY_DAYS = 30 * 24 * 60 * 60  # seconds
_LEVEL = re.compile("[a-z]{1,16}")

BANK_S = Number(
    name="bank_s",
    default=5,
    text="how many seconds each seat has",
    least=5,
    most=_THIRTY_DAYS,
)
MOVE_S = Number(
    name="move_s",
    default=0,
    text="how many seconds are added after a turn of one's own",
    least=0,
    most=_THIRTY_DAYS,
)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a commit says beside its events: which version it makes, who makes it, and when."""

    version: int
    actor: str
    at: int


@dataclass(frozen=True, slots=True)
class Clock:
    """The banks of all seats, as they were at the last commit.

    bank_ms: what a bank holds at first, and at most.   move_ms: what is added after a turn.
    level: that of the bots that stand in.
    banks: what is left for each seat.   added: what turns have added for each seat in all.
    since: when the last commit was made.
    awaited: the seats that the match waits for since then.
    is_running: whether these pay; nobody does while a bot is awaited as well.
    ran_out: when the house last said that a bank was empty, 0 for never.
    """

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
        """The seats whose time runs."""
        return self.awaited if self.is_running else ()

    @property
    def next_due(self) -> int | None:
        """The first moment at which the bank of a paying seat is empty, None if nobody pays."""
        return min(map(self.due, self.paying), default=None)

    def due(self, seat: int) -> int:
        """Return when the bank of a seat is empty, if it pays from the last commit on."""
        return self.since + self.banks[seat]

    def left(self, at: int) -> tuple[int, ...]:
        """Return what is left for each seat at a moment after the last commit."""
        elapsed = max(0, at - self.since)
        paying = self.paying
        return tuple(
            max(0, bank - elapsed) if seat in paying else bank
            for seat, bank in enumerate(self.banks)
        )

    def with_more(self, seat: int, *, after_turn: bool) -> "Clock":
        """Return the clock with `move_ms` more for a seat, as far as its bank takes it."""
        more = min(self.move_ms, self.bank_ms - self.banks[seat])
        banks = _plus(self.banks, seat, more)
        added = _plus(self.added, seat, more) if after_turn else self.added
        return replace(self, banks=banks, added=added)

    def after(
        self, at: int, awaited: tuple[int, ...], *, mover: int | None, is_running: bool
    ) -> "Clock":
        """Return the clock after a commit that was made at a moment.

        awaited: the seats that the match waits for then.
        mover: the seat whose human has moved, None if nobody has, the house or a bot.
        is_running: whether these seats pay. A human who was awaited, has moved and is awaited no
        longer has ended a turn.
        """
        clock = replace(
            self,
            banks=self.left(at),
            since=max(self.since, at),
            awaited=awaited,
            is_running=is_running,
        )
        if mover is not None and mover in self.awaited and mover not in awaited:
            return clock.with_more(mover, after_turn=True)
        return clock

    def taken_back(
        self, banks: tuple[int, ...], added: tuple[int, ...], *, payer: int | None = None
    ) -> "Clock":
        """Return the clock after going back to when it held `banks` and `added` (M17).

        payer: the only seat whose time since then stays paid. None: that of all seats does.
        What turns have added since is lost, and no bank holds more than it did then.
        """
        left = []
        for seat, bank in enumerate(self.banks):
            without_gain = bank - (self.added[seat] - added[seat])
            is_paid = payer is None or seat == payer
            left.append(max(0, min(banks[seat], without_gain)) if is_paid else banks[seat])
        return replace(self, banks=tuple(left), added=added)


def new_clock(plan: ClockPlan, seats: int) -> Clock:
    """Return the clock of a new match: every bank is full."""
    bank_ms = plan.bank_s * 1000
    return Clock(
        bank_ms=bank_ms,
        move_ms=plan.move_s * 1000,
        level=plan.level,
        banks=(bank_ms,) * seats,
        added=(0,) * seats,
    )


# ---- the clock that is asked for -----------------------------------------------------------------


def read_clock(
    given: Mapping[str, object], levels: Sequence[str], seats: Sequence[SeatPlan]
) -> ClockPlan:
    """Return the clock that a match is to be opened with (M15).

    levels: those of the bots that can stand in. Raises BadOption with all that is wrong, each with
    the name of its member; what is wrong with the clock as a whole has no name.
    """
    level = Choice(name="level", default="", text="which bot stands in", choices=tuple(levels))
    members = {option.name: option for option in (BANK_S, MOVE_S, level)}
    faults = Faults(BadOption)
    unknown = [name for name in given if name not in members]
    faults.add_unknown(unknown, (), f"unknown field; known are {', '.join(members)}")

    for name, option in members.items():
        if name not in given:
            faults.add(BadOption((name,), "is missing"))
            continue
        try:
            option.read(given[name])
        except BadOption as error:
            faults.add(error)
    if are_bots_alone(seats):
        faults.add(BadOption((), "bots alone have no clock; leave it out"))

    faults.raise_any()
    return ClockPlan(
        bank_s=BANK_S.read(given["bank_s"]),
        move_s=MOVE_S.read(given["move_s"]),
        level=level.read(given["level"]),
    )


def asked_for(clock: Clock) -> dict[str, object]:
    """Return what was asked for when a match with such a clock was opened."""
    return {
        "bank_s": clock.bank_ms // 1000,
        "move_s": clock.move_ms // 1000,
        "level": clock.level,
    }


def is_possible(plan: ClockPlan, seats: Sequence[SeatPlan]) -> bool:
    """Return whether a match of such seats can have such a clock, whatever bots there are (M15)."""
    try:
        BANK_S.read(plan.bank_s)
        MOVE_S.read(plan.move_s)
    except BadOption:
        return False
    return _LEVEL.fullmatch(plan.level) is not None and not are_bots_alone(seats)


def are_bots_alone(seats: Sequence[SeatPlan]) -> bool:
    """Return whether bots hold all seats."""
    return all(plan.kind == "bot" for plan in seats)


def _plus(numbers: tuple[int, ...], place: int, more: int) -> tuple[int, ...]:
    """Return the numbers with more in one place."""
    return (*numbers[:place], numbers[place] + more, *numbers[place + 1 :])
