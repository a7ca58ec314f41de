"""What anybody needs to check a history: its record, receipts' keys, an audit; and the erasure of names."""

import threading
from collections.abc import Iterator

from flask import Blueprint, Response, current_app
from redis.exceptions import RedisError

from service.api import links
from service.api.contract.operations import NDJSON, OF_A_MATCH, Answer, operation
from service.api.contract.parameters import IF_NONE_MATCH
from service.api.http import conditional
from service.api.http.answers import answer
from service.api.http.auth import token_for
from service.api.http.context import desk
from service.api.http.operator import operator
from service.api.problems import kinds
from service.api.routes.common import UNCHANGED
from service.api.routes.streams import in_lines
from service.errors import NotFound, TooMany
from service.jobs import audits as jobs
from service.journal.port import JournalUnavailable
from service.matches import access, names, records

audit = Blueprint("audit", __name__, url_prefix="/v1")

_importing = threading.Lock()  # an import takes memory and time: one at once in each process


@audit.get("/matches/<id:match>/record")
@operation(
    "getRecord", "Export a match", tag="history", parameters=(IF_NONE_MATCH,),
    answers={
        200: Answer(
            "The record, a commit a line.", "RecordLine", (NDJSON,), ("ETag", "Content-Disposition")
        ),
        304: UNCHANGED,
    },
    problems=(*OF_A_MATCH, kinds.STREAMS),
)  # fmt: skip
def get_record(match: str, if_none_match: set[str]) -> Response:
    """Export a match as a record: NDJSON, each line a CloudEvents 1.0 event around one commit in canonical form.

    Whole once the secrets are revealed after the end; before, redacted for the caller. A record can be checked offline
    (`giornale verify`), also by a program of one's own: docs/fairness.md says how. It holds no names.
    """
    loaded, caller = access.enter(desk(), match, token_for(match))
    told = conditional.headers(loaded, caller, fixed=loaded.match.revealed)
    if conditional.unchanged(if_none_match, told["ETag"]):
        return Response(status=304, headers=told)
    told["Content-Disposition"] = f'attachment; filename="{match}.ndjson"'
    return in_lines(records.lines_of(desk(), loaded, caller), told)


@audit.post("/records")
@operation(
    "importRecord", "Import a match", tag="history", tokens="operator", body="RecordLine", takes=NDJSON,
    answers={
        200: Answer("It was here already, the very same.", "Imported", headers=("Location",)),
        201: Answer("It is here now.", "Imported", headers=("Location",)),
    },
    problems=(kinds.UNAUTHORIZED, kinds.FORBIDDEN, kinds.BAD_RECORD, kinds.MATCH_EXISTS),
)  # fmt: skip
def import_record(data: Iterator[bytes]) -> Response:
    """Take in the whole record of an ended match, for the operator of this server.

    Every line is checked and every command decided again before anything is stored, and then all of it is stored at
    once or nothing. Exported again the record is the same to the byte. An imported match has no tokens and no names,
    and says when it was imported and by whose key. Records of up to 4 MiB are taken, one at a time.
    """
    if not _importing.acquire(blocking=False):
        raise TooMany(
            "requests", "another record is being imported; send this one when that is done", 5
        )
    try:
        found, there = records.import_record(desk(), records.bounded(data), by=operator())
    finally:
        _importing.release()
    value = {"match": found.report.match, "commits": found.report.commits}
    return answer(value, 200 if there else 201, {"Location": links.match(found.report.match)})


@audit.get("/keys")
@operation(
    "listKeys", "List the keys of receipts", tag="history", tokens="none",
    answers={200: Answer("The public keys, also those no longer in use.", "KeyList")},
)  # fmt: skip
def list_keys() -> Response:
    """List the public keys that receipts are checked against. Every commit's receipt can be asked for."""
    signer = desk().signer
    return answer(
        {"keys": signer.keys() if signer else []}, headers={"Cache-Control": "public, max-age=60"}
    )


_AUDIT = {
    200: Answer("The audit is done.", "Audit"),
    202: Answer("The audit is under way.", "Audit", headers=("Location", "Retry-After")),
}


_AUDIT_PROBLEMS = (*OF_A_MATCH, kinds.OVERLOADED)


@audit.get("/matches/<id:match>/audit")
@operation("auditMatch", "Audit a match", tag="history", answers=_AUDIT, problems=_AUDIT_PROBLEMS)
def audit_match(match: str) -> Response:
    """Have the server check the match as `giornale verify` does: chain, play, draws, view digests, names.

    A worker does it, one audit of a match at a time. Until it is done the answer is 202 with the progress, and Location
    says where to ask again.
    """
    loaded, _ = access.enter(desk(), match, token_for(match))
    return _audit(match, loaded.version, loaded.version)


@audit.get("/matches/<id:match>/audit/<version:number>")
@operation(
    "getAudit",
    "Ask for an audit up to a version",
    tag="history",
    answers=_AUDIT,
    problems=_AUDIT_PROBLEMS,
)
def get_audit(match: str, number: int) -> Response:
    """Ask how the audit of a match up to a version is coming along.

    It is begun if it was not yet and the version is the match's last. Of an earlier version only an audit that was
    begun before is told.
    """
    loaded, _ = access.enter(desk(), match, token_for(match))
    if not 1 <= number <= loaded.version:
        raise NotFound(f"match {match} has the versions 1 to {loaded.version}, not {number}")
    return _audit(match, number, loaded.version)


@audit.delete("/matches/<id:match>/players/<number:seat>")
@operation(
    "erasePlayer", "Erase a name", tag="history", tokens="needed", answers={204: Answer("Nobody knows it any more.")},
    problems=(*OF_A_MATCH, kinds.BUSY),
)  # fmt: skip
def erase_player(match: str, seat: int) -> Response:
    """Erase the name of a seat's holder, with the seat's or the owner's token. Every chain still verifies.

    History tells that a name was erased (M13), not which.
    """
    names.erase(desk(), match, token_for(match), seat)
    return Response(status=204, headers={"Cache-Control": "no-store"})


def _audit(match: str, version: int, last: int) -> Response:
    """Answer the audit up to a version; begin it if that is the last one."""
    queues = current_app.extensions["queues"]
    try:
        known = jobs.known(queues, match, version)
        if known["report"] is None and version == last:
            jobs.ask(queues, match, version)
        elif known["report"] is None and not jobs.under_way(queues, match, version):
            present = links.audit(match, last)
            raise NotFound(
                f"no audit up to version {version} is kept; only the last, {last}, is audited: {present}"
            )
    except RedisError:
        raise JournalUnavailable("the queues cannot be reached") from None

    value = {"match": match, "version": version, **known}
    if known["report"] is not None:
        return answer(value, 200, {"Cache-Control": "no-store"})
    where = {
        "Location": links.audit(match, version),
        "Retry-After": "1",
        "Cache-Control": "no-store",
    }
    return answer(value, 202, where)
