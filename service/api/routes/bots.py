"""Bots over HTTP: advice for a seat, and after the end what bots have weighed."""

from collections.abc import Sequence

import orjson
from flask import Blueprint, Response
from redis.exceptions import RedisError

from service.api import links, problems
from service.api.contract.operations import (
    NDJSON,
    OF_A_MATCH,
    STORED,
    UNCHANGED,
    AnswerSpec,
    operation,
)
from service.api.contract.parameters import AFTER, IF_NONE_MATCH, LIMIT
from service.api.http import responses
from service.api.http.context import ctx, enter, page_limit, queues
from service.api.http.requests import accepted
from service.api.http.responses import JSON, answer
from service.api.routes.streams import in_lines
from service.base import answers
from service.matches import advice as match_advice
from service.matches.access import Access
from service.matches.repository import at_head
from service.record.replay import Loaded
from service.store.jobs import requests as jobs
from service.store.journal.errors import JournalUnavailable

advice = Blueprint("advice", __name__, url_prefix="/v1/matches")


@advice.get("/<id:match>/advice")
@operation(
    "getAdvice",
    "Ask for advice",
    tag="play",
    tokens="needed",
    answers={
        200: AnswerSpec("What is advised.", answers.Advice),
        202: AnswerSpec("A bot is thinking; ask again.", answers.Advice, headers=("Retry-After",)),
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
    seat = match_advice.seat_of(access.caller)
    loaded = at_head(ctx(), access)
    match_advice.check_advised(loaded, seat)
    advised = advice_for(loaded, seat)
    headers = {"Cache-Control": "no-store"}
    is_ready = advised["status"] == "ready"
    if not is_ready:
        headers["Retry-After"] = "1"
    return answer(advised, 200 if is_ready else 202, headers)


def advice_for(loaded: Loaded, seat: int) -> answers.Advice:
    """Return what is advised at the present version; ask for it if nothing is yet.

    Raises Overloaded, JournalUnavailable.
    """
    try:
        known = jobs.known_advice(queues(), loaded.id, seat, loaded.hash)
        if known is None:
            jobs.ask_advice(queues(), loaded.id, loaded.version, seat)
    except RedisError:
        raise JournalUnavailable("the queues cannot be reached") from None
    return match_advice.shown(loaded, seat, known)


# ---- what bots have weighed ----------------------------------------------------------------

thoughts = Blueprint("thoughts", __name__, url_prefix="/v1/matches")


@thoughts.get("/<id:match>/thoughts")
@operation(
    "listThoughts",
    "Read what bots have thought",
    tag="history",
    parameters=(AFTER, LIMIT, IF_NONE_MATCH),
    answers={
        200: AnswerSpec(
            "Thoughts, oldest first.",
            answers.ThoughtList,
            headers=("ETag", "Link"),
        ),
        304: UNCHANGED,
    },
    problems=(*STORED, problems.ILLEGAL, problems.NOT_ACCEPTABLE, problems.STREAMS),
)
def list_thoughts(match: str, after: int, limit: int, if_none_match: set[str]) -> Response:
    """List what bots that search have weighed before their moves, once the match is revealed.

    Until then it is sealed for everybody (409, `not_revealed`), because it gives their cards away.
    Moves without a choice have no thought. Thoughts are no part of the history: they are the
    server's word, which no verifier checks. A match that was imported has none. With `Accept:
    application/x-ndjson` the answer is that of `listThoughtLines`.
    """
    access = _unsealed(match)
    if accepted(JSON, NDJSON) == NDJSON:
        return _lines(access, after, if_none_match)

    headers = _headers(access)
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)

    found = match_advice.evaluations(ctx(), match, after)
    return _page(found, page_limit(limit), headers)


@thoughts.get("/<id:match>/thoughts.ndjson")
@operation(
    "listThoughtLines",
    "Read what bots have thought as lines",
    tag="history",
    parameters=(AFTER, IF_NONE_MATCH),
    answers={
        200: AnswerSpec(
            "Thoughts, oldest first, one a line.",
            answers.Thought,
            media=(NDJSON,),
            headers=("ETag",),
        ),
        304: UNCHANGED,
    },
    problems=(*STORED, problems.ILLEGAL, problems.STREAMS),
)
def list_thought_lines(match: str, after: int, if_none_match: set[str]) -> Response:
    """List all that `listThoughts` does, a thought a line."""
    return _lines(_unsealed(match), after, if_none_match)


def _unsealed(match: str) -> Access:
    """Return the match of a request; raises Illegal before it is revealed."""
    access = enter(match)
    match_advice.check_unsealed(access)
    return access


def _lines(access: Access, after: int, held: set[str]) -> Response:
    """Answer all thoughts after a version as lines; held: the ETags that the caller has."""
    headers = _headers(access, mark="lines")
    if responses.is_unchanged(headers, held):
        return responses.unchanged(headers)

    found = match_advice.evaluations(ctx(), access.match, after)
    return in_lines((line + b"\n" for line in found), headers)


def _headers(access: Access, mark: str = "") -> responses.Headers:
    headers = responses.headers(access, mark=mark)
    headers["Vary"] = "Authorization, Accept"
    return headers


def _page(found: Sequence[bytes], limit: int, headers: responses.Headers) -> Response:
    """Answer the first of the thoughts found; Link leads to the rest."""
    shown = [orjson.loads(line) for line in found[:limit]]
    if len(found) > limit:
        headers["Link"] = links.related("next", after=shown[-1]["version"], limit=limit)
    return answer({"thoughts": shown}, headers=headers)
