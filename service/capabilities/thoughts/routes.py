"""Thoughts over HTTP: the moves that bots have weighed, after the end."""

from collections.abc import Sequence

import orjson
from flask import Blueprint, Response

from service.api import links, problems
from service.api.contract.operations import NDJSON, STORED, UNCHANGED, AnswerSpec, operation
from service.api.contract.parameters import AFTER, IF_NONE_MATCH, LIMIT
from service.api.http import responses
from service.api.http.context import ctx, enter, page_limit
from service.api.http.requests import accepted
from service.api.http.responses import JSON, answer
from service.api.routes.streams import in_lines
from service.capabilities.thoughts import use_cases
from service.capabilities.thoughts.answers import Thought, ThoughtList
from service.matches.access import Access

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
            ThoughtList,
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

    found = use_cases.evaluations(ctx(), match, after)
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
            Thought,
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
    use_cases.check_unsealed(access)
    return access


def _lines(access: Access, after: int, held: set[str]) -> Response:
    """Answer all thoughts after a version as lines; held: the ETags that the caller has."""
    headers = _headers(access, mark="lines")
    if responses.is_unchanged(headers, held):
        return responses.unchanged(headers)

    found = use_cases.evaluations(ctx(), access.match, after)
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
