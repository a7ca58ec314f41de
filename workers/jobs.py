"""The job of the queue "scoring": what no player decides."""

import time
from contextlib import suppress
from functools import partial
from time import monotonic

from service.errors import MatchDeleted, NotFound
from service.jobs import requests as jobs
from service.jobs.queues import ADVICE, Queues
from service.matches import advice as match_advice
from service.matches import automation, records
from service.matches.automation import failures_noted
from service.matches.context import Context
from workers import context
from workers.bots import choose
from workers.bots.players import Pace, pace

# §§§ workers.jobs


def act(match_id: str) -> None:
    """Let the house do all that it must now, at this process's desk."""
    act_at(context.ctx(), match_id)


def act_at(ctx: Context, match_id: str) -> None:
    """Let the house do all that it must now; a failure is noted of the match."""
    with failures_noted(ctx, match_id):
        automation.act(ctx, match_id)


# §§§ workers.jobs
# The job of the queue "advice": what a strong bot would do on a human's seat.


def advise(match_id: str, version: int, seat: int) -> None:
    """Think for a seat with this process's desk and queues, and less while many wait."""
    ctx = context.ctx()
    queues = context.queues()
    at_pace = pace(queues.depth(ADVICE), ctx.unhurried, monotonic)
    advise_at(ctx, queues, (match_id, version, seat), at_pace)


def advise_at(ctx: Context, queues: Queues, asked: tuple[str, int, int], at_pace: Pace) -> None:
    """Think for a seat, and keep what came of it; nothing if the match has moved on.

    asked: match, version and seat.
    """
    match_id, version, seat = asked
    advised = match_advice.advise(ctx, match_id, version, seat, partial(choose, at_pace=at_pace))
    if advised is not None:
        commit_hash, advice = advised
        jobs.keep_advice(queues, match_id, seat, commit_hash, advice)


# §§§ workers.jobs
# The job of the queue "audits": a match checked to the last shuffle, with progress.


NOTE_SECONDS = 0.2  # at least, from one note of the progress to the next


def audit(match_id: str, version: int) -> None:
    """Audit a match up to a version with this process's desk and queues."""
    audit_at(context.ctx(), context.queues(), match_id, version)


def audit_at(ctx: Context, queues: Queues, match_id: str, version: int) -> None:
    """Audit a match up to a version; note now and then how far it is, and at the end the report.

    Of a match that is gone nothing is noted: nobody can ask for it any more.
    """
    last_noted = time.monotonic()

    def progress(done: int, _total: int) -> None:
        nonlocal last_noted
        now = time.monotonic()
        if now - last_noted <= NOTE_SECONDS:
            return

        last_noted = now
        jobs.keep_audit(queues, match_id, version, done)

    with suppress(NotFound, MatchDeleted):
        report = records.audit(ctx, match_id, version, progress)
        jobs.keep_audit(queues, match_id, version, report.commits, report.as_json())
