"""Advice over HTTP: a bot thinks in the place of the caller's seat."""

from flask import Blueprint, Response
from redis.exceptions import RedisError

from service.api import problems
from service.api.contract.operations import OF_A_MATCH, AnswerSpec, operation
from service.api.http.context import ctx, enter, queues
from service.api.http.responses import answer
from service.capabilities.advice import jobs, use_cases
from service.capabilities.advice.answers import Advice
from service.matches.repository import load_head
from service.record.replay import Loaded
from service.store.journal.errors import JournalUnavailable

advice = Blueprint("advice", __name__, url_prefix="/v1/matches")


@advice.get("/<id:match>/advice")
@operation(
    "getAdvice",
    "Ask for advice",
    tag="play",
    tokens="needed",
    answers={
        200: AnswerSpec("What is advised.", Advice),
        202: AnswerSpec("A bot is thinking; ask again.", Advice, headers=("Retry-After",)),
    },
    problems=(*OF_A_MATCH, problems.ILLEGAL),
)
def get_advice(match: str) -> Response:
    """Ask what a strong bot would do now in the place of the caller's seat, where the match was
    opened with `advice` and the seat must act (M14).

    The bot sees what the seat may see. It thinks for about a second: until then the answer is 202.
    What is advised is for the seat alone, at this version alone, and in no history.
    """
    access = enter(match)
    seat = use_cases.seat_of(access.caller)
    loaded = load_head(ctx(), access)
    use_cases.check_advised(loaded, seat)
    advised = advice_for(loaded, seat)
    headers = {"Cache-Control": "no-store"}
    is_ready = advised["status"] == "ready"
    if not is_ready:
        headers["Retry-After"] = "1"
    return answer(advised, 200 if is_ready else 202, headers)


def advice_for(loaded: Loaded, seat: int) -> Advice:
    """Return what is advised at the present version; ask for it if nothing is yet.

    Raises Overloaded, JournalUnavailable.
    """
    try:
        known = jobs.known_advice(queues(), loaded.id, seat, loaded.hash)
        if known is None:
            jobs.ask_advice(queues(), loaded.id, loaded.version, seat)
    except RedisError:
        raise JournalUnavailable("the queues cannot be reached") from None
    return use_cases.shown(loaded, seat, known)
