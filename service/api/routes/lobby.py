"""Around the game over HTTP: seats, the start, early ends, moves taken back, tokens, names."""

from functools import partial

from flask import Blueprint, Response

from domain.json_types import Json
from domain.match.messages import AgreeTakeBack, AskTakeBack, RefuseTakeBack
from domain.seats import seat_actor
from service.api import problems
from service.api.contract import schemas
from service.api.contract.operations import A_COMMIT, OF_A_MATCH, SIGNED, AnswerSpec, operation
from service.api.contract.parameters import (
    IDEMPOTENCY_KEY,
    IF_MATCH,
    SECRET_KEY,
    SIGNATURE,
)
from service.api.contract.submissions import with_submission
from service.api.http.context import ctx, forget_here
from service.api.http.responses import answer, nothing
from service.api.routes.moves import (
    MADE,
    answer_about_commit,
    answer_commit,
    commit_seen_by,
)
from service.base import answers
from service.matches import (
    lobby as use_cases,
    metadata_changes,
    tokens as match_tokens,
)
from service.matches.command_handler import Submission
from service.matches.moves import submit_of_seat
from service.store.keys import tokens

lobby = Blueprint("lobby", __name__, url_prefix="/v1/matches")

_PROBLEMS = (*OF_A_MATCH, *A_COMMIT)
_SIGNED_PROBLEMS = (*_PROBLEMS, *SIGNED)
_OF_A_COMMIT = (IF_MATCH, IDEMPOTENCY_KEY)
_OF_A_SEAT = (*_OF_A_COMMIT, SIGNATURE)
_CHANGE_PROBLEMS = (*OF_A_MATCH, problems.BUSY, problems.STALE, *SIGNED)


@lobby.post("/<id:match>/seats/<number:seat>")
@operation(
    "joinMatch",
    "Join a match",
    tag="lobby",
    parameters=(IF_MATCH, SECRET_KEY),
    body=schemas.JoinSchema,
    answers={
        201: AnswerSpec(
            "The seat.",
            answers.Joined,
            headers=("ETag", "Location", "Idempotent-Replayed"),
        ),
    },
    problems=(*_PROBLEMS, problems.NO_SUCH_SEAT, problems.SIGNATURE),
)
@with_submission
def join(submission: Submission, seat: int, data: Json) -> Response:
    """Take an open seat before the start (M2) and get its token.

    Anybody may join a public match. A private match, or a rematch (M20), is joined with the
    invitation token or the owner's token. Only a repeat with the same Idempotency-Key gets the
    seat's token again. The repeat is refused (422) if that token no longer counts.
    """
    result, seat_token = use_cases.join(ctx(), submission, seat, data)

    holder = tokens.Caller("seat", seat)
    value = {"seat": seat, "token": seat_token, "commit": commit_seen_by(holder, result)}
    return answer_about_commit(result, holder, value)


@lobby.delete("/<id:match>/seats/<number:seat>")
@operation(
    "leaveMatch",
    "Leave a seat",
    tag="lobby",
    tokens="needed",
    parameters=(IF_MATCH, SIGNATURE),
    answers={200: MADE},
    problems=_SIGNED_PROBLEMS,
)
@with_submission
def leave(submission: Submission, seat: int) -> Response:
    """Give one's seat up before the start (M3). The seat is open again, and its token no longer
    counts.
    """
    result = use_cases.leave(ctx(), submission, seat)
    forget_here(submission.match, seat_actor(seat))
    return answer_commit(result, status=200)


@lobby.post("/<id:match>/pledge")
@operation(
    "pledgeEntropy",
    "Pledge entropy",
    tag="lobby",
    tokens="needed",
    parameters=_OF_A_SEAT,
    body=schemas.PledgeSchema,
    answers={201: MADE},
    problems=_SIGNED_PROBLEMS,
)
@with_submission
def pledge(submission: Submission, data: Json) -> Response:
    """Pledge one's part of all draws, if the humans draw together (M19).

    Entropy is pledged at the join, here, or here again after `pledges_dropped`. Keep the entropy,
    and draw new entropy for each pledge.
    """
    result = use_cases.pledge(ctx(), submission, data["digest"])
    return answer_commit(result)


