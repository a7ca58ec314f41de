"""The state of a match over HTTP, now and at any moment of its past, and differences."""

from typing import Any

import orjson
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
from service.api.contract.parameters import AT, IF_NONE_MATCH, LIMIT, SEAT, WAIT, moment, number
from service.api.http import responses
from service.api.http.context import config, ctx, enter, page_limit
from service.api.http.responses import answer
from service.api.routes.streams import in_lines, wait_for_another
from service.base import answers
from service.matches import history, stories, views
from service.matches.access import Access
from service.matches.repository import load_head, read_commit_hash
from service.matches.views import Position

states = Blueprint("states", __name__, url_prefix="/v1/matches")

_AFTER = number("after", "Only states after this version.", 0, default=0)


@states.get("/<id:match>/state")
@operation(
    "getState",
    "See the state",
    tag="play",
    parameters=(
        number("version", "Show the match as it was after this many commits.", 1),
        AT,
        SEAT,
        WAIT,
        IF_NONE_MATCH,
    ),
    answers={
        200: AnswerSpec("The state.", answers.State, headers=("ETag",)),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, *WITH_A_SEAT),
)
def show_state(
    match: str, wait: int, if_none_match: set[str], seat: int | None, **query: Any
) -> Response:
    """Show the match as the caller may see it: now, at a version or at a moment.

    Of a version and a moment the earlier counts. The public sees all that lies open. A seat's token
    adds the secrets of that seat. Once the match is revealed everybody may choose the view of any
    `seat`. A past state never changes. If If-None-Match has the ETag of the present state, `wait`
    holds the request until there is a new one.
    """
    version, at = query["version"], query["at"]
    reader = enter(match)
    if version is None and at is None:
        reader = wait_for_another(reader, wait, if_none_match)
    access = views.seen_by(ctx(), reader, seat)
    shown_version, is_fixed = _shown_version(access, version, at)

    # If the caller sends an ETag, it may be of this state. Then only the hash of the commit is
    # read.
    loaded = None if if_none_match else views.load_at(ctx(), access, shown_version)
    commit_hash = loaded.hash if loaded else read_commit_hash(ctx(), access, shown_version)
    headers = responses.headers(
        access,
        version=shown_version,
        commit_hash=commit_hash,
        fixed=is_fixed,
    )
    # Later, a time may stand for a later version, so such an answer does not last.
    responses.may_store(reader, headers, lasts=version is not None and at is None)
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)

    loaded = loaded or views.load_at(ctx(), access, shown_version)
    return answer(views.view(loaded, access.caller), headers=headers)


@states.get("/<id:match>/states")
@operation(
    "listStates",
    "See the states of many versions",
    tag="history",
    parameters=(
        _AFTER,
        LIMIT,
        SEAT,
        IF_NONE_MATCH,
    ),
    answers={
        200: AnswerSpec(
            "States, oldest first.",
            answers.StateList,
            headers=("ETag", "Link"),
        ),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, *WITH_A_SEAT),
)
def list_states(
    match: str, after: int, limit: int, seat: int | None, if_none_match: set[str]
) -> Response:
    """Show the match as the caller may see it at consecutive versions, each as `getState` does.

    A page that cannot grow may be cached for a while.
    """
    reader = enter(match)
    access = views.seen_by(ctx(), reader, seat)
    span = views.page_range(access, after, page_limit(limit))
    headers = responses.headers(access, version=span.until, fixed=span.closed)
    following = links.next_page(headers, after=span.until) if span.closed else None
    responses.may_store(reader, headers, lasts=span.closed)
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)

    page = views.states(ctx(), access, span)
    return answer({"match": match, "states": page, "next": following}, headers=headers)


@states.get("/<id:match>/states.ndjson")
@operation(
    "listStateLines",
    "See the states of many versions as lines",
    tag="history",
    parameters=(_AFTER, SEAT, IF_NONE_MATCH),
    answers={
        200: AnswerSpec(
            "States, oldest first, one a line.",
            answers.State,
            media=(NDJSON,),
            headers=("ETag",),
        ),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, *WITH_A_SEAT, problems.STREAMS),
)
def list_state_lines(match: str, after: int, seat: int | None, if_none_match: set[str]) -> Response:
    """Show the match as the caller may see it at every version after `after`, a state a line."""
    reader = enter(match)
    access = views.seen_by(ctx(), reader, seat)
    span = views.range_to_head(access, after)
    headers = responses.headers(access, version=span.until, fixed=span.closed)
    responses.may_store(reader, headers)
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)

    all_states = views.each_state(ctx(), access, span)
    return in_lines(map(_line, all_states), headers)


@states.get("/<id:match>/diff")
@operation(
    "getDiff",
    "Compare two versions",
    tag="history",
    parameters=(
        moment("from", "One moment: a version, or a time (RFC 3339).", required=True, example=1),
        moment("to", "The other moment. Default: the last version.", example=2),
        IF_NONE_MATCH,
    ),
    answers={
        200: AnswerSpec("The changes.", answers.Diff, headers=("ETag",)),
        304: UNCHANGED,
    },
    problems=OF_A_MATCH,
)
def show_diff(
    match: str, to: Position | None, if_none_match: set[str], **query: Position
) -> Response:
    """Show the changes between two versions.

    `commits` are the commits in between as the caller may see them. Of very many only the first are
    shown. `story` tells these commits in sentences. `changes` is a JSON Patch from the `state` at
    `from` to the `state` at `to`, both as the caller sees them. A time stands for the version of
    the match at that time.
    """
    access = enter(match)
    first = query["from"]
    last = Position(version=access.version) if to is None else to
    start = views.version_of(ctx(), access, first)
    end = views.version_of(ctx(), access, last)

    # Names may change, so the answer is revalidated each time.
    loaded = load_head(ctx(), access)
    names = stories.names_of(ctx(), loaded)
    later = max(start, end)  # the hash of this version covers both versions
    headers = responses.headers(
        access,
        version=later,
        # A time may stand for another version later.
        mark=f"from:{start}:{end};{names.fingerprint}",
    )
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)

    pair = history.VersionPair(start, end)
    most = config().page_max
    difference = history.between(ctx(), access, pair, most)
    listed = history.listed_between(pair, most)
    difference["story"] = stories.story(ctx(), loaded, access.caller, names, listed)
    return answer(difference, headers=headers)


def _line(state: answers.State) -> bytes:
    """Return a state as a line. The names of members are sorted, as on a page."""
    return orjson.dumps(state, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def _shown_version(access: Access, version: int | None, at: Position | None) -> tuple[int, bool]:
    """Return the version to show, and True if the answer for it never changes.

    Of a version and a moment the earlier counts. Without either it is the present version. Raises
    NotFound for a moment before the opening, and for a version after the present one.
    """
    if at is not None:
        version_then = views.version_of(ctx(), access, at)
        if version is None or version > version_then:
            return version_then, views.is_past(access, at, version_then)

    if version is None:
        return access.version, False
    views.check_version(access, version)
    return version, True
