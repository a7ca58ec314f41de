"""Answers that are kept, to be told again for as long as the journal bears them out."""

import threading
from collections import OrderedDict
from typing import Any, NamedTuple

from service.matches.proofs import Proof

# Bytes that the kept answers of a process take, and the longest that is kept.
MOST_BYTES = 32 * 1024 * 1024
LONGEST = 512 * 1024

_PROOF = "giornale.proof"  # key of the WSGI environment
OVERHEAD = 2000  # bytes that an answer takes beside its body, about

Headers = list[tuple[str, str]]


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

    proof: Proof
    operation: str
    status: str
    headers: Headers
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


def leave_proof(environ: dict[str, Any], proof: Proof) -> None:
    """Leave the proof that a request's answer follows from, so that the answer may be kept."""
    environ[_PROOF] = proof


def proof_of(environ: dict[str, Any]) -> Proof | None:
    """Return the proof that was left for a request's answer, None for one that is not kept."""
    proof: Proof | None = environ.get(_PROOF)
    return proof


def _size(key: Key, kept: Kept) -> int:
    """Return about how many bytes an answer takes."""
    of_request = len(key.path) + len(key.query) + len(key.accept) + len(key.held)
    return OVERHEAD + of_request + len(kept.body)
