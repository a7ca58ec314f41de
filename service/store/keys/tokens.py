"""Tokens, derived from the service's secret. A token gives its holder rights in one match.

A token is `gio_MATCH_SECRET`. SECRET has 256 bits. The journal stores the hash of a token.
Tokens are derived, so the response to a repeated request can have the token of the first response.
"""

import base64
import dataclasses
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from functools import cache, lru_cache

from domain.seats import (
    INVITATION,
    OWNER,
    PUBLIC,
    SEAT_ACTOR,
    SPECTATOR,
    seat_actor,
    seat_of,
)
from service.base.metadata_fields import HOLDER, TOKEN
from service.record.commit import MATCH_ID

FORM = f"gio_{MATCH_ID}_[A-Za-z0-9_-]{{43}}"
HOLDER_FORM = "|".join((OWNER, SPECTATOR, INVITATION, SEAT_ACTOR))
_MATCH_PART = slice(4, 30)  # the match in a token
_NONCE_BYTES = 16

LENGTH = 74
"""Number of characters of a token."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a request.

    role: "seat", "owner", "spectator", "invitation" or "public".
    seat: number of the seat for its holder, None for everyone else.
    name: the caller as in commits and metadata: "seat:1", "owner".
    """

    role: str = PUBLIC
    seat: int | None = None
    name: str = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        name = self.role if self.seat is None else seat_actor(self.seat)
        object.__setattr__(self, "name", name)

    @property
    def audiences(self) -> tuple[str, ...]:
        """The audiences of the secret parts open to the caller."""
        return () if self.seat is None else (self.name,)


def make(secret: bytes, match_id: str, name: str, nonce: str) -> str:
    """Return the token of a caller for a match.

    name: "seat:0", "owner", ...   nonce: a new one gives a new token.
    """
    message = f"token|{match_id}|{name}|{nonce}"
    digest = hmac.digest(secret, message.encode(), "sha256")
    text = base64.urlsafe_b64encode(digest).decode()

    return f"gio_{match_id}_{text.rstrip('=')}"


def nonce() -> str:
    """Return a random nonce."""
    return secrets.token_hex(_NONCE_BYTES)


def match_of(token: str) -> str | None:
    """Return the match of a token, None for text without the form of a token."""
    if not re.fullmatch(FORM, token):
        return None
    return token[_MATCH_PART]


@lru_cache(maxsize=1024)  # a move needs the field twice, and most tokens are used many times
def field(token: str) -> str:
    """Return the metadata field that names the caller of a token."""
    digest = hashlib.sha256(token.encode()).hexdigest()
    return f"{TOKEN}{digest}"


def held(name: str, token: str) -> dict[str, str | None]:
    """Return the metadata fields to set for a caller's new token."""
    return {field(token): name, f"{HOLDER}{name}": field(token)}


@cache
def caller(name: str) -> Caller:
    """Return the caller by its name in a history or in the metadata, such as "seat:1"."""
    seat = seat_of(name)
    return Caller(name) if seat is None else Caller("seat", seat)
