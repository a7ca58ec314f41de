"""Thoughts over HTTP: the moves that bots have weighed, after the end."""

from collections.abc import Sequence

import orjson
from flask import Blueprint, Response

from service.api import links, problems
from service.api.contract.operations import NDJSON, STORED, UNCHANGED, AnswerSpec, operation
from service.api.contract.parameters import AFTER, IF_NONE_MATCH, LIMIT
from service.api.http import responses
from service.api.http.context import ctx, enter, page_limit
from service.api.http.responses import answer
from service.api.routes.streams import in_lines
from service.capabilities.thoughts import use_cases
from service.capabilities.thoughts.answers import Thought, ThoughtList
from service.matches.access import Access

thoughts = Blueprint("thoughts", __name__, url_prefix="/v1/matches")


@thoughts.get("/<id:match>/thoughts")
@operation(
    "listThoughts",
    "Read the thoughts of bots",
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
    problems=(*STORED, problems.NOT_REVEALED),
)
def list_thoughts(match: str, after: int, limit: int, if_none_match: set[str]) -> Response:
    """List the moves weighed by bots with a search before their own, once the match is revealed.

    Until then the list is sealed for everybody (409, `not-revealed`), because thoughts give the
    bots' cards away. Moves without a choice have no thoughts. Thoughts are not in the history: they
    are the server's word, and no verifier checks them. An imported match has no thoughts.
    """
    access = _unsealed(match)
    headers = responses.headers(access)
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)

    evaluations = use_cases.evaluations(ctx(), match, after)
    return _page(evaluations, page_limit(limit), headers)


@thoughts.get("/<id:match>/thoughts.ndjson")
@operation(
    "listThoughtLines",
    "Read the thoughts of bots as lines",
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
    problems=(*STORED, problems.NOT_REVEALED, problems.STREAMS),
)
def list_thought_lines(match: str, after: int, if_none_match: set[str]) -> Response:
    """List all thoughts of `listThoughts`, one a line."""
    access = _unsealed(match)
    headers = responses.headers(access)
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)

    evaluations = use_cases.evaluations(ctx(), match, after)
    return in_lines((line + b"\n" for line in evaluations), headers)


def _unsealed(match: str) -> Access:
    """Return the match of a request. Raises NotRevealed before it is revealed."""
    access = enter(match)
    use_cases.check_unsealed(access)
    return access


def _page(evaluations: Sequence[bytes], limit: int, headers: responses.Headers) -> Response:
    """Answer a page of the first `limit` thoughts."""
    values = [orjson.loads(line) for line in evaluations[:limit]]
    has_more = len(evaluations) > limit
    following = links.next_page(headers, after=values[-1]["version"]) if has_more else None
    return answer({"thoughts": values, "next": following}, headers=headers)
