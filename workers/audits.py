"""The job of the queue "audits": a match checked to the last shuffle, with progress."""

import time
from contextlib import suppress

from service.errors import MatchDeleted, NotFound
from service.jobs import audits as jobs
from service.jobs.queues import Queues
from service.matches import audits
from service.matches.desk import Desk
from workers import context

NOTE_SECONDS = 0.2  # at least, from one note of the progress to the next


def run(match_id: str, version: int) -> None:
    """Audit a match up to a version with this process's desk and queues."""
    audit(context.desk(), context.queues(), match_id, version)


def audit(desk: Desk, queues: Queues, match_id: str, version: int) -> None:
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
        jobs.note(queues, match_id, version, done)

    with suppress(NotFound, MatchDeleted):
        report = audits.audit(desk, match_id, version, progress)
        jobs.note(queues, match_id, version, report.commits, report.as_json())
