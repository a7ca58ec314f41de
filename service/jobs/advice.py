"""Advice as jobs. What was advised is kept beside the queues, for the seat's last question alone.

It tells of the seat's cards, so it is sealed there, and whoever hands it out must know that the
seat's holder asks.
"""

from service.jobs.asked import Asked, Limit, ask_once, keep, kept
from service.jobs.queues import ADVICE, Queues
from service.ledger.canonical import Json

MOST_WAITING = 20  # jobs
RETRY_SECONDS = 5


def ask(queues: Queues, match_id: str, version: int, seat: int) -> None:
    """Have a bot think for a seat at a version, unless it is asked for that already.

    Raises RedisError, and Overloaded if too many wait for advice.
    """
    job_id = f"advice-{match_id}-{seat}-{version}"
    limit = Limit(MOST_WAITING, "players wait for advice", RETRY_SECONDS)
    ask_once(queues, Asked(ADVICE, job_id, (match_id, version, seat)), limit)


def note(queues: Queues, match_id: str, seat: int, commit_hash: str, advice: Json) -> None:
    """Keep what a seat was advised after the commit with a hash, in place of all before.

    Raises RedisError.
    """
    keep(queues, _key(match_id, seat), {"hash": commit_hash, "advice": advice})


def known(queues: Queues, match_id: str, seat: int, commit_hash: str) -> Json | None:
    """Return what a seat was advised after the commit with a hash, None if nothing is kept.

    Raises RedisError.
    """
    noted = kept(queues, _key(match_id, seat))
    if noted is None or noted["hash"] != commit_hash:
        return None
    advice: Json = noted["advice"]
    return advice


def _key(match_id: str, seat: int) -> str:
    return f"giornale:sealed:advice:{match_id}:{seat}"
