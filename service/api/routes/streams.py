"""Streams over HTTP: the commits of a match as they are made, waits, and other long answers.

Events are server-sent events (WHATWG HTML).
"""

from collections.abc import Callable, Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

import orjson
from flask import Blueprint, request

from service.api import problems
from service.api.contract.operations import EVENTS, NDJSON, STORED, AnswerSpec, operation
from service.api.contract.parameters import FROM, Words, header, number
from service.api.http.context import config, ctx, enter, sender, services, token_for
from service.api.http.limits import PIECE_BYTES, StreamPermit
from service.api.http.responses import Response, etag, etag_of, nothing
from service.api.wsgi.gate import released
from service.base import answers
from service.matches import following, server_log, views
from service.matches.access import Access
from service.matches.following import FollowerCursor
from service.matches.repository import read_commit_hash
from service.matches.views import Position
from service.store.journal.values import Head

Headers = dict[str, str]

_IN_MEMORY_BYTES = 262_144


def take_permit() -> StreamPermit:
    """Return a permit for this request's long answer. Raises TooMany."""
    return services().stream_limit.must_take(*sender())


def wait_beyond(access: Access, version: int, seconds: int) -> None:
    """Wait until a match is beyond a version, at most `seconds`."""
    wait_until(access, lambda head: head.version > version, seconds)


def wait_until(access: Access, reached: Callable[[Head], bool], seconds: int) -> None:
    """Wait until the head of a match fulfils a condition, at most `seconds`."""
    _wait(lambda: following.wait_until(ctx(), services().notifications, access, reached, seconds))


def wait_in_log(after: int, seconds: int) -> None:
    """Wait until the log has more than `after` positions, at most `seconds`."""
    _wait(lambda: server_log.wait_beyond(ctx(), services().notifications, after, seconds))


def _wait(wait: Callable[[], None]) -> None:
    """Wait, and give the permit to work back meanwhile.

    Return at once if no stream permit is free.
    """
    permit = services().stream_limit.take(*sender())
    if permit is None:
        return
    try:
        with released(request.environ):
            wait()
    finally:
        permit.give_back()


def wait_for_another(access: Access, seconds: int, etags: set[str]) -> Access:
    """Return the match, after a wait for another version if the caller has the present answer.

    seconds: longest wait.   etags: ETags of the caller.
    """
    if not seconds or etag_of(access) not in etags:
        return access
    wait_beyond(access, access.version, seconds)
    return enter(access.match)


def headers_alone(headers: Headers, kind: str) -> Response:
    """Return the answer to HEAD.

    Nobody closes such an answer, so it must hold no permit and no file.
    """
    return Response(iter(()), headers=headers, mimetype=kind)


