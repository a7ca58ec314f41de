"""Clocks of matches: a seat whose time has run out is played by a bot from then on (M15).

Before the start of a match with joint entropy a seat that owes something for too long is open again
(M19). The house says so by a commit, and what reaches the journal first counts. No time counts in
which the service could not be reached: whoever sees to the clocks notes a beat in the journal, and
a longer pause between two beats is a gap. The house folds the times of a match with the gaps cut
out, so a deadline is as much later as gaps have taken. A match that was restored from a backup has
a gap of its own, from the backup to its return.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from domain.errors import RulesUnknown
from domain.match.messages import Lapse
from domain.match.state import Match
from domain.seats import HOUSE_ACTOR
from domain.wire import Message
from service.base.errors import MatchDeleted
from service.base.metadata_fields import GAPS
from service.matches import tokens
from service.matches.command_handler import Act, commit
from service.matches.context import Context
from service.matches.repository import load, pieces
from service.matches.timers import Pulse
from service.record import replay
from service.record.codec import put_back, read_events
from service.record.commit import milliseconds, parse_commits
from service.record.replay import Loaded
from service.record.terms.sides import rests_until, terms_of
from service.store.journal.encoding import packed_gaps, read_gaps
from service.store.journal.errors import Conflict
from service.store.journal.values import Gap, Timer

_UNKNOWN_MS = 600_000  # from one look to the next at a clock by rules that are unknown here


def see_to(ctx: Context, timer: Timer, pulse: Pulse) -> bool:
    """Let the house say that time has run out, or put the timer off until it has.

    Return whether the house has said so. While it is not known whether it has, nothing is done, and
    the timer is due again soon. Raises JournalUnavailable.
    """
    if not pulse.may_judge(ctx.clock()):
        return False
    try:
        loaded = load(ctx, timer.match)
    except MatchDeleted:
        return False
    except RulesUnknown:  # /readyz says so
        ctx.journal.timers.settle(timer, _UNKNOWN_MS)
        return False

    command, left_ms = _next_out(ctx, loaded, pulse.gaps)
    if command is None:
        _see_to_rest(ctx, loaded, timer)
        return False
    if left_ms > 0:
        ctx.journal.timers.settle(timer, left_ms)
        return False
    return pulse.may_judge(ctx.clock()) and _commit(ctx, loaded, command)


def _see_to_rest(ctx: Context, loaded: Loaded, timer: Timer) -> None:
    """Have the bots of a match go on whose rest is over, or put the timer off until it is."""
    rest_ends = rests_until(loaded.match)
    left_ms = rest_ends - ctx.clock()
    if left_ms > 0:
        ctx.journal.timers.settle(timer, left_ms)
        return
    if rest_ends and ctx.journal.pending.rouse(loaded.id):
        ctx.enqueue(loaded.id, loaded.version, loaded.status.awaiting)
    ctx.journal.timers.settle(timer, None)


def restored(gaps: str, left: int, returned: int) -> str:
    """Return the field GAPS of a match that comes out of a backup.

    gaps: what the field held, "" for nothing.   left: when the backup was begun.
    """
    return gaps + packed_gaps([Gap(left, max(left, returned))])


def _commit(ctx: Context, loaded: Loaded, command: Message) -> bool:
    """Commit that time has run out; return False if another commit came first."""
    changes: dict[str, str | None] = {}
    if isinstance(command, Lapse):
        metadata = ctx.journal.metadata.fields(loaded.id)
        for seat in loaded.match.owed[1]:
            changes |= tokens.dropped_with_seat(metadata, seat)
    try:
        commit(ctx, loaded, Act(HOUSE_ACTOR, command, metadata=changes))
    except Conflict:
        return False
    return True


def _next_out(
    ctx: Context, loaded: Loaded, gaps_of_all: Sequence[Gap]
) -> tuple[Message | None, int]:
    """Return what the house says when time runs out next, and in how many milliseconds that is.

    None: nobody's time runs.
    """
    match = loaded.match
    if match.next_due is None:
        return None, 0

    own_gaps = _own_gaps(ctx, loaded.id)
    opened = milliseconds(loaded.created)
    gaps = _joined([gap for gap in (*gaps_of_all, *own_gaps) if gap.end > opened])
    now = _counted(ctx.clock(), gaps)
    counted = _match_without(ctx, loaded, gaps) if gaps else match
    deadlines = (side.deadline(match, term, counted) for side, term in terms_of(match))
    # What is owed has a time before the start alone, and a clock from the start on.
    command, at = next(deadline for deadline in deadlines if deadline is not None)
    return command, at - now


def _own_gaps(ctx: Context, match: str) -> Sequence[Gap]:
    """Return the gaps of a restored match. One in the future ends now, for good.

    It was noted by a clock that was ahead, and would stop the match's clock.
    """
    stored = ctx.journal.metadata.field(match, GAPS) or ""
    gaps = read_gaps(stored)
    now = ctx.clock()
    if all(gap.end <= now for gap in gaps):
        return gaps
    past = [Gap(gap.start, min(gap.end, now)) for gap in gaps if gap.start < now]
    ctx.journal.metadata.put(match, {GAPS: packed_gaps(past)}, (GAPS, stored))
    return past


def _match_without(ctx: Context, loaded: Loaded, gaps: Sequence[Gap]) -> Match:
    """Return a match as it would be had no time passed in the gaps."""
    match = None
    for piece in pieces(ctx, loaded.id, 0, loaded.version):
        for stored in parse_commits(piece):
            _, events = put_back(stored)
            stamp = replay.stamp_of(stored["commit"])
            counted = replace(stamp, at=_counted(stamp.at, gaps))
            match = replay.apply(match, read_events([events], loaded.match.rules), counted)

    assert match is not None, "each commit was there before"
    return match


def _joined(gaps: Iterable[Gap]) -> list[Gap]:
    """Return gaps in their order, those that overlap as one."""
    joined: list[Gap] = []
    for gap in sorted(gaps):
        if joined and gap.start <= joined[-1].end:
            joined[-1] = Gap(joined[-1].start, max(joined[-1].end, gap.end))
        else:
            joined.append(gap)
    return joined


def _counted(time: int, gaps: Sequence[Gap]) -> int:
    """Return a time without what gaps have taken before it."""
    taken = [min(time, gap.end) - gap.start for gap in gaps if gap.start < time]
    return time - sum(taken)
