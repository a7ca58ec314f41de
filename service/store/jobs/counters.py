"""The table of counters that all processes share, in the queues' Redis. Metrics show them."""

from typing import NamedTuple

from service.store.jobs.table import QUEUES


class Counter(NamedTuple):
    """One counter.

    key: of a hash with a number for each outcome, or of one number.
    outcomes: fields of the hash, () for one number.
    """

    key: str
    outcomes: tuple[str, ...] = ()


FAILED_JOBS = Counter("giornale:failed", tuple(QUEUES))  # by queue
WEBHOOK_CALLS = Counter("giornale:webhook_calls", ("received", "failed"))
WITNESS_CALLS = Counter("giornale:witness_calls", ("cosigned", "refused", "failed"))
TIMES_RUN_OUT = Counter("giornale:times_run_out")  # seats whose time has run out
