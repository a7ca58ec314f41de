"""The state of a match over HTTP, now and at any moment of its past; and what changed between two of them."""

from flask import Blueprint, Response

from service.api import conditional
from service.api.answers import answer
from service.api.auth import token_for
from service.api.common import AT, UNCHANGED
from service.api.conditional import etag
from service.api.context import config, desk
from service.api.contract import OF_A_MATCH, Answer, operation
from service.api.parameters import IF_NONE_MATCH, number
from service.api.streams import WAIT, linger
from service.matches import differing, playing, reading

states = Blueprint("states", __name__, url_prefix="/v1/matches")


@states.get("/<id:match>/state")
@operation(
    "getState", "See the state", tag="play",
    parameters=(number("version", "Show the match as it was after this many commits.", 1), AT, WAIT, IF_NONE_MATCH),
    answers={200: Answer("The state.", "State", headers=("ETag",)), 304: UNCHANGED}, problems=OF_A_MATCH,
)  # fmt: skip
def show_state(match: str, version: int | None, at: int | None, wait: int, if_none_match: set[str]) -> Response:
    """Show the match as the caller may see it: as it is, at a version, or at a moment (of both: the earlier).

    The public sees what lies open; a seat's token shows also what that seat alone may see. A past state never changes.
    With If-None-Match of the present state `wait` keeps the request until there is a new one.
    """
    loaded, caller = playing.enter(desk(), match, token_for(match))
    if wait and version is at is None and etag(loaded.version, caller) in if_none_match:
        linger(match, loaded.version, wait)
        loaded, caller = playing.enter(desk(), match, token_for(match))
    if at is not None:
        version = min(version or loaded.version, reading.version_at(desk(), loaded, at))
    then = reading.state_at(desk(), loaded, version)
    told = conditional.headers(then, caller, fixed=version is not None and at is None)
    if conditional.unchanged(if_none_match, told["ETag"]):
        return Response(status=304, headers=told)
    return answer(reading.view(then, caller), headers=told)


@states.get("/<id:match>/diff")
@operation(
    "getDiff", "See what changed between two versions", tag="history",
    parameters=(
        number("from", "One version.", 1, required=True),
        number("to", "The other version; the last one by default.", 1),
        IF_NONE_MATCH,
    ),
    answers={200: Answer("What changed.", "Diff", headers=("ETag",)), 304: UNCHANGED}, problems=OF_A_MATCH,
)  # fmt: skip
def show_diff(match: str, to: int | None, if_none_match: set[str], **asked: int) -> Response:
    """Tell what changed between two versions, in the words of the game.

    `commits` are the commits in between as the caller may see them (the first of very many), `changes` is a JSON Patch
    that makes the `state` at `to` of that at `from`, both as the caller sees them.
    """
    loaded, caller = playing.enter(desk(), match, token_for(match))
    end = reading.state_at(desk(), loaded, to)
    told = conditional.headers(end, caller, fixed=to is not None)
    if conditional.unchanged(if_none_match, told["ETag"]):
        return Response(status=304, headers=told)
    return answer(
        differing.between(desk(), loaded, caller, asked["from"], end.version, config().page_max), headers=told
    )
