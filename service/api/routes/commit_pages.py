"""What is asked of a match's history, and the commits that answer it: a page, or all as lines."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from flask import Response, request

from service.api import links
from service.api.http import conditional
from service.api.http.answers import answer, json_line
from service.api.http.context import config, desk
from service.api.routes.long_answers import in_lines
from service.keys.tokens import Caller
from service.ledger.replay import Loaded
from service.matches.history import Filter, Reach, Selection, lines, page
from service.matches.moments import Moment, Span

# What pages before and after ask for again.
_KEPT_PARAMETERS = ("from", "to", "actor", "type")


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
            wanted=Filter(parameters.get("actor"), parameters.get("type")),
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


@dataclass(frozen=True, slots=True)
class Found:
    """What a question finds in the history of a match, for one reader."""

    loaded: Loaded
    caller: Caller
    span: Span
    question: Question

    def as_page(self) -> Response:
        """Answer a page of the commits."""
        question = self.question
        shown = page(
            desk(),
            self.loaded,
            self.caller,
            Selection(self.span, question.wanted),
            question.limit,
        )

        headers = self._headers(shown.reach.last, fixed=shown.reach.fixed)
        headers["Link"] = page_links(self.span, question, shown.reach)
        lasts = shown.reach.fixed and question.last is None
        conditional.may_keep(self.loaded, self.caller, headers, lasts=lasts)
        if conditional.is_unchanged(headers, question.held):
            return conditional.unchanged(headers)
        return answer({"commits": shown.commits}, headers=headers)

    def as_lines(self) -> Response:
        """Answer all the commits as lines; their ETag is another than that of a page."""
        question = self.question
        span = self.span
        version = span.until if span.closed else self.loaded.version
        headers = self._headers(version, fixed=span.closed, mark="lines")
        conditional.may_keep(self.loaded, self.caller, headers)
        if conditional.is_unchanged(headers, question.held):
            return conditional.unchanged(headers)

        commits = lines(
            desk(),
            self.loaded,
            self.caller,
            Selection(span, question.wanted),
        )
        return in_lines(map(json_line, commits), headers)

    def _headers(self, version: int, *, fixed: bool, mark: str = "") -> conditional.Headers:
        headers = conditional.headers(
            self.loaded,
            self.caller,
            version=version,
            fixed=fixed,
            mark=mark,
        )
        headers["Vary"] = "Authorization, Accept"
        return headers


def page_links(span: Span, question: Question, reach: Reach) -> str:
    """Return where to go on, as the header Link; whatever else was asked for is asked for again."""
    start = span.start
    after = span.after
    limit = question.limit
    kept = {name: request.args[name] for name in _KEPT_PARAMETERS if name in request.args}
    found = [links.related("first", after=start, limit=limit, **kept)]

    # Nobody knows where the page before a filtered one began.
    if after > start and not question.wanted:
        before = max(start, after - limit)
        fewer = min(limit, after - before)
        previous = links.related("prev", after=before, limit=fewer, **kept)
        found.append(previous)

    if reach.more:
        following = links.related("next", after=reach.last, limit=limit, **kept)
        found.append(following)
    return ", ".join(found)
