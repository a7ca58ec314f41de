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
    problems=(*_PROBLEMS, problems.SIGNATURE),
)
@with_submission
def join(submission: Submission, seat: int, data: Json) -> Response:
    """Take an open seat before the start (M2) and get its token, which no later answer shows.

    Anybody may join a public match; a private one is joined with its invitation token (or the
    owner's). Only a repeat with the same Idempotency-Key gets the token again, and is refused (422)
    if the token no longer counts.
    """
    made, seat_token = use_cases.join(ctx(), submission, seat, data)

    holder = tokens.Caller("seat", seat)
    value = {"seat": seat, "token": seat_token, "commit": commit_seen_by(holder, made)}
    return answer_about_commit(made, holder, value)


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
    """Give one's seat up before the start (M3). It is open again, and its token no longer
    counts.
    """
    made = use_cases.leave(ctx(), submission, seat)
    forget_here(submission.match, seat_actor(seat))
    return answer_commit(made, status=200)


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
    """Pledge one's part of all draws, where the humans draw together (M19): at the join, here, or
    here again once `pledges_dropped`. Keep the entropy, and give no two pledges the same.
    """
    made = use_cases.pledge(ctx(), submission, data["digest"])
    return answer_commit(made)


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
    """Disclose what one's seat has pledged, once no seat is open and all have pledged (M19). With
    the last disclosure the match starts.
    """
    made = use_cases.disclose(ctx(), submission, data["entropy"])
    return answer_commit(made)


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
    """Begin to play; the owner's, once no seat is open (M4)."""
    made = use_cases.start(ctx(), submission)
    return answer_commit(made)


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
    """End the match without a result; the owner's, until the end (M7)."""
    made = use_cases.abort(ctx(), submission)
    return answer_commit(made)


@lobby.post("/<id:match>/seats/<number:seat>/bot")
@operation(
    "putBot",
    "Put a bot on a seat",
    tag="lobby",
    tokens="needed",
    parameters=_OF_A_COMMIT,
    body=schemas.BotSchema,
    answers={201: MADE},
    problems=(*_PROBLEMS, problems.OVERLOADED),
)
@with_submission
def put_bot(submission: Submission, seat: int, data: Json) -> Response:
    """Let a bot hold a seat, open or in the place of an absent human; the owner's (M8)."""
    made = use_cases.replace(ctx(), submission, seat, data["level"])
    return answer_commit(made)


@lobby.delete("/<id:match>/seats/<number:seat>/bot")
@operation(
    "dismissBot",
    "Give a seat back to its human",
    tag="lobby",
    tokens="needed",
    parameters=_OF_A_COMMIT,
    answers={200: MADE},
    problems=_PROBLEMS,
)
@with_submission
def dismiss_bot(submission: Submission, seat: int) -> Response:
    """Give a seat back to the human whom a bot replaced; the owner's (M8)."""
    made = use_cases.restore(ctx(), submission, seat)
    return answer_commit(made, status=200)


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
    """Give one's seat up between start and end, for good: a bot plays it to the end (M16)."""
    made = use_cases.resign(ctx(), submission)
    return answer_commit(made)


@lobby.post("/<id:match>/return")
@operation(
    "returnToMatch",
    "Play on in place of the bot that stands in",
    tag="lobby",
    tokens="needed",
    parameters=_OF_A_SEAT,
    answers={201: MADE},
    problems=_SIGNED_PROBLEMS,
)
@with_submission
def return_(submission: Submission) -> Response:
    """Take one's seat back from the bot that stands in, because time ran out (M15) or because the
    owner has put it there (M8).
    """
    made = use_cases.return_(ctx(), submission)
    return answer_commit(made)


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
    """Ask to go back to how the match was at a version, if it was opened with `take_back` (M17).

    The moves are taken back at once where all of them are one's own and of one turn, or no other
    human sits at the table: then the commit has the event `taken_back`. Else every other human is
    asked to agree; any move ends that. Nothing goes back over a draw or a reveal: the refusal says
    over which version.
    """
    made = submit_of_seat(ctx(), submission, partial(AskTakeBack, to=data["to"]))
    return answer_commit(made)


@lobby.post("/<id:match>/take-back/agree")
@operation(
    "agreeTakeBack",
    "Agree that moves are taken back",
    tag="play",
    tokens="needed",
    parameters=_OF_A_SEAT,
    answers={201: MADE},
    problems=_SIGNED_PROBLEMS,
)
@with_submission
def agree_take_back(submission: Submission) -> Response:
    """Agree to what another seat asks (M17). The last who agrees takes the moves back."""
    made = submit_of_seat(ctx(), submission, AgreeTakeBack)
    return answer_commit(made)


@lobby.post("/<id:match>/take-back/refuse")
@operation(
    "refuseTakeBack",
    "Refuse that moves are taken back",
    tag="play",
    tokens="needed",
    parameters=_OF_A_SEAT,
    answers={201: MADE},
    problems=_SIGNED_PROBLEMS,
)
@with_submission
def refuse_take_back(submission: Submission) -> Response:
    """Refuse what another seat asks, or ask for it no more oneself (M17). The moves stand."""
    made = submit_of_seat(ctx(), submission, RefuseTakeBack)
    return answer_commit(made)


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
    """Get a new token in place of one's own, which no longer counts.

    The owner alone replaces the spectators' and the invitation's, and makes new ones in a private
    match that has none. The owner also replaces that of a human's seat, for a player who has lost
    it: everybody reads so in the history. Send an Idempotency-Key: with it the replaced token gets
    the same answer again, should the answer be lost, until the next replacement. History records
    that a token was replaced (M13).
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


@lobby.delete("/<id:match>/tokens/<holder>")
@operation(
    "revokeToken",
    "Revoke a token",
    tag="lobby",
    tokens="needed",
    parameters=(IF_MATCH, SIGNATURE),
    answers={204: AnswerSpec("It no longer counts.")},
    problems=_CHANGE_PROBLEMS,
)
@with_submission
def revoke_token(submission: Submission, holder: str) -> Response:
    """Make a token count no more: a seat's own, or as the owner anybody's. `holder`
    is as in the answer of opening.

    History records that a token was revoked (M13).
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
    answers={204: AnswerSpec("Nobody knows it any more.")},
    problems=_CHANGE_PROBLEMS,
)
@with_submission
def erase_player(submission: Submission, seat: int) -> Response:
    """Erase the name of a seat's holder, with the seat's or the owner's token. Every
    chain still verifies.

    History records that a name was erased (M13), not which.
    """
    metadata_changes.erase(ctx(), submission, seat)
    return nothing()
