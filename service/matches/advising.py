"""Advice for humans, where a match was opened with it (M14): what a strong bot would do.

The bot thinks as one on the seat would: about states in which all that the seat cannot see is drawn
anew.
"""

from domain.errors import MatchRuleBroken
from domain.seats import PUBLIC
from service.errors import Forbidden, Illegal, MatchDeleted, NotFound, Unauthorized
from service.keys.tokens import Caller
from service.ledger.canonical import Json
from service.ledger.replay import Loaded
from service.matches.desk import Desk
from service.matches.levels import STRONG
from service.matches.loading import load
from service.matches.playing import posted
from service.matches.thoughts import Choose, turn_of
from service.matches.weighing import candidates


def seat_of(caller: Caller) -> int:
    """Return the seat that a caller asks advice for; raises Unauthorized, Forbidden."""
    if caller.seat is not None:
        return caller.seat
    if caller.role == PUBLIC:
        raise Unauthorized("advice needs the token of a seat: Authorization: Bearer gio_...")
    raise Forbidden(f"the {caller.role} has no seat to be advised on; use the token of a seat")


def check_advised(loaded: Loaded, seat: int) -> None:
    """Raise Illegal if nobody advises this seat now."""
    refusal = _refusal(loaded, seat)
    if refusal is not None:
        raise Illegal(refusal, loaded.version, loaded.match.game.key)


def advise(
    desk: Desk, match_id: str, version: int, seat: int, choose: Choose
) -> tuple[str, Json] | None:
    """Return the hash of the commit that made a version, and what a seat is advised there.

    None if the match has moved on since it was asked, or is gone: then it is of no use any more.
    choose: what thinks.
    """
    try:
        loaded = load(desk, match_id)
    except (NotFound, MatchDeleted):
        return None
    if loaded.version != version or _refusal(loaded, seat) is not None:
        return None

    thought = choose(turn_of(loaded, seat, STRONG, purpose="advice"))
    # Where there was nothing to weigh, the one move that there is stands alone.
    alone = {"move": posted(thought.move), "win_chance": None}
    return loaded.hash, {
        "iterations": thought.iterations,
        "best": candidates(thought.best) or [alone],
    }


def shown(loaded: Loaded, seat: int, advice: Json | None) -> Json:
    """Return what is told of an advice at the present version; None: it is being thought up."""
    return {
        "match": loaded.id,
        "version": loaded.version,
        "seat": seat,
        "level": STRONG,
        "status": "thinking" if advice is None else "ready",
        **(advice or {"iterations": 0, "best": []}),
    }


def _refusal(loaded: Loaded, seat: int) -> MatchRuleBroken | None:
    """Return why nobody advises a seat now, None if somebody does."""
    match = loaded.match
    if not match.advice:
        detail = "This match was opened without advice, and that does not change."
        return MatchRuleBroken("no_advice", "M14", detail)

    standing = loaded.standing
    refusal = match.why_no_moves_of(seat, standing)
    if refusal is not None or seat in standing.seats:
        return refusal
    detail = f"Seat {seat} need not act now; advice is for whoever must."
    return MatchRuleBroken("not_awaited", "M14", detail)
