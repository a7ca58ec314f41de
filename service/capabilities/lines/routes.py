"""Lines over HTTP: moves on a board of one's own."""

from flask import Blueprint, Response

from domain.json_types import Json
from service.api import problems
from service.api.contract.operations import OF_A_MATCH, WITH_A_SEAT, AnswerSpec, operation
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
    answers={200: AnswerSpec("The line with its consequences.", answers.Line)},
    problems=(*OF_A_MATCH, *WITH_A_SEAT, problems.ILLEGAL),
)
def try_line(match: str, data: Json) -> Response:
    """Make moves of any seats one after another on a board of one's own.

    The line starts at any version of the match, and nothing is stored. Until the match is revealed
    a line needs the token of a seat. Everything hidden from that seat is drawn anew by the line's
    seed, and so are all later draws: the match itself will go another way. After the revelation
    everybody may try, from the real position, and `seat` chooses the view. The line ends at the
    first illegal move, and `refusal` has the reason.
    """
    tried = use_cases.try_line(ctx(), enter(match), LineRequest(**data))
    return answer(tried, headers={"Cache-Control": "no-store"})
