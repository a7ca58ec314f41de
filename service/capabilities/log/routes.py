"""The log over HTTP: the feed of all commits; checkpoint and tiles (C2SP tlog-tiles); proofs.

Checkpoint and tiles are what C2SP says they are, so openapi.yaml does not describe them.
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
    LOG,
    TOKENS,
    WAIT,
    Words,
    header,
    limit_parameter,
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
from service.api.http.requests import accepted
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
_LIMIT = limit_parameter(use_cases.MOST, "Number of positions to look at, at most.")
_GAME = replace(
    GAME, text="Only commits of this game; those of others' private matches are left out, too."
)


def _position(given: str) -> FeedPosition:
    log_id, _, after = given.rpartition("-")
    return FeedPosition(log_id, int(after))


_LAST_EVENT_ID = header(
    "Last-Event-ID",
    "The ID of the last event received. The stream goes on after it.",
    Words(
        rf"({LOG_ID}-)?[0-9]{{1,15}}",
        expected="must be the ID of an event of this stream, such as 4f2a9c1e-17",
        read=_position,
    ),
    example="4f2a9c1e-17",
)
_TOP_LEVEL = 7  # of tiles: 256 to the power of 8 is more than any log has
_PROBLEMS = (problems.UNAUTHORIZED,)


@log.get("/commits")
@operation(
    "listAllCommits",
    "Read the feed of all commits",
    tag="log",
    parameters=(_AFTER, LOG, _LIMIT, _GAME, WAIT, TOKENS, IF_NONE_MATCH),
    answers={
        200: AnswerSpec("A page of the feed.", Feed, headers=("Link", "ETag")),
        304: UNCHANGED,
    },
    problems=(*_PROBLEMS, problems.ANOTHER_LOG),
)
def list_all_commits(if_none_match: set[str], wait: int, **asked: Any) -> Response:
    """Read all commits of this server in one order, which never changes and has no gaps.

    Store `log` and `next`, and send them as `log` and `after` to go on. A page may hold fewer than
    `limit` and yet lead on. A server that was restored from a backup begins another log: 409.
    What the commits say is in each match's history. Of a private match only the hash is shown, and
    all to those who send its tokens. A commit gets its position within about half a second.
    """
    shown, headers = _page(asked, wait)
    value: Feed = {"commits": shown.commits, "next": shown.next, "log": shown.log or None}
    return responses.by_content(value, headers, if_none_match)


@log.get("/commits.ndjson")
@operation(
    "listAllCommitLines",
    "Read the feed as lines",
    tag="log",
    parameters=(_AFTER, LOG, _LIMIT, _GAME, WAIT, TOKENS),
    answers={200: AnswerSpec("A commit a line.", LoggedCommit, media=(NDJSON,), headers=("Link",))},
    problems=(*_PROBLEMS, problems.ANOTHER_LOG, problems.STREAMS),
)
def list_all_commit_lines(wait: int, **asked: Any) -> Response:
    """Read a page of the feed as lines; the header Link leads on."""
    shown, headers = _page(asked, wait)
    return in_lines(map(json_line, shown.commits), headers)


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
    problems=(*_PROBLEMS, problems.NOT_ACCEPTABLE, problems.STREAMS),
)
def stream_all_commits(
    after: int | None,
    log: str,
    game: str | None,
    giornale_tokens: Sequence[str],
    last_event_id: FeedPosition | None,
) -> Response:
    """Follow all commits as they get their positions, as server-sent events.

    After a lost connection go on with Last-Event-ID. Comments come as heartbeats. `rewritten` names
    the `log` of this server if it is another one than that of the reader. The stream then ends, and
    its reader begins anew.
    """
    accepted(EVENTS)
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
    """Return the position at which a stream begins, by default after the last commit."""
    return FeedPosition(log, log_of(ctx()).size() if after is None else after)


def _page(asked: dict[str, Any], wait: int) -> tuple[FeedPage, responses.Headers]:
    """Return the page of the feed that is asked for, and the headers of its answer."""
    named_log = asked["log"]
    if wait:
        check_log(ctx(), named_log)
        wait_in_log(asked["after"], wait)

    game = asked["game"]
    tokens = all_tokens(asked["giornale_tokens"])
    reading = use_cases.reader(ctx(), tokens, game)
    most = page_limit(asked["limit"])
    shown = use_cases.page(ctx(), reading, FeedPosition(named_log, asked["after"]), most)
    if not tokens:
        state().validator = FeedValidator(shown.log, shown.size, shown.next, shown.full)

    kept = {"game": game} if game else {}
    who_may_keep = "private" if reading.own else "public"
    # Without its log the same URL may name other commits later.
    lasts = named_log and shown.full and not reading.own
    how_long = _FOR_EVER if lasts else "no-cache"
    kept |= {"log": shown.log} if shown.log else {}
    return shown, {
        "Cache-Control": f"{who_may_keep}, {how_long}",
        "Link": links.related("next", after=shown.next, limit=most, **kept),
        "Vary": _BY,
    }


# ---- proofs --------------------------------------------------------------------------------------


@log.get("/matches/<id:match>/proof")
@operation(
    "getProof",
    "Get the proof that a commit is in the log",
    tag="log",
    parameters=(number("version", "Which commit; the last one by default.", 1),),
    answers={
        200: AnswerSpec("A tlog-proof (C2SP).", media=(TEXT,), headers=("Content-Disposition",)),
    },
    problems=STORED,
)
def get_proof(match: str, version: int | None) -> Response:
    """Get a file that proves to anybody, without this server, that a commit is in the log.

    The leaf is the canonical JSON of `hash`, `match` and `version`; of a private match of `hash`
    alone. A commit that has no position yet is answered 503: come again in a second.
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
    return _checkpoint(note, "no checkpoint of the log was signed by enough witnesses")


def _checkpoint(note: bytes, why_none: str) -> Response:
    if not note:
        raise NotFound(why_none)
    return Response(note, headers={"Cache-Control": "no-cache"}, mimetype=TEXT)


@log.get("/log/tile/<int:level>/<path:path>")
def tile(level: int, path: str) -> Response:
    """Answer a tile of hashes."""
    named = read_tile_path(path)
    found = log_of(ctx()).tile(level, *named) if named and level <= _TOP_LEVEL else None
    return _tile(found)


@log.get("/log/tile/entries/<path:path>")
def bundle(path: str) -> Response:
    """Answer a bundle of leaves."""
    named = read_tile_path(path)
    return _tile(log_of(ctx()).bundle(*named) if named else None)


def _tile(content: bytes | None) -> Response:
    if content is None:
        raise NotFound("the log has no such tile, or not yet")
    headers = {"Cache-Control": f"public, {_FOR_EVER}"}
    return Response(content, headers=headers, mimetype="application/octet-stream")
