"""Who asks: the bearer token of a request (RFC 6750), of a match or the operator's."""

import hashlib
import hmac

from flask import request

from service.api.http.context import (
    Environ,
    ShownToken,
    bearer_text,
    config,
    ctx,
    state_of,
)
from service.errors import Forbidden, Unauthorized
from service.matches import access
from service.matches.access import Access

# What does the same as the operator's operations on the command line, by operation.
COMMANDS = {"importRecord": "giornale import FILE", "deleteMatch": "giornale match delete ID"}


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


def _required_form() -> ShownToken | None:
    """Return the shown token, None without the header; raises Unauthorized for another header."""
    environ = request.environ
    shown = state_of(environ).token
    if shown is None and "HTTP_AUTHORIZATION" in environ:
        raise Unauthorized(
            "the Authorization header must be: Bearer gio_..., a token of this match"
        )
    return shown


# ---- the operator --------------------------------------------------------------------------


def require_operator(environ: Environ, operation: str) -> None:
    """Let the operator alone pass: operations that are off unless a token for them is set.

    Raises Forbidden where there is no operator or the token is another, Unauthorized without one.
    """
    token = config().operator_token
    if not token:
        raise Forbidden(
            "the operator's operations are off here: the setting GIORNALE_OPERATOR_TOKEN "
            "turns them on, and on the server's machine the command "
            f"`{COMMANDS[operation]}` does the same"
        )

    given = _given_token(environ)
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


def _given_token(environ: Environ) -> bytes:
    """Return the bytes of a bearer token of any form (RFC 6750), none without one."""
    text = bearer_text(environ.get("HTTP_AUTHORIZATION", ""))
    return text.encode("latin-1", "replace")  # as WSGI hands bytes over (PEP 3333)
