"""The table of queues. Operators and upgrades rely on its names, functions and times."""

from collections.abc import Mapping
from typing import NamedTuple

HOUSE = "house"
BOTS = "bots"
EXHIBITIONS = "exhibitions"  # matches of bots alone
AUDITS = "audits"
ADVICE = "advice"
WEBHOOK_JOBS = "hooks"  # calls of webhooks, if webhooks are switched on

# The queue of the house in the first release. Web processes of that release may still put jobs
# there, so for one release a worker of the house takes these jobs over.
FORMER_HOUSE = "scoring"

FAILURE_TTL = 1  # seconds that a failed job blocks a new job of the same id


class QueueKind(NamedTuple):
    """One queue.

    function: stored in each job as its function. Stored names stay, and nothing imports them: a
        worker selects its function by the queue.
    timeout: of a job in seconds. The house or a bot needs a fraction of one second. A match with a
        hanging bot is retried in the queue of exhibitions, so that retries delay no other humans.
    is_coded: True if a job needs this service's code (`Seal.code`). In other queues a job without a
        code may be of an earlier release, and does only the pending work of a match.
    is_nice: True if the worker runs at a lower priority, and so leaves the processors to others.
    """

    function: str
    timeout: int
    is_coded: bool = False
    is_nice: bool = False


QUEUES: Mapping[str, QueueKind] = {
    HOUSE: QueueKind("workers.scoring.act", timeout=10),
    BOTS: QueueKind("workers.bots.play", timeout=5),
    EXHIBITIONS: QueueKind("workers.bots.play", timeout=10, is_nice=True),
    AUDITS: QueueKind("workers.audits.run", timeout=20, is_coded=True),
    ADVICE: QueueKind("workers.advice.run", timeout=5, is_coded=True, is_nice=True),
    WEBHOOK_JOBS: QueueKind("workers.webhooks.deliver", timeout=5, is_coded=True),
}

# The queue for each kind of pending work. A failed match is retried among matches of bots alone, so
# that it does not delay other humans.
QUEUE_OF = {
    "house": HOUSE,
    "bots": BOTS,
    "exhibition": EXHIBITIONS,
    "retry": EXHIBITIONS,
}
