"""Audits over HTTP: to have a match checked by the server."""

from flask import Blueprint, Response
from redis.exceptions import RedisError

from service import answers
from service.api import links, problems
from service.api.contract.operations import OF_A_MATCH, Answer, operation
from service.api.http.context import ctx, enter, queues
from service.api.http.responses import answer
from service.errors import NotFound
from service.jobs import requests as jobs
from service.journal.errors import JournalUnavailable
from service.ledger.commit import Json
from service.matches import views
from service.matches.access import Access
from service.matches.repository import hash_at
from service.matches.views import Position

audit = Blueprint("audit", __name__, url_prefix="/v1")

_ANSWERS = {
    200: Answer("The audit is done.", answers.Audit),
    202: Answer("The audit is under way.", answers.Audit, headers=("Location", "Retry-After")),
}
_PROBLEMS = (*OF_A_MATCH, problems.OVERLOADED)


@audit.get("/matches/<id:match>/audit")
@operation(
    "auditMatch",
    "Audit a match",
    tag="history",
    answers=_ANSWERS,
    problems=_PROBLEMS,
)
def audit_match(match: str) -> Response:
    """Have the server check the match as `giornale verify` does: chain, play, draws, view
    digests, names.

    A worker does it, one audit of a match at a time. Until it is done the answer is 202 with the
    progress, and Location says where to ask again.
    """
    access = enter(match)
    return _audit(access, access.version)


@audit.get("/matches/<id:match>/audit/<version:number>")
@operation(
    "getAudit",
    "Ask for an audit up to a version",
    tag="history",
    answers=_ANSWERS,
    problems=_PROBLEMS,
)
def get_audit(match: str, number: int) -> Response:
    """Ask how the audit of a match up to a version is coming along.

    It is begun if it was not yet and the version is the match's last. Of an earlier version only an
    audit that was begun before is shown.
    """
    access = enter(match)
    version = views.version_of(ctx(), access, Position(version=number))
    return _audit(access, version)


def _audit(access: Access, version: int) -> Response:
    """Answer the audit up to a version; begin it if that is the last one."""
    try:
        known = _known_audit(access, version)
    except RedisError:
        raise JournalUnavailable("the queues cannot be reached") from None

    headers = {"Cache-Control": "no-store"}
    is_done = known["report"] is not None
    if not is_done:
        headers["Location"] = links.audit(access.match, version)
        headers["Retry-After"] = "1"
    value: answers.Audit = {
        "match": access.match,
        "version": version,
        "done": known["done"],
        "report": known["report"],
    }
    return answer(value, 200 if is_done else 202, headers)


def _known_audit(access: Access, version: int) -> Json:
    """Return what is known of an audit, which is begun if it can be.

    Raises NotFound for one that is neither kept nor under way, Overloaded, RedisError.
    """
    known = jobs.known_audit(queues(), access.match, version)
    report = known["report"]
    if report is not None and _is_of_journal(access, report):
        return known

    if version == access.version:
        jobs.ask_audit(queues(), access.match, version)
    elif not jobs.audit_under_way(queues(), access.match, version):
        last = access.version
        raise NotFound(
            f"no audit up to version {version} is kept; "
            f"only the last, {last}, is audited: {links.audit(access.match, last)}"
        )
    return known | {"report": None}


def _is_of_journal(access: Access, report: Json) -> bool:
    """Return whether the commits that a report was made of are in the journal now."""
    last: int = report["commits"]
    last_hash: str = report["hash"]
    return last <= access.version and hash_at(ctx(), access, last) == last_hash
