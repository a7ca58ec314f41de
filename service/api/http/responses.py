"""Conditional requests (RFC 9110).

The ETag of what is shown of a match is its version, who sees it, and how the hash of the version's
commit begins, such as "17;seat:0;5df6e0e2761359d3". Where more decides, a mark follows. The hash
stands for the whole history up to the version. A journal may go back to an older copy and go on
from there: then the same version is another one, and so is its ETag (docs/decisions/0047).
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import orjson
from flask import Response, request

from domain.seats import PUBLIC
from service.api.http.auth import shown_token
from service.api.http.context import ctx
from service.keys.tokens import Caller
from service.matches.access import Access
from service.matches.repository import hash_at
from service.matches.validators import HistoryValidator, Validator

# §§§ service.api.http.responses
# JSON answers.


JSON = "application/json"


def answer(
    value: Any,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    kind: str = JSON,
) -> Response:
    """Return a JSON answer; its names are sorted, so equal values give equal bytes.

    headers: they stand beside Content-Type and Cache-Control, or in their place.
    """
    all_headers = {"Content-Type": kind, "Cache-Control": "private, no-cache"}
    if headers:
        all_headers.update(headers)
    return Response(orjson.dumps(value, option=orjson.OPT_SORT_KEYS), status, all_headers)


def json_line(value: Any) -> bytes:
    """Return a value as a line of NDJSON; its names stay in the order in which they stand."""
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def nothing(status: int = 204) -> Response:
    """Return an answer without a body that nobody may keep."""
    return Response(status=status, headers={"Cache-Control": "no-store"})


# §§§ service.api.http.responses
# Answers that are kept, to be told again for as long as the journal bears them out.


# Bytes that the kept answers of a process take, and the longest that is kept.
MOST_BYTES = 32 * 1024 * 1024
LONGEST = 512 * 1024

_PROOF = "giornale.proof"  # key of the WSGI environment
OVERHEAD = 2000  # bytes that an answer takes beside its body, about

HeaderPairs = list[tuple[str, str]]


class Key(NamedTuple):
    """All of a request that decides how it is answered, once it is let in.

    holder_field: stands for the token, "" for none. So nobody is told what another token sees.
    accept, held: the headers Accept and If-None-Match.   gzip: whether that is accepted.
    """

    path: str
    query: str
    holder_field: str
    accept: str
    held: str
    gzip: bool


class Kept(NamedTuple):
    """An answer as it was sent, and the proof that it follows from.

    operation: how the contract calls what was asked for.
    takes_slot: it is one of many lines, which takes a slot until it is sent.
    """

    proof: Validator
    operation: str
    status: str
    headers: HeaderPairs
    body: bytes
    etag: str
    takes_slot: bool = False


class Keeper:
    """The answers of a process that were asked for last, as many as fit; safe among threads."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._answers: OrderedDict[Key, Kept] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> Kept | None:
        """Return the answer that is kept for a request, None if there is none."""
        with self._lock:
            kept = self._answers.get(key)
            if kept is not None:
                self._answers.move_to_end(key)
            return kept

    def put(self, key: Key, kept: Kept) -> None:
        """Keep an answer instead of an older one; those asked for longest ago make room for it."""
        with self._lock:
            self._remove(key)
            self._answers[key] = kept
            self._bytes += _size(key, kept)
            while self._bytes > self._most_bytes:
                self._remove(next(iter(self._answers)))

    def drop(self, key: Key) -> None:
        """Forget one answer."""
        with self._lock:
            self._remove(key)

    def forget(self, match: str) -> None:
        """Forget all that is kept of a match."""
        with self._lock:
            of_match = [key for key, kept in self._answers.items() if kept.proof.match == match]
            for key in of_match:
                self._remove(key)

    def matches(self) -> set[str]:
        """Return the matches of which something is kept."""
        with self._lock:
            return {kept.proof.match for kept in self._answers.values()}

    def _remove(self, key: Key) -> None:
        removed = self._answers.pop(key, None)
        if removed is not None:
            self._bytes -= _size(key, removed)


def leave_proof(environ: dict[str, Any], proof: Validator) -> None:
    """Leave the proof that a request's answer follows from, so that the answer may be kept."""
    environ[_PROOF] = proof


def proof_of(environ: dict[str, Any]) -> Validator | None:
    """Return the proof that was left for a request's answer, None for one that is not kept."""
    proof: Validator | None = environ.get(_PROOF)
    return proof


def _size(key: Key, kept: Kept) -> int:
    """Return about how many bytes an answer takes."""
    of_request = len(key.path) + len(key.query) + len(key.accept) + len(key.held)
    return OVERHEAD + of_request + len(kept.body)


# §§§ service.api.http.responses


_PAST_SECONDS = 3600
_HASH_DIGITS = 16

Headers = dict[str, str]


def etag(version: int, commit_hash: str, caller: Caller, mark: str = "") -> str:
    """Return the ETag of a version as a caller sees it, with one more mark if there is one.

    commit_hash: of the commit that made the version, "" for version 0.
    """
    marks = f";{mark}" if mark else ""
    return f'"{version};{caller.name};{commit_hash[:_HASH_DIGITS]}{marks}"'


def etag_of(access: Access) -> str:
    """Return the ETag of a match at its head as its caller sees it."""
    return etag(access.version, access.head.hash, access.caller)


def headers(
    access: Access,
    *,
    version: int | None = None,
    commit_hash: str | None = None,
    fixed: bool = False,
    mark: str = "",
) -> Headers:
    """Return ETag, Vary and Cache-Control of what is shown of a match.

    version: which version is shown, None for the present one.
    commit_hash: of the commit that made it; None: the journal is asked for it.
    fixed: the answer is of the past, and changes only if the journal goes back. So it may be kept
        for a while, and not for ever.
    mark: what else decides what is shown.
    """
    shown_version = access.version if version is None else version
    if commit_hash is None:
        commit_hash = hash_at(ctx(), access, min(shown_version, access.version))
    is_shared = access.caller.role == PUBLIC and access.head.visibility == "public"
    who_may_keep = "public" if is_shared else "private"
    how_long = f"max-age={_PAST_SECONDS}" if fixed else "no-cache"
    return {
        "ETag": etag(shown_version, commit_hash, access.caller, mark),
        "Vary": "Authorization",
        "Cache-Control": f"{who_may_keep}, {how_long}",
    }


def may_keep(access: Access, headers: Headers, *, lasts: bool = False) -> None:
    """Let this request's answer be kept, which follows from the history of a match.

    It must follow from the history, the caller and the request alone: not from a name, which may
    be erased, and not from the time.
    lasts: it follows from the history up to the version that its ETag names, and later commits
    change nothing of it. Otherwise it is the answer for as long as the match stands still.
    """
    version, commit_hash = access.version, access.head.hash
    if lasts:
        shown_version, _, commit_hash, *_ = headers["ETag"].strip('"').split(";")
        version = int(shown_version)

    shown = shown_token(request.environ)
    proof = HistoryValidator(
        match=access.match,
        holder_field=shown.holder_field if shown else "",
        holder=access.caller.name if shown else None,
        version=version,
        hash=commit_hash[:_HASH_DIGITS],
        lasts=lasts,
        head=access.head.hash,
    )
    leave_proof(request.environ, proof)


def signing_key() -> str:
    """Return the id of the key that signs receipts now, "" where nobody signs.

    What holds a receipt changes with it.
    """
    signer = ctx().signer
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
