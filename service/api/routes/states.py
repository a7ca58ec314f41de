"""The state of a match over HTTP, now and at any moment of its past; what changed between two."""

from typing import Any

import orjson
from flask import Blueprint, Response

from service.api import links, problems
from service.api.contract.operations import NDJSON, OF_A_MATCH, UNCHANGED, AnswerSpec, operation
from service.api.contract.parameters import AT, IF_NONE_MATCH, LIMIT, SEAT, WAIT, moment, number
from service.api.http import responses
from service.api.http.context import config, ctx, enter, page_limit
from service.api.http.requests import accepted
from service.api.http.responses import JSON, answer
from service.api.routes.streams import in_lines, wait_for_another
from service.base import answers
from service.matches import history, stories, views
from service.matches.access import Access
from service.matches.repository import load_head, read_commit_hash
from service.matches.views import Position, Range

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
    problems=(*OF_A_MATCH, problems.ILLEGAL),
)
def show_state(
    match: str, wait: int, if_none_match: set[str], seat: int | None, **asked: Any
) -> Response:
    """Show the match as the caller may see it: as it is, at a version, or at a
    moment (of both: the earlier).

    The public sees what lies open; a seat's token shows also what that seat alone may see. Once the
    match is revealed everybody may look with the eyes of any `seat`. A past state never changes.
    With If-None-Match of the present state `wait` keeps the request until there is a new one.
    """
    version, at = asked["version"], asked["at"]
    reader = enter(match)
    if version is None and at is None:
        reader = wait_for_another(reader, wait, if_none_match)
    access = views.seen_by(ctx(), reader, seat)
    shown_version, is_fixed = _shown_version(access, version, at)

    # Who sends an ETag may have this state already: then only the hash of its commit is read.
    loaded = None if if_none_match else views.load_at(ctx(), access, shown_version)
    commit_hash = loaded.hash if loaded else read_commit_hash(ctx(), access, shown_version)
    headers = responses.headers(
        access,
        version=shown_version,
        commit_hash=commit_hash,
        fixed=is_fixed,
    )
    # A time may stand for a later version later, so such an answer is not stored for good.
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
    problems=(*OF_A_MATCH, problems.ILLEGAL, problems.NOT_ACCEPTABLE, problems.STREAMS),
)
def list_states(
    match: str, after: int, limit: int, seat: int | None, if_none_match: set[str]
) -> Response:
    """Show the match as the caller may see it at every version of a span, each as `getState` does.

    With `Accept: application/x-ndjson` the answer is that of `listStateLines`. A page that nothing
    will be added to may be kept for a while.
    """
    reader = enter(match)
    access = views.seen_by(ctx(), reader, seat)
    if accepted(JSON, NDJSON) == NDJSON:
        return _all_states(reader, access, after, if_none_match)

    wanted = views.page_range(access, after, page_limit(limit))
    headers = _range_headers(access, wanted)
    if wanted.closed:
        eyes = {} if seat is None else {"seat": seat}
        headers["Link"] = links.related("next", after=wanted.until, limit=limit, **eyes)
    responses.may_store(reader, headers, lasts=wanted.closed)
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)

    shown = views.states(ctx(), access, wanted)
    return answer({"match": match, "states": shown}, headers=headers)


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
    problems=(*OF_A_MATCH, problems.ILLEGAL, problems.STREAMS),
)
def list_state_lines(match: str, after: int, seat: int | None, if_none_match: set[str]) -> Response:
    """Show the match as the caller may see it at every version after one, a state a line."""
    reader = enter(match)
    return _all_states(reader, views.seen_by(ctx(), reader, seat), after, if_none_match)


@states.get("/<id:match>/diff")
@operation(
    "getDiff",
    "See what changed between two versions",
    tag="history",
    parameters=(
        moment("from", "One moment: a version, or a time (RFC 3339).", required=True, example=1),
        moment("to", "The other moment, alike; the last version by default.", example=2),
        IF_NONE_MATCH,
    ),
    answers={
        200: AnswerSpec("What changed.", answers.Diff, headers=("ETag",)),
        304: UNCHANGED,
    },
    problems=OF_A_MATCH,
)
def show_diff(
    match: str, to: Position | None, if_none_match: set[str], **asked: Position
) -> Response:
    """Show what changed between two versions, in the words of the game.

    `commits` are the commits in between as the caller may see them (the first of very many),
    `story` has them in sentences, `changes` is a JSON Patch that makes the `state` at `to` of that
    at `from`, both as the caller sees them. At a time the version counts that the match had then.
    """
    access = enter(match)
    first = asked["from"]
    last = Position(version=access.version) if to is None else to
    start = views.version_of(ctx(), access, first)
    end = views.version_of(ctx(), access, last)

    # Names may change, so nothing is kept without asking again.
    loaded = load_head(ctx(), access)
    names = stories.names_of(ctx(), loaded)
    later = max(start, end)  # its hash stands for both
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


def _all_states(reader: Access, access: Access, after: int, held: set[str]) -> Response:
    """Answer all states after a version as lines; their ETag is another than that of a page.

    access: with whose eyes the reader looks.   held: the ETags that the reader has.
    """
    wanted = views.range_to_head(access, after)
    headers = _range_headers(access, wanted, mark="lines")
    responses.may_store(reader, headers)
    if responses.is_unchanged(headers, held):
        return responses.unchanged(headers)

    shown = views.each_state(ctx(), access, wanted)
    return in_lines(map(_line, shown), headers)


def _range_headers(access: Access, wanted: Range, mark: str = "") -> responses.Headers:
    """Return the headers of an answer that holds the states of a range."""
    headers = responses.headers(
        access,
        version=wanted.until,
        fixed=wanted.closed,
        mark=mark,
    )
    headers["Vary"] = "Authorization, Accept"
    return headers


def _line(state: answers.State) -> bytes:
    """Return a state as a line; its names are sorted, as on a page."""
    return orjson.dumps(state, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def _shown_version(access: Access, version: int | None, at: Position | None) -> tuple[int, bool]:
    """Return which version is shown, and whether that never changes.

    Of a version and a moment the earlier counts; without either it is the present version.
    Raises NotFound for a moment before the opening, and for a version after the present one.
    """
    if at is not None:
        version_then = views.version_of(ctx(), access, at)
        if version is None or version > version_then:
            return version_then, views.is_past(access, at, version_then)

    if version is None:
        return access.version, False
    views.check_version(access, version)
    return version, True
