"""What is done before anything starts: the journal must be within reach, safe, and laid out as this release has it."""

from contextlib import suppress

from service.config import Config, mask
from service.journal.port import JournalFull, JournalUnavailable
from service.journal.redis import open_journal


class Unsafe(Exception):
    """The journal cannot be used; the message holds a sentence a line."""


def check(config: Config) -> None:
    """Raise Unsafe if the journal cannot be reached, or may lose matches and GIORNALE_UNSAFE_JOURNAL is not set.

    A journal of an earlier release is given the indexes that it lacks. One that is full stays as it is: its matches can
    be read and deleted, and the next start tries again.
    """
    journal = open_journal(config.journal_url, config.partitions)
    try:
        problems = journal.check()
        if problems and not config.unsafe_journal:
            raise Unsafe(
                "\n".join([*problems, "set GIORNALE_UNSAFE_JOURNAL=1 to run in spite of that"])
            )
        with suppress(JournalFull):
            journal.upgrade()
    except JournalUnavailable as error:
        raise Unsafe(f"cannot reach the journal at {mask(config.journal_url)}: {error}") from None
    finally:
        journal.close()
