"""Before and around the game over HTTP: seats, the start, the end before the end, tokens."""

from typing import Any

from flask import Blueprint, Response

from service.api.contract.operations import A_COMMIT, OF_A_MATCH, Answer, operation
from service.api.contract.parameters import IDEMPOTENCY_KEY, IF_MATCH, SECRET_KEY
from service.api.contract.schemas.requests import BotSchema, JoinSchema, RotateSchema
from service.api.http.answers import answer
from service.api.http.auth import token_for
from service.api.http.context import desk
from service.api.http.inflight import once_at_a_time
from service.api.problems import kinds
from service.api.routes.common import MADE, commit_answer, committed, told
from service.keys import tokens
from service.matches import keyring
from service.matches import lobby as use
from service.matches.submitting import Submission

lobby = Blueprint("lobby", __name__, url_prefix="/v1/matches")

_PROBLEMS = (*OF_A_MATCH, *A_COMMIT)
_COMMIT = (IF_MATCH, IDEMPOTENCY_KEY)


@lobby.post("/<id:match>/seats/<number:seat>")
@operation(
    "joinMatch", "Join a match", tag="lobby", parameters=(IF_MATCH, SECRET_KEY), body=JoinSchema,
    answers={201: Answer("The seat.", "Joined", headers=("ETag", "Location", "Idempotent-Replayed"))},
    problems=_PROBLEMS,
)  # fmt: skip
def join(
    match: str, seat: int, data: dict[str, Any], if_match: int | None, idempotency_key: str
) -> Response:
    """Take an open seat before the start (M2) and get its token, which is told this once.

    Anybody may join a public match; a private one is joined with its invitation token (or the owner's). Only a repeat
    with the same Idempotency-Key tells the token again.
    """
    token = token_for(match)
    with once_at_a_time(match, token, idempotency_key):
        made, held = use.join(
            desk(), Submission(match, token, expected=if_match, key=idempotency_key), seat, data
        )
    holder = tokens.Caller("seat", seat)
    return commit_answer(made, {"seat": seat, "token": held, "commit": told(made, holder)}, holder)


@lobby.delete("/<id:match>/seats/<number:seat>")
@operation(
    "leaveMatch", "Leave a seat", tag="lobby", tokens="needed", parameters=(IF_MATCH,), answers={200: MADE},
    problems=_PROBLEMS,
)  # fmt: skip
def leave(match: str, seat: int, if_match: int | None) -> Response:
    """Give one's seat up before the start (M3). It is open again, and its token no longer counts."""
    return committed(
        use.leave(desk(), Submission(match, token_for(match), expected=if_match), seat), status=200
    )


@lobby.post("/<id:match>/start")
@operation(
    "startMatch", "Start a match", tag="lobby", tokens="needed", parameters=_COMMIT,
    answers={201: MADE}, problems=(*_PROBLEMS, kinds.OVERLOADED),
)  # fmt: skip
def start(match: str, if_match: int | None, idempotency_key: str) -> Response:
    """Begin to play; the owner's, once no seat is open (M4)."""
    token = token_for(match)
    with once_at_a_time(match, token, idempotency_key):
        return committed(
            use.start(desk(), Submission(match, token, expected=if_match, key=idempotency_key))
        )


@lobby.post("/<id:match>/abort")
@operation(
    "abortMatch", "Abort a match", tag="lobby", tokens="needed", parameters=_COMMIT,
    answers={201: MADE}, problems=_PROBLEMS,
)  # fmt: skip
def abort(match: str, if_match: int | None, idempotency_key: str) -> Response:
    """End the match without a result; the owner's, until the end (M7)."""
    token = token_for(match)
    with once_at_a_time(match, token, idempotency_key):
        return committed(
            use.abort(desk(), Submission(match, token, expected=if_match, key=idempotency_key))
        )


@lobby.post("/<id:match>/seats/<number:seat>/bot")
@operation(
    "putBot", "Put a bot on a seat", tag="lobby", tokens="needed", parameters=_COMMIT, body=BotSchema,
    answers={201: MADE}, problems=(*_PROBLEMS, kinds.OVERLOADED),
)  # fmt: skip
def put_bot(
    match: str, seat: int, data: dict[str, Any], if_match: int | None, idempotency_key: str
) -> Response:
    """Let a bot hold a seat, open or in the place of an absent human; the owner's (M8)."""
    token = token_for(match)
    with once_at_a_time(match, token, idempotency_key):
        made = use.replace(
            desk(),
            Submission(match, token, expected=if_match, key=idempotency_key),
            seat,
            data["level"],
        )
    return committed(made)


@lobby.delete("/<id:match>/seats/<number:seat>/bot")
@operation(
    "dismissBot", "Give a seat back to its human", tag="lobby", tokens="needed", parameters=_COMMIT,
    answers={200: MADE}, problems=_PROBLEMS,
)  # fmt: skip
def dismiss_bot(match: str, seat: int, if_match: int | None, idempotency_key: str) -> Response:
    """Give a seat back to the human whom a bot replaced; the owner's (M8)."""
    token = token_for(match)
    with once_at_a_time(match, token, idempotency_key):
        made = use.restore(
            desk(), Submission(match, token, expected=if_match, key=idempotency_key), seat
        )
    return committed(made, status=200)


@lobby.post("/<id:match>/tokens")
@operation(
    "replaceToken", "Replace a token", tag="lobby", tokens="needed", parameters=(SECRET_KEY,), body=RotateSchema,
    answers={201: Answer("The new token.", "Token", headers=("Idempotent-Replayed",))},
    problems=(*OF_A_MATCH, kinds.BUSY, kinds.IN_PROGRESS, kinds.KEY_REUSED),
)  # fmt: skip
def replace_token(match: str, data: dict[str, Any], idempotency_key: str) -> Response:
    """Get a new token in place of one's own, which no longer counts.

    The owner alone replaces the spectators' and the invitation's, and makes new ones in a private match that has none.
    Send an Idempotency-Key: with it the replaced token gets the same answer again, should the answer be lost, until the
    next replacement. History tells that a token was replaced (M13).
    """
    token = token_for(match)
    with once_at_a_time(match, token, idempotency_key):
        rotated = keyring.rotate(desk(), match, token, data["holder"], idempotency_key)
    headers = {"Cache-Control": "no-store"} | (
        {"Idempotent-Replayed": "true"} if rotated.repeated else {}
    )
    return answer({"holder": rotated.holder, "token": rotated.token}, 201, headers)


@lobby.delete("/<id:match>/tokens/<holder>")
@operation(
    "revokeToken", "Revoke a token", tag="lobby", tokens="needed", answers={204: Answer("It no longer counts.")},
    problems=(*OF_A_MATCH, kinds.BUSY),
)  # fmt: skip
def revoke_token(match: str, holder: str) -> Response:
    """Make a token count no more: a seat's own, or as the owner anybody's. `holder` is as in the answer of opening.

    History tells that a token was revoked (M13).
    """
    keyring.revoke(desk(), match, token_for(match), holder)
    return Response(status=204, headers={"Cache-Control": "no-store"})
