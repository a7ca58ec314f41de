"""The service's secret, and the tokens that are derived from it: who may do what in one match.

A token is `gio_MATCH_SECRET`; SECRET has 256 bits. Only its hash is ever stored. Because tokens are
derived, a repeated request can be answered with the token of the first answer.
"""

import base64
import dataclasses
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from functools import cache, lru_cache

from domain.seats import PUBLIC, seat_actor, seat_of
from service.base.config import Config
from service.base.metadata_fields import HOLDER, TOKEN
from service.base.private_files import write_private
from service.record.commit import MATCH_ID

FORM = f"gio_{MATCH_ID}_[A-Za-z0-9_-]{{43}}"
_MATCH_PART = slice(4, 30)  # where a token names its match
_NONCE_BYTES = 16
_SECRET_BYTES = 32

LENGTH = 74
"""How many characters a token has."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks.

    role: "seat", "owner", "spectator", "invitation" or "public".
    seat: the number of the seat for a seat's holder, None for everyone else.
    name: the caller as a history names an actor: "seat:1", "owner".
    """

    role: str = PUBLIC
    seat: int | None = None
    name: str = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        name = self.role if self.seat is None else seat_actor(self.seat)
        object.__setattr__(self, "name", name)


def secret_of(config: Config) -> bytes:
    """Return GIORNALE_SECRET, or else what `<data>/secret` holds.

    All processes on one data directory share the file; the first one makes it.
    """
    if config.secret:
        return config.secret.encode()

    path = config.data / "secret"
    if not path.exists():
        new_secret = secrets.token_hex(_SECRET_BYTES)
        write_private(path, new_secret.encode())

    # Another process may have been first, so what counts is what the file holds.
    return path.read_bytes()


def make(secret: bytes, match_id: str, name: str, nonce: str) -> str:
    """Return the token of a caller for a match.

    name: "seat:0", "owner", ...   nonce: another one gives another token.
    """
    message = f"token|{match_id}|{name}|{nonce}"
    digest = hmac.digest(secret, message.encode(), "sha256")
    text = base64.urlsafe_b64encode(digest).decode()

    return f"gio_{match_id}_{text.rstrip('=')}"


def nonce() -> str:
    """Return a random nonce, for a token that is handed out once only."""
    return secrets.token_hex(_NONCE_BYTES)


def match_of(token: str) -> str | None:
    """Return the match that a token is for, None for text that has not the form of a token."""
    if not re.fullmatch(FORM, token):
        return None
    return token[_MATCH_PART]


@lru_cache(maxsize=1024)  # a move asks for it twice, and most tokens come again
def field(token: str) -> str:
    """Return the field of the metadata that names a token's caller."""
    digest = hashlib.sha256(token.encode()).hexdigest()
    return f"{TOKEN}{digest}"


def held(name: str, token: str) -> dict[str, str | None]:
    """Return what to put into the metadata for a caller's new token."""
    return {field(token): name, f"{HOLDER}{name}": field(token)}


@cache
def caller(name: str) -> Caller:
    """Return who an actor of a history, or a value of the metadata, names, such as "seat:1"."""
    seat = seat_of(name)
    return Caller(name) if seat is None else Caller("seat", seat)
