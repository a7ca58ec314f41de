"""Who asks: a match and its caller, from the token that was shown."""

from contextlib import suppress
from typing import NamedTuple

from domain.seats import PUBLIC
from service.errors import NotFound, Unauthorized
from service.keys import tokens
from service.keys.tokens import Caller
from service.ledger.replay import Loaded
from service.matches.desk import Desk
from service.matches.loading import load, load_with_field

TOKENS_REMEMBERED = 10_000


class Entered(NamedTuple):
    """A match as a caller found it, and who the caller is in it."""

    loaded: Loaded
    caller: Caller


def enter(desk: Desk, match_id: str, token: str | None) -> Entered:
    """Return a match at its head and who the token's bearer is in it.

    Raises NotFound, MatchDeleted, Unauthorized.
    """
    if token is None:
        loaded = load(desk, match_id)
        caller = Caller()
    else:
        loaded, caller = _shown(desk, match_id, token)
        _remember(desk, token, caller)

    if loaded.match.visibility == "private" and caller.role == PUBLIC:
        raise NotFound(f"there is no match {match_id}")
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


def _shown(desk: Desk, match_id: str, token: str) -> tuple[Loaded, Caller]:
    """Return a match and whose the token is.

    An invented token is not told whether there is a match at all.
    """
    with suppress(NotFound):
        loaded, holder = load_with_field(desk, match_id, tokens.field(token))
        if holder is not None:
            return loaded, tokens.caller(holder)
    raise not_a_token()


def _remember(desk: Desk, token: str, caller: Caller) -> None:
    """Remember whose a token is, so that a move may be decided without asking the journal first."""
    if len(desk.holders) >= TOKENS_REMEMBERED:
        desk.holders.clear()
    desk.holders[tokens.field(token)] = caller.name
