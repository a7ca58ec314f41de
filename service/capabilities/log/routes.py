"""The log over HTTP: the feed of all commits; checkpoint and tiles (C2SP tlog-tiles); proofs.

C2SP specifies checkpoint and tiles, so openapi.yaml does not describe them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flask import Blueprint, request

from service.api import links, problems
from service.api.contract.operations import (
    EVENTS,
    NDJSON,
    STORED,
    TEXT,
    UNCHANGED,
    AnswerSpec,
    operation,
)
from service.api.contract.parameters import (
    GAME,
    IF_NONE_MATCH,
    LIMIT,
    LOG,
    TOKENS,
    WAIT,
    Words,
    header,
    number,
)
from service.api.http import responses
from service.api.http.context import (
    all_tokens,
    config,
    ctx,
    enter,
    page_limit,
    services,
    state,
)
from service.api.http.responses import Response, json_line
from service.api.routes.streams import (
    headers_alone,
    in_lines,
    take_permit,
    wait_in_log,
    with_beats,
)
from service.base.errors import NotFound
from service.capabilities.log import use_cases
from service.capabilities.log.answers import Feed, LoggedCommit, RewrittenLog
from service.capabilities.log.use_cases import FeedPage, FeedPosition, FeedValidator
from service.matches.repository import read_commit_hash
from service.matches.server_log import LOG_ID, check_log, log_of
from service.record.tlog.tree import read_tile_path

log = Blueprint("log", __name__, url_prefix="/v1")

_FOR_EVER = "max-age=31536000, immutable"
_BY = "Authorization, Giornale-Tokens"

_AFTER = number(
    "after", "Number of positions that you have read. The first position is 0.", 0, default=0
)
_GAME = replace(GAME, text="Only commits of this game. Others' private matches are left out, too.")


def _position(text: str) -> FeedPosition:
    log_id, after = text.split("-")
    return FeedPosition(log_id, int(after))


_LAST_EVENT_ID = header(
    "Last-Event-ID",
    "ID of the last event received. The stream goes on after it.",
    Words(
        rf"{LOG_ID}-[0-9]{{1,15}}",
        expected="must be the ID of an event of this stream, such as 4f2a9c1e-17",
        read=_position,
    ),
    example="4f2a9c1e-17",
)
_TOP_LEVEL = 7  # highest level of tiles, since no log has 256 to the power of 8 entries
_PROBLEMS = (problems.UNAUTHORIZED,)


@log.get("/commits")
@operation(
    "listAllCommits",
    "Read the feed of all commits",
    tag="log",
    parameters=(_AFTER, LOG, LIMIT, _GAME, WAIT, TOKENS, IF_NONE_MATCH),
    answers={
        200: AnswerSpec("A page of the feed.", Feed, headers=("Link", "ETag")),
        304: UNCHANGED,
    },
    problems=(*_PROBLEMS, problems.ANOTHER_LOG),
)
def list_all_commits(if_none_match: set[str], wait: int, **query: Any) -> Response:
    """Read all commits of this server in one order. The order never changes and has no gaps.

    Read `next` to go on, now or later: it names the log, and leads on as long as the log exists. A
    page covers `limit` positions. A server that was restored from a backup may begin another log:
    409. The contents of commits are in each match's history. Of a private match only the hash is
    shown, except to readers with its tokens. A commit gets its position within about half a second,
    or about a second if the log is published in a remote place.
    """
    page, headers, following = _read_page(query, wait)
    value: Feed = {"commits": page.commits, "next": following, "log": page.log or None}
    return responses.by_content(value, headers, if_none_match)


@log.get("/commits.ndjson")
@operation(
    "listAllCommitLines",
    "Read the feed as lines",
    tag="log",
    parameters=(_AFTER, LOG, LIMIT, _GAME, WAIT, TOKENS),
    answers={200: AnswerSpec("A commit a line.", LoggedCommit, media=(NDJSON,), headers=("Link",))},
    problems=(*_PROBLEMS, problems.ANOTHER_LOG, problems.STREAMS),
)
def list_all_commit_lines(wait: int, **query: Any) -> Response:
    """Read a page of the feed as lines. The header Link leads on."""
    page, headers, _ = _read_page(query, wait)
    return in_lines(map(json_line, page.commits), headers)


@log.get("/commits/stream")
@operation(
    "streamAllCommits",
    "Follow the feed",
    tag="log",
    parameters=(
        number("after", "Begin after so many positions. By default with the next commit.", 0),
        LOG,
        _GAME,
        TOKENS,
        _LAST_EVENT_ID,
    ),
    answers={
        200: AnswerSpec(
            "Server-sent events: `commit`, with log and position as its ID, or `rewritten`.",
            LoggedCommit,
            media=(EVENTS,),
            rewritten=RewrittenLog,
        ),
    },
    problems=(*_PROBLEMS, problems.STREAMS),
)
def stream_all_commits(
    after: int | None,
    log: str,
    game: str | None,
    giornale_tokens: Sequence[str],
    last_event_id: FeedPosition | None,
) -> Response:
    """Follow all commits as they get their positions, as server-sent events.

    After a lost connection go on with Last-Event-ID. Comments come as heartbeats. If the reader's
    log is another one, `rewritten` names the `log` of this server. The stream then ends, and the
    reader begins anew.
    """
    reading = use_cases.reader(ctx(), all_tokens(giornale_tokens), game)
    start = last_event_id or _start(log, after)

    headers = {"Cache-Control": "no-store", "Vary": _BY, "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return headers_alone(headers, EVENTS)

    permit = take_permit()
    events = use_cases.follow(ctx(), services().notifications, reading, start, config().heartbeat)
    response = Response(with_beats(events), headers=headers, mimetype=EVENTS)
    response.call_on_close(permit.give_back)
    return response


def _start(log: str, after: int | None) -> FeedPosition:
    """Return the position at which a stream begins. Without `after`: after the last entry."""
    return FeedPosition(log, log_of(ctx()).size() if after is None else after)


def _read_page(query: dict[str, Any], wait: int) -> tuple[FeedPage, responses.Headers, str]:
    """Return the requested page of the feed, the headers of its answer, and its `next`."""
    named_log = query["log"]
    if wait:
        check_log(ctx(), named_log)
        wait_in_log(query["after"], wait)

    game = query["game"]
    tokens = all_tokens(query["giornale_tokens"])
    reading = use_cases.reader(ctx(), tokens, game)
    most = page_limit(query["limit"])
    page = use_cases.page(ctx(), reading, FeedPosition(named_log, query["after"]), most)
    if not tokens:
        state().validator = FeedValidator(page.log, page.size, page.next, page.full)

    who_may_keep = "private" if reading.own else "public"
    # Without the ID of the log, the same URL may name other commits later.
    lasts = named_log and page.full and not reading.own
    how_long = _FOR_EVER if lasts else "no-cache"
    headers: responses.Headers = {"Cache-Control": f"{who_may_keep}, {how_long}", "Vary": _BY}
    of_log = {"log": page.log} if page.log else {}
    return page, headers, links.next_page(headers, after=page.next, **of_log)


# ---- proofs --------------------------------------------------------------------------------------


@log.get("/matches/<id:match>/proof")
@operation(
    "getProof",
    "Get the log's proof of a commit",
    tag="log",
    parameters=(number("version", "Version of the commit. Default: the last.", 1),),
    answers={
        200: AnswerSpec("A tlog-proof (C2SP).", media=(TEXT,), headers=("Content-Disposition",)),
    },
    problems=STORED,
)
def get_proof(match: str, version: int | None) -> Response:
    """Get a file that proves to anybody, without this server, that a commit is in the log.

    The commit's leaf in the log is the canonical JSON of `hash`, `match` and `version`, or of
    `hash` alone for a private match. A commit without a position yet is answered 503: ask again
    after Retry-After.
    """
    access = enter(match)
    shown_version = access.version if version is None else version
    if shown_version > access.version:
        raise NotFound(f"the match has only {access.version} commits")

    proven = use_cases.proof(ctx(), read_commit_hash(ctx(), access, shown_version))
    headers = {
        "Cache-Control": "private, no-cache",
        "Content-Disposition": f'attachment; filename="{match}-{shown_version}.tlog-proof"',
        "Vary": "Authorization",
    }
    return Response(proven.written(), headers=headers, mimetype=TEXT)


# ---- checkpoint and tiles (C2SP tlog-tiles) ------------------------------------------------------


@log.get("/log/checkpoint")
def checkpoint() -> Response:
    """Answer the newest checkpoint, a signed note."""
    return _checkpoint(log_of(ctx()).checkpoint(), "nothing is in the log yet")


@log.get("/log/cosigned")
def cosigned_checkpoint() -> Response:
    """Answer the newest checkpoint that enough witnesses have signed."""
    note = log_of(ctx()).cosigned_checkpoint()
    return _checkpoint(note, "no checkpoint of the log has signatures of enough witnesses")


def _checkpoint(note: bytes, why_none: str) -> Response:
    if not note:
        raise NotFound(why_none)
    return Response(note, headers={"Cache-Control": "no-cache"}, mimetype=TEXT)


@log.get("/log/tile/<int:level>/<path:path>")
def tile(level: int, path: str) -> Response:
    """Answer a tile of hashes."""
    tile_path = read_tile_path(path)
    if not tile_path or level > _TOP_LEVEL:
        return _tile(None)
    return _tile(log_of(ctx()).tile(level, *tile_path))


@log.get("/log/tile/entries/<path:path>")
def bundle(path: str) -> Response:
    """Answer a bundle of leaves."""
    tile_path = read_tile_path(path)
    return _tile(log_of(ctx()).bundle(*tile_path) if tile_path else None)


def _tile(content: bytes | None) -> Response:
    if content is None:
        raise NotFound("the log has no such tile, or not yet")
    headers = {"Cache-Control": f"public, {_FOR_EVER}"}
    return Response(content, headers=headers, mimetype="application/octet-stream")
