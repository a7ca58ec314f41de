"""Automation: the commits of the house and the bots, and their retries.

A match that awaits the house or its bots is in one of these states:

    pending   the last commit has enqueued a job, or its worker goes on. `sweep` enqueues another
              job after a pause
    failed    `failures_noted` has counted a failure. The next try comes after a pause
    parked    failed after the last pause. An operator frees it, or somebody commits to it
    resting   its bots rest (`rests_until`). The timer of its clock makes it pending again

Jobs are hints: if a job is lost, the match is still pending. Any number of workers may act in one
match at once. Each loads the match at its head, and the first append wins. The others get Conflict,
and load again.

A crash: a worker dies while a bot thinks. Nothing was stored, and the match is still pending, so
`sweep` enqueues it again. The scheduler finds the job of the dead worker (`workers.lost_jobs`) and
notes WORKER_DIED at the match. A match that kills one worker after another gets parked.
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
from service.matches.bots import Choose, stored_evaluation, turn_of
from service.matches.command_handler import MOST_COMMITS, Act, commit
from service.matches.context import Context
from service.matches.repository import load, pieces
from service.record.commit import parse_commit
from service.record.replay import Loaded
from service.record.terms.sides import rests_until
from service.store.journal.errors import Conflict, HeadDamaged, JournalError, JournalUnavailable
from service.store.journal.values import Failure, Head, Pending, PendingTotals

MOVES_A_JOB = 40
SHORTEST_THOUGHT = 0.05  # seconds. With less time left a job begins no further move
MATCHES_A_SWEEP = 1000
LONGEST_PAUSE_MS = 5_000  # between two jobs of a waiting match that has not failed
RETRY = "retry"  # for `enqueue`: the match has failed, so its next job is in another queue


def act(ctx: Context, match_id: str) -> None:
    """Commit the house's commands as long as the match awaits the house.

    Does nothing if the match does not await the house. If another worker commits first, load the
    match again.
    """
    quiet_context = _without_jobs_for(ctx, "house")
    while True:
        loaded = _load_unless_deleted(ctx, match_id)
        if loaded is None or loaded.status.awaiting != "house":
            return

        try:
            command = _house_command(ctx, loaded)
        except MatchDeleted:
            return
        with suppress(Conflict):  # lost the race: load again
            commit(quiet_context, loaded, Act(HOUSE_ACTOR, command))


def _no_limit() -> float:
    return inf


def play_bots(
    ctx: Context, match_id: str, choose: Choose, seconds_left: Callable[[], float] = _no_limit
) -> bool:
    """Make the bots' moves while a bot must act and time is left, with at most MOVES_A_JOB tries.

    If a bot must still act then, another job is enqueued. A full match is ended (M12). Return False
    if at first it was not the bots' turn, the bots rested, or the match was deleted.

    choose: chooses a bot's move.
    seconds_left: returns the seconds left for the job. The job tries at least one move even if no
        time is left, so that a match goes on however busy the machine is.
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
            _end_full_match(ctx, loaded)
            return True

        seconds = seconds_left()
        if moves > 0 and seconds < SHORTEST_THOUGHT:
            break

        seat = status.bots[0]
        move = _move_of_bot(loaded, seat, choose, max(seconds, SHORTEST_THOUGHT))
        with suppress(Conflict):  # lost the race: load again
            commit(quiet_context, loaded, move)

    _wake_for_bots(ctx, match_id)
    return True


def _move_of_bot(loaded: Loaded, seat: int, choose: Choose, seconds: float) -> Act:
    """Return a bot's move with its evaluation.

    One append stores both, or the move alone if the match has no room for more evaluations.
    """
    level = loaded.match.seats[seat].level
    evaluation = choose(turn_of(loaded, seat, level, seconds=seconds))
    return Act(
        actor=seat_actor(seat),
        command=evaluation.move,
        evaluation=stored_evaluation(evaluation, seat, level, loaded.version + 1),
    )


def _wake_for_bots(ctx: Context, match_id: str) -> None:
    """Enqueue a match if it still waits for its bots."""
    loaded = _load_unless_deleted(ctx, match_id)
    if loaded is None:
        return
    status = loaded.status
    if status.worker == "bots":
        ctx.enqueue(match_id, loaded.version, status.awaiting)


def _load_unless_deleted(ctx: Context, match_id: str) -> Loaded | None:
    """Return a match at its head, None if it was deleted. Jobs of a deleted match do nothing."""
    try:
        return load(ctx, match_id)
    except MatchDeleted:
        return None


def _end_full_match(ctx: Context, loaded: Loaded) -> None:
    """End a match without room for its bots' moves (M12). Else it would wait for them for ever."""
    with suppress(Conflict):
        commit(ctx, loaded, Act(HOUSE_ACTOR, Expire()))


def _without_jobs_for(ctx: Context, *own: str) -> Context:
    """Return a context that enqueues no jobs of the caller's own kinds of work.

    The caller loops over this work itself. Otherwise each of its commits would enqueue a job.
    """

    def enqueue(match_id: str, version: int, awaiting: str) -> None:
        if awaiting not in own:
            ctx.enqueue(match_id, version, awaiting)

    return replace(ctx, enqueue=enqueue)


def go_on(
    ctx: Context, match_id: str, choose: Choose, seconds_left: Callable[[], float] = _no_limit
) -> None:
    """Let the bots act, or the house if it is not the bots' turn. A failed match may await either.

    choose, seconds_left: as for `play_bots`.
    """
    was_turn_of_bots = play_bots(ctx, match_id, choose, seconds_left)
    if not was_turn_of_bots:
        act(ctx, match_id)


