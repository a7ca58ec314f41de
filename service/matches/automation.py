"""Automation: the house's scoring phases and revelations, the bots' moves, and their retries.

No such work is lost: `sweep` enqueues every match that has waited too long.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from math import inf

from domain.errors import RulesUnknown
from domain.match.messages import Expire, Reveal
from domain.seats import HOUSE, HOUSE_ACTOR, seat_actor
from domain.wire import Message
from service.base.errors import MatchDeleted
from service.matches import evaluations
from service.matches.bots import Choose, turn_of
from service.matches.command_handler import MOST_COMMITS, Act, commit
from service.matches.context import Context
from service.matches.repository import load, pieces
from service.record.commit import parse_commit
from service.record.replay import Loaded
from service.record.terms.sides import rests_until
from service.store.journal.errors import Conflict, HeadDamaged, JournalError, JournalUnavailable
from service.store.journal.values import Failure, Head, Pending, PendingTotals

MOVES_A_JOB = 40
SHORTEST_THOUGHT = 0.05  # seconds; with less than that left a job begins no other move
MATCHES_A_SWEEP = 1000
LONGEST_PAUSE_MS = 5_000  # from one job for a match that waits to the next
RETRY = "retry"  # for a match that has failed: the house or bots act in it, on a lane of their own


def act(ctx: Context, match_id: str) -> None:
    """Let the house do all that it must do now.

    That is harmless when it has nothing to do or when another worker is faster.
    """
    quiet_context = _without_jobs_for(ctx, "house")
    while True:
        loaded = _load_unless_deleted(ctx, match_id)
        if loaded is None or loaded.status.awaiting != "house":
            return

        command = _house_command(ctx, loaded)
        with suppress(Conflict):  # another was faster: read it again
            commit(quiet_context, loaded, Act(HOUSE_ACTOR, command))


def _without_end() -> float:
    return inf


def play_bots(
    ctx: Context, match_id: str, choose: Choose, left: Callable[[], float] = _without_end
) -> bool:
    """Make the bots' moves until a human or the house must act, at most MOVES_A_JOB.

    If the bots must go on after that, the next worker is woken. Return whether it was the bots'
    turn at all. choose: thinks of a bot's move.

    left: how many seconds are left for the job. It makes one move in any case, so that a match goes
    on however busy the machine is.
    """
    quiet_context = _without_jobs_for(ctx, "bots", "exhibition")
    for moves in range(MOVES_A_JOB):
        loaded = _load_unless_deleted(ctx, match_id)
        if loaded is None:
            return moves > 0
        status = loaded.status
        if status.worker != "bots":
            return moves > 0
        if ctx.clock() < rests_until(loaded.match):
            return moves > 0  # the timer of its clock ends the rest
        if loaded.version >= MOST_COMMITS:
            _end_what_is_too_long(ctx, loaded)
            return True

        seconds = left()
        if moves > 0 and seconds < SHORTEST_THOUGHT:
            break

        seat = status.bots[0]
        move = _move_of_bot(loaded, seat, choose, max(seconds, SHORTEST_THOUGHT))
        with suppress(Conflict):  # another was faster: read it again
            commit(quiet_context, loaded, move)

    _wake_for_bots(ctx, match_id)
    return True


def _move_of_bot(loaded: Loaded, seat: int, choose: Choose, seconds: float) -> Act:
    """Return a bot's move with its evaluation: both are stored at once, or neither."""
    level = loaded.match.seats[seat].level
    evaluation = choose(turn_of(loaded, seat, level, seconds=seconds))
    return Act(
        actor=seat_actor(seat),
        command=evaluation.move,
        evaluation=evaluations.stored(evaluation, seat, level, loaded.version + 1),
    )


def _wake_for_bots(ctx: Context, match_id: str) -> None:
    """Wake the next worker for a match that still waits for its bots."""
    loaded = _load_unless_deleted(ctx, match_id)
    if loaded is None:
        return
    status = loaded.status
    if status.worker == "bots":
        ctx.enqueue(match_id, loaded.version, status.awaiting)


def _load_unless_deleted(ctx: Context, match_id: str) -> Loaded | None:
    """Return a match at its head, None if it was deleted: then its jobs have nothing more to do."""
    try:
        return load(ctx, match_id)
    except MatchDeleted:
        return None


def _end_what_is_too_long(ctx: Context, loaded: Loaded) -> None:
    """End a match whose bots have no room to move (M12), or it would wait for them for ever."""
    with suppress(Conflict):
        commit(ctx, loaded, Act(HOUSE_ACTOR, Expire()))


def _without_jobs_for(ctx: Context, *own: str) -> Context:
    """Return a context that enqueues no job for what its user goes on with.

    Otherwise each move would be a job.
    """

    def enqueue(match_id: str, version: int, awaiting: str) -> None:
        if awaiting not in own:
            ctx.enqueue(match_id, version, awaiting)

    return replace(ctx, enqueue=enqueue)


def go_on(
    ctx: Context, match_id: str, choose: Choose, left: Callable[[], float] = _without_end
) -> None:
    """Let the bots act, or the house if it is not the bots' turn: as a match that has failed needs.

    choose, left: as for `play_bots`.
    """
    was_turn_of_bots = play_bots(ctx, match_id, choose, left)
    if not was_turn_of_bots:
        act(ctx, match_id)


