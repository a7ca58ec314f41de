"""Who asks: a match and its caller, from the token that was shown."""

from typing import NamedTuple

from domain.seats import PUBLIC
from service.errors import MatchDeleted, NotFound, ServiceError, Unauthorized
from service.keys import tokens
from service.keys.tokens import Caller
from service.ledger.replay import Loaded
from service.ledger.times import timestamp
from service.matches.desk import Desk
from service.matches.loading import load_with_field

TOKENS_REMEMBERED = 10_000


class Entered(NamedTuple):
    """A match as a caller found it, and who the caller is in it."""

    loaded: Loaded
    caller: Caller


def enter(desk: Desk, match_id: str, token: str | None) -> Entered:
    """Return a match at its head and who the token's bearer is in it.

    Nothing of a private match is read for somebody without a token of it: to them it answers as a
    match that never was, after the same questions to the journal and so in the same time.
    Raises NotFound, MatchDeleted, Unauthorized.
    """
    holder_field = tokens.field(token) if token else ""
    is_let_in = _was_let_in(desk, match_id, holder_field) or _lets_in(desk, match_id, holder_field)
    if not is_let_in:
        raise _refusal(desk, match_id, token)

    try:
        loaded, holder = load_with_field(desk, match_id, holder_field)
    except (NotFound, MatchDeleted):  # it was deleted since it was last seen
        raise _refusal(desk, match_id, token) from None
    if token:
        if holder is None:
            raise not_a_token()
        _remember(desk, holder_field, holder)

    caller = tokens.caller(holder) if holder else Caller()
    if caller.role == PUBLIC and loaded.match.visibility == "private":
        raise _refusal(desk, match_id, token)
    return Entered(loaded, caller)


def remembered(desk: Desk, match_id: str, holder_field: str) -> Entered | None:
    """Return a match and its caller as they were when last seen, None where they were not.

    holder_field: the field of the sidecar that names the token's holder, "" for no token.
    Most often nothing has changed since; the append makes sure of both.
    """
    loaded = desk.shelf.get(match_id)
    holder = desk.holders.get(holder_field)
    if loaded is None or holder is None:
        return None
    return Entered(loaded, tokens.caller(holder))


def not_a_token() -> Unauthorized:
    """Return the refusal for a token that does not count."""
    return Unauthorized("this token is not, or no longer, a token of this match")


def _was_let_in(desk: Desk, match_id: str, holder_field: str) -> bool:
    """Return whether this process has seen the token count, or without one the match be public."""
    if holder_field:
        return holder_field in desk.holders
    remembered_match = desk.shelf.get(match_id)
    return remembered_match is not None and remembered_match.match.visibility == "public"


def _lets_in(desk: Desk, match_id: str, holder_field: str) -> bool:
    """Return whether there is a match that the token counts for, or that is public without one."""
    [(head, sidecar)] = desk.journal.overviews([(match_id, (holder_field,))])
    if head is None:
        desk.shelf.drop(match_id)
        return False
    return holder_field in sidecar if holder_field else head.visibility == "public"


def _refusal(desk: Desk, match_id: str, token: str | None) -> ServiceError:
    """Return the refusal for somebody who is not let in.

    Only of a public match it tells that it was deleted. An invented token is not told whether there
    is a match at all.
    """
    tombstone = desk.journal.deleted(match_id)
    if tombstone is not None and tombstone.visibility == "public":
        return MatchDeleted(match_id, timestamp(tombstone.at))
    return not_a_token() if token else NotFound(f"there is no match {match_id}")


def _remember(desk: Desk, holder_field: str, holder: str) -> None:
    """Remember whose a token is, so that a move may be decided without asking the journal first."""
    if len(desk.holders) >= TOKENS_REMEMBERED:
        desk.holders.clear()
    desk.holders[holder_field] = holder
