"""The functions of jobs: the house acts, bots advise, matches are audited; `bots` plays."""

from contextlib import suppress
from functools import partial
from time import monotonic

from service.base.errors import MatchDeleted, NotFound
from service.capabilities.advice import jobs as advice_jobs
from service.matches import automation, records
from service.matches.automation import failures_noted
from service.matches.context import Context
from service.store.jobs import requests
from service.store.jobs.queues import Queues
from service.store.jobs.table import ADVICE
from workers import process
from workers.bots import choose
from workers.bots.players import time_budget

NOTE_SECONDS = 0.2  # at least, from one note of an audit's progress to the next


def act(match_id: str) -> None:
    """Let the house do all that it must now, with this process's context."""
    act_with(process.ctx(), match_id)


def act_with(ctx: Context, match_id: str) -> None:
    """Let the house do all that it must now; a failure is noted of the match."""
    with failures_noted(ctx, match_id):
        automation.act(ctx, match_id)


def advise(match_id: str, version: int, seat: int) -> None:
    """Let a strong bot think for a seat with this process's parts, and less while many wait."""
    ctx = process.ctx()
    queues = process.queues()
    time = time_budget(queues.depth(ADVICE), ctx.unhurried, monotonic)
    advice_jobs.advise(ctx, queues, (match_id, version, seat), partial(choose, time=time))


def audit(match_id: str, version: int) -> None:
    """Audit a match up to a version with this process's parts."""
    audit_with(process.ctx(), process.queues(), match_id, version)


def audit_with(ctx: Context, queues: Queues, match_id: str, version: int) -> None:
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
        requests.keep_audit(queues, match_id, version, done)

    with suppress(NotFound, MatchDeleted):
        report = records.audit(ctx, match_id, version, progress)
        requests.keep_audit(queues, match_id, version, report.commits, report.as_json())
