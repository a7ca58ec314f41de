"""Clocks of matches: a bot stands in for a seat that runs out of time (M15).

Before the start of a match with joint entropy, a seat that owes a pledge or a disclosure for too
long is open again (M19). In both cases the house commits a command. Of this commit and a player's,
the first in the journal counts.

Gaps: time counts only while the service can be reached. The scheduler notes beats in the journal
(`matches.timers.beat`). A pause of more than LONGEST_PAUSE_MS between two beats is a gap.
`_match_without` folds the times of a match with the gaps cut out, so each deadline is later by the
length of the gaps. A match that was restored from a backup also has a gap from the backup to the
restoration (`restored`).

A commit sets the timer of its match to the deadline, or to the end of a rest, or cancels it
(`matches.derived`, append.lua). `see_to` handles a due timer:

    due --time is left--> rescheduled to the deadline
    due --time has run out--> the house commits, and this commit sets the timer
    due --another commit comes first--> that commit sets the timer
    due --no deadline, bots rest--> rescheduled to the end of the rest
    due --no deadline, no bots rest--> cancelled, after bots were roused from a rest
    due --clocks differ too much, or the beat is old--> due again after its lease
    due --rules unknown here--> due again after ten minutes

Several schedulers may see to timers at the same time. A claimed timer is leased to one of them. If
the lease ends too early, two schedulers may commit. The journal takes the commit of only one, since
both expect the same version.

A crash: a scheduler dies with a claimed timer, before the commit of the house. The timer is due
again after its lease (`timers.LEASE_MS`), and the next scheduler loads the match again. If no
scheduler beats for longer than LONGEST_PAUSE_MS, the pause is a gap and does not count. A crash
after the commit needs nothing, since the commit has set the timer.
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

_UNKNOWN_MS = 600_000  # between two looks at a match with rules unknown to this release


def see_to(ctx: Context, timer: Timer, pulse: Pulse) -> bool:
    """Commit that time has run out, or reschedule the timer.

    Return True after the commit. If the skew is too large or the beat is old, nothing is done, and
    the timer is due again after its lease. Raises JournalUnavailable.
    """
    if not pulse.may_judge(ctx.clock()):
        return False
    try:
        loaded = load(ctx, timer.match)
        command, left_ms = _next_out(ctx, loaded, pulse.gaps)
    except MatchDeleted:
        return False
    except RulesUnknown:  # /readyz reports this
        ctx.journal.timers.settle(timer, _UNKNOWN_MS)
        return False

    if command is None:
        _see_to_rest(ctx, loaded, timer)
        return False
    if left_ms > 0:
        ctx.journal.timers.settle(timer, left_ms)
        return False
    return pulse.may_judge(ctx.clock()) and _commit(ctx, loaded, command)


def _see_to_rest(ctx: Context, loaded: Loaded, timer: Timer) -> None:
    """Rouse the bots of a match after their rest.

    During the rest, reschedule the timer to the end of the rest.
    """
    rest_ends = rests_until(loaded.match)
    left_ms = rest_ends - ctx.clock()
    if left_ms > 0:
        ctx.journal.timers.settle(timer, left_ms)
        return
    if rest_ends and ctx.journal.pending.rouse(loaded.id):
        ctx.enqueue(loaded.id, loaded.version, loaded.status.awaiting)
    ctx.journal.timers.settle(timer, None)


def restored(gaps: str, backup_time: int, return_time: int) -> str:
    """Return the metadata field GAPS for a match that is restored from a backup.

    gaps: old value of the field, "" for none.   backup_time: start of the backup.
    """
    return gaps + packed_gaps([Gap(backup_time, max(backup_time, return_time))])


def _commit(ctx: Context, loaded: Loaded, command: Message) -> bool:
    """Commit that time has run out. Return False if another commit came first."""
    changes: dict[str, str | None] = {}
    if isinstance(command, Lapse):
        metadata = ctx.journal.metadata.fields(loaded.id)
        for seat in loaded.match.owed[1]:
            changes |= tokens.fields_to_drop_with_seat(metadata, seat)
    try:
        commit(ctx, loaded, Act(HOUSE_ACTOR, command, metadata=changes))
    except Conflict:
        return False
    return True


def _next_out(
    ctx: Context, loaded: Loaded, gaps_of_all: Sequence[Gap]
) -> tuple[Message | None, int]:
    """Return the house's command at the next deadline, and the milliseconds until then.

    The command is None without a deadline.
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
    # Exactly one side has a deadline. Before the start a pledge or disclosure is due. After the
    # start a clock runs.
    command, at = next(deadline for deadline in deadlines if deadline is not None)
    return command, at - now


def _own_gaps(ctx: Context, match: str) -> Sequence[Gap]:
    """Return the gaps of a restored match, without their parts in the future.

    A clock that was ahead has noted those parts. They are deleted, since they would stop the clock
    of the match.
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
    """Return a match as if no time had passed in the gaps."""
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
    """Return gaps in order. Overlapping gaps become one."""
    joined: list[Gap] = []
    for gap in sorted(gaps):
        if joined and gap.start <= joined[-1].end:
            joined[-1] = Gap(joined[-1].start, max(joined[-1].end, gap.end))
        else:
            joined.append(gap)
    return joined


def _counted(time: int, gaps: Sequence[Gap]) -> int:
    """Return a time minus the length of the gaps before it."""
    return time - sum(min(time, gap.end) - gap.start for gap in gaps if gap.start < time)
