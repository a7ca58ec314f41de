"""Access: the head of a match and its caller, from one request to the journal.

This module replays no commits. Use cases load states from `service.matches.repository`.
"""

from dataclasses import dataclass

from service.base.errors import MatchDeleted, NotFound, NotRevealed, ServiceError, Unauthorized
from service.matches.context import Context
from service.record.commit import timestamp
from service.store.journal.values import Head
from service.store.keys import tokens
from service.store.keys.tokens import Caller


@dataclass(frozen=True, slots=True)
class Access:
    """A match as its caller found it: its head, and the caller's role and seat."""

    match: str
    head: Head
    caller: Caller

    @property
    def version(self) -> int:
        """The version of the match."""
        return self.head.version


def enter(ctx: Context, match_id: str, token: str | None) -> Access:
    """Return access to a match: its head, and the role and seat of the token's bearer.

    For a private match, a caller without one of its tokens gets the answer for a missing match. The
    journal gets the same requests for a private and a missing match, so the time of an answer does
    not tell the two apart. Raises NotFound, MatchDeleted, Unauthorized.
    """
    holder_field = tokens.field(token) if token else ""
    head, metadata = ctx.journal.events.overview(match_id, (holder_field,))
    if head is None:
        ctx.cache.heads.drop(match_id)
        raise _refusal(ctx, match_id, token)

    if not token:
        if head.visibility == "private":
            raise _refusal(ctx, match_id, token)
        return Access(match_id, head, Caller())

    holder = metadata.get(holder_field)
    if holder is None:
        ctx.cache.holders.drop(holder_field)
        raise _refusal(ctx, match_id, token)
    ctx.cache.holders.put(holder_field, holder)
    return Access(match_id, head, tokens.caller(holder))


def enter_as_operator(ctx: Context, match_id: str) -> Access:
    """Return access to any match, private ones too, with the view of the public.

    Raises NotFound, MatchDeleted.
    """
    head = ctx.journal.events.head(match_id)
    if head is None:
        raise why_missing(ctx, match_id)
    return Access(match_id, head, Caller())


def check_revealed(access: Access, detail: str) -> None:
    """Raise NotRevealed until the match has ended and the house has revealed its secrets (M9)."""
    if not access.head.final:
        raise NotRevealed(detail)


def not_a_token() -> Unauthorized:
    """Return the refusal of an invalid token."""
    return Unauthorized("this is not a token of this match, or no longer one")


def why_missing(ctx: Context, match_id: str) -> NotFound | MatchDeleted:
    """Return the refusal of a missing match: it never existed, or the operator has deleted it."""
    tombstone = ctx.journal.lifecycle.deleted(match_id)
    if tombstone is None:
        return NotFound(f"there is no match {match_id}")
    return MatchDeleted(match_id, timestamp(tombstone.at))


def _refusal(ctx: Context, match_id: str, token: str | None) -> ServiceError:
    """Return the refusal of a caller without access.

    The refusal tells of a deletion only if the match was public. All other refusals are the same
    for a missing and a hidden match, so an invented token does not reveal if a match exists.
    """
    tombstone = ctx.journal.lifecycle.deleted(match_id)
    if tombstone is not None and tombstone.visibility == "public":
        return MatchDeleted(match_id, timestamp(tombstone.at))
    return not_a_token() if token else NotFound(f"there is no match {match_id}")
