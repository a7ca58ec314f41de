"""Resting matches: no human is left at the table, and bots wait for one to come back (M15).

Without a human the stand-ins would play to the end in seconds. They rest for one bank after the
last run-out, if anybody may come back. A resting match is not pending: the timer of its clock is
due when the rest ends, and `clocks` then has it wait for its bots as any other match does.
"""

from domain.match.state import Match

_LEAST_MS = 60_000
_MOST_MS = 24 * 60 * 60 * 1000


def rests_until(match: Match) -> int:
    """Return the time until which the bots of a match rest, 0 if they do not."""
    clock = match.clock
    if clock is None or not match.only_bots or match.status.worker != "bots":
        return 0
    may_return = any(
        match.seats[seat].away == "time" and match.may_return(seat) for seat in match.away
    )
    rest_ms = min(max(clock.bank_ms, _LEAST_MS), _MOST_MS)
    return clock.ran_out + rest_ms if may_return else 0
