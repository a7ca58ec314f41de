"""Audits over HTTP: a worker checks a match as `giornale verify` does."""

from flask import Blueprint, Response
from redis.exceptions import RedisError

from service.api import links, problems
from service.api.contract.operations import STORED, AnswerSpec, operation
from service.api.http.context import ctx, enter, queues
from service.api.http.responses import answer
from service.base.errors import NotFound
from service.capabilities.audits import jobs
from service.capabilities.audits.answers import Audit
from service.matches import views
from service.matches.access import Access
from service.matches.repository import read_commit_hash
from service.matches.views import Position
from service.record.commit import Json
from service.store.journal.errors import JournalUnavailable

audits = Blueprint("audits", __name__, url_prefix="/v1/matches/<id:match>/audit")

_ANSWERS = {
    200: AnswerSpec("The audit is done.", Audit),
    202: AnswerSpec("The audit is under way.", Audit, headers=("Location", "Retry-After")),
}
_PROBLEMS = (*STORED, problems.OVERLOADED)


@audits.get("")
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


@audits.get("/<version:number>")
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
    found = audit_of(access, version)
    headers = {"Cache-Control": "no-store"}
    is_done = found["report"] is not None
    if not is_done:
        headers["Location"] = links.audit(access.match, version)
        headers["Retry-After"] = "1"
    return answer(found, 200 if is_done else 202, headers)


def audit_of(access: Access, version: int) -> Audit:
    """Return the audit up to a version; begin it if that is the last one.

    Raises NotFound, Overloaded, JournalUnavailable.
    """
    try:
        known = _known_audit(access, version)
    except RedisError:
        raise JournalUnavailable("the queues cannot be reached") from None
    return {
        "match": access.match,
        "version": version,
        "done": known["done"],
        "report": known["report"],
    }


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
    return last <= access.version and read_commit_hash(ctx(), access, last) == last_hash
