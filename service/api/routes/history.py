"""The history of a match over HTTP: pages of commits, all of them as NDJSON, one of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from flask import Blueprint, Response, request

from domain.seats import HOUSE_ACTOR, OWNER, PUBLIC, SEAT_ACTOR
from service.api import links, problems
from service.api.contract import parameters
from service.api.contract.operations import (
    NDJSON,
    OF_A_MATCH,
    STORED,
    UNCHANGED,
    AnswerSpec,
    operation,
)
from service.api.http import responses
from service.api.http.context import ctx, enter, page_limit
from service.api.http.requests import accepted
from service.api.http.responses import JSON, answer, json_line
from service.api.routes.streams import in_lines, wait_beyond
from service.base import answers
from service.matches import views
from service.matches.access import Access
from service.matches.history import CommitFilter, PageExtent, Selection, check_type, lines, page
from service.matches.repository import read_commit, rules_of
from service.matches.views import Position, Range

# ---- what is asked of a history, and the commits that are found: a page, or all as lines -----

# What pages before and after ask for again.
_KEPT_PARAMETERS = ("from", "to", "actor", "type", "seat")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a history."""

    after: int
    first: Position | None
    last: Position | None
    wanted: CommitFilter
    # Of a page; lines have none.
    limit: int
    # Seconds.
    wait: int
    # The ETags that the caller has.
    held: set[str]

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Return the question that a request's parameters ask."""
        return cls(
            after=given["after"],
            first=given["from"],
            last=given["to"],
            wanted=CommitFilter(given.get("actor"), given.get("type")),
            limit=page_limit(given.get("limit", 1)),
            wait=given["wait"],
            held=given["if_none_match"],
        )

    def waits_beyond(self) -> int:
        """Return the version that the match must have passed for the first commit to be there."""
        if self.first is None:
            return self.after
        before_first = (self.first.version or 1) - 1
        return max(self.after, before_first)


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """What a question finds in the history of a match, for one reader."""

    access: Access
    range: Range
    question: Question

    def as_page(self) -> Response:
        """Answer a page of the commits."""
        question = self.question
        selection = Selection(self.range, question.wanted)
        shown = page(ctx(), self.access, selection, question.limit)

        extent = shown.extent
        headers = self._headers(extent.last, shown.last_hash, fixed=extent.fixed)
        headers["Link"] = page_links(self.range, question, extent)
        lasts = extent.fixed and question.last is None
        responses.may_store(self.access, headers, lasts=lasts)
        if responses.is_unchanged(headers, question.held):
            return responses.unchanged(headers)
        return answer({"commits": shown.commits}, headers=headers)

    def as_lines(self) -> Response:
        """Answer all the commits as lines; their ETag is another than that of a page."""
        question = self.question
        wanted = self.range
        version = wanted.until if wanted.closed else self.access.version
        headers = self._headers(version, fixed=wanted.closed, mark="lines")
        responses.may_store(self.access, headers)
        if responses.is_unchanged(headers, question.held):
            return responses.unchanged(headers)

        commits = lines(ctx(), self.access, Selection(wanted, question.wanted))
        return in_lines(map(json_line, commits), headers)

    def _headers(
        self, version: int, commit_hash: str | None = None, *, fixed: bool, mark: str = ""
    ) -> responses.Headers:
        headers = responses.headers(
            self.access,
            version=version,
            commit_hash=commit_hash,
            fixed=fixed,
            mark=mark,
        )
        headers["Vary"] = "Authorization, Accept"
        return headers


def page_links(asked: Range, question: Question, extent: PageExtent) -> str:
    """Return where to go on, as the header Link; whatever else was asked for is asked for again."""
    start = asked.start
    after = asked.after
    limit = question.limit
    kept = {name: request.args[name] for name in _KEPT_PARAMETERS if name in request.args}
    found = [links.related("first", after=start, limit=limit, **kept)]

    # Nobody knows where the page before a filtered one began.
    if after > start and not question.wanted:
        before = max(start, after - limit)
        fewer = min(limit, after - before)
        previous = links.related("prev", after=before, limit=fewer, **kept)
        found.append(previous)

    if extent.more:
        following = links.related("next", after=extent.last, limit=limit, **kept)
        found.append(following)
    return ", ".join(found)


