"""Conditional requests (RFC 9110).

The ETag of what is shown of a match is its version and who sees it, such as "17;seat:0"; where more
than these two decides, marks follow: "17;seat:0;lines".
"""

import hashlib
from collections.abc import Collection

from flask import Response

from domain.seats import PUBLIC
from service.api.http.answers import answer
from service.api.http.context import desk
from service.keys.tokens import Caller
from service.ledger.replay import Loaded

_YEAR = 31_536_000  # seconds

Headers = dict[str, str]


def etag(version: int, caller: Caller, mark: str = "") -> str:
    """Return the ETag of a version as a caller sees it, with one more mark if there is one."""
    marks = f";{mark}" if mark else ""
    return f'"{version};{caller.name}{marks}"'


def headers(
    loaded: Loaded,
    caller: Caller,
    *,
    version: int | None = None,
    fixed: bool = False,
    mark: str = "",
) -> Headers:
    """Return ETag, Vary and Cache-Control of what is shown of a match.

    version: which version is shown, None for the present one.
    fixed: the answer is of the past and never changes.
    mark: what else decides what is shown.
    """
    shown_version = loaded.version if version is None else version
    is_shared = caller.role == PUBLIC and loaded.match.visibility == "public"
    who_may_keep = "public" if is_shared else "private"
    how_long = f"max-age={_YEAR}, immutable" if fixed else "no-cache"
    return {
        "ETag": etag(shown_version, caller, mark),
        "Vary": "Authorization",
        "Cache-Control": f"{who_may_keep}, {how_long}",
    }


def signing_key() -> str:
    """Return the id of the key that signs receipts now, "" where nobody signs.

    What holds a receipt changes with it.
    """
    signer = desk().signer
    return signer.key_id() if signer else ""


def is_unchanged(headers: Headers, held: Collection[str]) -> bool:
    """Return whether the caller holds what it would be answered.

    held: the ETags of If-None-Match.
    """
    return _holds(held, headers["ETag"])


def unchanged(headers: Headers) -> Response:
    """Return the answer that says so: 304 with the headers of the whole answer."""
    return Response(status=304, headers=headers)


def by_content(value: object, headers: Headers, held: Collection[str]) -> Response:
    """Answer a value whose ETag is the hash of its bytes, or 304 if the caller has it."""
    response = answer(value, headers=headers)
    digest = hashlib.sha256(response.get_data()).hexdigest()
    tag = f'"{digest[:32]}"'
    response.headers["ETag"] = tag
    if _holds(held, tag):
        return Response(status=304, headers=response.headers)
    return response


def _holds(held: Collection[str], tag: str) -> bool:
    return tag in held or "*" in held
