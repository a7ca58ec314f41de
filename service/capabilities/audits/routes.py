"""Audits over HTTP: a worker checks a match as `giornale verify` does."""

from collections.abc import Mapping

from flask import Blueprint, Response

from service.api import links, problems
from service.api.contract.operations import STORED, AnswerSpec, operation
from service.api.http.context import ctx, enter, needed_queues
from service.api.http.responses import answer
from service.base.errors import NotFound
from service.capabilities.audits import jobs
from service.capabilities.audits.answers import Audit
from service.matches import views
from service.matches.access import Access
from service.matches.repository import read_commit_hash
from service.matches.views import Position
from service.record.commit import Json
from service.store.jobs.queues import Queues

audits = Blueprint("audits", __name__, url_prefix="/v1/matches/<id:match>/audits")


@audits.post("")
@operation(
    "startAudit",
    "Audit a match",
    tag="history",
    answers={
        200: AnswerSpec("The audit is done already.", Audit, headers=("Location",)),
        202: AnswerSpec("The audit is under way.", Audit, headers=("Location", "Retry-After")),
    },
    problems=(*STORED, problems.OVERLOADED),
)
def start_audit(match: str) -> Response:
    """Have the server check the match up to its last version, as `giornale verify` does: chain,
    play, draws, view digests, names.

    A worker audits, and Location is the audit's address. A repeated request at the same version
    gets the same audit. A match has one audit at a time: while an earlier version is audited, the
    answer is that audit.
    """
    audit = start(enter(match))
    return _answer(audit, {"Location": f"{_path(match)}/{audit['version']}"})


@audits.get("/<version:version>")
@operation(
    "getAudit",
    "Look at an audit",
    tag="history",
    answers={
        200: AnswerSpec("The audit is done.", Audit),
        202: AnswerSpec("The audit is under way.", Audit, headers=("Retry-After",)),
    },
    problems=STORED,
)
def get_audit(match: str, version: int) -> Response:
    """Show the audit of a match up to a version, done or under way.

    The answer is 404 if nobody has requested the audit, and ten minutes after its end, when the
    report is dropped.
    """
    return _answer(_read(enter(match), version))


def _answer(audit: Audit, headers: Mapping[str, str] | None = None) -> Response:
    """Answer an audit: 200 if its report is ready, else 202."""
    is_done = audit["report"] is not None
    all_headers = {"Cache-Control": "no-store", **(headers or {})}
    if not is_done:
        all_headers["Retry-After"] = "1"
    return answer(audit, 200 if is_done else 202, all_headers)


def start(access: Access) -> Audit:
    """Start the audit of a match up to its head. Return this audit, or the audit under way.

    Raises Overloaded, JournalUnavailable.
    """
    version = access.version
    with needed_queues() as queues:
        audit = _stored(queues, access, version)
        if audit["report"] is None:
            version = jobs.start_audit(queues, access.match, version)
            audit = _stored(queues, access, version)
    return audit


def _read(access: Access, version: int) -> Audit:
    """Return the audit up to a version. Raises NotFound if there is none, JournalUnavailable."""
    version = views.version_of(ctx(), access, Position(version=version))
    with needed_queues() as queues:
        audit = _stored(queues, access, version)
        if audit["report"] is None and not jobs.is_requested(queues, access.match, version):
            raise NotFound(
                f"There is no audit up to version {version}. "
                f"POST {_path(access.match)} audits the last version, {access.version}."
            )
    return audit


def _stored(queues: Queues, access: Access, version: int) -> Audit:
    """Return the progress of an audit, and its report if the journal has the same commits.

    Raises RedisError.
    """
    stored = jobs.known_audit(queues, access.match, version)
    report = stored["report"]
    if report is not None and not _is_of_journal(access, report):
        report = None
    return {
        "match": access.match,
        "version": version,
        "done": stored["done"],
        "report": report,
    }


def _path(match: str) -> str:
    """Return the URL of the audits of a match."""
    return f"{links.match(match)}/audits"


def _is_of_journal(access: Access, report: Json) -> bool:
    """Return True if the journal still has the commits of a report."""
    last: int = report["commits"]
    last_hash: str = report["hash"]
    return last <= access.version and read_commit_hash(ctx(), access, last) == last_hash