@lobby.post("/<id:match>/disclose")
@operation(
    "discloseEntropy",
    "Disclose entropy",
    tag="lobby",
    tokens="needed",
    parameters=_OF_A_SEAT,
    body=schemas.DisclosureSchema,
    answers={201: MADE},
    problems=_SIGNED_PROBLEMS,
)
@with_submission
def disclose(submission: Submission, data: Json) -> Response:
    """Disclose the pledged entropy of the caller's seat (M19).

    A disclosure is taken once no seat is open and all have pledged. With the last disclosure the
    match starts.
    """
    result = use_cases.disclose(ctx(), submission, data["entropy"])
    return answer_commit(result)


@lobby.post("/<id:match>/start")
@operation(
    "startMatch",
    "Start a match",
    tag="lobby",
    tokens="needed",
    parameters=_OF_A_COMMIT,
    answers={201: MADE},
    problems=(*_PROBLEMS, problems.OVERLOADED),
)
@with_submission
def start(submission: Submission) -> Response:
    """Begin to play, if M4 and M19 allow. Only the owner may (M4)."""
    result = use_cases.start(ctx(), submission)
    return answer_commit(result)


@lobby.post("/<id:match>/abort")
@operation(
    "abortMatch",
    "Abort a match",
    tag="lobby",
    tokens="needed",
    parameters=_OF_A_COMMIT,
    answers={201: MADE},
    problems=_PROBLEMS,
)
@with_submission
def abort(submission: Submission) -> Response:
    """End the match without a result. Only the owner may, until the end (M7)."""
    result = use_cases.abort(ctx(), submission)
    return answer_commit(result)


@lobby.post("/<id:match>/seats/<number:seat>/bot")
@operation(
    "putBot",
    "Put a bot on a seat",
    tag="lobby",
    tokens="needed",
    parameters=_OF_A_COMMIT,
    body=schemas.BotSchema,
    answers={201: MADE},
    problems=(*_PROBLEMS, problems.NO_SUCH_SEAT, problems.OVERLOADED),
)
@with_submission
def put_bot(submission: Submission, seat: int, data: Json) -> Response:
    """Put a bot on a seat, open or held. Only the owner may, within the limits of M8."""
    result = use_cases.replace(ctx(), submission, seat, data["level"])
    return answer_commit(result)


@lobby.delete("/<id:match>/seats/<number:seat>/bot")
@operation(
    "dismissBot",
    "Give a seat back to its human",
    tag="lobby",
    tokens="needed",
    parameters=_OF_A_COMMIT,
    answers={200: MADE},
    problems=(*_PROBLEMS, problems.NO_SUCH_SEAT),
)
@with_submission
def dismiss_bot(submission: Submission, seat: int) -> Response:
    """Give a seat with a stand-in bot back to its human. Only the owner may (M8)."""
    result = use_cases.restore(ctx(), submission, seat)
    return answer_commit(result, status=200)


@lobby.post("/<id:match>/resign")
@operation(
    "resignMatch",
    "Resign",
    tag="lobby",
    tokens="needed",
    parameters=_OF_A_SEAT,
    answers={201: MADE},
    problems=(*_SIGNED_PROBLEMS, problems.OVERLOADED),
)
@with_submission
def resign(submission: Submission) -> Response:
    """Give one's seat up for good, between start and end. A bot plays the seat to the end (M16)."""
    result = use_cases.resign(ctx(), submission)
    return answer_commit(result)


@lobby.post("/<id:match>/return")
@operation(
    "returnToMatch",
    "Return to one's seat",
    tag="lobby",
    tokens="needed",
    parameters=_OF_A_SEAT,
    answers={201: MADE},
    problems=_SIGNED_PROBLEMS,
)
@with_submission
def return_(submission: Submission) -> Response:
    """Take one's seat back from a stand-in bot.

    The bot stands in because time ran out (M15) or because the owner replaced the human (M8).
    """
    result = use_cases.return_(ctx(), submission)
    return answer_commit(result)


# ---- moves taken back ----------------------------------------------------------------------


@lobby.post("/<id:match>/take-back")
@operation(
    "askTakeBack",
    "Ask to take moves back",
    tag="play",
    tokens="needed",
    parameters=_OF_A_SEAT,
    body=schemas.AskTakeBackSchema,
    answers={201: MADE},
    problems=_SIGNED_PROBLEMS,
)
@with_submission
def ask_take_back(submission: Submission, data: Json) -> Response:
    """Ask to go back to a version, if the match was opened with `take_back` (M17).

    The moves are taken back at once if all of them are one's own and of one turn, or if no other
    human sits at the table. The commit then has the event `taken_back`. Otherwise every other human
    is asked to agree, and any move ends the request. Nothing goes back over a draw or a reveal: the
    refusal names the version of the draw or reveal.
    """
    result = submit_of_seat(ctx(), submission, partial(AskTakeBack, to=data["to"]))
    return answer_commit(result)


