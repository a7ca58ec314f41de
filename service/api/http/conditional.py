"""Conditional requests (RFC 9110): the ETag of what is shown of a match is its version and the perspective."""

import hashlib
from collections.abc import Collection

from flask import Response

from service.api.http.answers import answer
from service.api.http.context import desk
from service.keys.tokens import Caller
from service.ledger.replay import Loaded

_YEAR = 31_536_000


def etag(version: int, caller: Caller) -> str:
    """Return the ETag of a version as a caller sees it."""
    return f'"{version};{caller.name}"'


def headers(loaded: Loaded, caller: Caller, *, fixed: bool = False) -> dict[str, str]:
    """Return ETag, Vary and Cache-Control; fixed: the answer is of the past and never changes."""
    shared = caller.role == "public" and loaded.match.visibility == "public"
    keep = f"max-age={_YEAR}, immutable" if fixed else "no-cache"
    return {
        "ETag": etag(loaded.version, caller),
        "Vary": "Authorization",
        "Cache-Control": f"{'public' if shared else 'private'}, {keep}",
    }


def signing_key() -> str:
    """Return the id of the key that signs receipts now, "" where nobody signs: what holds a receipt changes with it."""
    signer = desk().signer
    return signer.key_id() if signer else ""


def unchanged(held: Collection[str], tag: str) -> bool:
    """Return whether the caller holds what it would be answered."""
    return tag in held or "*" in held


def by_content(value: object, told: dict[str, str], held: Collection[str]) -> Response:
    """Answer a value whose ETag is the hash of its bytes, or 304 if the caller has it."""
    response = answer(value, headers=told)
    response.headers["ETag"] = tag = f'"{hashlib.sha256(response.get_data()).hexdigest()[:32]}"'
    return Response(status=304, headers=response.headers) if unchanged(held, tag) else response


def shown(value: object, told: dict[str, str], held: Collection[str]) -> Response:
    """Answer a value with its headers, or 304 if the caller has it."""
    if held and unchanged(held, told["ETag"]):
        return Response(status=304, headers=told)
    return answer(value, headers=told)
