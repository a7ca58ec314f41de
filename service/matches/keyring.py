"""The tokens of a match replaced and revoked; the chain knows nothing of them."""

import hashlib
from collections.abc import Mapping

from service import tokens
from service.errors import KeyConflict, NotFound, echoed, refused
from service.matches.deciding import enter
from service.matches.desk import Desk

SHARED = ("spectator", "invitation")


def rotate(desk: Desk, match: str, token: str | None, holder: str | None, key: str) -> tuple[str, str, bool]:
    """Replace a token; return whose it is, the new one and whether this repeats an earlier answer.

    holder: None for the caller's own; the owner also replaces those of spectators and of the invited, but no seat's,
    which would show its secrets. With the same key the replaced token gets the first answer again, for ever: a lost
    answer costs nobody a seat, and a late repeat brings no dead token back. Raises KeyConflict.
    """
    if token and key and (again := _again(desk, match, token, holder, key)):
        return again
    while True:
        _, caller = enter(desk, match, token)
        name = holder or caller.name
        if name != caller.name and not (caller.role == "owner" and name in SHARED):
            raise refused(caller.role, "a token is replaced by its bearer, or by the owner if it is no seat's")
        fresh = tokens.make(desk.secret, match, name, f"rotate|{key or tokens.nonce()}")
        trace = {_trace(token or "", key): f"{holder or ''}|{name}"} if key else {}
        if _change(desk, match, token, name, tokens.held(name, fresh) | trace):
            return name, fresh, False


def revoke(desk: Desk, match: str, token: str | None, holder: str) -> None:
    """Make a caller's tokens count no more: one's own, or as the owner anybody's."""
    while True:
        _, caller = enter(desk, match, token)
        if holder != caller.name and caller.role != "owner":
            raise refused(caller.role, "a token is revoked by its bearer or the owner")
        if _change(desk, match, token, holder, {f"holder:{holder}": None}):
            return


def _change(desk: Desk, match: str, token: str | None, name: str, fields: Mapping[str, str | None]) -> bool:
    """Drop a holder's tokens and set fields; false if tokens have changed since the caller's was looked at.

    Raises NotFound.
    """
    asides = desk.journal.asides(match)
    held = f"holder:{name}"
    if tokens.field(token or "") not in asides:
        return False
    if held not in asides:
        raise NotFound(f"the match has no token for {echoed(name)}")
    return desk.journal.put_aside(match, _dropped(asides, name) | dict(fields), (held, asides[held]))


def _dropped(asides: Mapping[str, str], name: str) -> dict[str, str | None]:
    return {field: None for field, whose in asides.items() if field.startswith("token:") and whose == name}


def _trace(token: str, key: str) -> str:
    """Return the field that lets a token's bearer, even of a replaced one, ask again with the same key."""
    return f"replaced:{tokens.field(token)}:{hashlib.sha256(f'rotate|{key}'.encode()).hexdigest()}"


def _again(desk: Desk, match: str, token: str, holder: str | None, key: str) -> tuple[str, str, bool] | None:
    trace = desk.journal.aside(match, _trace(token, key))
    if trace is None:
        return None
    asked, _, name = trace.partition("|")
    if asked != (holder or ""):
        raise KeyConflict("this idempotency key replaced another token; send a new key")
    return name, tokens.make(desk.secret, match, name, f"rotate|{key}"), True
