"""What bots have thought, over HTTP: told after the end."""

from collections.abc import Sequence

import orjson
from flask import Blueprint, Response

from service.api import links
from service.api.contract.operations import NDJSON, OF_A_MATCH, UNCHANGED, Answer, operation
from service.api.contract.parameters import AFTER, IF_NONE_MATCH, LIMIT
from service.api.http import conditional
from service.api.http.answers import JSON, answer
from service.api.http.auth import enter
from service.api.http.context import config, desk
from service.api.http.negotiation import accepted
from service.api.problems import kinds
from service.api.routes.long_answers import in_lines
from service.matches import weighing

thoughts = Blueprint("thoughts", __name__, url_prefix="/v1/matches")


@thoughts.get("/<id:match>/thoughts")
@operation(
    "listThoughts",
    "Read what bots have thought",
    tag="history",
    parameters=(AFTER, LIMIT, IF_NONE_MATCH),
    answers={
        200: Answer(
            "Thoughts, oldest first.",
            "ThoughtList",
            media=(JSON, NDJSON),
            item="Thought",
            headers=("ETag", "Link"),
        ),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, kinds.ILLEGAL, kinds.NOT_ACCEPTABLE, kinds.STREAMS),
)
def list_thoughts(match: str, after: int, limit: int, if_none_match: set[str]) -> Response:
    """Tell what bots that search have weighed before their moves, once the match is revealed.

    Until then it is sealed for everybody (409, `not_revealed`), because it tells of their cards.
    Moves without a choice have no thought. Thoughts are no part of the history: what is told here
    is the server's word, which no verifier checks. A match that was imported has none.
    """
    loaded, caller = enter(match)
    weighing.check_told(loaded)
    as_lines = accepted(JSON, NDJSON) == NDJSON

    headers = conditional.headers(loaded, caller, mark="lines" if as_lines else "")
    headers["Vary"] = "Authorization, Accept"
    if conditional.is_unchanged(headers, if_none_match):
        return conditional.unchanged(headers)

    found = weighing.told(desk(), loaded, after)
    if as_lines:
        return in_lines((line + b"\n" for line in found), headers)
    return _page(found, min(limit, config().page_max), headers)


def _page(found: Sequence[bytes], limit: int, headers: conditional.Headers) -> Response:
    """Answer the first of the thoughts found; Link leads to the rest."""
    shown = [orjson.loads(line) for line in found[:limit]]
    if len(found) > limit:
        headers["Link"] = links.related("next", after=shown[-1]["version"], limit=limit)
    return answer({"thoughts": shown}, headers=headers)
