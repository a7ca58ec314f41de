"""Advice over HTTP: a bot thinks in the place of the caller's seat."""

from collections.abc import Mapping

from flask import Blueprint, Response

from service.api import links, problems
from service.api.contract.operations import OF_A_MATCH, AnswerSpec, operation
from service.api.http.context import ctx, enter, needed_queues
from service.api.http.responses import answer
from service.base.errors import NotFound
from service.capabilities.advice import jobs, use_cases
from service.capabilities.advice.answers import Advice
from service.matches.repository import load_head
from service.record.replay import Loaded

advice = Blueprint("advice", __name__, url_prefix="/v1/matches")


@advice.post("/<id:match>/advice")
@operation(
    "startAdvice",
    "Ask for advice",
    tag="play",
    tokens="needed",
    answers={
        200: AnswerSpec("The advice is ready already.", Advice, headers=("Location",)),
        202: AnswerSpec("A bot thinks.", Advice, headers=("Location", "Retry-After")),
    },
    problems=(*OF_A_MATCH, problems.ILLEGAL),
)
def start_advice(match: str) -> Response:
    """Ask a strong bot for advice on the caller's seat.

    The match must have been opened with `advice`, and the seat must act (M14). The bot sees only
    the view of the seat. It thinks for about a second. Location is the address of the advice. A
    repeated request at the same version gets the same advice.
    """
    access = enter(match)
    seat = use_cases.seat_of(access.caller)
    advised = start(load_head(ctx(), access), seat)
    return _answer(advised, {"Location": _path(match)})


@advice.get("/<id:match>/advice")
@operation(
    "getAdvice",
    "Read advice",
    tag="play",
    tokens="needed",
    answers={
        200: AnswerSpec("The advice is ready.", Advice),
        202: AnswerSpec("A bot thinks.", Advice, headers=("Retry-After",)),
    },
    problems=OF_A_MATCH,
)
def get_advice(match: str) -> Response:
    """Read a bot's advice for the caller's seat at the present version.

    The answer is 404 if the seat has not asked at this version, or if the match has no advice.
    Advice is only for this seat and this version, and in no history.
    """
    access = enter(match)
    seat = use_cases.seat_of(access.caller)
    return _answer(_read(load_head(ctx(), access), seat))


def _answer(advised: Advice, headers: Mapping[str, str] | None = None) -> Response:
    """Answer advice: 200 once it is ready, 202 until then."""
    is_ready = advised["status"] == "ready"
    all_headers = {"Cache-Control": "no-store", **(headers or {})}
    if not is_ready:
        all_headers["Retry-After"] = "1"
    return answer(advised, 200 if is_ready else 202, all_headers)


def start(loaded: Loaded, seat: int) -> Advice:
    """Return the advice at the present version. Let a bot think if no advice is ready.

    Raises Illegal if the seat gets no advice now. Raises Overloaded and JournalUnavailable.
    """
    use_cases.check_advised(loaded, seat)
    with needed_queues() as queues:
        stored_advice = jobs.known_advice(queues, loaded.id, seat, loaded.hash)
        if stored_advice is None:
            jobs.ask_advice(queues, loaded.id, loaded.version, seat)
    return use_cases.shown(loaded, seat, stored_advice)


def _read(loaded: Loaded, seat: int) -> Advice:
    """Return the advice at the present version. Raises NotFound, JournalUnavailable."""
    if not loaded.match.advice:
        raise NotFound("This match was opened without advice.")
    with needed_queues() as queues:
        stored_advice = jobs.known_advice(queues, loaded.id, seat, loaded.hash)
        is_requested = stored_advice or jobs.is_requested(queues, loaded.id, loaded.version, seat)
    if not is_requested:
        raise NotFound(
            f"Seat {seat} has not asked for advice at version {loaded.version}. Ask with POST "
            f"{_path(loaded.id)}."
        )
    return use_cases.shown(loaded, seat, stored_advice)


def _path(match: str) -> str:
    """Return the URL of the advice of a match."""
    return f"{links.match(match)}/advice"