@lobby.post("/<id:match>/take-back/agree")
@operation(
    "agreeTakeBack",
    "Agree to a take-back",
    tag="play",
    tokens="needed",
    parameters=_OF_A_SEAT,
    answers={201: MADE},
    problems=_SIGNED_PROBLEMS,
)
@with_submission
def agree_take_back(submission: Submission) -> Response:
    """Agree to another seat's request (M17). The last agreement takes the moves back."""
    result = submit_of_seat(ctx(), submission, AgreeTakeBack)
    return answer_commit(result)


@lobby.post("/<id:match>/take-back/refuse")
@operation(
    "refuseTakeBack",
    "Refuse a take-back",
    tag="play",
    tokens="needed",
    parameters=_OF_A_SEAT,
    answers={201: MADE},
    problems=_SIGNED_PROBLEMS,
)
@with_submission
def refuse_take_back(submission: Submission) -> Response:
    """Refuse another seat's request, or withdraw one's own (M17). The moves stand."""
    result = submit_of_seat(ctx(), submission, RefuseTakeBack)
    return answer_commit(result)


# ---- tokens ---------------------------------------------------------------------------------


@lobby.post("/<id:match>/tokens")
@operation(
    "replaceToken",
    "Replace a token",
    tag="lobby",
    tokens="needed",
    parameters=(IF_MATCH, SECRET_KEY, SIGNATURE),
    body=schemas.RotateSchema,
    answers={201: AnswerSpec("The new token.", answers.Token, headers=("Idempotent-Replayed",))},
    problems=(*_CHANGE_PROBLEMS, problems.IN_PROGRESS, problems.KEY_REUSED),
)
@with_submission
def replace_token(submission: Submission, data: Json) -> Response:
    """Get a new token in place of an old one, by default one's own. The old token no longer counts.

    Only the owner replaces the tokens of spectators and of the invitation, or makes new ones in a
    private match without them. The owner also replaces the token of a human's seat, such as a lost
    token. Send an Idempotency-Key. If the answer is lost, the same token and key get the same
    answer again until the next replacement, even if that token was replaced. The history tells the
    replacement (M13), or `changes` of `getMatch`.
    """
    rotated = match_tokens.rotate(ctx(), submission, data["holder"])
    if data["holder"] and not rotated.repeated:
        forget_here(submission.match, rotated.holder)

    value = {
        "holder": rotated.holder,
        "token": rotated.token,
    }
    headers = {"Cache-Control": "no-store"}
    if rotated.repeated:
        headers["Idempotent-Replayed"] = "true"
    return answer(value, 201, headers)


@lobby.delete("/<id:match>/tokens/<holder:holder>")
@operation(
    "revokeToken",
    "Revoke a token",
    tag="lobby",
    tokens="needed",
    parameters=(IF_MATCH, SIGNATURE),
    answers={204: AnswerSpec("The token no longer counts.")},
    problems=_CHANGE_PROBLEMS,
)
@with_submission
def revoke_token(submission: Submission, holder: str) -> Response:
    """Revoke a token: a seat its own, the owner anybody's. The token no longer counts.

    `holder` is as in the answer of opening. The history tells the revocation (M13), or `changes` of
    `getMatch`.
    """
    match_tokens.revoke(ctx(), submission, holder)
    forget_here(submission.match, holder)
    return nothing()


@lobby.delete("/<id:match>/players/<number:seat>")
@operation(
    "erasePlayer",
    "Erase a name",
    tag="history",
    tokens="needed",
    parameters=(IF_MATCH, SIGNATURE),
    answers={204: AnswerSpec("The name is erased.")},
    problems=(*_CHANGE_PROBLEMS, problems.NO_SUCH_SEAT),
)
@with_submission
def erase_player(submission: Submission, seat: int) -> Response:
    """Erase the name of a seat's holder, with the seat's or the owner's token.

    The record still verifies. The history tells the erasure (M13), or `changes` of `getMatch`. It
    has never held the name itself.
    """
    metadata_changes.erase(ctx(), submission, seat)
    return nothing()
