"""The last replacement of each holder's token, remembered so that it can be answered again.

It lies in the sidecar:

    replaced:HOLDER   "REQUEST ASKED NONCE": who asked with which key (a digest), for whom ("-": for
                      themselves), and what the new token was derived with

The first release remembered all replacements, as "replaced:token:HASH:KEY" with "ASKED|HOLDER".
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from service.errors import KeyConflict
from service.keys import tokens
from service.matches.desk import Desk

_REPLACED = "replaced:"
_FIRST_RELEASE = "replaced:token:"
_DROPPED_AT_ONCE = 1000  # fields; a script of the journal takes a few thousand


@dataclass(frozen=True, slots=True)
class Replacement:
    """A replacement as it is remembered.

    asked: the holder that was asked for, "" for the bearer's own.   holder: whose token it is.
    nonce: what the new token was derived with.
    """

    asked: str
    holder: str
    nonce: str


def field_of(holder: str) -> str:
    """Return the field that remembers the last replacement of a holder's token."""
    return _REPLACED + holder


def request_digest(token: str | None, key: str) -> str:
    """Return the digest of a bearer and their idempotency key."""
    bearer = tokens.field(token or "")
    digest = hashlib.sha256(f"{bearer}|{key}".encode()).hexdigest()
    return f"rotate:{digest}"


def written(request: str, asked: str | None, nonce: str) -> str:
    """Return what is remembered of a replacement; asked: None for the bearer's own."""
    return f"{request} {asked or '-'} {nonce}"


def fields_of_first_release(sidecar: Mapping[str, str], holder: str) -> list[str]:
    """Return fields in which the first release remembered a holder's replacements.

    They are a bounded number: the others go with later replacements.
    """
    remembered = (
        field
        for field, answer in sidecar.items()
        if field.startswith(_FIRST_RELEASE) and answer.partition("|")[2] == holder
    )
    return list(islice(remembered, _DROPPED_AT_ONCE))


def earlier(desk: Desk, match_id: str, token: str | None, key: str) -> Replacement | None:
    """Return what an earlier request of the same bearer with the same key has replaced.

    The bearer's token may be replaced by now. Raises KeyConflict if the answer's token was itself
    replaced since.
    """
    if not token or not key:
        return None

    # The commit is looked for first: if it is there, the sidecar read after it holds the answer.
    request = request_digest(token, key)
    made = desk.journal.version_made(match_id, request, "")
    sidecar = desk.journal.sidecar(match_id)

    for field, remembered in sidecar.items():
        if field.startswith(_REPLACED) and remembered.startswith(f"{request} "):
            _, asked, nonce = remembered.split(" ", 2)
            return Replacement(
                asked=asked.replace("-", ""),
                holder=field.removeprefix(_REPLACED),
                nonce=f"{nonce}|{key}",
            )

    of_first_release = _of_first_release(sidecar, token, key)
    if of_first_release is None and made is not None:
        raise KeyConflict("this idempotency key made a token that no longer counts; send a new key")
    return of_first_release


def _of_first_release(sidecar: Mapping[str, str], token: str, key: str) -> Replacement | None:
    """Return a replacement as the first release remembered it, None if it did not."""
    key_digest = hashlib.sha256(f"rotate|{key}".encode()).hexdigest()
    remembered = sidecar.get(f"{_REPLACED}{tokens.field(token)}:{key_digest}")
    if remembered is None:
        return None
    asked, _, holder = remembered.partition("|")
    return Replacement(asked, holder, nonce=f"rotate|{key}")
