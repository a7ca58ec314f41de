"""The history of a match over HTTP: pages of commits, all of them as NDJSON, one of them."""

from typing import Any

from flask import Blueprint, Response

from domain.seats import HOUSE_ACTOR, OWNER, PUBLIC, SEAT_ACTOR
from service.api.contract.moments import FROM, TO
from service.api.contract.operations import NDJSON, OF_A_MATCH, UNCHANGED, Answer, operation
from service.api.contract.parameters import AFTER, IF_NONE_MATCH, LIMIT, WAIT, Words, words
from service.api.http import conditional
from service.api.http.answers import JSON, answer
from service.api.http.auth import enter
from service.api.http.context import desk
from service.api.http.negotiation import accepted
from service.api.problems import kinds
from service.api.routes.commit_pages import Found, Question
from service.api.routes.long_answers import wait_beyond
from service.matches import moments, reading
from service.matches.history import check_type
from service.matches.loading import entry_of
from service.matches.moments import Moment

history = Blueprint("history", __name__, url_prefix="/v1/matches")

_ACTORS = "|".join((SEAT_ACTOR, HOUSE_ACTOR, OWNER, PUBLIC))
_PARAMETERS = (
    AFTER,
    FROM,
    TO,
    words(
        "actor",
        "Only commits that were made by `seat:N`, `house`, `owner`, or `public` (who joined).",
        Words(_ACTORS, expected="must be seat:0 to seat:15, house, owner or public"),
        example="seat:0",
    ),
    words(
        "type",
        "Only commits with an event of this type.",
        Words("[a-z0-9_]{1,60}", expected="must be the type of an event, such as match_started"),
        example="match_started",
    ),
    LIMIT,
    WAIT,
    IF_NONE_MATCH,
)


@history.get("/<id:match>/commits")
@operation(
    "listCommits",
    "Read the history",
    tag="history",
    parameters=_PARAMETERS,
    answers={
        200: Answer(
            "Commits, oldest first.",
            "CommitList",
            media=(JSON, NDJSON),
            item="Commit",
            headers=("ETag", "Link"),
        ),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, kinds.NOT_ACCEPTABLE, kinds.STREAMS),
)
def list_commits(match: str, **parameters: Any) -> Response:
    """Read a page of the history, oldest first, redacted for the caller.

    With `Accept: application/x-ndjson` the answer is not a page but all that is asked for, a commit
    a line. A page that nothing will be added to may be kept for a while. `wait` keeps the
    request until there is a commit after the version. Of `after` and `from` the later counts. A
    page of `actor` or `type` may hold fewer than `limit` and yet lead on: go on as long as there is
    a `next`.
    """
    question = Question.of(parameters)
    loaded, caller = enter(match)
    if question.wait and question.waits_beyond() >= loaded.version:
        wait_beyond(loaded, question.waits_beyond(), question.wait)
        loaded, caller = enter(match)

    check_type(loaded, question.wanted.type)
    span = moments.span(desk(), loaded, question.after, question.first, question.last)
    found = Found(loaded, caller, span, question)
    if accepted(JSON, NDJSON) == NDJSON:
        return found.as_lines()
    return found.as_page()


@history.get("/<id:match>/commits/<version:number>")
@operation(
    "getCommit",
    "Read one commit",
    tag="history",
    parameters=(IF_NONE_MATCH,),
    answers={
        200: Answer("The commit.", "Commit", headers=("ETag",)),
        304: UNCHANGED,
    },
    problems=OF_A_MATCH,
)
def show_commit(match: str, number: int, if_none_match: set[str]) -> Response:
    """Read the commit that made a version, redacted for the caller, with its receipt. It
    never changes.

    The ETag names the key that signed the receipt: another key may sign it later, and both receipts
    are right.
    """
    loaded, caller = enter(match)
    version = moments.version_of(desk(), loaded, Moment(version=number))
    headers = conditional.headers(
        loaded,
        caller,
        version=version,
        fixed=True,
        mark=conditional.signing_key()[:8],
    )
    if conditional.is_unchanged(headers, if_none_match):
        return conditional.unchanged(headers)

    entry = entry_of(desk(), match, version)
    commit = reading.shown(entry, caller)
    receipt = reading.receipt(desk(), entry)
    if receipt:
        commit["receipt"] = receipt
    return answer(commit, headers=headers)
