"""Jobs for advice. Their results are stored for a while.

Advice may name hidden cards, so show it only to the holder of the seat.
"""

from service.capabilities.advice import use_cases
from service.matches.bots import Choose
from service.matches.context import Context
from service.record.commit import Json
from service.store.jobs.queues import Queues
from service.store.jobs.requests import Limit, ask_once, last_request, load_sealed, store_sealed
from service.store.jobs.table import ADVICE

MOST_ADVICE_WAITING = 20  # jobs
ADVICE_RETRY_SECONDS = 5


def ask_advice(queues: Queues, match_id: str, version: int, seat: int) -> None:
    """Enqueue the job that lets a bot think for a seat, unless the job is queued or running.

    Raises RedisError. Raises Overloaded if too many jobs for advice are queued.
    """
    job_id = _advice_job_id(match_id, version, seat)
    limit = Limit(MOST_ADVICE_WAITING, "players wait for advice", ADVICE_RETRY_SECONDS)
    ask_once(queues, limit, ADVICE, job_id, match_id, version, seat)


def is_requested(queues: Queues, match_id: str, version: int, seat: int) -> bool:
    """Return True if advice for a seat at a version was requested lately. Raises RedisError."""
    return last_request(queues, _advice_job_id(match_id, version, seat)) is not None


def keep_advice(queues: Queues, match_id: str, seat: int, commit_hash: str, advice: Json) -> None:
    """Store the advice for a seat at a commit. It replaces earlier advice for the seat.

    Raises RedisError.
    """
    store_sealed(queues, _advice_key(match_id, seat), {"hash": commit_hash, "advice": advice})


def known_advice(queues: Queues, match_id: str, seat: int, commit_hash: str) -> Json | None:
    """Return the stored advice for a seat at a commit, None if there is none.

    Raises RedisError.
    """
    noted = load_sealed(queues, _advice_key(match_id, seat))
    if noted is None or noted["hash"] != commit_hash:
        return None
    advice: Json = noted["advice"]
    return advice


def advise(ctx: Context, queues: Queues, request: tuple[str, int, int], choose: Choose) -> None:
    """Let a strong bot think for a seat. Store the result, unless the match has moved on.

    request: match, version and seat.   choose: evaluates the moves.
    """
    match_id, version, seat = request
    advised = use_cases.advise(ctx, match_id, version, seat, choose)
    if advised is not None:
        commit_hash, advice = advised
        keep_advice(queues, match_id, seat, commit_hash, advice)


def _advice_job_id(match_id: str, version: int, seat: int) -> str:
    return f"advice-{match_id}-{seat}-{version}"


def _advice_key(match_id: str, seat: int) -> str:
    return f"giornale:sealed:advice:{match_id}:{seat}"
