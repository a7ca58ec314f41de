"""Tokens and names over HTTP: what is changed beside the history (M13)."""

from typing import Any

from flask import Blueprint, Response

from service import answers
from service.api import problems
from service.api.contract.operations import OF_A_MATCH, Answer, operation
from service.api.contract.parameters import SECRET_KEY
from service.api.contract.schemas.requests import RotateSchema
from service.api.http.auth import token_for
from service.api.http.context import ctx
from service.api.http.idempotency import idempotency_lock
from service.api.http.responses import answer, nothing
from service.matches import metadata_changes
from service.matches import tokens as match_tokens

tokens = Blueprint("tokens", __name__, url_prefix="/v1/matches")


@tokens.post("/<id:match>/tokens")
@operation(
    "replaceToken",
    "Replace a token",
    tag="lobby",
    tokens="needed",
    parameters=(SECRET_KEY,),
    body=RotateSchema,
    answers={201: Answer("The new token.", answers.Token, headers=("Idempotent-Replayed",))},
    problems=(*OF_A_MATCH, problems.BUSY, problems.IN_PROGRESS, problems.KEY_REUSED),
)
def replace_token(match: str, data: dict[str, Any], idempotency_key: str) -> Response:
    """Get a new token in place of one's own, which no longer counts.

    The owner alone replaces the spectators' and the invitation's, and makes new ones in a private
    match that has none. Send an Idempotency-Key: with it the replaced token gets the same answer
    again, should the answer be lost, until the next replacement. History records that a token was
    replaced (M13).
    """
    token = token_for(match)
    with idempotency_lock(match, token, idempotency_key):
        rotated = match_tokens.rotate(ctx(), match, token, data["holder"], idempotency_key)

    value = {
        "holder": rotated.holder,
        "token": rotated.token,
    }
    headers = {"Cache-Control": "no-store"}
    if rotated.repeated:
        headers["Idempotent-Replayed"] = "true"
    return answer(value, 201, headers)


@tokens.delete("/<id:match>/tokens/<holder>")
@operation(
    "revokeToken",
    "Revoke a token",
    tag="lobby",
    tokens="needed",
    answers={204: Answer("It no longer counts.")},
    problems=(*OF_A_MATCH, problems.BUSY),
)
def revoke_token(match: str, holder: str) -> Response:
    """Make a token count no more: a seat's own, or as the owner anybody's. `holder`
    is as in the answer of opening.

    History records that a token was revoked (M13).
    """
    match_tokens.revoke(ctx(), match, token_for(match), holder)
    return nothing()


@tokens.delete("/<id:match>/players/<number:seat>")
@operation(
    "erasePlayer",
    "Erase a name",
    tag="history",
    tokens="needed",
    answers={204: Answer("Nobody knows it any more.")},
    problems=(*OF_A_MATCH, problems.BUSY),
)
def erase_player(match: str, seat: int) -> Response:
    """Erase the name of a seat's holder, with the seat's or the owner's token. Every
    chain still verifies.

    History records that a name was erased (M13), not which.
    """
    metadata_changes.erase(ctx(), match, token_for(match), seat)
    return nothing()
