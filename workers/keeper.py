"""The keeper: no match waits in vain, and none that is left alone stays for ever.

It wakes again what has been pending for too long, and ends matches in which nothing happens any
more. Two keepers at once do no harm: a wake repeated is one job, and a job done twice appends
once.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from redis.exceptions import RedisError

from service.bootstrap import open_archive
from service.config import Config
from service.jobs.queues import process_name, woken_by
from service.journal.errors import JournalUnavailable
from service.matches import expiry, failing, house
from service.matches.desk import Desk
from service.matches.expiry import HOUR, OfEnded, Patience, never_again
from service.matches.journal_note import note_file
from service.process import life
from workers import context
from workers.archiving import Archiving
from workers.journal_watch import JournalWatch
from workers.outage import Outage
from workers.recovery import LostJobs
from workers.stopping import StopOrder

_log = logging.getLogger(__name__)

ROUND_SECONDS = 0.5
STOP_SECONDS = 3  # that a match at hand may take to be archived when the keeper stops
IDLE_ROUNDS = 20  # from one look for idle matches to the next


class Beating(Protocol):
    """What the keeper needs of the queues for itself."""

    def keeper_beat(self, name: str) -> None:
        """Note that the keeper of this name is at work; raises RedisError."""
        ...


class Forgetting(Protocol):
    """What knows the jobs of workers that died."""

    def forget(self) -> list[str]:
        """Forget them, so that they can be made anew; return the ids of those to blame.

        Raises RedisError.
        """
        ...


@dataclass(frozen=True, slots=True)
class Rules:
    """What the settings say to a keeper.

    after_ms: how long a match may wait before it is woken again, in milliseconds.
    patience: how long a match may be left alone.
    of_ended: what becomes of a match that has ended.
    """

    after_ms: int
    patience: Patience
    of_ended: OfEnded = never_again


def rules_of(config: Config) -> Rules:
    """Return what these settings say to a keeper."""
    patience = Patience(
        open=config.expire_open_hours * HOUR,
        running=config.expire_running_hours * HOUR,
    )
    return Rules(config.keeper_after_ms, patience)


def run() -> None:
    """Work round after round until SIGTERM or SIGINT, with this process's desk and queues."""
    stop = StopOrder()
    stop.listen()

    desk = context.desk()
    queues = context.queues()
    lost_jobs = LostJobs(queues)
    rules = rules_of(context.config())
    watch = JournalWatch(desk, note_file(context.config().data))
    archiving = _archiving(context.config(), desk)
    if archiving is not None:
        rules = replace(rules, of_ended=archiving.look)
        archiving.start()
    outage = Outage(_log, "the keeper")
    rounds = 0
    _log.info("the keeper is ready")

    while not stop.wait(ROUND_SECONDS):
        look = rounds % IDLE_ROUNDS == 0
        make_round = partial(keep, desk, queues, lost_jobs, rules, look=look)
        ended = attempt(make_round, outage)
        watch.look()
        life.sign()
        # Where some matches were ended more may be due, so the next round looks again.
        rounds = 0 if ended else rounds + 1

    if archiving is not None:
        archiving.stop(STOP_SECONDS)
    _log.info("the keeper has stopped")


def _archiving(config: Config, desk: Desk) -> Archiving | None:
    """Return what archives old matches, None where none are archived by age."""
    if not config.archive_after:
        return None
    return Archiving(desk, open_archive(config), config.archive_after * HOUR)


def attempt(make_round: Callable[[], int], outage: Outage) -> int:
    """Make one round; return how many matches it has ended.

    If Redis does not answer, or refuses to write, leave the rest to the next round.
    """
    try:
        ended = make_round()
    except (RedisError, JournalUnavailable) as error:
        outage.begin(error)
        return 0

    outage.end()
    return ended


def keep(
    desk: Desk, queues: Beating, lost_jobs: Forgetting, rules: Rules, *, look: bool = True
) -> int:
    """Forget the jobs of dead workers and wake what has waited too long.

    look: also end matches that were left alone for too long. Return how many were ended.
    """
    queues.keeper_beat(f"keeper-{process_name()}")

    for job_id in lost_jobs.forget():
        _log.warning("a worker died at work", extra={"job": job_id})
        _blame(desk, job_id)

    house.sweep(desk, rules.after_ms)
    if not look:
        return 0
    return expiry.expire(desk, rules.patience, rules.of_ended)


def _blame(desk: Desk, job_id: str) -> None:
    """Note of a match that a process died at it, or it might kill one after the other.

    A match that has moved on since did not keep anybody from that.
    """
    woken = woken_by(job_id)
    if woken is None:
        return

    match_id, version = woken
    head = desk.journal.head(match_id)
    if head is not None and head.version == version:
        failing.note(desk, match_id, failing.WORKER_DIED)
