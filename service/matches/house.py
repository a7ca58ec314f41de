"""What no human does: the house's scoring phases and revelations, the bots' moves, and no work lost."""

import hmac
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any

from domain.chance import Chance, Light
from domain.game import Game
from domain.match.messages import Expire, Reveal
from domain.match.state import Match, actors, errand, status, work
from domain.wire import HOUSE
from service.errors import MatchDeleted
from service.journal.port import Conflict
from service.ledger.commit import parse_commit
from service.ledger.replay import Loaded
from service.matches.bounds import MOST_COMMITS
from service.matches.committing import commit
from service.matches.desk import Desk
from service.matches.loading import load, pieces

Choose = Callable[[str, Game[Any], Any, int, Chance], Any]
MOVES_A_JOB = 40


def act(desk: Desk, match: str) -> None:
    """Let the house do all that it must now; harmless when it has nothing to do or another worker is faster."""
    while True:
        loaded = _unless_deleted(desk, match)
        if loaded is None or work(loaded.match) != "house":
            return
        command = _house_command(desk, loaded)
        try:
            commit(_going_on(desk, "house"), loaded, "house", command)
        except Conflict:
            continue


def play_bots(desk: Desk, match: str, choose: Choose) -> None:
    """Make the bots' moves until a human or the house must act, at most MOVES_A_JOB; then wake the next worker.

    choose(level, game, imagined state, seat, chance) returns a command.
    """
    for _ in range(MOVES_A_JOB):
        loaded = _unless_deleted(desk, match)
        if loaded is None or work(loaded.match) != "bots":
            return
        if loaded.version >= MOST_COMMITS:
            _end_what_is_too_long(desk, loaded)
            return
        seat = next(seat for seat in actors(loaded.match) if loaded.match.seats[seat].kind == "bot")
        command = _bot_command(loaded.match, loaded.version, seat, choose)
        try:
            commit(_going_on(desk, "bots", "exhibition"), loaded, f"seat:{seat}", command)
        except Conflict:
            continue

    loaded = _unless_deleted(desk, match)
    if loaded is not None and work(loaded.match) == "bots":
        desk.wake(match, loaded.version, errand(loaded.match))


def _unless_deleted(desk: Desk, match: str) -> Loaded | None:
    """Return the match at its head, None if it was deleted: then its jobs have nothing more to do."""
    try:
        return load(desk, match)
    except MatchDeleted:
        return None


def _end_what_is_too_long(desk: Desk, loaded: Loaded) -> None:
    """End a match whose bots have no room to move (M12), or it would wait for them for ever."""
    with suppress(Conflict):
        commit(desk, loaded, "house", Expire())


def _going_on(desk: Desk, *own: str) -> Desk:
    """Return the desk of one who goes on with his own work himself: only others are woken, or each move were a job."""

    def wake(match: str, version: int, work: str) -> None:
        if work not in own:
            desk.wake(match, version, work)

    return replace(desk, wake=wake)


def sweep(desk: Desk, after: int, limit: int = 1000) -> int:
    """Wake the workers for every match that has waited longer than `after` milliseconds; return how many."""
    waiting = desk.journal.pending(desk.clock() - after, limit)
    heads = desk.journal.heads([one.match for one in waiting])
    for one, head in zip(waiting, heads, strict=True):
        if head is not None and head.work:
            desk.wake(one.match, head.version, head.work)
    return len(waiting)


def _house_command(desk: Desk, loaded: Loaded) -> Any:
    match = loaded.match
    if status(match) != "running":
        return _reveal(desk, loaded.id, match, loaded.version)
    return match.game.legal_moves(match.state, HOUSE)[0]


def _reveal(desk: Desk, match_id: str, match: Match, version: int) -> Reveal:
    parts = {}
    for data in chain.from_iterable(pieces(desk, match_id, 0, version)):
        entry = parse_commit(data)
        if entry["secrets"]:
            parts[str(entry["commit"]["version"])] = entry["secrets"]
    return Reveal(match.secret or "", parts)


def _bot_command(match: Match, version: int, seat: int, choose: Choose) -> Any:
    """Return a bot's move, thought up on a state in which all that its seat cannot see is drawn anew."""
    seed = hmac.digest(match.key, f"bot|{version}|{seat}".encode(), "sha256")
    chance = Light(seed)
    imagined = match.game.imagine(match.state, seat, chance)
    return choose(match.seats[seat].level, match.game, imagined, seat, chance)
