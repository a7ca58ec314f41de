"""Lines over HTTP: moves on a board of one's own."""

from flask import Blueprint, Response

from domain.json_types import Json
from service.api import problems
from service.api.contract.operations import OF_A_MATCH, AnswerSpec, operation
from service.api.http.context import ctx, enter
from service.api.http.responses import answer
from service.base import answers
from service.capabilities.lines import use_cases
from service.capabilities.lines.schemas import TryLineSchema
from service.capabilities.lines.use_cases import LineRequest

lines = Blueprint("lines", __name__, url_prefix="/v1/matches/<id:match>/lines")


@lines.post("")
@operation(
    "tryLine",
    "Try a line of moves",
    tag="play",
    body=TryLineSchema,
    answers={200: AnswerSpec("What would follow.", answers.Line)},
    problems=(*OF_A_MATCH, problems.ILLEGAL),
)
def try_line(match: str, data: Json) -> Response:
    """Make moves of any seats one after another on a board of one's own, from any version of the
    match on. Nothing is written.

    Until the match has ended it takes the token of a seat, and what that seat cannot see is drawn
    anew by the line's seed, as chance is: the match itself will go another way. After the end
    everybody may try, from what really was, and `seat` chooses whose eyes to see it with. The line
    ends at the first move that the rules do not allow; `refusal` says why.
    """
    tried = use_cases.try_line(ctx(), enter(match), LineRequest(**data))
    return answer(tried, headers={"Cache-Control": "no-store"})
