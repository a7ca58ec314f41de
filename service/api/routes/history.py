"""The history of a match over HTTP: pages of commits, all of them as NDJSON, one of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import orjson
from flask import Blueprint, Response, request

from domain.seats import HOUSE_ACTOR, OWNER, PUBLIC, SEAT_ACTOR
from service.api import links
from service.api.contract.moments import FROM, moment
from service.api.contract.operations import NDJSON, OF_A_MATCH, UNCHANGED, Answer, operation
from service.api.contract.parameters import IF_NONE_MATCH, WAIT, Words, number, words
from service.api.http import conditional
from service.api.http.answers import JSON, answer
from service.api.http.auth import enter
from service.api.http.context import config, desk
from service.api.problems import kinds
from service.api.routes.long_answers import in_lines, wait_beyond
from service.errors import NotAcceptable, NotFound
from service.keys.tokens import Caller
from service.ledger import codec
from service.ledger.replay import Loaded
from service.matches import moments, reading
from service.matches.history import Filter, Page, check_type, lines, page
from service.matches.moments import Moment, Span

history = Blueprint("history", __name__, url_prefix="/v1/matches")

_VARY = {"Vary": "Authorization, Accept"}
# What pages before and after ask for again.
_KEPT_PARAMETERS = ("from", "to", "actor", "type")

_ACTORS = "|".join((SEAT_ACTOR, HOUSE_ACTOR, OWNER, PUBLIC))
_PARAMETERS = (
    number("after", "Only commits after this version.", 0, default=0),
    FROM,
    moment(
        "to",
        "Only commits up to this moment, alike, and with it.",
        example="2026-03-01T18:30:00Z",
    ),
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
    number("limit", "How many on a page, at most; the server may give fewer.", 1, 5000, 100),
    WAIT,
    IF_NONE_MATCH,
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a history."""

    after: int
    first: Moment | None
    last: Moment | None
    wanted: Filter
    limit: int
    # Seconds.
    wait: int
    # The ETags that the caller has.
    held: set[str]

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the question that a request's parameters ask."""
        return cls(
            after=parameters["after"],
            first=parameters["from"],
            last=parameters["to"],
            wanted=Filter(parameters["actor"], parameters["type"]),
            limit=min(parameters["limit"], config().page_max),
            wait=parameters["wait"],
            held=parameters["if_none_match"],
        )

    def waits_beyond(self) -> int:
        """Return the version that the match must have passed for the first commit to be there."""
        if self.first is None:
            return self.after
        before_first = (self.first.version or 1) - 1
        return max(self.after, before_first)


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
            headers=("ETag", "Link"),
        ),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, kinds.NOT_ACCEPTABLE, kinds.STREAMS),
)
def list_commits(match: str, **parameters: Any) -> Response:
    """Read a page of the history, oldest first, redacted for the caller.

    With `Accept: application/x-ndjson` the answer is not a page but all that is asked for, a commit
    a line. A page whose commits can never become others may be kept for ever. `wait` keeps the
    request until there is a commit after the version. Of `after` and `from` the later counts. A
    page of `actor` or `type` may hold fewer than `limit` and yet lead on: go on as long as there is
    a `next`.
    """
    question = Question.of(parameters)
    loaded, caller = enter(match)
    if question.wait and question.waits_beyond() >= loaded.version:
        wait_beyond(match, question.waits_beyond(), question.wait)
        loaded, caller = enter(match)

    check_type(loaded, question.wanted.type)
    span = moments.span(desk(), loaded, question.after, question.first, question.last)
    if _accepted_form() == NDJSON:
        return _all_as_lines(loaded, caller, span, question)
    return _one_page(loaded, caller, span, question)


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
    if not 1 <= number <= loaded.version:
        raise NotFound(f"match {match} has the versions 1 to {loaded.version}, not {number}")

    headers = conditional.headers(reading.named(loaded, number), caller, fixed=True)
    key_id = conditional.signing_key()
    if key_id:
        headers["ETag"] = conditional.with_mark(headers["ETag"], key_id[:8])
    if conditional.is_unchanged(headers, if_none_match):
        return conditional.unchanged(headers)

    entry = codec.parse(desk().journal.read(match, number - 1, 1)[0])
    commit = reading.shown(entry, caller)
    receipt = reading.receipt(desk(), entry)
    if receipt:
        commit["receipt"] = receipt
    return answer(commit, headers=headers)


def _accepted_form() -> str:
    """Return the media type that the request likes best; raises NotAcceptable."""
    if "Accept" not in request.headers:
        return JSON
    best = request.accept_mimetypes.best_match([JSON, NDJSON])
    if best is None:
        raise NotAcceptable(f"this comes as {JSON} or {NDJSON}")
    return best


def _one_page(loaded: Loaded, caller: Caller, span: Span, question: Question) -> Response:
    """Answer a page of the commits of a span."""
    shown = page(desk(), loaded, caller, span, question.wanted, question.limit)
    seen = reading.named(loaded, shown.last)
    headers = conditional.headers(seen, caller, fixed=shown.fixed) | _VARY
    headers["Link"] = ", ".join(_links(span, shown, question))
    if conditional.is_unchanged(headers, question.held):
        return conditional.unchanged(headers)
    return answer({"commits": shown.commits}, headers=headers)


def _all_as_lines(loaded: Loaded, caller: Caller, span: Span, question: Question) -> Response:
    """Answer all commits of a span as lines; their ETag is another than that of a page."""
    version = span.until if span.closed else loaded.version
    seen = reading.named(loaded, version)
    headers = conditional.headers(seen, caller, fixed=span.closed) | _VARY
    headers["ETag"] = conditional.with_mark(headers["ETag"], "lines")
    if conditional.is_unchanged(headers, question.held):
        return conditional.unchanged(headers)

    commits = lines(desk(), loaded, caller, span, question.wanted)
    return in_lines((orjson.dumps(commit) + b"\n" for commit in commits), headers)


def _links(span: Span, shown: Page, question: Question) -> list[str]:
    """Return where to go on; whatever else was asked for is asked for again."""
    limit = question.limit
    kept = {name: request.args[name] for name in _KEPT_PARAMETERS if name in request.args}
    links_found = [links.related("first", after=span.start, limit=limit, **kept)]

    # Nobody knows where the page before a filtered one began.
    if span.after > span.start and not question.wanted:
        before = max(span.start, span.after - limit)
        fewer = min(limit, span.after - before)
        links_found.append(links.related("prev", after=before, limit=fewer, **kept))
    if shown.more:
        links_found.append(links.related("next", after=shown.last, limit=limit, **kept))
    return links_found
