"""Moves over HTTP: what a seat may do, and doing it; how commits are answered."""

from collections.abc import Mapping

from flask import Blueprint, Response

from service.api import links
from service.api.contract import parameters
from service.api.contract.operations import (
    A_COMMIT,
    OF_A_MATCH,
    SIGNED,
    UNCHANGED,
    AnswerSpec,
    operation,
)
from service.api.contract.submissions import held_submission, submission_of
from service.api.http import responses
from service.api.http.context import ctx, enter
from service.api.http.responses import answer, etag
from service.api.routes.streams import wait_for_another
from service.base import answers
from service.matches import moves as match_moves, views
from service.matches.command_handler import Committed, Submission
from service.matches.repository import load_head
from service.store.keys.tokens import Caller

# ---- answers about a commit that was just made ---------------------------------------------

# What the contract says of such an answer.
MADE = AnswerSpec(
    "The commit that was made, as the caller may see it.",
    answers.Commit,
    headers=("ETag", "Location", "Idempotent-Replayed"),
    links={
        "state": {
            "operationId": "getState",
            "parameters": {"match": "$response.body#/match"},
        },
        "commit": {
            "operationId": "getCommit",
            "parameters": {
                "match": "$response.body#/match",
                "number": "$response.body#/version",
            },
        },
    },
    component="Made",
    shown_by="makeMove",
)


def answer_commit(made: Committed, status: int = 201) -> Response:
    """Answer a commit as its maker may see it."""
    commit = commit_seen_by(made.maker, made)
    return answer_about_commit(made, made.maker, commit, status)


def commit_seen_by(caller: Caller, made: Committed) -> answers.Commit:
    """Return a new commit as a caller may see it, with its receipt."""
    commit = views.shown(made.entry, made.rules, caller)
    if made.receipt:
        commit["receipt"] = made.receipt
    return commit


def answer_about_commit(
    made: Committed, caller: Caller, value: object, status: int = 201
) -> Response:
    """Answer a value about a new commit, with the headers that such answers have."""
    headers = {
        "ETag": etag(made.version, made.entry["hash"], caller),
        "Location": links.commit(made.entry["commit"]["match"], made.version),
        "Cache-Control": "no-store",
    }
    if made.repeated:
        headers["Idempotent-Replayed"] = "true"
    return answer(value, status, headers)


# ---- operations ----------------------------------------------------------------------------

moves = Blueprint("moves", __name__, url_prefix="/v1/matches")


@moves.get("/<id:match>/moves")
@operation(
    "getMoves",
    "Find the legal moves",
    tag="play",
    parameters=(parameters.WAIT, parameters.IF_NONE_MATCH),
    answers={
        200: AnswerSpec("The legal moves.", answers.LegalMoves, headers=("ETag",)),
        304: UNCHANGED,
    },
    problems=OF_A_MATCH,
)
def show_moves(match: str, wait: int, if_none_match: set[str]) -> Response:
    """List the legal moves of the caller's seat, each as it may be posted; none when it is
    not the seat's turn.

    `seat` says whose moves they are. It is null, and there are no moves, when the request has no
    token, or one that is no seat's: `waiting_for` shows everybody whose turn it is.

    Where a command has more legal forms than can be listed, `beyond` describes them under its name.
    With If-None-Match of the present moves `wait` keeps the request until the match moves on.
    """
    access = wait_for_another(enter(match), wait, if_none_match)
    headers = responses.headers(access)
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)

    seat = access.caller.seat
    loaded = load_head(ctx(), access)
    value: answers.LegalMoves = {
        "game": loaded.match.game.key,
        "version": loaded.version,
        "waiting_for": views.waiting_for(loaded),
        "seat": seat,
        "moves": [],
        "beyond": {},
    }
    if seat is not None:
        value["moves"] = match_moves.legal_moves(loaded, seat)
        value["beyond"] = match_moves.unlisted(loaded, seat)
    return answer(value, headers=headers)


@moves.post("/<id:match>/moves")
@operation(
    "makeMove",
    "Make a move",
    tag="play",
    tokens="needed",
    parameters=(
        parameters.flag("dry_run", "Only show what would happen."),
        parameters.IF_MATCH,
        parameters.IDEMPOTENCY_KEY,
        parameters.SIGNATURE,
    ),
    body="Move",
    answers={
        200: AnswerSpec(
            "What the move would cause (`dry_run=true`).", answers.Preview, headers=("ETag",)
        ),
        201: MADE,
    },
    problems=(*OF_A_MATCH, *A_COMMIT, *SIGNED),
)
def make_move(
    match: str,
    data: Mapping[str, object],
    dry_run: bool,
    if_match: parameters.Expected,
    **sent: str,
) -> Response:
    """Make a move of the seat whose token is sent.

    Send If-Match with the ETag of the state that the move was thought up for, or an
    Idempotency-Key, or both: either makes it safe to send the move again when no answer came. A
    stale move is refused, and the answer says what has happened since. A seat with a key sends
    If-Match and its signature (M18); a refused signature is answered with the text to sign. With
    `dry_run=true` nothing is committed: the answer holds the events that the move would cause,
    without what chance would decide, and what each changes in the state as the caller sees it.
    """
    key, signature = sent["idempotency_key"], sent["giornale_signature"]
    if dry_run:
        return _preview(submission_of(match, if_match, key, signature), data)

    with held_submission(match, if_match, key, signature) as submission:
        made = match_moves.move(ctx(), submission, data)
        return answer_commit(made)


def _preview(submission: Submission, move: Mapping[str, object]) -> Response:
    """Answer what a move would cause."""
    loaded, caller, events = match_moves.dry_run(ctx(), submission, move)
    headers = {
        "ETag": etag(loaded.version, loaded.hash, caller),
        "Cache-Control": "no-store",
    }
    value: answers.Preview = {
        "game": loaded.match.game.key,
        "rules": loaded.match.rules,
        "version": loaded.version,
        "events": events,
        "dry_run": True,
    }
    return answer(value, headers=headers)
