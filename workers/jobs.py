"""The functions of jobs: the house acts, a bot advises, a match is audited.

`workers.bots` has the function for the moves of bots.
"""

from functools import partial
from time import monotonic

from service.capabilities.advice import jobs as advice_jobs
from service.capabilities.audits import jobs as audit_jobs
from service.matches import automation
from service.matches.automation import failures_noted
from service.matches.context import Context
from service.store.jobs.table import ADVICE
from workers import process
from workers.bots import choose
from workers.bots.players import time_budget


def act(match_id: str) -> None:
    """Let the house act as long as it is awaited, with this process's context."""
    act_with(process.ctx(), match_id)


def act_with(ctx: Context, match_id: str) -> None:
    """Let the house act as long as it is awaited. A failure is noted at the match."""
    with failures_noted(ctx, match_id):
        automation.act(ctx, match_id)


def advise(match_id: str, version: int, seat: int) -> None:
    """Let a strong bot advise a seat, with this process's context and queues.

    The bot thinks less while many requests for advice wait.
    """
    ctx = process.ctx()
    queues = process.queues()
    time = time_budget(queues.depth(ADVICE), ctx.unhurried, monotonic)
    advice_jobs.advise(ctx, queues, (match_id, version, seat), partial(choose, time=time))


def audit(match_id: str, version: int) -> None:
    """Audit a match up to a version, with this process's context and queues."""
    audit_jobs.audit(process.ctx(), process.queues(), match_id, version)
