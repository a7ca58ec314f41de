"""Tokens replaced and revoked: they lie in the sidecar, history tells that it was done (M13)."""

from collections.abc import Mapping
from dataclasses import dataclass

from domain.match.messages import ReplaceToken, RevokeToken
from domain.seats import INVITATION, OWNER, SPECTATOR
from service.errors import Busy, Forbidden, KeyConflict, NotFound, echoed, refused
from service.keys import tokens
from service.keys.tokens import Caller
from service.ledger.replay import Loaded
from service.matches import replacements, traces
from service.matches.access import enter, not_a_token
from service.matches.desk import Desk
from service.matches.replacements import Replacement
from service.matches.submitting import TRIES

SHARED = (SPECTATOR, INVITATION)
_MOVED_ON = "the match moved on too often meanwhile; send the request again"


@dataclass(frozen=True, slots=True)
class Rotated:
    """A new token and whose it is; repeated: an earlier request with the same key has made it."""

    holder: str
    token: str
    repeated: bool


def rotate(desk: Desk, match_id: str, token: str | None, holder: str | None, key: str) -> Rotated:
    """Replace a token, or make one where a private match has none for spectators or the invited.

    holder: None for the caller's own. The owner also replaces those of spectators and of the
    invited, but no seat's, which would show its secrets. With the same key the replaced token gets
    the same answer again, until the next replacement.
    Raises NotFound, Unauthorized, Forbidden, KeyConflict, Busy.
    """
    for _ in range(TRIES):
        earlier = replacements.earlier(desk, match_id, token, key)
        if earlier is not None:
            return _answer_again(desk, match_id, holder, earlier)

        loaded, caller = enter(desk, match_id, token)
        name = holder or caller.name
        _check_may_replace(caller, name)

        sidecar = desk.journal.sidecar(match_id)
        _check_still_counts(sidecar, token)
        if f"holder:{name}" not in sidecar and not _may_be_made(loaded, name):
            raise NotFound(f"the match has no token for {name}")

        nonce = f"rotate|{sidecar.get(f'holder:{name}', '')}|{tokens.nonce()}"
        fresh = tokens.make(desk.secret, match_id, name, f"{nonce}|{key}")
        request = replacements.request_digest(token, key) if key else ""
        remembered = replacements.written(request, holder, nonce) if key else None

        change = traces.Change(
            command=ReplaceToken(name),
            sidecar={
                **_dropped(sidecar, name),
                **tokens.held(name, fresh),
                replacements.field_of(name): remembered,
            },
            holds=_holds(sidecar, name, caller, token),
            command_id=request,
        )
        if traces.make(desk, loaded, caller, change, sidecar):
            return Rotated(name, fresh, repeated=False)
    raise Busy(_MOVED_ON)


def revoke(desk: Desk, match_id: str, token: str | None, holder: str) -> None:
    """Make a holder's token count no more: a seat's own, or as the owner anybody's.

    Raises NotFound, Unauthorized, Forbidden, Busy.
    """
    for _ in range(TRIES):
        loaded, caller = enter(desk, match_id, token)
        _check_may_revoke(caller, holder)

        sidecar = desk.journal.sidecar(match_id)
        _check_still_counts(sidecar, token)
        if f"holder:{holder}" not in sidecar:
            raise NotFound(f"the match has no token for {echoed(holder)}")

        change = traces.Change(
            command=RevokeToken(holder),
            sidecar={
                **_dropped(sidecar, holder),
                f"holder:{holder}": None,
                replacements.field_of(holder): None,
            },
            holds=_holds(sidecar, holder, caller, token),
        )
        if traces.make(desk, loaded, caller, change, sidecar):
            return
    raise Busy(_MOVED_ON)


def _check_may_replace(caller: Caller, name: str) -> None:
    """Raise Forbidden or Unauthorized unless a caller may replace the token of this name."""
    if caller.role in SHARED:
        raise Forbidden("a token that many share is replaced by the owner alone")

    is_own = name == caller.name
    is_shared = caller.role == OWNER and name in SHARED
    if not is_own and not is_shared:
        detail = "a token is replaced by its bearer, or by the owner if it is no seat's"
        raise refused(caller.role, detail)


def _check_may_revoke(caller: Caller, holder: str) -> None:
    """Raise Forbidden or Unauthorized unless a caller may revoke a holder's token."""
    is_own_seat = caller.seat is not None and holder == caller.name
    if caller.role != OWNER and not is_own_seat:
        detail = "a token is revoked by the owner, or by its bearer if it is a seat's"
        raise refused(caller.role, detail)


def _may_be_made(loaded: Loaded, name: str) -> bool:
    """Return whether a token may be made where there is none: a private match's shared ones."""
    return loaded.match.visibility == "private" and name in SHARED


def _check_still_counts(sidecar: Mapping[str, str], token: str | None) -> None:
    if tokens.field(token or "") not in sidecar:
        raise not_a_token()


def _holds(
    sidecar: Mapping[str, str], name: str, caller: Caller, token: str | None
) -> tuple[str, str]:
    """Return what must not have changed: a field of the sidecar, and what it must still hold.

    It is the holder's token, or the caller's own where the holder has none.
    """
    field = f"holder:{name}"
    if field in sidecar:
        return field, sidecar[field]
    return tokens.field(token or ""), caller.name


def _dropped(sidecar: Mapping[str, str], name: str) -> dict[str, str | None]:
    """Return what is to be deleted of a holder's tokens.

    Those are the tokens themselves, and what the first release remembered of replaced ones.
    """
    live = [field for field, who in sidecar.items() if field.startswith("token:") and who == name]
    remembered = replacements.fields_of_first_release(sidecar, name)
    return dict.fromkeys([*live, *remembered])


def _answer_again(desk: Desk, match_id: str, holder: str | None, earlier: Replacement) -> Rotated:
    """Return the answer to an earlier request.

    Raises KeyConflict if that was for another holder.
    """
    if earlier.asked != (holder or ""):
        raise KeyConflict("this idempotency key replaced another token; send a new key")
    token = tokens.make(desk.secret, match_id, earlier.holder, earlier.nonce)
    return Rotated(earlier.holder, token, repeated=True)
