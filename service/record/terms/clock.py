"""The clock of a match in the service (M15).

Bots rest if all seats have bots, and a human with a run-out may still return. Without a rest the
stand-ins would play to the end in seconds. They rest for one bank after the last run-out, a minute
at least and a day at most. A resting match is not pending. The timer of the match's clock is due at
the end of the rest, and `service.capabilities.clock.use_cases` then makes the match pending for its
bots.
"""

from collections.abc import Mapping, Sequence

from domain.errors import BadOption
from domain.match.messages import RunOut, SeatPlan
from domain.match.state import Match
from domain.match.terms import clock_of
from domain.match.terms.clock import Clock, asked_for, read_clock
from service.base import answers
from service.base.errors import Invalid, Mistake, pointer
from service.record.commit import Json, timestamp
from service.record.terms.side import Deadline, Plans, Side

ClockRequest = Mapping[str, object]  # `bank_s`, `move_s` and `level`

_LEAST_REST_MS = 60_000
_MOST_REST_MS = 24 * 60 * 60 * 1000


class ClockSide(Side[Clock, ClockRequest]):
    """The side of a clock."""

    kind = Clock
    name = Clock.name
    has_deadline = True

    def rests_until(self, match: Match, term: Clock) -> int:
        """Return the end of the rest of a match's bots, 0 without a rest."""
        if not match.only_bots or match.status.worker != "bots":
            return 0
        may_return = any(
            match.seats[seat].away == "time" and match.may_return(seat) for seat in match.away
        )
        rest_ms = min(max(term.bank_ms, _LEAST_REST_MS), _MOST_REST_MS)
        return term.ran_out + rest_ms if may_return else 0

    def deadline(self, _match: Match, term: Clock, without_gaps: Match) -> Deadline | None:
        """Return the next run-out, None if no seat pays time."""
        clock = clock_of(without_gaps) or term
        if not term.paying:
            return None
        seat = min(clock.paying, key=clock.due)
        return Deadline(RunOut(seat, term.due(seat)), clock.due(seat))

    def document(self, _match: Match, term: Clock, answer: answers.Match) -> None:
        """Add the clock."""
        answer["clock"] = _shown(term)

    def state(self, term: Clock, answer: answers.State) -> None:
        """Add the clock."""
        answer["clock"] = _shown(term)

    def request_for(self, term: Clock) -> ClockRequest:
        """Return the members of a request for the same clock."""
        return asked_for(term)

    def fingerprint(self, value: ClockRequest) -> object:
        """Return the requested clock under its name."""
        return {"clock": dict(value)}

    def bot_levels(self, value: ClockRequest) -> dict[str, str]:
        """Return the level of the stand-in bots."""
        return {"/clock/level": str(value.get("level", ""))}

    def open_members(self, value: ClockRequest, plans: Plans, levels: Sequence[str]) -> Json:
        """Return the plan of the requested clock. Raises Invalid."""
        seats = [SeatPlan(plan["kind"]) for plan in plans]
        try:
            return {"clock": read_clock(value, tuple(levels), seats)}
        except BadOption as error:
            places = [Mistake("/clock" + pointer(one.path), one.detail) for one in error.all]
            raise Invalid(*places, more=error.unnamed) from None


def stand_in_level(match: Match) -> str:
    """Return the level of the stand-in bots, "" without a clock."""
    clock = clock_of(match)
    return clock.level if clock is not None else ""


def _shown(clock: Clock) -> answers.Clock:
    """Return the clock for an answer."""
    due = clock.next_due
    return {
        "bank_s": clock.bank_ms // 1000,
        "move_s": clock.move_ms // 1000,
        "level": clock.level,
        "left_ms": list(clock.banks),
        "paying": list(clock.paying),
        "due": None if due is None else timestamp(due),
    }
