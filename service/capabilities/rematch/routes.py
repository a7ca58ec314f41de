"""Rematch over HTTP: a player takes a seat in the match that follows an ended one."""

from flask import Blueprint, Response

from domain.json_types import Json
from domain.seats import seat_actor
from service.api import links, problems
from service.api.contract.operations import A_COMMIT, OF_A_MATCH, AnswerSpec, operation
from service.api.http.context import count_opening, ctx, forget_here, token_for
from service.api.http.responses import answer
from service.capabilities.rematch import answers, use_cases
from service.capabilities.rematch.schemas import PlayAgainSchema

rematch = Blueprint("rematch", __name__, url_prefix="/v1/matches")


@rematch.post("/<id:match>/rematch")
@operation(
    "askRematch",
    "Play again",
    tag="lobby",
    tokens="needed",
    body=PlayAgainSchema,
    answers={200: AnswerSpec("The new match.", answers.Rematch, headers=("Location",))},
    problems=(*OF_A_MATCH, *A_COMMIT, problems.OVERLOADED, problems.SIGNATURE),
)
def ask_rematch(match: str, data: Json) -> Response:
    """Take one's seat in the match that follows this one, which has ended (M20); the first who asks
    opens it.

    It has the same game, options and bots, and each player sits one seat further on. The seats of
    humans are kept for those who held them: each takes it by this request with the token of the
    seat held before. The match starts once all have come; until then the owner, who asks with the
    owner's token, may put bots on seats. A repeat gives the same answer. If the seat was taken with
    a token that was replaced since, its holder loses it to the caller, and the history tells so
    (M13).
    """
    count_opening()
    made = use_cases.rematch(ctx(), match, token_for(match), data)
    if made.is_handed_on and made.seat is not None:
        forget_here(made.match, seat_actor(made.seat))
    value: answers.Rematch = {
        "match": made.match,
        "status": made.loaded.status.name,
        "seat": made.seat,
        "tokens": dict(made.tokens),
    }
    headers = {"Cache-Control": "no-store", "Location": links.match(made.match)}
    return answer(value, headers=headers)
