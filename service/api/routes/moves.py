"""Moves over HTTP: list legal moves, make a move, and answer about new commits."""

from collections.abc import Mapping
from dataclasses import replace

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

# ---- answers about a new commit ------------------------------------------------------------

# The answer about a new commit, in the contract.
MADE = AnswerSpec(
    "The new commit, as the caller may see it.",
    answers.Commit,
    headers=("ETag", "Location", "Idempotent-Replayed"),
    links={
        "state": {
            "operationId": "getState",
            "parameters": {"match": "$request.path.match"},
        },
        "commit": {
            "operationId": "getCommit",
            "parameters": {
                "match": "$request.path.match",
                "version": "$response.body#/version",
            },
        },
    },
    component="Made",
    shown_by="resignMatch",
)


def answer_commit(result: Committed, status: int = 201) -> Response:
    """Answer a commit as its maker may see it."""
    commit = commit_seen_by(result.maker, result)
    return answer_about_commit(result, result.maker, commit, status)


def commit_seen_by(caller: Caller, result: Committed) -> answers.Commit:
    """Return a new commit as a caller may see it, with its receipt."""
    commit = views.shown(result.entry, result.rules, caller)
    if result.receipt:
        commit["receipt"] = result.receipt
    return commit


def answer_about_commit(
    result: Committed, caller: Caller, value: object, status: int = 201
) -> Response:
    """Answer a value about a new commit, with the headers for it."""
    headers = {
        "ETag": etag(result.version, result.entry["hash"], caller),
        "Location": links.commit(result.entry["commit"]["match"], result.version),
        "Cache-Control": "no-store",
    }
    if result.repeated:
        headers["Idempotent-Replayed"] = "true"
    return answer(value, status, headers)


# ---- operations ----------------------------------------------------------------------------

MOVE_MADE = replace(
    MADE,
    text="The new commit, as the caller may see it. Minimal if preferred.",
    schema="MadeMove",
    headers=(*MADE.headers, "Preference-Applied"),
    component="",
    shown_by="",
)

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
    """List the legal moves of the caller's seat, each as it may be posted.

    If it is not the seat's turn, there are no moves. Without a seat's token `seat` is null, and
    there are no moves: `waiting_for` shows the awaited parties. If a command has more legal forms
    than can be listed, `beyond` describes them under its name. If If-None-Match has the ETag of the
    present moves, `wait` holds the request until the match moves on.
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
        parameters.flag("dry_run", "Only preview the move."),
        parameters.IF_MATCH,
        parameters.IDEMPOTENCY_KEY,
        parameters.SIGNATURE,
        parameters.PREFER,
    ),
    body="Move",
    answers={
        200: AnswerSpec(
            "A preview of the move (`dry_run=true`).", answers.Preview, headers=("ETag",)
        ),
        201: MOVE_MADE,
    },
    problems=(*OF_A_MATCH, *A_COMMIT, *SIGNED),
)
def make_move(
    match: str,
    data: Mapping[str, object],
    dry_run: bool,
    if_match: parameters.Expected,
    prefer: str,
    **headers: str,
) -> Response:
    """Make a move of the caller's seat.

    Send If-Match with the ETag of the state seen before the move, or an Idempotency-Key, or both.
    Either makes it safe to repeat the request if no answer came. A stale move is refused, and the
    answer has the commits since. A seat with a key sends If-Match and its signature (M18). A
    refusal of a signature has the text to sign. With `dry_run=true` nothing is committed. The
    answer then has the events of the move, without the results of chance. Up to the first of these
    results, each event has its changes to the state as the caller sees it. With `Prefer:
    return=minimal` the answer has only version, hash and receipt. Other preferences are ignored,
    and so is this one in a dry run.
    """
    key, signature = headers["idempotency_key"], headers["giornale_signature"]
    if dry_run:
        return _preview(submission_of(match, if_match, key, signature), data)

    with held_submission(match, if_match, key, signature) as submission:
        result = match_moves.move(ctx(), submission, data)
        return _answer_move(result, is_minimal=prefer == parameters.MINIMAL)


def _answer_move(result: Committed, *, is_minimal: bool) -> Response:
    """Answer the commit of a move, whole or minimal."""
    commit = commit_seen_by(result.maker, result)
    if not is_minimal:
        response = answer_about_commit(result, result.maker, commit)
    else:
        minimal = {name: commit[name] for name in ("version", "hash", "receipt") if name in commit}
        response = answer_about_commit(result, result.maker, minimal)
        response.headers["Preference-Applied"] = f"return={parameters.MINIMAL}"
    response.headers["Vary"] = "Prefer"
    return response


def _preview(submission: Submission, move: Mapping[str, object]) -> Response:
    """Answer the preview of a move."""
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
