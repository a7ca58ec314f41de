"""What no human does: the house's scoring phases and revelations, and the bots' moves.

No such work is lost: `sweep` wakes again whoever must act.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from math import inf
from typing import Any

from domain.match.messages import Expire, Reveal
from domain.seats import HOUSE, HOUSE_ACTOR, seat_actor
from service.errors import MatchDeleted
from service.journal.errors import Conflict
from service.ledger.commit import parse_commit
from service.ledger.replay import Loaded
from service.matches import weighing
from service.matches.bounds import MOST_COMMITS
from service.matches.committing import Act, commit
from service.matches.desk import Desk
from service.matches.loading import load, pieces
from service.matches.thoughts import Choose, turn_of

MOVES_A_JOB = 40
SHORTEST_THOUGHT = 0.05  # seconds; with less than that left a job begins no other move
WAKES_A_SWEEP = 1000
LONGEST_PAUSE_MS = 5_000  # from one wake of a match that waits to the next
RETRY = "retry"  # the work of a match that has failed: whoever must act in it, on a lane of its own


def act(desk: Desk, match_id: str) -> None:
    """Let the house do all that it must do now.

    That is harmless when it has nothing to do or when another worker is faster.
    """
    quiet_desk = _without_waking(desk, "house")
    while True:
        loaded = _load_unless_deleted(desk, match_id)
        if loaded is None or loaded.match.standing.work != "house":
            return

        command = _house_command(desk, loaded)
        with suppress(Conflict):  # another was faster: look again
            commit(quiet_desk, loaded, Act(HOUSE_ACTOR, command))


def _without_end() -> float:
    return inf


def play_bots(
    desk: Desk, match_id: str, choose: Choose, left: Callable[[], float] = _without_end
) -> bool:
    """Make the bots' moves until a human or the house must act, at most MOVES_A_JOB.

    If the bots must go on after that, the next worker is woken. Return whether it was the bots'
    turn at all. choose: what thinks of a bot's move.

    left: how many seconds are left for the job. It makes one move in any case, so that a match goes
    on however busy the machine is.
    """
    quiet_desk = _without_waking(desk, "bots", "exhibition")
    for moves in range(MOVES_A_JOB):
        loaded = _load_unless_deleted(desk, match_id)
        if loaded is None:
            return moves > 0
        standing = loaded.match.standing
        if standing.work != "bots":
            return moves > 0
        if loaded.version >= MOST_COMMITS:
            _end_what_is_too_long(desk, loaded)
            return True

        seconds = left()
        if moves > 0 and seconds < SHORTEST_THOUGHT:
            break

        seat = standing.bots[0]
        move = _move_of_bot(loaded, seat, choose, max(seconds, SHORTEST_THOUGHT))
        with suppress(Conflict):  # another was faster: look again
            commit(quiet_desk, loaded, move)

    _wake_for_bots(desk, match_id)
    return True


def _move_of_bot(loaded: Loaded, seat: int, choose: Choose, seconds: float) -> Act:
    """Return a bot's move, with what it has thought: both are kept at once, or neither."""
    level = loaded.match.seats[seat].level
    thought = choose(turn_of(loaded, seat, level, seconds=seconds))
    return Act(
        actor=seat_actor(seat),
        command=thought.move,
        thought=weighing.kept(thought, seat, level, loaded.version + 1),
    )


def _wake_for_bots(desk: Desk, match_id: str) -> None:
    """Wake the next worker for a match that still waits for its bots."""
    loaded = _load_unless_deleted(desk, match_id)
    if loaded is None:
        return
    standing = loaded.match.standing
    if standing.work == "bots":
        desk.wake(match_id, loaded.version, standing.errand)


def _load_unless_deleted(desk: Desk, match_id: str) -> Loaded | None:
    """Return a match at its head, None if it was deleted: then its jobs have nothing more to do."""
    try:
        return load(desk, match_id)
    except MatchDeleted:
        return None


def _end_what_is_too_long(desk: Desk, loaded: Loaded) -> None:
    """End a match whose bots have no room to move (M12), or it would wait for them for ever."""
    with suppress(Conflict):
        commit(desk, loaded, Act(HOUSE_ACTOR, Expire()))


def _without_waking(desk: Desk, *own_work: str) -> Desk:
    """Return a desk that wakes nobody for the work that its user goes on with by itself.

    Otherwise each move would be a job of its own.
    """

    def wake(match_id: str, version: int, work: str) -> None:
        if work not in own_work:
            desk.wake(match_id, version, work)

    return replace(desk, wake=wake)


def go_on(
    desk: Desk, match_id: str, choose: Choose, left: Callable[[], float] = _without_end
) -> None:
    """Let the bots act, or the house if it is not the bots' turn: as a match that has failed needs.

    choose, left: as for `play_bots`.
    """
    was_turn_of_bots = play_bots(desk, match_id, choose, left)
    if not was_turn_of_bots:
        act(desk, match_id)


def sweep(desk: Desk, after: int, limit: int = WAKES_A_SWEEP) -> int:
    """Wake the workers for every match that has waited longer than `after` milliseconds.

    Such a match is woken again after pauses. Returns how many were due, at most `limit`.
    """
    due_matches = desk.journal.claim_pending(after, LONGEST_PAUSE_MS, limit)
    heads = desk.journal.heads([due.match for due in due_matches])
    moved_on: list[str] = []

    for due, head in zip(due_matches, heads, strict=True):
        if head is None or not head.work:
            moved_on.append(due.match)
        else:
            desk.wake(due.match, head.version, RETRY if due.tries else head.work)

    # Only a process of an earlier release leaves such matches behind, during an upgrade.
    if moved_on:
        desk.journal.forget_pending(moved_on)
    return len(due_matches)


def _house_command(desk: Desk, loaded: Loaded) -> Any:
    """Return what the house must do: its command in the game, or the revelation after the end."""
    match = loaded.match
    if match.standing.status == "running":
        return match.game.legal_moves(match.state, HOUSE)[0]
    return _revelation(desk, loaded)


def _revelation(desk: Desk, loaded: Loaded) -> Reveal:
    """Return the command that lays open every secret part of every commit (M9)."""
    parts_by_version = {}
    for stored in chain.from_iterable(pieces(desk, loaded.id, 0, loaded.version)):
        entry = parse_commit(stored)
        if entry["secrets"]:
            version = entry["commit"]["version"]
            parts_by_version[str(version)] = entry["secrets"]
    return Reveal(loaded.match.secret or "", parts_by_version)
