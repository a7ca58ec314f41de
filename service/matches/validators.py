"""Proofs that an answer which was made before is still the answer.

A proof names what an answer follows from, and asks the journal whether that is still so. It asks at
each request: who may see a match, and whether it is there, may change at any time.
"""

from dataclasses import dataclass
from typing import Protocol, Self

from service.ledger.commit import parse_commit
from service.matches import listing
from service.matches.context import Context


class Proof(Protocol):
    """What an answer follows from."""

    @property
    def match(self) -> str:
        """The match that the answer is of, "" for none."""

    def holds(self, ctx: Context) -> bool:
        """Return whether the answer is still what would be answered now."""


@dataclass(slots=True)
class OfHistory:
    """An answer that follows from the history of a match up to a version, told to one caller.

    holder_field: the field of the sidecar that names who holds the caller's token, "" for none.
    holder: who that is, None without a token.
    hash: how the hash of the version's commit begins. It stands for the whole history before it.
    lasts: commits after the version change nothing of the answer.
    head: the hash of the match's last commit when the version was last seen in its history.
    """

    match: str
    holder_field: str
    holder: str | None
    version: int
    hash: str
    lasts: bool
    head: str

    def holds(self, ctx: Context) -> bool:
        """Return whether the match is there with this history, and the token counts."""
        [(head, sidecar)] = ctx.journal.events.overviews([(self.match, (self.holder_field,))])
        if head is None or sidecar.get(self.holder_field) != self.holder:
            return False
        if head.hash == self.head:
            return True

        if not self.lasts or not self._is_in_history(ctx):
            return False
        # Should the match have gone on meanwhile, the next look finds another head again.
        self.head = head.hash
        return True

    def _is_in_history(self, ctx: Context) -> bool:
        commits = ctx.journal.events.read(self.match, self.version - 1, 1)
        return bool(commits) and parse_commit(commits[0])["hash"].startswith(self.hash)


@dataclass(slots=True)
class OfList:
    """An answer that follows from what a look at the list of public matches has found.

    written: the journal's mark of all that was written, as it was before the look. While that
    stays, no look is needed, which costs the server 256 questions, one for each partition.
    """

    asked: listing.Asked
    look: listing.Look
    written: str

    @classmethod
    def found(cls, ctx: Context, asked: listing.Asked) -> Self:
        """Look at the list, and return what follows from that."""
        written = ctx.journal.index.written()
        return cls(asked, listing.look(ctx, asked), written)

    @property
    def match(self) -> str:
        """It is of no one match."""
        return ""

    def holds(self, ctx: Context) -> bool:
        """Return whether nothing was written since, or another look finds the same."""
        written = ctx.journal.index.written()
        if written and written == self.written:
            return True

        holds = listing.look(ctx, self.asked) == self.look
        if holds:
            self.written = written
        return holds
