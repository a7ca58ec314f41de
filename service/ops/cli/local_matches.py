"""Matches of the local journal, for commands that also read records.

Such a command imports this file only for a match of the journal, since the file needs the packages
of the extra `server`.
"""

from collections.abc import Iterator

from domain.errors import RulesUnknown
from service.matches import records, stories
from service.matches.access import enter
from service.matches.repository import load
from service.matches.stories import Line
from service.ops.cli.bars import verifying_bar
from service.ops.cli.local_journal import context_instead_of, failed_requests
from service.record.verify.files import Unreadable
from service.record.verify.report import AuditReport
from service.store.journal.errors import JournalError
from service.store.journal.values import Range
from service.store.keys.tokens import Caller


def audit(match: str) -> AuditReport:
    """Audit a match of the local journal. Raises CannotRead if there is none of this ID."""
    with failed_requests(), context_instead_of(match) as ctx:
        no_file = f"there is no file {match}"
        try:
            head = ctx.journal.events.head(match)
        except JournalError as error:
            reason = f"the journal cannot be read: {error}"
            raise Unreadable(f"{no_file}, and {reason}") from None
        if head is None:
            raise Unreadable(f"{no_file}, and no such match in the journal")

        with verifying_bar(head.version) as progress:
            return records.audit(ctx, match, progress=progress)


def story(match: str, token: str | None) -> Iterator[Line]:
    """Yield the story of a match of the local journal. Raises CannotRead if there is none."""
    with failed_requests(), context_instead_of(match) as ctx:
        # Without a token the caller is an operator. Operators also read private matches.
        caller = enter(ctx, match, token).caller if token else Caller()
        try:
            loaded = load(ctx, match)
        except RulesUnknown as error:
            raise Unreadable(f"match {match}: {error}") from None
        names = stories.names_of(ctx, loaded)
        whole = Range(0, loaded.version, closed=True)
        yield from stories.lines(ctx, loaded, caller, names, whole)
