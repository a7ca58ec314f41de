"""Records over HTTP: exports and imports of matches, and the keys for checking receipts."""

import threading
from collections.abc import Iterator
from contextlib import suppress

from flask import Blueprint, Response

from service.api import links, problems
from service.api.contract.operations import NDJSON, STORED, UNCHANGED, AnswerSpec, operation
from service.api.contract.parameters import (
    ENDED,
    GAME,
    IF_NONE_MATCH,
    LOG,
    number as count,
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
from service.store.tlog.index import MatchSelection

records = Blueprint("records", __name__, url_prefix="/v1")

# An import takes memory and time, so each process makes only one at once.
_importing = threading.Lock()
_IMPORT_SECONDS = 5

# Up to so many lines need no stream permit. Signing clients read the newest lines before each move.
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
    """Export a match as a record, NDJSON.

    Each line is a CloudEvents 1.0 event around one commit in canonical form. The record is whole
    once the secrets are revealed after the end. Before that it is redacted for the caller. The
    record can be checked offline, with `giornale verify` or with a program of one's own
    (docs/reference/record.md). It holds no names.
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
        *ENDED,
        GAME,
        count("after", "Only matches that ended after so many positions of the log.", 0, default=0),
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
    """Export public matches that have ended and are revealed, in the order of their ends.

    One record follows the other, as `giornale dump` writes them. A page has at most 100 matches and
    10,000 commits. The header Link leads on to the `next` page, also from a page without matches.
    Deleted matches are left out.
    """
    check_log(ctx(), log)
    selection = MatchSelection(
        game or "", ended=True, since=ended_from or "", until=ended_to or "", first=after
    )
    page = use_cases.ended(ctx(), selection)
    headers = {"Cache-Control": "public, no-cache"}
    if page.next is not None:
        current = log_id(log_of(ctx()).state().key)
        links.next_page(headers, after=page.next, log=current)

    missing: list[str] = []
    lines = use_cases.lines_of_all(ctx(), page.accesses, missing)

    response = in_lines(lines, headers)
    if missing:
        response.headers["Giornale-Missing"] = ", ".join(missing)
    return response


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
            "The very same match was stored already.", answers.Imported, headers=("Location",)
        ),
        201: AnswerSpec("The match is imported.", answers.Imported, headers=("Location",)),
    },
    problems=(
        problems.UNAUTHORIZED,
        problems.FORBIDDEN,
        problems.BAD_RECORD,
        problems.MATCH_EXISTS,
        problems.RULES_UNKNOWN,
    ),
)
def import_record(data: Iterator[bytes]) -> Response:
    """Import the whole record of an ended match, for the operator of this server.

    Every line is checked and every command decided again before anything is stored. Then the whole
    match is stored at once, or nothing. Exported again, the record has the same bytes. An imported
    match has no tokens and no names. It names the time and the operator of the import. A record may
    have at most 4 MiB. Each web process imports one record at a time.
    """
    if not _importing.acquire(blocking=False):
        raise TooMany(
            "requests",
            "another record is being imported. Send this one afterwards",
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
    """List the public keys for checking receipts.

    `getCommit` has the receipt of any commit. `log_key` is the key of the log, for checking proofs.
    """
    signer = ctx().signer
    value: answers.KeyList = {"keys": signer.keys() if signer else []}
    with suppress(JournalUnavailable):
        if log_key := log_of(ctx()).state().key:
            value["log_key"] = log_key
    return answer(value, headers={"Cache-Control": "public, max-age=60"})
