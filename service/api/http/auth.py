"""Who asks: the bearer token of a request (RFC 6750)."""

from flask import request

from service.errors import Forbidden, Unauthorized
from service.keys import tokens


def bearer() -> str | None:
    """Return the bearer token, None without one; raises Unauthorized for anything else in the header."""
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or tokens.match_of(token.strip()) is None:
        raise Unauthorized(
            "the Authorization header must be: Bearer gio_..., a token of this match"
        )
    return token.strip()


def token_for(match: str) -> str | None:
    """Return the bearer token for a match; raises Forbidden for a token of another match."""
    token = bearer()
    if token is not None and tokens.match_of(token) != match:
        raise Forbidden("this is a token of another match")
    return token
