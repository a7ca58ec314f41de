"""Tokens: who may do what in one match. Only their hashes are ever stored.

A token is `gio_MATCH_SECRET`, SECRET being 256 bits. They are derived from the server's secret, so that the repeat of a
request can be answered with the very token of the first answer although nobody has kept it.
"""

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

from domain.seats import PUBLIC, seat_actor, seat_of
from service.ledger.ids import MATCH_ID

FORM = f"gio_{MATCH_ID}_[A-Za-z0-9_-]{{43}}"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: `role` is "seat", "owner", "spectator", "invitation" or "public"; `seat` for a seat's holder."""

    role: str = PUBLIC
    seat: int | None = None

    @property
    def name(self) -> str:
        """The caller as history names an actor: "seat:1", "owner"."""
        return self.role if self.seat is None else seat_actor(self.seat)


def make(secret: bytes, match: str, name: str, nonce: str) -> str:
    """Return the token of a caller's name ("seat:0", "owner", ...); another nonce gives another token."""
    number = hmac.digest(secret, f"token|{match}|{name}|{nonce}".encode(), "sha256")
    return f"gio_{match}_{base64.urlsafe_b64encode(number).decode().rstrip('=')}"


def nonce() -> str:
    """Return a random nonce for a token that nobody needs to be given again."""
    return secrets.token_hex(16)


def match_of(token: str) -> str | None:
    """Return the match that a token is for, None if it has not the form of a token."""
    return token[4:30] if re.fullmatch(FORM, token) else None


def field(token: str) -> str:
    """Return the field of the side table under which a token's caller is kept."""
    return "token:" + hashlib.sha256(token.encode()).hexdigest()


def held(name: str, token: str) -> dict[str, str | None]:
    """Return what to put into the side table for a caller's new token."""
    return {field(token): name, f"holder:{name}": field(token)}


def caller(name: str) -> Caller:
    """Return who an actor of a history, or a value of the side table, names."""
    seat = seat_of(name)
    return Caller(name) if seat is None else Caller("seat", seat)
