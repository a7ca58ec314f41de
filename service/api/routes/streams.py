"""Live streams (WHATWG server-sent events) and long polls."""

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

import orjson
from flask import Blueprint, Response, current_app, request

from service.api.contract.moments import FROM
from service.api.contract.operations import EVENTS, NDJSON, OF_A_MATCH, Answer, operation
from service.api.contract.parameters import Words, header, number
from service.api.http.auth import token_for
from service.api.http.conditional import etag
from service.api.http.context import config, desk
from service.api.http.limits import Slots, caller_key, sender_key
from service.api.problems import kinds
from service.api.wsgi.admission import stepped_aside
from service.errors import NotAcceptable
from service.journal.wakes import Wakes
from service.ledger.canonical import Json
from service.matches import access, following, moments
from service.matches.moments import Moment

streams = Blueprint("streams", __name__, url_prefix="/v1/matches")

_RETRY = b"retry: 2000\n\n"
_BEAT = b": beat\n\n"
_PIECE_BYTES = 65536
_IN_MEMORY_BYTES = 262_144


def slots() -> Slots:
    """Return who holds how many long answers of this process."""
    found: Slots = current_app.extensions["slots"]
    return found


def _wakes() -> Wakes:
    found: Wakes = current_app.extensions["wakes"]
    return found


def linger(match: str, version: int, seconds: int) -> None:
    """Wait until a match is beyond a version, at most so many seconds; not at all when too many wait already."""
    release = slots().take(caller_key(), sender_key()) if seconds else None
    if release is not None:
        try:
            with stepped_aside(request.environ):
                following.wait_beyond(desk(), _wakes(), match, version, seconds)
        finally:
            release()


LAST_EVENT_ID = header(
    "Last-Event-ID",
    "The id of the last event received; the stream goes on after it.",
    Words("[0-9]{1,15}", expected="must be the id of an event of this stream, a version", read=int),
    example="17",
)


@streams.get("/<id:match>/stream")
@operation(
    "streamMatch", "Follow a match live", tag="play",
    parameters=(number("after", "Begin after this version; with what is new by default.", 0), FROM, LAST_EVENT_ID),
    answers={
        200: Answer("Server-sent events: `commit`, each with the version as its id.", "Commit", media=(EVENTS,)),
        204: Answer("The match is over and nothing will follow: do not connect again."),
    },
    problems=(*OF_A_MATCH, kinds.NOT_ACCEPTABLE, kinds.STREAMS),
)  # fmt: skip
def stream(
    match: str, after: int | None, last_event_id: int | None, **asked: Moment | None
) -> Response:
    """Follow a match live: each commit as it is made, redacted for the caller, as server-sent events.

    After a lost connection go on with Last-Event-ID; no commit is lost. Of `after` and `from` the later counts.
    Comments come as heartbeats. The stream ends after the last commit of the match, or when the token that opened it
    no longer counts.
    """
    if "Accept" in request.headers and not request.accept_mimetypes.quality(EVENTS):
        raise NotAcceptable(f"this comes as {EVENTS}")
    token = token_for(match)
    loaded, caller = access.enter(desk(), match, token)
    start = loaded.version
    first = asked["from"]
    if last_event_id is not None:
        start = min(last_event_id, loaded.version)
    elif after is not None or first is not None:
        start = min(moments.span(desk(), loaded, after or 0, first, None).after, loaded.version)
    if loaded.match.revealed and start == loaded.version:
        return Response(status=204, headers={"Cache-Control": "no-store"})
    told = {
        "Cache-Control": "no-store",
        "Vary": "Authorization",
        "X-Accel-Buffering": "no",
        "ETag": etag(start, caller),
    }
    if request.method == "HEAD":
        return _headers_alone(told, EVENTS)
    release = slots().must_take(caller_key(), sender_key())
    news = following.follow(desk(), _wakes(), match, token, start, config().heartbeat, event)
    response = Response(_lines(news), headers=told, mimetype=EVENTS)
    response.call_on_close(release)
    return response


def _headers_alone(headers: dict[str, str], kind: str) -> Response:
    """Return a long answer's headers. Nobody closes an answer to HEAD, so it must hold nothing."""
    return Response(iter(()), headers=headers, mimetype=kind)


def in_lines(lines: Iterator[bytes], headers: dict[str, str]) -> Response:
    """Return an answer of many lines, which holds a long answer's slot until all of it is sent; raises TooMany.

    The lines are made before anything is sent, for which the request holds a permit to work. A failure is so told as a
    problem: the server would end a broken answer as if it were whole. Sending may take as long as the reader likes and
    costs a slot and a thread; what does not fit into a little memory waits in a file without a name.
    """
    if request.method == "HEAD":
        return _headers_alone(headers, NDJSON)
    release = slots().must_take(caller_key(), sender_key())
    directory = str(config().data)
    held = SpooledTemporaryFile(_IN_MEMORY_BYTES, dir=directory)  # noqa: SIM115 - closed with the answer
    try:
        held.writelines(lines)
        held.seek(0)
    except BaseException:
        held.close()
        release()
        raise
    response = Response(_pieces(held), headers=headers, mimetype=NDJSON)
    response.call_on_close(held.close)
    response.call_on_close(release)
    return response


def _pieces(held: IO[bytes]) -> Iterator[bytes]:
    """Yield what a file holds, and close it."""
    with held:
        while piece := held.read(_PIECE_BYTES):
            yield piece


def _lines(news: Iterator[bytes]) -> Iterator[bytes]:
    yield _RETRY
    for data in news:
        yield data or _BEAT


def event(commit: Json) -> bytes:
    """Return a commit as one server-sent event."""
    return b"id: %d\nevent: commit\ndata: %s\n\n" % (commit["version"], orjson.dumps(commit))
