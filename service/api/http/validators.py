"""Validators: the basis of a stored response, and its check against the journal.

Validators ask the journal at each request: the right to see a match, and the existence of the
match, may change at any time.
"""

from dataclasses import dataclass
from typing import Protocol, Self

from service.matches import listing
from service.matches.context import Context
from service.record.commit import parse_commit


class Validator(Protocol):
    """The basis of an answer."""

    @property
    def match(self) -> str:
        """The match of the answer, "" for none."""

    def holds(self, ctx: Context) -> bool:
        """Return True if the application would still give the same answer."""


@dataclass(slots=True)
class HistoryValidator:
    """An answer that follows from the history of a match up to a version, for one caller.

    holder_field: the field of the metadata with the holder of the caller's token, "" for none.
    holder: the holder, None without a token.
    hash: the beginning of the hash of the version's commit. The hash stands for the whole history
    up to the version.
    lasts: commits after the version change nothing of the answer.
    head: the hash of the match's last commit when the version was last seen in its history.
    names: the fields of the metadata with names in the answer, and these names, None for none.
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
        """Return True if the match exists with this history, and the token is valid."""
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
        # If the match has moved on meanwhile, the next request finds another head again.
        self.head = head.hash
        return True

    def _is_in_history(self, ctx: Context) -> bool:
        commits = ctx.journal.events.read(self.match, self.version - 1, 1)
        return bool(commits) and parse_commit(commits[0])["hash"].startswith(self.hash)


@dataclass(slots=True)
class ListValidator:
    """An answer that follows from a result of the list of public matches.

    written: the journal's mark of all writes, from before the list was read. While the mark stays
    the same, the list need not be read again. A reading would cost the server 256 questions, one
    for each partition.
    """

    query: listing.ListingQuery
    result: listing.ListingRows
    written: str

    @classmethod
    def found(cls, ctx: Context, query: listing.ListingQuery) -> Self:
        """Read the list, and return its validator."""
        written = ctx.journal.index.written()
        return cls(query, listing.find(ctx, query), written)

    @property
    def match(self) -> str:
        """No single match."""
        return ""

    def holds(self, ctx: Context) -> bool:
        """Return True if nothing was written since, or the list reads the same again."""
        written = ctx.journal.index.written()
        if written and written == self.written:
            return True

        holds = listing.find(ctx, self.query) == self.result
        if holds:
            self.written = written
        return holds
