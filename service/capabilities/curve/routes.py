"""The curve of a match over HTTP."""

from flask import Blueprint, Response

from service.api import problems
from service.api.contract.operations import OF_A_MATCH, UNCHANGED, AnswerSpec, operation
from service.api.contract.parameters import IF_NONE_MATCH
from service.api.http import responses
from service.api.http.context import ctx, enter
from service.api.http.responses import answer
from service.capabilities.curve import use_cases
from service.capabilities.curve.answers import Curve

curve = Blueprint("curve", __name__, url_prefix="/v1/matches/<id:match>/curve")


@curve.get("")
@operation(
    "getCurve",
    "See the chances to win",
    tag="history",
    parameters=(IF_NONE_MATCH,),
    answers={
        200: AnswerSpec("The curve of the match.", Curve, headers=("ETag",)),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, problems.NOT_REVEALED),
)
def show_curve(match: str, if_none_match: set[str]) -> Response:
    """Show each seat's chance to win at the start of each turn, once the match is revealed.

    Before that the curve is sealed for everybody (409, `not-revealed`), because it gives cards
    away. Positions are valued as by the bots that search, with all cards known. The curve follows
    from the history alone, so everybody gets the same numbers. `giornale view` shows it, too.
    """
    access = enter(match)
    use_cases.check_unsealed(access)
    headers = responses.headers(access)
    responses.may_store(access, headers)
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)
    return answer(use_cases.curve(ctx(), access), headers=headers)
