"""The story of a match over HTTP: what happened, in sentences; a page, all as lines, or as text."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response

from service.api import problems
from service.api.contract.operations import (
    NDJSON,
    OF_A_MATCH,
    TEXT,
    UNCHANGED,
    AnswerSpec,
    operation,
)
from service.api.contract.parameters import AFTER, FROM, IF_NONE_MATCH, LIMIT, SEAT, TO, WAIT
from service.api.http import responses
from service.api.http.context import ctx, enter
from service.api.http.requests import accepted
from service.api.http.responses import JSON, answer, json_line
from service.api.routes.history import Question, page_links
from service.api.routes.streams import in_lines, wait_beyond
from service.base import answers
from service.matches import stories as match_stories, views
from service.matches.access import Access
from service.matches.history import PageExtent
from service.matches.repository import load_head
from service.matches.stories import Names, text_lines
from service.matches.views import Range
from service.record.replay import Loaded

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
    problems=(*OF_A_MATCH, problems.ILLEGAL, problems.NOT_ACCEPTABLE, problems.STREAMS),
)
def read_story(match: str, **parameters: Any) -> Response:
    """Read what happened in English, each event in a sentence, as the caller may know it.

    Pages and `wait` are as in `listCommits`. With `Accept: application/x-ndjson` the answer is that
    of `readStoryLines`, with `Accept: text/plain` that of `readStoryText`.
    """
    found = _found(match, parameters)
    form = accepted(JSON, NDJSON, TEXT)
    return found.as_page() if form == JSON else found.as_lines(form)


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
    problems=(*OF_A_MATCH, problems.ILLEGAL, problems.STREAMS),
)
def read_story_lines(match: str, **given: Any) -> Response:
    """Read all of the story that is asked for, a JSON object a line."""
    return _found(match, given).as_lines(NDJSON)


@stories.get("/<id:match>/story.txt")
@operation(
    "readStoryText",
    "Read the story as text",
    tag="history",
    parameters=_OF_LINES,
    answers={
        200: AnswerSpec(
            "The story, oldest first, for people.",
            answers.StoryLine,
            media=(TEXT,),
            headers=("ETag",),
        ),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, problems.ILLEGAL, problems.STREAMS),
)
def read_story_text(match: str, **given: Any) -> Response:
    """Read all of the story that is asked for, as text for people."""
    return _found(match, given).as_lines(TEXT)


def _found(match: str, given: Mapping[str, Any]) -> "_FoundStory":
    """Return the part of a story that is asked for, after the wait that is asked for."""
    question = Question.of(given)
    access = enter(match)
    if question.wait and question.waits_beyond() >= access.version:
        wait_beyond(access, question.waits_beyond(), question.wait)
        access = enter(match)

    reader, access = access, views.seen_by(ctx(), access, given["seat"])
    loaded = load_head(ctx(), access)
    return _FoundStory(
        reader=reader,
        access=access,
        loaded=loaded,
        range=views.range_of(ctx(), access, question.after, question.first, question.last),
        question=question,
        names=match_stories.names_of(ctx(), loaded),
    )


@dataclass(frozen=True, slots=True)
class _FoundStory:
    """The part of a story that was asked for, as one reader may see it.

    access: with whose eyes the reader looks.
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
        asked = self.range
        near = Range(asked.after, min(asked.until, asked.after + question.limit), closed=True)
        extent = PageExtent.of(
            asked,
            last=max(near.after, near.until),
            is_full=near.until - near.after == question.limit,
            head=self.loaded.version,
        )

        headers = self._headers(extent.last)
        headers["Link"] = page_links(asked, question, extent)
        self._may_store(headers)
        if responses.is_unchanged(headers, question.held):
            return responses.unchanged(headers)

        lines = match_stories.story(ctx(), self.loaded, self.access.caller, self.names, near)
        return answer({"match": self.loaded.id, "lines": lines}, headers=headers)

    def as_lines(self, form: str) -> Response:
        """Answer all of the story, as lines of JSON or as text for people."""
        asked = self.range
        version = asked.until if asked.closed else self.loaded.version
        headers = self._headers(version, mark=_MARKS[form])
        self._may_store(headers)
        if responses.is_unchanged(headers, self.question.held):
            return responses.unchanged(headers)

        lines = match_stories.lines(ctx(), self.loaded, self.access.caller, self.names, asked)
        return in_lines(_WRITERS[form](lines), headers, form)

    def _may_store(self, headers: responses.Headers) -> None:
        """Let the answer be stored for as long as match and names stay."""
        responses.may_store(self.reader, headers, names=self.names.fields)

    def _headers(self, version: int, mark: str = "") -> responses.Headers:
        """Return ETag, Vary and Cache-Control: names may change, so nothing is kept unasked."""
        headers = responses.headers(
            self.access,
            version=version,
            mark=f"{mark}{self.names.fingerprint}",
        )
        headers["Vary"] = "Authorization, Accept"
        return headers


def _as_json_lines(lines: Iterable[answers.StoryLine]) -> Iterator[bytes]:
    return map(json_line, lines)


def _as_text(lines: Iterable[answers.StoryLine]) -> Iterator[bytes]:
    for line in text_lines(lines):
        yield f"{line}\n".encode()


_WRITERS = {NDJSON: _as_json_lines, TEXT: _as_text}
_MARKS = {NDJSON: "lines;", TEXT: "text;"}
