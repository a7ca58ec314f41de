"""Advice over HTTP: what a strong bot would do on the seat of whoever asks."""

from flask import Blueprint, Response
from redis.exceptions import RedisError

from service.api.contract.operations import OF_A_MATCH, Answer, operation
from service.api.http.answers import answer
from service.api.http.auth import enter
from service.api.http.context import queues
from service.api.problems import kinds
from service.jobs import advice as jobs
from service.journal.errors import JournalUnavailable
from service.ledger.canonical import Json
from service.ledger.replay import Loaded
from service.matches import advising

advice = Blueprint("advice", __name__, url_prefix="/v1/matches")


@advice.get("/<id:match>/advice")
@operation(
    "getAdvice",
    "Ask for advice",
    tag="play",
    tokens="needed",
    answers={
        200: Answer("What is advised.", "Advice"),
        202: Answer("A bot is thinking; ask again.", "Advice", headers=("Retry-After",)),
    },
    problems=(*OF_A_MATCH, kinds.ILLEGAL),
)
def get_advice(match: str) -> Response:
    """Ask what a strong bot would do now in the place of the caller's seat, where the match was
    opened with `advice` and the seat must act (M14).

    The bot sees what the seat may see. It thinks for about a second: until then the answer is 202.
    What is advised is for the seat alone, at this version alone, and in no history.
    """
    loaded, caller = enter(match)
    seat = advising.seat_of(caller)
    advising.check_advised(loaded, seat)
    try:
        known = _known_advice(loaded, seat)
    except RedisError:
        raise JournalUnavailable("the queues cannot be reached") from None

    headers = {"Cache-Control": "no-store"}
    if known is None:
        headers["Retry-After"] = "1"
    return answer(advising.shown(loaded, seat, known), 202 if known is None else 200, headers)


def _known_advice(loaded: Loaded, seat: int) -> Json | None:
    """Return what is advised at the present version; None, and ask for it, if nothing is yet.

    Raises Overloaded, RedisError.
    """
    known = jobs.known(queues(), loaded.id, seat, loaded.hash)
    if known is None:
        jobs.ask(queues(), loaded.id, loaded.version, seat)
    return known
