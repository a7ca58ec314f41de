"""Records over HTTP: whole matches out and in, and the keys that receipts are checked against."""

import threading
from collections.abc import Iterator

from flask import Blueprint, Response

from service import answers
from service.api import links, problems
from service.api.contract.operations import NDJSON, OF_A_MATCH, UNCHANGED, Answer, operation
from service.api.contract.parameters import IF_NONE_MATCH
from service.api.http import responses
from service.api.http.context import ctx, enter
from service.api.http.operator import operator
from service.api.http.responses import answer
from service.api.routes.streams import in_lines
from service.errors import TooMany
from service.matches import records as use_cases

records = Blueprint("records", __name__, url_prefix="/v1")

# An import takes memory and time: one at once in each process.
_importing = threading.Lock()
_IMPORT_SECONDS = 5


@records.get("/matches/<id:match>/record")
@operation(
    "getRecord",
    "Export a match",
    tag="history",
    parameters=(IF_NONE_MATCH,),
    answers={
        200: Answer(
            "The record, a commit a line.",
            answers.RecordLine,
            media=(NDJSON,),
            headers=("ETag", "Content-Disposition"),
        ),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, problems.STREAMS),
)
def get_record(match: str, if_none_match: set[str]) -> Response:
    """Export a match as a record: NDJSON, each line a CloudEvents 1.0 event around one commit
    in canonical form.

    Whole once the secrets are revealed after the end; before, redacted for the caller. A record can
    be checked offline (`giornale verify`), also by a program of one's own: docs/fairness.md says
    how. It holds no names.
    """
    access = enter(match)
    headers = responses.headers(access, fixed=access.head.final)
    responses.may_store(access, headers)
    if responses.is_unchanged(headers, if_none_match):
        return responses.unchanged(headers)
    headers["Content-Disposition"] = f'attachment; filename="{match}.ndjson"'
    return in_lines(use_cases.lines_of(ctx(), access), headers)


@records.post("/records")
@operation(
    "importRecord",
    "Import a match",
    tag="history",
    tokens="operator",
    body="RecordLine",
    takes=NDJSON,
    answers={
        200: Answer("It was here already, the very same.", answers.Imported, headers=("Location",)),
        201: Answer("It is here now.", answers.Imported, headers=("Location",)),
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
    answers={200: Answer("The public keys, also those no longer in use.", answers.KeyList)},
)
def list_keys() -> Response:
    """List the public keys that receipts are checked against. Every commit's receipt
    can be asked for.
    """
    signer = ctx().signer
    keys = signer.keys() if signer else []
    return answer({"keys": keys}, headers={"Cache-Control": "public, max-age=60"})
