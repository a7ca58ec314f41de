"""The table of queues. Operators and upgrades rely on it: names, functions, times."""

from collections.abc import Mapping
from typing import NamedTuple

HOUSE = "house"
BOTS = "bots"
EXHIBITIONS = "exhibitions"  # matches in which only bots sit
AUDITS = "audits"
ADVICE = "advice"
WEBHOOK_JOBS = "hooks"  # webhooks to be called, where they are switched on

# The queue of the house in the first release. Its web processes may still put jobs there, so for
# one release a worker of the house takes them over.
FORMER_HOUSE = "scoring"

FAILURE_TTL = 1  # seconds that a failed job blocks one of the same id


class QueueKind(NamedTuple):
    """One queue.

    function: named by each job as its function. These names are stored, so they stay as the first
        release wrote them. Nothing imports them: a worker knows its function by the queue.
    timeout: seconds that a job may take; the house or a bot needs a fraction of one. A bot that
        hangs holds up the others only once: it is tried again as an exhibition.
    is_coded: a job must carry this service's code, since its result is handed out. In the other
        queues a job without one may be of an earlier release, and only does what a match needs.
    is_nice: no match waits for its jobs, so its worker leaves the processors to others.
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

# The queue for the work that a match awaits. A match that has failed is tried again where no human
# waits for a bot, so that it holds up no turn.
QUEUE_OF = {
    "house": HOUSE,
    "bots": BOTS,
    "exhibition": EXHIBITIONS,
    "retry": EXHIBITIONS,
}