def sweep(ctx: Context, after: int, limit: int = MATCHES_A_SWEEP) -> int:
    """Enqueue the matches with a wait of at least `after` milliseconds.

    A match that still waits is enqueued again after a pause. Return the number of due matches, at
    most `limit` from each server of the journal.
    """
    due_matches = ctx.journal.pending.claim(after, LONGEST_PAUSE_MS, limit)
    heads = ctx.journal.events.heads([due.match for due in due_matches])
    moved_on: list[str] = []

    for due, head in zip(due_matches, heads, strict=True):
        if isinstance(head, HeadDamaged):
            continue  # the match stays due until its head is repaired
        if head is None or not head.awaiting:
            moved_on.append(due.match)
        else:
            ctx.enqueue(due.match, head.version, RETRY if due.tries else head.awaiting)

    if moved_on:  # remove their leftover entries from the index
        ctx.journal.pending.forget(moved_on)
    return len(due_matches)


def _house_command(ctx: Context, loaded: Loaded) -> Message:
    """Return the house's next command: in the game, or the revelation after the end.

    Raises NotFound or MatchDeleted if the match is gone meanwhile.
    """
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


# Retries: after a failure of the house or a bot a match is tried again after a pause. In the end it
# is parked until an operator frees it, or somebody commits to it. Only the type of an error is
# stored, since the text may give cards away.


_log = logging.getLogger(__name__)

# Pauses after the first failure, the second and so on, in milliseconds. The failure after the last
# pause parks the match.
PAUSES_MS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)

# Pauses of a match by rules unknown here: ten minutes each, about a week in all. A release with
# these rules goes on with the match.
_UNTIL_AN_UPGRADE_MS = (600_000,) * 1000

WORKER_DIED = "WorkerDied"

_ALL = 1_000_000  # more matches than wait at any time


@dataclass(frozen=True, slots=True)
class WaitingMatch:
    """A waiting match.

    awaiting: "house", "bots" or "exhibition". "" if nothing is awaited any more, or if the head of
        the match is missing or damaged.
    """

    pending: Pending
    awaiting: str


@contextmanager
def failures_noted(ctx: Context, match_id: str) -> Iterator[None]:
    """Note an error of the block at a match, and raise the error again.

    RulesUnknown is noted, and not raised again. JournalUnavailable is raised, and not noted, since
    an unavailable journal is no fault of the match.
    """
    try:
        yield
    except JournalUnavailable:
        raise
    except RulesUnknown as error:
        _log.warning(
            "match not moved: its rules are unknown", extra={"match": match_id, "rules": error.name}
        )
        with suppress(JournalError):
            ctx.journal.pending.fail(match_id, type(error).__name__, _UNTIL_AN_UPGRADE_MS)
    except Exception as error:
        with suppress(JournalError):
            note(ctx, match_id, type(error).__name__)
        raise


def note(ctx: Context, match_id: str, error: str) -> None:
    """Note at a match that the house or a bot could not act. Raises JournalError.

    error: name of the error's type.
    """
    failure = ctx.journal.pending.fail(match_id, error, PAUSES_MS)
    if failure is not None:
        _log_failure(match_id, error, failure)


def waiting_matches(ctx: Context, limit: int) -> list[WaitingMatch]:
    """Return at most `limit` matches awaiting the house or a bot, longest first."""
    waiting = ctx.journal.pending.due(0, limit)
    heads = ctx.journal.events.heads([one.match for one in waiting])

    matches = []
    for one, head in zip(waiting, heads, strict=True):
        matches.append(WaitingMatch(one, head.awaiting if isinstance(head, Head) else ""))
    return matches


def pending_of(ctx: Context, match_id: str) -> Pending | None:
    """Return the wait of a match for the house or a bot, with its failures, None without a wait.

    All waiting matches are read.
    """
    waiting = ctx.journal.pending.due(0, _ALL)
    return next((one for one in waiting if one.match == match_id), None)


def free(ctx: Context, match_id: str) -> bool:
    """Let the next sweep retry a match, as if it had never failed. Return True if it had failed."""
    return ctx.journal.pending.free(match_id)


def free_all(ctx: Context) -> list[str]:
    """Free every failed match, as `free` does. Return the ids of these matches."""
    waiting = ctx.journal.pending.due(0, _ALL)
    return [one.match for one in waiting if one.tries and free(ctx, one.match)]


def _log_failure(match_id: str, error: str, failure: Failure) -> None:
    details = {"match": match_id, "tries": failure.tries, "error": error}
    if failure.parked:
        _log.error("match parked", extra=details)
    else:
        _log.warning("match failed", extra=details)


# Health: matches awaiting the house or a bot, and faults of the journal.


def totals(ctx: Context) -> PendingTotals:
    """Return the numbers of waiting and parked matches, and the longest wait.

    The wait is in milliseconds, 0 if none waits.
    """
    return ctx.journal.pending.totals()


def count_waiting(ctx: Context) -> int:
    """Return the number of matches awaiting the house or a bot, without the parked ones."""
    return totals(ctx).waiting


def journal_faults(ctx: Context) -> list[str]:
    """Return the faults of the journal's configuration, a sentence each.

    Raises JournalError if the journal cannot be written.
    """
    ctx.journal.server.ping()
    return ctx.journal.server.check()
