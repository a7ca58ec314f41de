"""The history of a match over HTTP: pages of commits, all of them as NDJSON, one of them."""

from collections.abc import Iterator

import orjson
from flask import Blueprint, Response, request

from service.api import conditional, kinds
from service.api.answers import JSON, answer
from service.api.auth import token_for
from service.api.common import UNCHANGED, link
from service.api.context import config, desk
from service.api.contract import NDJSON, OF_A_MATCH, Answer, operation
from service.api.parameters import IF_NONE_MATCH, number
from service.api.streams import WAIT, in_lines, linger
from service.errors import NotAcceptable, NotFound
from service.journal import codec
from service.matches import playing, reading
from service.matches.desk import Desk, Loaded, pieces
from service.tokens import Caller

history = Blueprint("history", __name__, url_prefix="/v1/matches")

_VARY = {"Vary": "Authorization, Accept"}


@history.get("/<id:match>/commits")
@operation(
    "listCommits", "Read the history", tag="history",
    parameters=(
        number("after", "Only commits after this version.", 0, default=0),
        number("limit", "How many on a page, at most; the server may give fewer.", 1, 5000, 100), WAIT, IF_NONE_MATCH,
    ),
    answers={
        200: Answer("Commits, oldest first.", "CommitList", media=(JSON, NDJSON), headers=("ETag", "Link")),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, kinds.NOT_ACCEPTABLE, kinds.STREAMS),
)  # fmt: skip
def list_commits(match: str, after: int, limit: int, wait: int, if_none_match: set[str]) -> Response:
    """Read a page of the history, oldest first, redacted for the caller.

    With `Accept: application/x-ndjson` the answer is all of the history after a version, a commit a line. A full page
    never changes and may be kept for ever. `wait` keeps the request until there is a commit after the version.
    """
    loaded, caller = playing.enter(desk(), match, token_for(match))
    if wait and after >= loaded.version:
        linger(match, after, wait)
        loaded, caller = playing.enter(desk(), match, token_for(match))
    if _form() == NDJSON:
        return _all(loaded, caller, after, if_none_match)
    limit = min(limit, config().page_max)
    page = reading.commits(desk(), loaded, caller, after, limit)
    full = len(page) == limit
    last = page[-1]["version"] if page else loaded.version
    told = conditional.headers(reading.named(loaded, last), caller, fixed=full) | _VARY
    told["Link"] = ", ".join(_links(after, limit, last if full else None))
    return conditional.shown({"commits": page}, told, if_none_match)


@history.get("/<id:match>/commits/<version:number>")
@operation(
    "getCommit", "Read one commit", tag="history", parameters=(IF_NONE_MATCH,),
    answers={200: Answer("The commit.", "Commit", headers=("ETag",)), 304: UNCHANGED}, problems=OF_A_MATCH,
)  # fmt: skip
def show_commit(match: str, number: int, if_none_match: set[str]) -> Response:
    """Read the commit that made a version, redacted for the caller, with its receipt. It never changes.

    The ETag names the key that signed the receipt: another key may sign it later, and both receipts are right.
    """
    loaded, caller = playing.enter(desk(), match, token_for(match))
    if not 1 <= number <= loaded.version:
        raise NotFound(f"match {match} has the versions 1 to {loaded.version}, not {number}")
    told = conditional.headers(reading.named(loaded, number), caller, fixed=True)
    key = conditional.signing_key()
    if key:
        told["ETag"] = f'{told["ETag"][:-1]};{key[:8]}"'
    if conditional.unchanged(if_none_match, told["ETag"]):
        return Response(status=304, headers=told)

    entry = codec.parse(desk().journal.read(match, number - 1, 1)[0])
    commit = reading.shown(entry, caller)
    receipt = reading.receipt(desk(), entry)
    return answer(commit | ({"receipt": receipt} if receipt else {}), headers=told)


def _form() -> str:
    found = request.accept_mimetypes.best_match([JSON, NDJSON]) if "Accept" in request.headers else JSON
    if found is None:
        raise NotAcceptable(f"this comes as {JSON} or {NDJSON}")
    return found


def _all(loaded: Loaded, caller: Caller, after: int, held: set[str]) -> Response:
    """Answer all commits after a version as lines; their ETag is another than that of a page."""
    tag = conditional.etag(loaded.version, caller)[:-1] + ';lines"'
    told = conditional.headers(loaded, caller) | _VARY | {"ETag": tag}
    if conditional.unchanged(held, tag):
        return Response(status=304, headers=told)
    return in_lines(_lines(desk(), loaded, caller, after), told)


def _links(after: int, limit: int, last: int | None) -> Iterator[str]:
    yield link("first", after=0, limit=limit)
    if after > 0:
        yield link("prev", after=max(0, after - limit), limit=min(limit, after))
    if last is not None:
        yield link("next", after=last, limit=limit)


def _lines(desk: Desk, loaded: Loaded, caller: Caller, after: int) -> Iterator[bytes]:
    for entries in pieces(desk, loaded.id, after, loaded.version):
        yield b"".join(orjson.dumps(reading.shown(codec.parse(data), caller)) + b"\n" for data in entries)
