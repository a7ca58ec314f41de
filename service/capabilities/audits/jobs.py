"""The jobs of audits, and their progress and reports, which are kept for a while."""

from contextlib import suppress
from time import monotonic

from service.base.answers import Report
from service.base.errors import MatchDeleted, NotFound
from service.matches import records
from service.matches.context import Context
from service.record.commit import Json
from service.store.jobs.queues import Queues
from service.store.jobs.requests import Limit, ask_once, keep, kept
from service.store.jobs.table import AUDITS

MOST_AUDITS_WAITING = 100  # jobs
AUDIT_RETRY_SECONDS = 10
NOTE_SECONDS = 0.2  # at least, from one note of an audit's progress to the next


def ask_audit(queues: Queues, match_id: str, version: int) -> None:
    """Have a match audited up to a version, unless an audit of the match waits or is at work.

    Raises RedisError, and Overloaded if too many matches wait to be audited.
    """
    limit = Limit(MOST_AUDITS_WAITING, "matches wait to be audited", AUDIT_RETRY_SECONDS)
    ask_once(queues, limit, AUDITS, _audit_job_id(match_id), match_id, version)


def audit_under_way(queues: Queues, match_id: str, version: int) -> bool:
    """Return whether the audit of a match up to a version waits or is at work.

    Raises RedisError.
    """
    return queues.arguments_of(AUDITS, _audit_job_id(match_id)) == [match_id, version]


def keep_audit(
    queues: Queues,
    match_id: str,
    version: int,
    done: int,
    report: Report | None = None,
) -> None:
    """Note how many commits were checked and, at the end, the report; raises RedisError."""
    keep(queues, _audit_key(match_id, version), {"done": done, "report": report})


def known_audit(queues: Queues, match_id: str, version: int) -> Json:
    """Return what was noted last: `done`, and `report`, which is None until the end.

    Raises RedisError.
    """
    return kept(queues, _audit_key(match_id, version)) or {"done": 0, "report": None}


def audit(ctx: Context, queues: Queues, match_id: str, version: int) -> None:
    """Audit a match up to a version; keep the progress now and then, and the report at the end.

    Of a match that is gone nothing is kept: its audit cannot be asked for any more.
    """
    last_noted = monotonic()

    def progress(done: int, _total: int) -> None:
        nonlocal last_noted
        now = monotonic()
        if now - last_noted <= NOTE_SECONDS:
            return

        last_noted = now
        keep_audit(queues, match_id, version, done)

    with suppress(NotFound, MatchDeleted):
        report = records.audit(ctx, match_id, version, progress)
        keep_audit(queues, match_id, version, report.commits, report.as_json())


def _audit_job_id(match_id: str) -> str:
    """Return the id of a match's audit: one at a time, whatever the version."""
    return f"audit-{match_id}"


def _audit_key(match_id: str, version: int) -> str:
    return f"giornale:sealed:audit:{match_id}:{version}"
