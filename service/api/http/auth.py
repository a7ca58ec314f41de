"""Who asks: the bearer token of a request (RFC 6750)."""

import hashlib
import hmac
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from flask import request

from service.api.http.context import config, ctx
from service.errors import Forbidden, Unauthorized
from service.keys import tokens
from service.matches import access
from service.matches.access import Access

# §§§ service.api.http.auth


_SHOWN = "giornale.token"  # key of the WSGI environment


@dataclass(frozen=True, slots=True)
class ShownToken:
    """A token as a request shows it; whether it counts is not known yet."""

    text: str = field(repr=False)
    # The id of the match that it is a token of.
    match: str
    # The field of the sidecar under which a match keeps whose token it is.
    holder_field: str


def shown_token(environ: dict[str, Any]) -> ShownToken | None:
    """Return the token that a request shows, None if it shows none or something else.

    It is worked out once for each request and kept in the request's WSGI environment.
    """
    if _SHOWN not in environ:
        environ[_SHOWN] = _read(environ.get("HTTP_AUTHORIZATION", ""))
    shown: ShownToken | None = environ[_SHOWN]
    return shown


def bearer() -> str | None:
    """Return the bearer token, None without one; raises Unauthorized for anything else."""
    shown = _required_form()
    return None if shown is None else shown.text


def token_for(match_id: str) -> str | None:
    """Return the bearer token for a match; raises Forbidden for a token of another match."""
    shown = _required_form()
    if shown is None:
        return None
    if shown.match != match_id:
        raise Forbidden("this is a token of another match")
    return shown.text


def enter(match_id: str) -> Access:
    """Return the head of a match and who its reader is, as the request's token says.

    Raises Unauthorized, Forbidden, NotFound, MatchDeleted.
    """
    return access.enter(ctx(), match_id, token_for(match_id))


def bearer_text(header: str) -> str:
    """Return what an Authorization header holds of the scheme Bearer, "" for another scheme."""
    scheme, _, text = header.partition(" ")
    return text.strip() if scheme.lower() == "bearer" else ""


def _required_form() -> ShownToken | None:
    """Return the shown token, None without the header; raises Unauthorized for another header."""
    environ = request.environ
    shown = shown_token(environ)
    if shown is None and "HTTP_AUTHORIZATION" in environ:
        raise Unauthorized(
            "the Authorization header must be: Bearer gio_..., a token of this match"
        )
    return shown


def _read(header: str) -> ShownToken | None:
    text = bearer_text(header)
    return _shown(text) if len(text) == tokens.LENGTH else None


# Most tokens come again and again, and a request that is answered again is 4 to 8 % shorter so.
# What is remembered tells no more than the secret that tokens are made from, which is here too.
@lru_cache(maxsize=1024)
def _shown(text: str) -> ShownToken | None:
    """Return the token that a text is, None if it has not the form of one."""
    match = tokens.match_of(text)
    return None if match is None else ShownToken(text, match, tokens.field(text))


# §§§ service.api.http.auth
# The operator's operations: off unless a token for them is set, and done by nobody without it.


# What does the same on the command line, by operation.
COMMANDS = {"importRecord": "giornale import FILE", "deleteMatch": "giornale match delete ID"}


def require_operator(operation: str) -> None:
    """Let the operator alone pass.

    Raises Forbidden where there is no operator or the token is another, Unauthorized without one.
    """
    token = config().operator_token
    if not token:
        raise Forbidden(
            "the operator's operations are off here: the setting GIORNALE_OPERATOR_TOKEN "
            "turns them on, and on the server's machine the command "
            f"`{COMMANDS[operation]}` does the same"
        )

    given = _given_token()
    if not given:
        raise Unauthorized(
            "the operator's token is needed: "
            "Authorization: Bearer and GIORNALE_OPERATOR_TOKEN's value"
        )
    if not hmac.compare_digest(given, token.encode()):
        raise Forbidden("this is not the operator's token")


def operator() -> str:
    """Return whose key it is: 16 hex digits, the first of the SHA-256 of the operator's token."""
    return hashlib.sha256(config().operator_token.encode()).hexdigest()[:16]


def _given_token() -> bytes:
    """Return the bytes of a bearer token of any form (RFC 6750), none without one."""
    text = bearer_text(request.headers.get("Authorization", ""))
    return text.encode("latin-1", "replace")  # as WSGI hands bytes over (PEP 3333)
