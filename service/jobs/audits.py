"""Audits as jobs. What is known of an audit is kept beside the queues, sealed."""

from service.jobs.asked import Asked, Limit, ask_once, keep, kept
from service.jobs.queues import AUDITS, Queues
from service.ledger.canonical import Json

MOST_WAITING = 100  # jobs
RETRY_SECONDS = 10


def ask(queues: Queues, match_id: str, version: int) -> None:
    """Have a match audited up to a version, unless an audit of the match waits or is at work.

    Raises RedisError, and Overloaded if too many matches wait to be audited.
    """
    asked = Asked(AUDITS, _job_id(match_id), (match_id, version))
    ask_once(queues, asked, Limit(MOST_WAITING, "matches wait to be audited", RETRY_SECONDS))


def under_way(queues: Queues, match_id: str, version: int) -> bool:
    """Return whether the audit of a match up to a version waits or is at work.

    Raises RedisError.
    """
    return queues.arguments_of(AUDITS, _job_id(match_id)) == [match_id, version]


def note(
    queues: Queues, match_id: str, version: int, done: int, report: Json | None = None
) -> None:
    """Note how many commits were checked and, at the end, the report; raises RedisError."""
    keep(queues, _key(match_id, version), {"done": done, "report": report})


def known(queues: Queues, match_id: str, version: int) -> Json:
    """Return what was noted last: `done`, and `report`, which is None until the end.

    Raises RedisError.
    """
    return kept(queues, _key(match_id, version)) or {"done": 0, "report": None}


def _job_id(match_id: str) -> str:
    """Return the id of a match's audit: one at a time, whatever the version."""
    return f"audit-{match_id}"


def _key(match_id: str, version: int) -> str:
    return f"giornale:sealed:audit:{match_id}:{version}"
