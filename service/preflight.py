"""What is checked before anything starts: that the journal can be reached and is safe."""

from service.config import Config, mask
from service.journal.port import JournalUnavailable
from service.journal.redis import open_journal


class Unsafe(Exception):
    """The journal cannot be used; the message holds a sentence a line."""


def check(config: Config) -> None:
    """Raise Unsafe if the journal cannot be reached, or may lose matches and GIORNALE_UNSAFE_JOURNAL is not set."""
    try:
        problems = open_journal(config.journal_url, config.partitions).check()
    except JournalUnavailable as error:
        raise Unsafe(f"cannot reach the journal at {mask(config.journal_url)}: {error}") from None
    if problems and not config.unsafe_journal:
        raise Unsafe("\n".join([*problems, "set GIORNALE_UNSAFE_JOURNAL=1 to run in spite of that"]))
