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
    """Take one's seat in the rematch of this ended match.

    The first request opens the rematch (M20). It has the same game, options and bots. Each player
    sits one seat further on: the player of seat 1 sits on seat 0. The seats of humans are reserved:
    each human takes their seat by this request, with the token of their old seat. The rematch
    starts once all have come. With the owner's token the answer has the owner's tokens of the
    rematch, so that the owner may put bots on seats meanwhile. A repeat gives the same answer. If
    the seat was taken with a token that was replaced since, the earlier holder loses the seat to
    the caller, and the history tells this (M13).
    """
    count_opening()
    next_match = use_cases.rematch(ctx(), match, token_for(match), data)
    if next_match.is_handed_on and next_match.seat is not None:
        forget_here(next_match.match, seat_actor(next_match.seat))
    value: answers.Rematch = {
        "match": next_match.match,
        "status": next_match.loaded.status.name,
        "seat": next_match.seat,
        "tokens": dict(next_match.tokens),
    }
    headers = {"Cache-Control": "no-store", "Location": links.match(next_match.match)}
    return answer(value, headers=headers)
