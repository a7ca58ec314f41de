"""The state of a match over HTTP, now and at any moment of its past; and what changed between two of them."""

from flask import Blueprint, Response

from service.api.contract.moments import AT, moment
from service.api.contract.operations import OF_A_MATCH, Answer, operation
from service.api.contract.parameters import IF_NONE_MATCH, WAIT, number
from service.api.http import conditional
from service.api.http.answers import answer
from service.api.http.auth import token_for
from service.api.http.conditional import etag
from service.api.http.context import config, desk
from service.api.routes.common import UNCHANGED
from service.api.routes.streams import linger
from service.matches import access, differing, moments, reading
from service.matches.moments import Moment

states = Blueprint("states", __name__, url_prefix="/v1/matches")


@states.get("/<id:match>/state")
@operation(
    "getState", "See the state", tag="play",
    parameters=(number("version", "Show the match as it was after this many commits.", 1), AT, WAIT, IF_NONE_MATCH),
    answers={200: Answer("The state.", "State", headers=("ETag",)), 304: UNCHANGED}, problems=OF_A_MATCH,
)  # fmt: skip
def show_state(
    match: str, version: int | None, at: Moment | None, wait: int, if_none_match: set[str]
) -> Response:
    """Show the match as the caller may see it: as it is, at a version, or at a moment (of both: the earlier).

    The public sees what lies open; a seat's token shows also what that seat alone may see. A past state never changes.
    With If-None-Match of the present state `wait` keeps the request until there is a new one.
    """
    loaded, caller = access.enter(desk(), match, token_for(match))
    if wait and version is None and at is None and etag(loaded.version, caller) in if_none_match:
        linger(match, loaded.version, wait)
        loaded, caller = access.enter(desk(), match, token_for(match))
    fixed = version is not None
    if at is not None:
        shown = moments.version_of(desk(), loaded, at)
        fixed = moments.is_past(loaded, at, shown) or (version is not None and version <= shown)
        version = min(version or loaded.version, shown)
    then = reading.state_at(desk(), loaded, version)
    told = conditional.headers(then, caller, fixed=fixed)
    if conditional.unchanged(if_none_match, told["ETag"]):
        return Response(status=304, headers=told)
    return answer(reading.view(then, caller), headers=told)


@states.get("/<id:match>/diff")
@operation(
    "getDiff", "See what changed between two versions", tag="history",
    parameters=(
        moment("from", "One moment: a version, or a time (RFC 3339).", required=True, example=1),
        moment("to", "The other moment, alike; the last version by default.", example=2),
        IF_NONE_MATCH,
    ),
    answers={200: Answer("What changed.", "Diff", headers=("ETag",)), 304: UNCHANGED}, problems=OF_A_MATCH,
)  # fmt: skip
def show_diff(match: str, to: Moment | None, if_none_match: set[str], **asked: Moment) -> Response:
    """Tell what changed between two versions, in the words of the game.

    `commits` are the commits in between as the caller may see them (the first of very many), `changes` is a JSON Patch
    that makes the `state` at `to` of that at `from`, both as the caller sees them. At a time the version counts that
    the match had then.
    """
    loaded, caller = access.enter(desk(), match, token_for(match))
    last = Moment(version=loaded.version) if to is None else to
    start = moments.version_of(desk(), loaded, asked["from"])
    end = moments.version_of(desk(), loaded, last)
    fixed = (
        to is not None
        and moments.is_past(loaded, to, end)
        and moments.is_past(loaded, asked["from"], start)
    )
    told = conditional.headers(reading.named(loaded, end), caller, fixed=fixed)
    told["ETag"] = (
        f'{told["ETag"][:-1]};from:{start}"'  # a time may stand for another version later
    )
    if conditional.unchanged(if_none_match, told["ETag"]):
        return Response(status=304, headers=told)
    changed = differing.between(desk(), loaded, caller, start, end, config().page_max)
    return answer(changed, headers=told)
