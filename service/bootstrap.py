"""Composition root: makes the context of web, workers and command line from one Config."""

import logging

from service.base import datadir
from service.base.config import Config
from service.base.private_files import remove_drafts
from service.matches.context import Context
from service.record.commit import clock
from service.store.archive.archive import Archive
from service.store.archive.journal import with_archive
from service.store.archive.places import open_place
from service.store.jobs.queues import Queues
from service.store.journal.ports import Journal
from service.store.journal.redis import open_journal
from service.store.keys.secret import secret_of
from service.store.keys.signer import Signer
from service.store.tlog.log import open_log
from service.store.tlog.ratings import Ratings
from service.store.tlog.sequencer import Sequencer

_log = logging.getLogger(__name__)

LOG_KEYS = "log-keys.json"  # the file with the key of the log, in the data directory


def open_context(config: Config) -> tuple[Context, Queues]:
    """Return the context of the use cases, and the queues behind its `enqueue`.

    The journal and the queues connect to their servers at first use.
    """
    secret = make_secret(config)
    queues = Queues(config.queue_url, secret)
    journal = open_whole_journal(config)
    ctx = Context(
        journal,
        secret,
        clock,
        queues.enqueue,
        allow_seed=config.allow_seed,
        signer=open_signer(config),
        log=open_log(journal.order, config.archive, config.data),
        ratings=Ratings(config.data / "ratings.index"),
        exhibitions=config.exhibitions,
        silence_ms=config.replace_after_hours * 3_600_000,
        unhurried=config.bots_unhurried,
    )
    return ctx, queues


def open_whole_journal(config: Config) -> Journal:
    """Return the journal together with the archive. Both are opened at first use."""
    journal = open_journal(
        config.journal_url,
        config.partitions,
        config.replicas,
        declared_durable=config.durable_journal,
    )
    return with_archive(journal, open_archive(config), look=config.archive_after > 0)


def open_archive(config: Config) -> Archive:
    """Return the archive of the settings."""
    return Archive(open_place(config.archive))


def open_signer(config: Config) -> Signer:
    """Return the signer of receipts. All processes on one data directory share its keys."""
    return Signer(config.data / "keys.json", clock)


def open_sequencer(config: Config, ctx: Context) -> Sequencer:
    """Return a sequencer of the log, with the log's own key."""
    assert ctx.log is not None, "a process has a log"
    signer = Signer(config.data / LOG_KEYS, clock)
    return Sequencer(ctx.journal, ctx.log, signer, clock, config.log_origin)


def prepare_data(config: Config) -> None:
    """Check the data directory, and make a missing secret and missing keys of receipts.

    Also removes drafts of secret and keys that killed processes have left. Raises DataUnusable.
    """
    datadir.prepare(config.data)

    with datadir.explained(config.data):
        keys_path = config.data / "keys.json"
        if (config.data / "secret").exists() and not keys_path.exists():
            _log.warning("keys were lost: new key made", extra={"file": str(keys_path)})
        for name in ("secret", "keys.json", LOG_KEYS):
            remove_drafts(config.data / name)
        make_secret(config)
        open_signer(config).keys()


def make_secret(config: Config) -> bytes:
    """Return the server's secret, and make it if it is missing.

    The keys of receipts are made before a new secret is written. So a secret without keys means
    that the keys were lost, even if a worker was the first process.
    """
    if not config.secret and not (config.data / "secret").exists():
        open_signer(config).keys()
    return secret_of(config)
