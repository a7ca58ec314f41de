"""The history of a match over HTTP: pages of commits, all commits as NDJSON, single commits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from flask import Blueprint, Response

from domain.seats import ACTOR
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
from service.api.http.responses import answer, json_line
from service.api.routes.streams import in_lines, wait_beyond
from service.base import answers
from service.matches import views
from service.matches.access import Access
from service.matches.history import CommitFilter, Selection, check_type, lines, page
from service.matches.repository import read_commit, rules_of
from service.matches.views import Position
from service.store.journal.values import Range

# ---- the query of a history, and its commits: a page, or all as lines ------------------------


@dataclass(frozen=True, slots=True)
class Question:
    """The query of a history, from the parameters of a request."""

    after: int
    first: Position | None
    last: Position | None
    commit_filter: CommitFilter
    # Largest number of commits on a page. Lines have no limit.
    limit: int
    # Longest wait, in seconds.
    wait: int
    # ETags of the caller.
    etags: set[str]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the query of a request's parameters."""
        return cls(
            after=values["after"],
            first=values["from"],
            last=values["to"],
            commit_filter=CommitFilter(values.get("actor"), values.get("type")),
            limit=page_limit(values.get("limit", 1)),
            wait=values["wait"],
            etags=values["if_none_match"],
        )

    def waits_beyond(self) -> int:
        """Return the version that the match must pass before the query has a first commit."""
        if self.first is None:
            return self.after
        before_first = (self.first.version or 1) - 1
        return max(self.after, before_first)


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """The result of a query in the history of a match, for one reader."""

    access: Access
    range: Range
    question: Question

    def as_page(self) -> Response:
        """Answer a page of the commits."""
        question = self.question
        selection = Selection(self.range, question.commit_filter)
        result = page(ctx(), self.access, selection, question.limit)

        extent = result.extent
        headers = responses.headers(
            self.access, version=extent.last, commit_hash=result.last_hash, fixed=extent.fixed
        )
        following = links.next_page(headers, after=extent.last) if extent.more else None
        lasts = extent.fixed and question.last is None
        responses.may_store(self.access, headers, lasts=lasts)
        if responses.is_unchanged(headers, question.etags):
            return responses.unchanged(headers)
        return answer({"commits": result.commits, "next": following}, headers=headers)

    def as_lines(self) -> Response:
        """Answer all the commits as lines."""
        question = self.question
        span = self.range
        version = span.until if span.closed else self.access.version
        headers = responses.headers(self.access, version=version, fixed=span.closed)
        responses.may_store(self.access, headers)
        if responses.is_unchanged(headers, question.etags):
            return responses.unchanged(headers)

        commits = lines(ctx(), self.access, Selection(span, question.commit_filter))
        return in_lines(map(json_line, commits), headers)


# ---- operations ----------------------------------------------------------------------------

history = Blueprint("history", __name__, url_prefix="/v1/matches")

_PARAMETERS = (
    parameters.AFTER,
    parameters.FROM,
    parameters.TO,
    parameters.words(
        "actor",
        "Only commits of this actor.",
        parameters.Words(
            ACTOR, expected="must be seat:0 to seat:15, house, owner, invitation or public"
        ),
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
    problems=OF_A_MATCH,
)
def list_commits(match: str, **values: Any) -> Response:
    """Read a page of the history, oldest first, redacted for the caller.

    A page that cannot grow may be cached for a while. `wait` holds the request until there is a
    commit after `after`, or from the version `from` on. Of `after` and `from` the later counts.
    With `actor` or `type`, a page with fewer than `limit` commits may have a `next`, too: read on
    until `next` is null.
    """
    return _result(match, values).as_page()


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
def list_commit_lines(match: str, **values: Any) -> Response:
    """Read the selected part of the history, a commit a line, redacted for the caller."""
    return _result(match, values).as_lines()


def _result(match: str, values: Mapping[str, Any]) -> HistoryAnswer:
    """Return the result of a query, after its wait."""
    question = Question.of(values)
    access = enter(match)
    if question.wait and question.waits_beyond() >= access.version:
        wait_beyond(access, question.waits_beyond(), question.wait)
        access = enter(match)

    check_type(ctx(), access, question.commit_filter.type)
    span = views.range_of(ctx(), access, question.after, question.first, question.last)
    return HistoryAnswer(access, span, question)


@history.get("/<id:match>/commits/<version:version>")
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
def show_commit(match: str, version: int, if_none_match: set[str]) -> Response:
    """Read the commit of a version, redacted for the caller, with its receipt.

    The commit never changes. The ETag names the key of the receipt: another key may sign later, and
    both receipts are right.
    """
    access = enter(match)
    version = views.version_of(ctx(), access, Position(version=version))
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
