"""The operator: a token that allows over HTTP what commands do on the server's machine."""

import hashlib
import hmac

from service.api.http.context import Environ, bearer_text, config
from service.errors import Forbidden, Unauthorized

# What does the same as the operator's operations on the command line, by operation.
COMMANDS = {"importRecord": "giornale import FILE", "deleteMatch": "giornale match delete ID"}


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
