"""Jobs for audits. Their progress and their reports are stored for a while."""

from contextlib import suppress
from time import monotonic

from service.base.answers import Report
from service.base.errors import MatchDeleted, NotFound
from service.matches import records
from service.matches.context import Context
from service.record.commit import Json
from service.store.jobs.queues import Queues
from service.store.jobs.requests import Limit, ask_once, last_request, load_sealed, store_sealed
from service.store.jobs.table import AUDITS

MOST_AUDITS_WAITING = 100  # jobs
AUDIT_RETRY_SECONDS = 10
NOTE_SECONDS = 0.2  # least time between two notes of an audit's progress


def start_audit(queues: Queues, match_id: str, version: int) -> int:
    """Request the audit of a match up to a version. Return the version of the audit under way.

    A match has one audit at a time. If one is queued or running, nothing is started. Raises
    RedisError, and Overloaded if too many matches wait to be audited.
    """
    version = _version_under_way(queues, match_id) or version
    limit = Limit(MOST_AUDITS_WAITING, "matches wait to be audited", AUDIT_RETRY_SECONDS)
    ask_once(queues, limit, AUDITS, _audit_job_id(match_id), match_id, version)
    return version


def _version_under_way(queues: Queues, match_id: str) -> int | None:
    """Return the version of the queued or running audit of a match, None without an audit.

    Raises RedisError.
    """
    match queues.arguments_of(AUDITS, _audit_job_id(match_id)):
        case [_, int(version)]:
            return version
    return None


def is_requested(queues: Queues, match_id: str, version: int) -> bool:
    """Return True if the last request for a match was for this version. Raises RedisError."""
    return last_request(queues, _audit_job_id(match_id)) == [match_id, version]


def keep_audit(
    queues: Queues,
    match_id: str,
    version: int,
    commit_count: int,
    report: Report | None = None,
) -> None:
    """Store the number of checked commits and, at the end, the report. Raises RedisError."""
    store_sealed(queues, _audit_key(match_id, version), {"done": commit_count, "report": report})


def known_audit(queues: Queues, match_id: str, version: int) -> Json:
    """Return the last note of an audit: `done` and `report`. The report is None until the end.

    Raises RedisError.
    """
    return load_sealed(queues, _audit_key(match_id, version)) or {"done": 0, "report": None}


def audit(ctx: Context, queues: Queues, match_id: str, version: int) -> None:
    """Audit a match up to a version. Store the progress now and then, and the report at the end.

    No report is stored for a match that is gone, since nobody can read it.
    """
    last_noted = monotonic()

    def progress(commit_count: int, _total: int) -> None:
        nonlocal last_noted
        now = monotonic()
        if now - last_noted <= NOTE_SECONDS:
            return

        last_noted = now
        keep_audit(queues, match_id, version, commit_count)

    with suppress(NotFound, MatchDeleted):
        report = records.audit(ctx, match_id, version, progress)
        keep_audit(queues, match_id, version, report.commits, report.as_json())


def _audit_job_id(match_id: str) -> str:
    """Return the id of a match's audit. It names no version: a match has one audit at a time."""
    return f"audit-{match_id}"


def _audit_key(match_id: str, version: int) -> str:
    return f"giornale:sealed:audit:{match_id}:{version}"
