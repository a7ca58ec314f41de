"""Advice for humans (M14).

The adviser thinks like a bot on the seat: everything hidden from the seat is drawn again.
"""

from domain.errors import MatchRuleBroken
from domain.seats import PUBLIC
from service.base.answers import Candidate
from service.base.errors import Forbidden, Illegal, MatchDeleted, NotFound, Unauthorized
from service.capabilities.advice.answers import Advice
from service.matches.bots import STRONG, Choose, candidates, turn_of
from service.matches.context import Context
from service.matches.moves import posted
from service.matches.repository import load
from service.record.commit import Json
from service.record.replay import Loaded
from service.store.keys.tokens import Caller


def seat_of(caller: Caller) -> int:
    """Return the seat of a caller who asks for advice. Raises Unauthorized, Forbidden."""
    if caller.seat is not None:
        return caller.seat
    if caller.role == PUBLIC:
        raise Unauthorized("advice needs the token of a seat: `Authorization: Bearer gio_...`")
    raise Forbidden(f"the {caller.role} has no seat and gets no advice. Use the token of a seat")


def check_advised(loaded: Loaded, seat: int) -> None:
    """Raise Illegal if this seat gets no advice now."""
    refusal = _refusal(loaded, seat)
    if refusal is not None:
        raise Illegal(refusal, loaded.version, loaded.match.game.key)


def advise(
    ctx: Context, match_id: str, version: int, seat: int, choose: Choose
) -> tuple[str, Json] | None:
    """Return the hash of a version's commit, and the advice for a seat at this version.

    Return None if the match has moved on since the request, or if the match is gone.
    choose: evaluates the moves.
    """
    try:
        loaded = load(ctx, match_id)
    except (NotFound, MatchDeleted):
        return None
    if loaded.version != version or _refusal(loaded, seat) is not None:
        return None

    evaluation = choose(turn_of(loaded, seat, STRONG, purpose="advice"))
    # If there is only one move, nothing is evaluated. The advice is this move.
    alone: Candidate = {"move": posted(evaluation.move), "win_chance": None}
    return loaded.hash, {
        "iterations": evaluation.iterations,
        "best": candidates(evaluation.best) or [alone],
    }


def shown(loaded: Loaded, seat: int, advice: Json | None) -> Advice:
    """Return the answer at the present version. advice: None while a bot is thinking."""
    return {
        "match": loaded.id,
        "version": loaded.version,
        "seat": seat,
        "level": STRONG,
        "status": "thinking" if advice is None else "ready",
        "iterations": 0 if advice is None else advice["iterations"],
        "best": [] if advice is None else advice["best"],
    }


def _refusal(loaded: Loaded, seat: int) -> MatchRuleBroken | None:
    """Return the refusal of advice for a seat now, None if the seat gets advice."""
    match = loaded.match
    if not match.advice:
        detail = "This match was opened without advice. That cannot change."
        return MatchRuleBroken("no_advice", "M14", detail)

    status = loaded.status
    refusal = match.why_no_moves_of(seat, status)
    if refusal is not None or seat in status.seats:
        return refusal
    detail = f"Seat {seat} need not act now. Advice is for seats that must act."
    return MatchRuleBroken("not_awaited", "M14", detail)
