"""Tokens replaced and revoked. History tells that it was done (M13); the tokens themselves lie in the side table.

The last replacement of each holder's token is remembered, so that it can be answered again:

    replaced:HOLDER   "REQUEST ASKED NONCE": who asked with which key (a digest), for whom ("-": for themselves), and
                      what the new token was derived with

The first release remembered all of them, as "replaced:token:HASH:KEY" with "ASKED|HOLDER".
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from domain.match.messages import ReplaceToken, RevokeToken
from service.errors import Busy, Forbidden, KeyConflict, NotFound, Unauthorized, echoed, refused
from service.keys import tokens
from service.ledger.replay import Loaded
from service.matches import traces
from service.matches.access import enter
from service.matches.deciding import TRIES
from service.matches.desk import Desk

SHARED = ("spectator", "invitation")

_REPLACED = "replaced:"
_FIRST_RELEASE = "replaced:token:"
_DROPPED_AT_ONCE = 1000  # fields; a script of the journal takes a few thousand


@dataclass(frozen=True, slots=True)
class Rotated:
    """A new token and whose it is; repeated: it was made by an earlier request with the same key."""

    holder: str
    token: str
    repeated: bool


def rotate(desk: Desk, match: str, token: str | None, holder: str | None, key: str) -> Rotated:
    """Replace a token, or make one where a private match has none for spectators or the invited.

    holder: None for the caller's own; the owner also replaces those of spectators and of the invited, but no seat's,
    which would show its secrets. With the same key the replaced token gets the same answer again, until the next
    replacement. Raises NotFound, Unauthorized, Forbidden, KeyConflict, Busy.
    """
    for _ in range(TRIES):
        again = _again(desk, match, token, holder, key)
        if again is not None:
            return again

        loaded, caller = enter(desk, match, token)
        name = holder or caller.name
        _check_may_replace(caller, name)

        asides = desk.journal.asides(match)
        _check_still_counts(asides, token)
        if f"holder:{name}" not in asides and not _may_be_made(loaded, name):
            raise NotFound(f"the match has no token for {name}")

        nonce = f"rotate|{asides.get(f'holder:{name}', '')}|{tokens.nonce()}"
        fresh = tokens.make(desk.secret, match, name, f"{nonce}|{key}")
        request = _request(token, key) if key else ""
        remembered = f"{request} {holder or '-'} {nonce}" if key else None
        aside = {**_dropped(asides, name), **tokens.held(name, fresh), _REPLACED + name: remembered}
        change = traces.Change(
            ReplaceToken(name), aside, _holds(asides, name, caller, token), request
        )
        if traces.make(desk, loaded, caller, change, asides):
            return Rotated(name, fresh, repeated=False)
    raise Busy("the match moved on too often meanwhile; send the request again")


def revoke(desk: Desk, match: str, token: str | None, holder: str) -> None:
    """Make a holder's token count no more: a seat's own, or as the owner anybody's.

    Raises NotFound, Unauthorized, Forbidden, Busy.
    """
    for _ in range(TRIES):
        loaded, caller = enter(desk, match, token)
        may_revoke = caller.role == "owner" or (caller.seat is not None and holder == caller.name)
        if not may_revoke:
            raise refused(
                caller.role, "a token is revoked by the owner, or by its bearer if it is a seat's"
            )

        asides = desk.journal.asides(match)
        _check_still_counts(asides, token)
        if f"holder:{holder}" not in asides:
            raise NotFound(f"the match has no token for {echoed(holder)}")

        aside = {**_dropped(asides, holder), f"holder:{holder}": None, _REPLACED + holder: None}
        change = traces.Change(RevokeToken(holder), aside, _holds(asides, holder, caller, token))
        if traces.make(desk, loaded, caller, change, asides):
            return
    raise Busy("the match moved on too often meanwhile; send the request again")


def _check_may_replace(caller: tokens.Caller, name: str) -> None:
    """Raise Forbidden or Unauthorized unless a caller may replace the token of this name."""
    if caller.role in SHARED:
        raise Forbidden("a token that many share is replaced by the owner alone")
    if name != caller.name and not (caller.role == "owner" and name in SHARED):
        raise refused(
            caller.role, "a token is replaced by its bearer, or by the owner if it is no seat's"
        )


def _may_be_made(loaded: Loaded, name: str) -> bool:
    """Return whether a token may be made where there is none: a private match's shared ones."""
    return loaded.match.visibility == "private" and name in SHARED


def _check_still_counts(asides: Mapping[str, str], token: str | None) -> None:
    if tokens.field(token or "") not in asides:
        raise Unauthorized("this token is not, or no longer, a token of this match")


def _holds(
    asides: Mapping[str, str], name: str, caller: tokens.Caller, token: str | None
) -> tuple[str, str]:
    """Return what must not have changed: the holder's token, or the caller's own where the holder has none."""
    held = f"holder:{name}"
    return (held, asides[held]) if held in asides else (tokens.field(token or ""), caller.name)


def _dropped(asides: Mapping[str, str], name: str) -> dict[str, str | None]:
    """Return the fields of a holder's tokens and of what the first release remembered of them, to be deleted."""
    held = [
        field for field, whose in asides.items() if field.startswith("token:") and whose == name
    ]
    remembered = (
        field
        for field, answer in asides.items()
        if field.startswith(_FIRST_RELEASE) and answer.partition("|")[2] == name
    )
    return dict.fromkeys([*held, *islice(remembered, _DROPPED_AT_ONCE)])


def _request(token: str | None, key: str) -> str:
    """Return the digest of a bearer and their idempotency key."""
    return "rotate:" + hashlib.sha256(f"{tokens.field(token or '')}|{key}".encode()).hexdigest()


def _again(
    desk: Desk, match: str, token: str | None, holder: str | None, key: str
) -> Rotated | None:
    """Return the answer to an earlier request of the same bearer, whose token may be replaced, with the same key.

    Raises KeyConflict if the key asked for something else, or if the answer's token was itself replaced since.
    """
    if not token or not key:
        return None

    mine = _request(token, key)
    made = desk.journal.made(
        match, mine, ""
    )  # before the side table is read, which then holds the answer
    asides = desk.journal.asides(match)
    for field, remembered in asides.items():
        if field.startswith(_REPLACED) and remembered.startswith(f"{mine} "):
            _, asked, nonce = remembered.split(" ", 2)
            return _answer(
                desk,
                match,
                holder,
                asked.replace("-", ""),
                field.removeprefix(_REPLACED),
                f"{nonce}|{key}",
            )

    key_digest = hashlib.sha256(f"rotate|{key}".encode()).hexdigest()
    remembered_first = asides.get(f"{_REPLACED}{tokens.field(token)}:{key_digest}")
    if remembered_first is None and made is not None:
        raise KeyConflict("this idempotency key made a token that no longer counts; send a new key")
    if remembered_first is None:
        return None
    asked, _, name = remembered_first.partition("|")
    return _answer(desk, match, holder, asked, name, f"rotate|{key}")


def _answer(
    desk: Desk, match: str, holder: str | None, asked: str, name: str, nonce: str
) -> Rotated:
    """Return an earlier answer; raises KeyConflict if it was asked for another holder."""
    if asked != (holder or ""):
        raise KeyConflict("this idempotency key replaced another token; send a new key")
    return Rotated(name, tokens.make(desk.secret, match, name, nonce), repeated=True)