def sweep(ctx: Context, after: int, limit: int = MATCHES_A_SWEEP) -> int:
    """Wake the workers for every match that has waited longer than `after` milliseconds.

    Such a match is woken again after pauses. Returns how many were due, at most `limit`.
    """
    due_matches = ctx.journal.pending.claim(after, LONGEST_PAUSE_MS, limit)
    heads = ctx.journal.events.heads([due.match for due in due_matches])
    moved_on: list[str] = []

    for due, head in zip(due_matches, heads, strict=True):
        if isinstance(head, HeadDamaged):
            continue  # it stays due, for the day on which the head is mended
        if head is None or not head.awaiting:
            moved_on.append(due.match)
        else:
            ctx.enqueue(due.match, head.version, RETRY if due.tries else head.awaiting)

    # Only a process of an earlier release leaves such matches behind, during an upgrade.
    if moved_on:
        ctx.journal.pending.forget(moved_on)
    return len(due_matches)


def _house_command(ctx: Context, loaded: Loaded) -> Message:
    """Return what the house must do: its command in the game, or the revelation after the end."""
    match = loaded.match
    if loaded.status.name == "running":
        command: Message = match.game.legal_moves(match.state, HOUSE)[0]
        return command
    return _revelation(ctx, loaded)


def _revelation(ctx: Context, loaded: Loaded) -> Reveal:
    """Return the command that lays open every secret part of every commit (M9)."""
    parts_by_version = {}
    for stored in chain.from_iterable(pieces(ctx, loaded.id, 0, loaded.version)):
        entry = parse_commit(stored)
        if entry["secrets"]:
            version = entry["commit"]["version"]
            parts_by_version[str(version)] = entry["secrets"]
    return Reveal(loaded.match.secret or "", parts_by_version)


# Retries: matches in which the house or a bot fails are tried again after growing pauses, then
# parked. Such a match waits until an operator frees it, or somebody commits to it. Of an error only
# its type is stored: its text may give cards away.


_log = logging.getLogger(__name__)

# After the first failure, the second and so on, in milliseconds. The next one parks the match.
PAUSES_MS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)

# The same of a match by rules that are unknown here: a release that knows them goes on with it.
_UNTIL_AN_UPGRADE_MS = (600_000,) * 1000  # a week

WORKER_DIED = "WorkerDied"

_ALL = 1_000_000  # more matches than wait at any time


@dataclass(frozen=True, slots=True)
class WaitingMatch:
    """A match that waits, and for whom: "house", "bots" or "exhibition"; "" for none any more."""

    pending: Pending
    awaiting: str


@contextmanager
def failures_noted(ctx: Context, match_id: str) -> Iterator[None]:
    """Note of a match what is raised within, and raise it on, but for rules that are unknown here.

    A journal that cannot be reached is no match's fault.
    """
    try:
        yield
    except JournalUnavailable:
        raise
    except RulesUnknown as error:
        _log.warning(
            "the rules of a match are unknown", extra={"match": match_id, "rules": error.name}
        )
        with suppress(JournalError):
            ctx.journal.pending.fail(match_id, type(error).__name__, _UNTIL_AN_UPGRADE_MS)
    except Exception as error:
        with suppress(JournalError):
            note(ctx, match_id, type(error).__name__)
        raise


def note(ctx: Context, match_id: str, error: str) -> None:
    """Note that the house or a bot could not act in a match, by the type of the error.

    Raises JournalError.
    """
    failure = ctx.journal.pending.fail(match_id, error, PAUSES_MS)
    if failure is not None:
        _log_failure(match_id, error, failure)


def waiting_matches(ctx: Context, limit: int) -> list[WaitingMatch]:
    """Return at most `limit` matches that wait for the house or a bot, longest first."""
    waiting = ctx.journal.pending.due(0, limit)
    heads = ctx.journal.events.heads([one.match for one in waiting])

    found = []
    for one, head in zip(waiting, heads, strict=True):
        found.append(WaitingMatch(one, head.awaiting if isinstance(head, Head) else ""))
    return found


def pending_of(ctx: Context, match_id: str) -> Pending | None:
    """Return how long a match waits for the house or a bot, and what has failed; None: it does not.

    All that wait are looked through.
    """
    waiting = ctx.journal.pending.due(0, _ALL)
    return next((one for one in waiting if one.match == match_id), None)


def free(ctx: Context, match_id: str) -> bool:
    """Have a match tried again at once, as if it had never failed; return whether it had."""
    return ctx.journal.pending.free(match_id)


def free_all(ctx: Context) -> list[str]:
    """Have every match that has failed tried again at once; return which these are."""
    waiting = ctx.journal.pending.due(0, _ALL)
    return [one.match for one in waiting if one.tries and free(ctx, one.match)]


def _log_failure(match_id: str, error: str, failure: Failure) -> None:
    details = {"match": match_id, "tries": failure.tries, "error": error}
    if failure.parked:
        _log.error("a match was parked", extra=details)
    else:
        _log.warning("a match has failed", extra=details)


# Whether matches can move on: what waits for the house or a bot, and what the journal lacks.


def totals(ctx: Context) -> PendingTotals:
    """Return how many matches wait for the house or a bot, and how many are parked.

    Also how long one has waited at most, in milliseconds; 0 if none waits.
    """
    return ctx.journal.pending.totals()


def count_waiting(ctx: Context) -> int:
    """Return how many matches wait for the house or a bot, without the parked ones."""
    return totals(ctx).waiting


def journal_faults(ctx: Context) -> list[str]:
    """Return what is unsafe about how the journal is kept, a sentence each.

    Raises JournalError if it cannot be written.
    """
    ctx.journal.server.ping()
    return ctx.journal.server.check()
