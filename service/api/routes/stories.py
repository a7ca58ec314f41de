"""The story of a match over HTTP: its moves in sentences, as a page or as lines."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response

from service.api import links, problems
from service.api.contract.operations import (
    NDJSON,
    OF_A_MATCH,
    UNCHANGED,
    WITH_A_SEAT,
    AnswerSpec,
    operation,
)
from service.api.contract.parameters import AFTER, FROM, IF_NONE_MATCH, LIMIT, SEAT, TO, WAIT
from service.api.http import responses
from service.api.http.context import ctx, enter
from service.api.http.responses import answer, json_line
from service.api.routes.history import Question
from service.api.routes.streams import in_lines, wait_beyond
from service.base import answers
from service.matches import stories as match_stories, views
from service.matches.access import Access
from service.matches.history import PageExtent
from service.matches.repository import load_head
from service.matches.stories import Names
from service.record.replay import Loaded
from service.store.journal.values import Range

stories = Blueprint("stories", __name__, url_prefix="/v1/matches")

_OF_LINES = (AFTER, FROM, TO, SEAT, WAIT, IF_NONE_MATCH)


@stories.get("/<id:match>/story")
@operation(
    "readStory",
    "Read the story",
    tag="history",
    parameters=(AFTER, FROM, TO, LIMIT, SEAT, WAIT, IF_NONE_MATCH),
    answers={
        200: AnswerSpec(
            "The story, oldest first.",
            answers.Story,
            headers=("ETag", "Link"),
        ),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, *WITH_A_SEAT),
)
def read_story(match: str, **parameters: Any) -> Response:
    """Read the story in English, each event in a sentence, as the caller may know it.

    Pages and `wait` are as in `listCommits`.
    """
    return _result(match, parameters).as_page()


@stories.get("/<id:match>/story.ndjson")
@operation(
    "readStoryLines",
    "Read the story as lines",
    tag="history",
    parameters=_OF_LINES,
    answers={
        200: AnswerSpec(
            "The story, oldest first, a commit a line.",
            answers.StoryLine,
            media=(NDJSON,),
            headers=("ETag",),
        ),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, *WITH_A_SEAT, problems.STREAMS),
)
def read_story_lines(match: str, **parameters: Any) -> Response:
    """Read the selected part of the story, a JSON object a line."""
    return _result(match, parameters).as_lines()


def _result(match: str, values: Mapping[str, Any]) -> "_StoryResult":
    """Return the part of a story for a request's parameters, after the requested wait."""
    question = Question.of(values)
    access = enter(match)
    if question.wait and question.waits_beyond() >= access.version:
        wait_beyond(access, question.waits_beyond(), question.wait)
        access = enter(match)

    reader, access = access, views.seen_by(ctx(), access, values["seat"])
    loaded = load_head(ctx(), access)
    return _StoryResult(
        reader=reader,
        access=access,
        loaded=loaded,
        range=views.range_of(ctx(), access, question.after, question.first, question.last),
        question=question,
        names=match_stories.names_of(ctx(), loaded),
    )


@dataclass(frozen=True, slots=True)
class _StoryResult:
    """The result of a query in a story, for one reader.

    reader: access of the caller.   access: the view of the match, perhaps of another seat.
    """

    reader: Access
    access: Access
    loaded: Loaded
    range: Range
    question: Question
    names: Names

    def as_page(self) -> Response:
        """Answer a page of the story."""
        question = self.question
        span = self.range
        near = Range(span.after, min(span.until, span.after + question.limit), closed=True)
        extent = PageExtent.of(
            span,
            last=max(near.after, near.until),
            is_full=near.until - near.after == question.limit,
            head=self.loaded.version,
        )

        headers = self._headers(extent.last)
        following = links.next_page(headers, after=extent.last) if extent.more else None
        self._may_store(headers)
        if responses.is_unchanged(headers, question.etags):
            return responses.unchanged(headers)

        lines = match_stories.story(ctx(), self.loaded, self.access.caller, self.names, near)
        value = {"match": self.loaded.id, "lines": lines, "next": following}
        return answer(value, headers=headers)

    def as_lines(self) -> Response:
        """Answer all of the story as lines."""
        span = self.range
        version = span.until if span.closed else self.loaded.version
        headers = self._headers(version)
        self._may_store(headers)
        if responses.is_unchanged(headers, self.question.etags):
            return responses.unchanged(headers)

        lines = match_stories.lines(ctx(), self.loaded, self.access.caller, self.names, span)
        return in_lines(map(json_line, lines), headers)

    def _may_store(self, headers: responses.Headers) -> None:
        """Let the answer be stored until the match has a new commit or a name changes."""
        responses.may_store(self.reader, headers, names=self.names.fields)

    def _headers(self, version: int) -> responses.Headers:
        """Return ETag, Vary and Cache-Control. Names may change, so the answer is revalidated each
        time.
        """
        return responses.headers(self.access, version=version, mark=self.names.fingerprint)
