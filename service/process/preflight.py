"""Checked before anything starts: the journal answers, is safe, and has this release's layout."""

from contextlib import suppress

from service.config import Config
from service.journal.errors import JournalFull, JournalUnavailable
from service.journal.redis import open_journal
from service.redis_urls import mask


class Unsafe(Exception):
    """The journal cannot be used; the message holds a sentence a line."""


def check(config: Config) -> None:
    """Raise Unsafe if the journal cannot be reached, or if it may lose matches.

    A journal that may lose matches is used all the same if GIORNALE_UNSAFE_JOURNAL is set. A
    journal of an earlier release is given the indexes that it lacks. A full one stays as it is:
    its matches can be read and deleted, and the next start tries again.
    """
    journal = open_journal(config.journal_url, config.partitions, config.replicas)

    try:
        problems = journal.check()
        if problems and not config.unsafe_journal:
            advice = "set GIORNALE_UNSAFE_JOURNAL=1 to run in spite of that"
            raise Unsafe("\n".join([*problems, advice]))

        with suppress(JournalFull):
            journal.upgrade()
    except JournalUnavailable as error:
        raise Unsafe(f"cannot reach the journal at {mask(config.journal_url)}: {error}") from None
    finally:
        journal.close()