# ---- operations ----------------------------------------------------------------------------

history = Blueprint("history", __name__, url_prefix="/v1/matches")

_ACTORS = "|".join((SEAT_ACTOR, HOUSE_ACTOR, OWNER, PUBLIC))
_PARAMETERS = (
    parameters.AFTER,
    parameters.FROM,
    parameters.TO,
    parameters.words(
        "actor",
        "Only commits that were made by `seat:N`, `house`, `owner`, or `public` (who joined).",
        parameters.Words(_ACTORS, expected="must be seat:0 to seat:15, house, owner or public"),
        example="seat:0",
    ),
    parameters.words(
        "type",
        "Only commits with an event of this type.",
        parameters.Words(
            "[a-z0-9_]{1,60}", expected="must be the type of an event, such as match_started"
        ),
        example="match_started",
    ),
    parameters.LIMIT,
    parameters.WAIT,
    parameters.IF_NONE_MATCH,
)
_OF_LINES = tuple(one for one in _PARAMETERS if one is not parameters.LIMIT)


@history.get("/<id:match>/commits")
@operation(
    "listCommits",
    "Read the history",
    tag="history",
    parameters=_PARAMETERS,
    answers={
        200: AnswerSpec(
            "Commits, oldest first.",
            answers.CommitList,
            headers=("ETag", "Link"),
        ),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, problems.NOT_ACCEPTABLE, problems.STREAMS),
)
def list_commits(match: str, **given: Any) -> Response:
    """Read a page of the history, oldest first, redacted for the caller.

    With `Accept: application/x-ndjson` the answer is that of `listCommitLines`. A page that nothing
    will be added to may be kept for a while. `wait` keeps the request until there is a commit after
    the version. Of `after` and `from` the later counts. A page of `actor` or `type` may hold fewer
    than `limit` and yet lead on: go on as long as there is a `next`.
    """
    found = _found(match, given)
    if accepted(JSON, NDJSON) == NDJSON:
        return found.as_lines()
    return found.as_page()


@history.get("/<id:match>/commits.ndjson")
@operation(
    "listCommitLines",
    "Read the history as lines",
    tag="history",
    parameters=_OF_LINES,
    answers={
        200: AnswerSpec(
            "Commits, oldest first, one a line.",
            answers.Commit,
            media=(NDJSON,),
            headers=("ETag",),
        ),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, problems.STREAMS),
)
def list_commit_lines(match: str, **given: Any) -> Response:
    """Read all of the history that is asked for, a commit a line, redacted for the caller."""
    return _found(match, given).as_lines()


def _found(match: str, given: Mapping[str, Any]) -> HistoryAnswer:
    """Return the commits that are asked for, after the wait that is asked for."""
    question = Question.of(given)
    access = enter(match)
    if question.wait and question.waits_beyond() >= access.version:
        wait_beyond(access, question.waits_beyond(), question.wait)
        access = enter(match)

    check_type(ctx(), access, question.wanted.type)
    wanted = views.range_of(ctx(), access, question.after, question.first, question.last)
    return HistoryAnswer(access, wanted, question)


@history.get("/<id:match>/commits/<version:number>")
@operation(
    "getCommit",
    "Read one commit",
    tag="history",
    parameters=(parameters.IF_NONE_MATCH,),
    answers={
        200: AnswerSpec("The commit.", answers.Commit, headers=("ETag",)),
        304: UNCHANGED,
    },
    problems=STORED,
)
def show_commit(match: str, number: int, if_none_match: set[str]) -> Response:
    """Read the commit that made a version, redacted for the caller, with its receipt. It
    never changes.

    The ETag names the key that signed the receipt: another key may sign it later, and both receipts
    are right.
    """
    access = enter(match)
    version = views.version_of(ctx(), access, Position(version=number))
    entry = read_commit(ctx(), match, version)
    headers = responses.headers(
        access,
        version=version,
        commit_hash=entry["hash"],
        fixed=True,
        mark=responses.signing_key()[:8],
    )
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)

    commit = views.shown(entry, rules_of(ctx(), match, [entry]), access.caller)
    receipt = views.receipt(ctx(), entry)
    if receipt:
        commit["receipt"] = receipt
    return answer(commit, headers=headers)
