"""Records over HTTP: matches out and in; the keys that receipts are checked against."""

import threading
from collections.abc import Iterator
from contextlib import suppress

from flask import Blueprint, Response, request
from zstandard import ZstdCompressor

from service.api import links, problems
from service.api.contract.operations import NDJSON, STORED, UNCHANGED, AnswerSpec, operation
from service.api.contract.parameters import (
    GAME,
    IF_NONE_MATCH,
    LOG,
    number as count,
    time_,
)
from service.api.http import responses
from service.api.http.context import ctx, enter, operator
from service.api.http.responses import answer
from service.api.routes.streams import in_lines
from service.base import answers
from service.base.errors import TooMany
from service.matches import records as use_cases
from service.matches.server_log import check_log, log_id, log_of
from service.store.journal.errors import JournalUnavailable
from service.store.tlog.index import Wanted

records = Blueprint("records", __name__, url_prefix="/v1")

# An import takes memory and time: one at once in each process.
_importing = threading.Lock()
_IMPORT_SECONDS = 5

# So few lines need no permit for a long answer. Signing clients ask for them before each move.
_AT_ONCE = 32


@records.get("/matches/<id:match>/record")
@operation(
    "getRecord",
    "Export a match",
    tag="history",
    parameters=(
        count("after", "Only commits after this version.", 0, default=0),
        IF_NONE_MATCH,
    ),
    answers={
        200: AnswerSpec(
            "The record, a commit a line.",
            answers.RecordLine,
            media=(NDJSON,),
            headers=("ETag", "Content-Disposition"),
        ),
        304: UNCHANGED,
    },
    problems=(*STORED, problems.STREAMS),
)
def get_record(match: str, after: int, if_none_match: set[str]) -> Response:
    """Export a match as a record: NDJSON, each line a CloudEvents 1.0 event around one commit
    in canonical form.

    Whole once the secrets are revealed after the end; before, redacted for the caller. A record can
    be checked offline (`giornale verify`), also by a program of one's own: docs/fairness.md says
    how. It holds no names.
    """
    access = enter(match)
    mark = f"after{after}" if after else ""
    headers = responses.headers(access, fixed=access.head.final, mark=mark)
    responses.may_store(access, headers)
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)
    headers["Content-Disposition"] = f'attachment; filename="{match}.ndjson"'
    lines = use_cases.lines_of(ctx(), access, after)
    if after and access.version - after <= _AT_ONCE:
        return Response(b"".join(lines), 200, headers, mimetype=NDJSON)
    return in_lines(lines, headers)


@records.get("/records")
@operation(
    "listRecords",
    "Export many matches",
    tag="history",
    tokens="none",
    parameters=(
        time_("ended_from", "Only what ended at this time or later."),
        time_("ended_to", "Only what ended before this time."),
        GAME,
        count("after", "Only what ended after so many positions of the log.", 0, default=0),
        LOG,
    ),
    answers={
        200: AnswerSpec(
            "One record after the other.",
            answers.RecordLine,
            media=(NDJSON,),
            headers=("Link", "Giornale-Missing"),
        ),
    },
    problems=(problems.ANOTHER_LOG, problems.STREAMS),
)
def list_records(
    ended_from: str | None, ended_to: str | None, game: str | None, after: int, log: str
) -> Response:
    """Export public matches that have ended and are revealed, in the order of their ends: the
    lines of each record, one record after the other, as `giornale dump` writes them.

    A page has up to 100 matches or 10,000 commits; the header Link leads on to the `next`, also
    from a page without any. Matches that were deleted are left out. With `Accept-Encoding: zstd` it
    is compressed so.
    """
    check_log(ctx(), log)
    wanted = Wanted(
        game or "", ended=True, since=ended_from or "", until=ended_to or "", first=after
    )
    page = use_cases.ended(ctx(), wanted)
    headers = {"Cache-Control": "public, no-cache"}
    if page.next is not None:
        asked = {"ended_from": ended_from, "ended_to": ended_to, "game": game}
        kept = {name: value for name, value in asked.items() if value is not None}
        current = log_id(log_of(ctx()).state().key)
        headers["Link"] = links.related("next", **kept, after=page.next, log=current)

    missing: list[str] = []
    lines = use_cases.lines_of_all(ctx(), page.found, missing)
    if request.accept_encodings.best_match(("zstd", "gzip", "identity")) == "zstd":
        headers |= {"Content-Encoding": "zstd", "Vary": "Accept-Encoding"}
        lines = _packed(lines)

    response = in_lines(lines, headers)
    if missing:
        response.headers["Giornale-Missing"] = ", ".join(missing)
    return response


def _packed(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yield lines as one frame of zstd."""
    packer = ZstdCompressor().compressobj()
    for line in lines:
        yield packer.compress(line)
    yield packer.flush()


@records.post("/records")
@operation(
    "importRecord",
    "Import a match",
    tag="history",
    tokens="operator",
    body="RecordLine",
    takes=NDJSON,
    answers={
        200: AnswerSpec(
            "It was here already, the very same.", answers.Imported, headers=("Location",)
        ),
        201: AnswerSpec("It is here now.", answers.Imported, headers=("Location",)),
    },
    problems=(
        problems.UNAUTHORIZED,
        problems.FORBIDDEN,
        problems.BAD_RECORD,
        problems.MATCH_EXISTS,
    ),
)
def import_record(data: Iterator[bytes]) -> Response:
    """Take in the whole record of an ended match, for the operator of this server.

    Every line is checked and every command decided again before anything is stored, and then all of
    it is stored at once or nothing. Exported again the record is the same to the byte. An imported
    match has no tokens and no names, and says when it was imported and by whose key. Records of up
    to 4 MiB are taken, one at a time.
    """
    if not _importing.acquire(blocking=False):
        raise TooMany(
            "requests",
            "another record is being imported; send this one when that is done",
            _IMPORT_SECONDS,
        )
    try:
        lines = use_cases.bounded(data)
        checked, was_here = use_cases.import_record(ctx(), lines, by=operator())
    finally:
        _importing.release()

    match = checked.report.match
    value = {"match": match, "commits": checked.report.commits}
    return answer(value, 200 if was_here else 201, {"Location": links.match(match)})


@records.get("/keys")
@operation(
    "listKeys",
    "List the keys of receipts",
    tag="history",
    tokens="none",
    answers={200: AnswerSpec("The public keys, also those no longer in use.", answers.KeyList)},
)
def list_keys() -> Response:
    """List the public keys that receipts are checked against. Every commit's receipt
    can be asked for. `log` is the key of the log, which proofs are checked against.
    """
    signer = ctx().signer
    value: answers.KeyList = {"keys": signer.keys() if signer else []}
    with suppress(JournalUnavailable):
        if log_key := log_of(ctx()).state().key:
            value["log"] = log_key
    return answer(value, headers={"Cache-Control": "public, max-age=60"})
