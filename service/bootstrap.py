"""The composition root: everything that web, workers and command line work with, from one Config."""

import time

from service import datadir
from service.config import Config
from service.jobs.queues import Queues
from service.journal.redis import open_journal
from service.keys.secret import secret_of
from service.keys.signer import Signer
from service.matches.desk import Desk


def clock() -> int:
    """Return milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def open_desk(config: Config) -> tuple[Desk, Queues]:
    """Return the desk of the use cases and the queues behind its `wake`; connects at first use."""
    queues = Queues(config.queue_url)
    journal = open_journal(config.journal_url, config.partitions)
    desk = Desk(
        journal,
        secret_of(config),
        clock,
        queues.wake,
        allow_seed=config.allow_seed,
        signer=open_signer(config),
        exhibitions=config.exhibitions,
    )
    return desk, queues


def open_signer(config: Config) -> Signer:
    """Return the signer of receipts, whose keys all processes on one data directory share."""
    return Signer(config.data / "keys.json", clock)


def prepare_data(config: Config) -> None:
    """Prove the data directory, and make the secret and the keys now rather than at the first move.

    Raises DataUnusable.
    """
    datadir.prepare(config.data)
    with datadir.explained(config.data):
        secret_of(config)
        open_signer(config).keys()