def in_lines(lines: Iterator[bytes], headers: Headers) -> Response:
    """Return an answer of many lines. It holds a stream permit until all is sent. Raises TooMany.

    The lines are made before anything is sent, while the request holds a permit to work. So a
    failure is answered with a problem: the server would end a broken answer as if it were complete.
    Sending goes on while the reader reads on, and needs only the stream permit and a thread.
    Beyond _IN_MEMORY_BYTES the lines wait in a file without a name.
    """
    if request.method == "HEAD":
        return headers_alone(headers, NDJSON)

    permit = take_permit()
    directory = str(config().data)
    # The file is closed with the answer.
    kept_lines = SpooledTemporaryFile(_IN_MEMORY_BYTES, dir=directory)  # noqa: SIM115
    try:
        kept_lines.writelines(lines)
        kept_lines.seek(0)
    except BaseException:
        kept_lines.close()
        permit.give_back()
        raise

    response = Response(_pieces(kept_lines), headers=headers, mimetype=NDJSON)
    response.call_on_close(kept_lines.close)
    response.call_on_close(permit.give_back)
    return response


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of a file, and close it."""
    with file:
        while piece := file.read(PIECE_BYTES):
            yield piece


# ---- new commits ---------------------------------------------------------------------------

streams = Blueprint("streams", __name__, url_prefix="/v1/matches")

_RETRY = b"retry: 2000\n\n"  # milliseconds until a client connects again
_BEAT = b": beat\n\n"  # a comment, which clients ignore

LAST_EVENT_ID = header(
    "Last-Event-ID",
    "ID of the last event received. The stream goes on after it.",
    Words("[0-9]{1,15}", expected="must be the id of an event of this stream, a version", read=int),
    example="17",
)


@streams.get("/<id:match>/stream")
@operation(
    "streamMatch",
    "Follow a match live",
    tag="play",
    parameters=(
        number("after", "Begin after this version. Default: the present one.", 0),
        FROM,
        LAST_EVENT_ID,
    ),
    answers={
        200: AnswerSpec(
            "Server-sent events: `commit`, each with the version as its id, or `rewritten`.",
            answers.Commit,
            media=(EVENTS,),
            rewritten=answers.RewrittenMatch,
        ),
        204: AnswerSpec("The match is over and nothing will follow: do not connect again."),
    },
    problems=(*STORED, problems.STREAMS),
)
def stream(
    match: str,
    after: int | None,
    last_event_id: int | None,
    **query: Position | None,
) -> Response:
    """Follow a match live by server-sent events: each new commit, redacted for the caller.

    After a lost connection go on with Last-Event-ID: no commit is lost. Of `after` and `from` the
    later counts. Comments come as heartbeats. The stream ends after the last commit of the match,
    when the match is deleted, or when the reader's token no longer counts. It also ends after
    `rewritten`: the server has lost commits that the reader has received. Then read the history
    from the beginning.
    """
    access = enter(match)
    start = last_event_id
    if start is None:
        start = _start(access, after, query["from"])
    if access.head.final and start == access.version:
        return nothing()

    place = _place(access, start)
    headers = {
        "Cache-Control": "no-store",
        "Vary": "Authorization",
        "X-Accel-Buffering": "no",
        "ETag": etag(place.version, place.hash, access.caller),
    }
    if request.method == "HEAD":
        return headers_alone(headers, EVENTS)
    return _live(match, place, headers)


def event(commit: answers.Commit) -> bytes:
    """Return a commit as one server-sent event."""
    return b"id: %d\nevent: commit\ndata: %s\n\n" % (commit["version"], orjson.dumps(commit))


def rewritten(version: int) -> bytes:
    """Return the event for a journal that has gone back, with the match's version now.

    A reader that sends the event's id as Last-Event-ID begins at the start.
    """
    return b'id: 0\nevent: rewritten\ndata: {"version":%d}\n\n' % version


def _place(access: Access, version: int) -> FollowerCursor:
    """Return the start of a stream. The journal may no longer have that version."""
    stored_version = min(version, access.version)
    return FollowerCursor(version, read_commit_hash(ctx(), access, stored_version))


def _start(access: Access, after: int | None, first: Position | None) -> int:
    """Return the version before the first commit of a stream: the present one by default."""
    if after is None and first is None:
        return access.version
    span = views.range_of(ctx(), access, after or 0, first, None)
    return min(span.after, access.version)


def _live(match: str, place: FollowerCursor, headers: dict[str, str]) -> Response:
    """Return the stream of the commits after a cursor. Raises TooMany."""
    follower = following.Follower(
        match=match,
        token=token_for(match),
        beat=config().heartbeat,
        render=event,
        rewritten=rewritten,
    )
    permit = take_permit()
    events = following.follow(ctx(), services().notifications, follower, place)
    response = Response(with_beats(events), headers=headers, mimetype=EVENTS)
    response.call_on_close(permit.give_back)
    return response


def with_beats(events: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a stream: the pause before a reconnect, then events, with comments as
    beats.
    """
    yield _RETRY
    for event_bytes in events:
        yield event_bytes or _BEAT
