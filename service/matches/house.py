"""What no human does: the house's scoring phases and revelations, and the bots' moves.

No such work is lost: `sweep` wakes again whoever must act.
"""

import hmac
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any

from domain.chance import Chance, Light
from domain.game import Game
from domain.match.messages import Expire, Reveal
from domain.seats import HOUSE, HOUSE_ACTOR, seat_actor
from service.errors import MatchDeleted
from service.journal.errors import Conflict
from service.ledger.commit import parse_commit
from service.ledger.replay import Loaded
from service.matches.bounds import MOST_COMMITS
from service.matches.committing import Act, commit
from service.matches.desk import Desk
from service.matches.loading import load, pieces

Choose = Callable[[str, Game[Any], Any, int, Chance], Any]
MOVES_A_JOB = 40
WAKES_A_SWEEP = 1000


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


def play_bots(desk: Desk, match_id: str, choose: Choose) -> None:
    """Make the bots' moves until a human or the house must act, at most MOVES_A_JOB.

    If the bots must go on after that, the next worker is woken.
    choose(level, game, imagined state, seat, chance) returns a command.
    """
    quiet_desk = _without_waking(desk, "bots", "exhibition")
    for _ in range(MOVES_A_JOB):
        loaded = _load_unless_deleted(desk, match_id)
        if loaded is None:
            return
        standing = loaded.match.standing
        if standing.work != "bots":
            return
        if loaded.version >= MOST_COMMITS:
            _end_what_is_too_long(desk, loaded)
            return

        seat = standing.bots[0]
        command = _bot_command(loaded, seat, choose)
        with suppress(Conflict):  # another was faster: look again
            commit(quiet_desk, loaded, Act(seat_actor(seat), command))

    _wake_for_bots(desk, match_id)


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


def sweep(desk: Desk, after: int, limit: int = WAKES_A_SWEEP) -> int:
    """Wake the workers for every match that has waited longer than `after` milliseconds.

    Returns how many there are, at most `limit`.
    """
    waiting = desk.journal.pending(desk.clock() - after, limit)
    heads = desk.journal.heads([one.match for one in waiting])
    for one, head in zip(waiting, heads, strict=True):
        if head is not None and head.work:
            desk.wake(one.match, head.version, head.work)
    return len(waiting)


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


def _bot_command(loaded: Loaded, seat: int, choose: Choose) -> Any:
    """Return a bot's move, chosen on a state in which what its seat cannot see is drawn anew."""
    match = loaded.match
    seed = hmac.digest(match.key, f"bot|{loaded.version}|{seat}".encode(), "sha256")
    chance = Light(seed)
    imagined = match.game.imagine(match.state, seat, chance)
    return choose(match.seats[seat].level, match.game, imagined, seat, chance)
