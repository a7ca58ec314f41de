"""Access: who asks of which match, and where it is, from one question to the journal.

Nothing is folded here. Who needs a state loads it, at the version wanted
(`service.matches.repository`).
"""

from dataclasses import dataclass

from domain.errors import MatchRuleBroken
from service.base.errors import Illegal, MatchDeleted, NotFound, ServiceError, Unauthorized
from service.matches.context import Context
from service.record.commit import timestamp
from service.store.journal.values import Head
from service.store.keys import tokens
from service.store.keys.tokens import Caller


@dataclass(frozen=True, slots=True)
class Access:
    """A match as its caller found it: its head, and who the caller is in it."""

    match: str
    head: Head
    caller: Caller

    @property
    def version(self) -> int:
        """The version of the match."""
        return self.head.version


def enter(ctx: Context, match_id: str, token: str | None) -> Access:
    """Return the head of a match and who the token's bearer is in it.

    Somebody without a token of a private match is answered as if there were no such match, after
    the same questions to the journal and so in the same time.
    Raises NotFound, MatchDeleted, Unauthorized.
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
    """Return the head of any match, private ones too, to be read as the public may see it.

    Raises NotFound, MatchDeleted.
    """
    head = ctx.journal.events.head(match_id)
    if head is None:
        raise why_missing(ctx, match_id)
    return Access(match_id, head, Caller())


def check_revealed(access: Access, detail: str) -> None:
    """Raise Illegal until the match has ended and the house has revealed its secrets (M9).

    detail: why what is asked for is sealed until then.
    """
    if not access.head.final:
        broken = MatchRuleBroken("not_revealed", "M9", detail)
        raise Illegal(broken, access.version, access.head.game)


def not_a_token() -> Unauthorized:
    """Return the refusal of a token that does not count."""
    return Unauthorized("this token is not, or no longer, a token of this match")


def why_missing(ctx: Context, match_id: str) -> NotFound | MatchDeleted:
    """Return why there is no such match: there never was one, or the operator has deleted it."""
    tombstone = ctx.journal.lifecycle.deleted(match_id)
    if tombstone is None:
        return NotFound(f"there is no match {match_id}")
    return MatchDeleted(match_id, timestamp(tombstone.at))


def _refusal(ctx: Context, match_id: str, token: str | None) -> ServiceError:
    """Return the refusal of a caller who has no access.

    Only of a public match it says that it was deleted. Who shows an invented token does not learn
    whether there is a match at all.
    """
    tombstone = ctx.journal.lifecycle.deleted(match_id)
    if tombstone is not None and tombstone.visibility == "public":
        return MatchDeleted(match_id, timestamp(tombstone.at))
    return not_a_token() if token else NotFound(f"there is no match {match_id}")
