"""Validators: they ask the journal if a stored response still holds.

They ask at each request, because a match may be deleted, or a token replaced, at any time.
"""

from dataclasses import dataclass
from typing import Protocol, Self

from service.matches import listing
from service.matches.context import Context
from service.record.commit import parse_commit


class Validator(Protocol):
    """The condition for a stored answer to hold."""

    @property
    def match(self) -> str:
        """The match of the answer, "" for an answer about several matches."""

    def holds(self, ctx: Context) -> bool:
        """Return True if the application would still give the same answer."""


@dataclass(slots=True)
class HistoryValidator:
    """The validator of an answer from the history of a match up to a version, for one caller.

    holder_field: the metadata field with the holder of the caller's token, "" without a token.
    holder: the holder, None without a token.
    hash: the beginning of the hash of the version's commit. The hash covers the whole history up to
    the version.
    lasts: True if later commits do not change the answer.
    head: the hash of the last commit when the history was last checked.
    names: for each name in the answer, the metadata field and the name in it. None: no name.
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
        """Return True if the match still has this history, and token and names are unchanged."""
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
        # If the match moves on during this check, the next request finds another head and checks
        # again.
        self.head = head.hash
        return True

    def _is_in_history(self, ctx: Context) -> bool:
        commits = ctx.journal.events.read(self.match, self.version - 1, 1)
        return bool(commits) and parse_commit(commits[0])["hash"].startswith(self.hash)


@dataclass(slots=True)
class ListValidator:
    """The validator of an answer with a page of the list of public matches.

    written: the journal's mark of all writes, from before the list was read. While the mark stays
    the same, the list is not read again: a read costs the server a request for each partition.
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
        """Empty, because the list has several matches."""
        return ""

    def holds(self, ctx: Context) -> bool:
        """Return True if nothing was written since, or the list is the same when read again."""
        written = ctx.journal.index.written()
        if written and written == self.written:
            return True

        holds = listing.find(ctx, self.query) == self.result
        if holds:
            self.written = written
        return holds
