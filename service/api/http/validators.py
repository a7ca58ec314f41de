"""Validators: what a stored response follows from, and whether the journal still confirms it.

They ask the journal at each request: who may see a match, and whether it is there, may change at
any time.
"""

from dataclasses import dataclass
from typing import Protocol, Self

from service.matches import listing
from service.matches.context import Context
from service.record.commit import parse_commit


class Validator(Protocol):
    """What an answer follows from."""

    @property
    def match(self) -> str:
        """The match that the answer is of, "" for none."""

    def holds(self, ctx: Context) -> bool:
        """Return whether the answer is still what would be answered now."""


@dataclass(slots=True)
class HistoryValidator:
    """An answer that follows from the history of a match up to a version, for one caller.

    holder_field: the field of the metadata that names who holds the caller's token, "" for none.
    holder: who that is, None without a token.
    hash: how the hash of the version's commit begins. It stands for the whole history before it.
    lasts: commits after the version change nothing of the answer.
    head: the hash of the match's last commit when the version was last seen in its history.
    names: the fields of the metadata that hold names in the answer, with these, None for none.
    """

    match: str
    holder_field: str
    holder: str | None
    version: int
    hash: str
    lasts: bool
    head: str
    names: tuple[tuple[str, str | None], ...] = ()

    def holds(self, ctx: Context) -> bool:
        """Return whether the match is there with this history, and the token counts."""
        fields = (self.holder_field, *(field for field, _ in self.names))
        head, metadata = ctx.journal.events.overview(self.match, fields)
        if head is None or metadata.get(self.holder_field) != self.holder:
            return False
        if any(metadata.get(field) != name for field, name in self.names):
            return False
        if head.hash == self.head:
            return True

        if not self.lasts or not self._is_in_history(ctx):
            return False
        # Should the match have gone on meanwhile, the next request finds another head again.
        self.head = head.hash
        return True

    def _is_in_history(self, ctx: Context) -> bool:
        commits = ctx.journal.events.read(self.match, self.version - 1, 1)
        return bool(commits) and parse_commit(commits[0])["hash"].startswith(self.hash)


@dataclass(slots=True)
class ListValidator:
    """An answer that follows from a result of the list of public matches.

    written: the journal's mark of all that was written, as it was before. While that stays, the
    list need not be read again, which costs the server 256 questions, one for each partition.
    """

    asked: listing.ListingQuery
    result: listing.ListingRows
    written: str

    @classmethod
    def found(cls, ctx: Context, asked: listing.ListingQuery) -> Self:
        """Read the list, and return what follows from that."""
        written = ctx.journal.index.written()
        return cls(asked, listing.find(ctx, asked), written)

    @property
    def match(self) -> str:
        """It is of no one match."""
        return ""

    def holds(self, ctx: Context) -> bool:
        """Return whether nothing was written since, or the list is the same when read again."""
        written = ctx.journal.index.written()
        if written and written == self.written:
            return True

        holds = listing.find(ctx, self.asked) == self.result
        if holds:
            self.written = written
        return holds
