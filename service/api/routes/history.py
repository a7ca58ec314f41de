"""The history of a match over HTTP: pages of commits, all of them as NDJSON, one of them."""

from collections.abc import Iterator
from typing import Any

import orjson
from flask import Blueprint, Response, request

from domain.seats import HOUSE_ACTOR, OWNER, PUBLIC, SEAT_ACTOR
from service.api.contract.moments import FROM, moment
from service.api.contract.operations import NDJSON, OF_A_MATCH, Answer, operation
from service.api.contract.parameters import IF_NONE_MATCH, WAIT, Words, number, words
from service.api.http import conditional
from service.api.http.answers import JSON, answer
from service.api.http.auth import token_for
from service.api.http.context import config, desk
from service.api.problems import kinds
from service.api.routes.common import UNCHANGED, link
from service.api.routes.streams import in_lines, linger
from service.errors import NotAcceptable, NotFound
from service.keys.tokens import Caller
from service.ledger.replay import Loaded
from service.matches import access, moments, reading
from service.matches.history import Filter, Page, check_type, lines, page
from service.matches.loading import entry_of
from service.matches.moments import Moment, Span

history = Blueprint("history", __name__, url_prefix="/v1/matches")

_VARY = {"Vary": "Authorization, Accept"}
_KEPT = ("from", "to", "actor", "type")  # of what was asked, for the pages before and after


_ACTORS = "|".join((SEAT_ACTOR, HOUSE_ACTOR, OWNER, PUBLIC))
_PARAMETERS = (
    number("after", "Only commits after this version.", 0, default=0),
    FROM,
    moment("to", "Only commits up to this moment, alike, and with it.", example="2026-03-01T18:30:00Z"),
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
)  # fmt: skip


@history.get("/<id:match>/commits")
@operation(
    "listCommits", "Read the history", tag="history", parameters=_PARAMETERS,
    answers={
        200: Answer("Commits, oldest first.", "CommitList", media=(JSON, NDJSON), headers=("ETag", "Link")),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, kinds.NOT_ACCEPTABLE, kinds.STREAMS),
)  # fmt: skip
def list_commits(
    match: str, after: int, to: Moment | None, limit: int, wait: int, if_none_match: set[str],
    **asked: Any,
) -> Response:  # fmt: skip
    """Read a page of the history, oldest first, redacted for the caller.

    With `Accept: application/x-ndjson` the answer is not a page but all that is asked for, a commit a line. A page
    whose commits can never become others may be kept for ever. `wait` keeps the request until there is a commit after
    the version. Of `after` and `from` the later counts. A page of `actor` or `type` may hold fewer than `limit` and
    yet lead on: go on as long as there is a `next`.
    """
    first: Moment | None = asked["from"]
    loaded, caller = access.enter(desk(), match, token_for(match))
    beyond = max(after, (first.version or 1) - 1 if first else 0)
    if wait and beyond >= loaded.version:
        linger(match, beyond, wait)
        loaded, caller = access.enter(desk(), match, token_for(match))
    wanted = Filter(asked["actor"], asked["type"])
    check_type(loaded, wanted.type)
    span = moments.span(desk(), loaded, after, first, to)
    if _form() == NDJSON:
        return _all(loaded, caller, span, wanted, if_none_match)
    limit = min(limit, config().page_max)
    shown = page(desk(), loaded, caller, span, wanted, limit)
    seen = reading.named(loaded, shown.last)
    told = conditional.headers(seen, caller, fixed=shown.fixed) | _VARY
    told["Link"] = ", ".join(_links(span, limit, shown, prev=not wanted))
    return conditional.shown({"commits": shown.commits}, told, if_none_match)


@history.get("/<id:match>/commits/<version:number>")
@operation(
    "getCommit", "Read one commit", tag="history", parameters=(IF_NONE_MATCH,),
    answers={200: Answer("The commit.", "Commit", headers=("ETag",)), 304: UNCHANGED}, problems=OF_A_MATCH,
)  # fmt: skip
def show_commit(match: str, number: int, if_none_match: set[str]) -> Response:
    """Read the commit that made a version, redacted for the caller, with its receipt. It never changes.

    The ETag names the key that signed the receipt: another key may sign it later, and both receipts are right.
    """
    loaded, caller = access.enter(desk(), match, token_for(match))
    if not 1 <= number <= loaded.version:
        raise NotFound(f"match {match} has the versions 1 to {loaded.version}, not {number}")
    told = conditional.headers(reading.named(loaded, number), caller, fixed=True)
    key = conditional.signing_key()
    if key:
        told["ETag"] = f'{told["ETag"][:-1]};{key[:8]}"'
    if conditional.unchanged(if_none_match, told["ETag"]):
        return Response(status=304, headers=told)

    entry = entry_of(desk(), match, number)
    commit = reading.shown(entry, caller)
    receipt = reading.receipt(desk(), entry)
    return answer(commit | ({"receipt": receipt} if receipt else {}), headers=told)


def _form() -> str:
    found = (
        request.accept_mimetypes.best_match([JSON, NDJSON]) if "Accept" in request.headers else JSON
    )
    if found is None:
        raise NotAcceptable(f"this comes as {JSON} or {NDJSON}")
    return found


def _all(loaded: Loaded, caller: Caller, span: Span, wanted: Filter, held: set[str]) -> Response:
    """Answer all commits of a span as lines; their ETag is another than that of a page."""
    version = span.until if span.closed else loaded.version
    told = conditional.headers(reading.named(loaded, version), caller, fixed=span.closed) | _VARY
    told["ETag"] = f'{told["ETag"][:-1]};lines"'
    if conditional.unchanged(held, told["ETag"]):
        return Response(status=304, headers=told)
    told_lines = (
        orjson.dumps(commit) + b"\n" for commit in lines(desk(), loaded, caller, span, wanted)
    )
    return in_lines(told_lines, told)


def _links(span: Span, limit: int, shown: Page, *, prev: bool) -> Iterator[str]:
    """Yield where to go on; whatever else was asked for is asked for again."""
    asked = {name: request.args[name] for name in _KEPT if name in request.args}
    yield link("first", after=span.start, limit=limit, **asked)
    if prev and span.after > span.start:
        before = max(span.start, span.after - limit)
        yield link("prev", after=before, limit=min(limit, span.after - before), **asked)
    if shown.more:
        yield link("next", after=shown.last, limit=limit, **asked)
