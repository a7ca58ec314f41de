"""A commit: as it is stored, and decoded.

One stored commit is `{"commit":CONTENT,"hash":HEX,"secrets":{...}}`. CONTENT is canonical JSON (RFC
8785; Giornale writes no fractions) of the public part, `secrets` in it being the digests of the
secret parts, `prev` the predecessor's hash and `view` the digest of the public view after the
commit. The hash is SHA-256 of CONTENT's bytes. A secret part is a JSON object with its own salt,
kept outside CONTENT under its audience ("seat:1", "house"); its digest is SHA-256 of its canonical
bytes. So a commit verifies with any of its secret parts left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import orjson

from service.ledger.canonical import Json


class Content(TypedDict):
    """The public part of a commit, which its hash is made of.

    version: the match's version that the commit makes, from 1.
    time: RFC 3339 in UTC with milliseconds.   actor: "owner", "house", "seat:1" and so on.
    command, events: JSON of messages without their secret fields.
    prev: the predecessor's hash, "" in the first commit.
    view: the digest of the public view after the commit, "" before the start.
    secrets: the digests of the secret parts by audience.
    """

    match: str
    version: int
    time: str
    actor: str
    command: Json
    events: list[Json]
    prev: str
    view: str
    secrets: dict[str, str]


class StoredCommit(TypedDict):
    """A commit as the journal and records hold it.

    `secrets` has those secret parts that are at hand, by audience.
    """

    commit: Content
    hash: str
    secrets: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, decoded. `command` and `events` are messages.

    `time` is RFC 3339 in UTC with milliseconds.
    """

    match: str
    version: int
    time: str
    actor: str
    command: Any
    events: tuple[Any, ...]
    prev: str
    hash: str
    view: str


def parse_commit(commit_bytes: bytes) -> StoredCommit:
    """Return one commit from the journal's bytes; its form is not checked."""
    stored: StoredCommit = orjson.loads(commit_bytes)
    return stored


def parse_commits(many_commit_bytes: Sequence[bytes]) -> list[StoredCommit]:
    """Return many commits from the journal's bytes at once, which is faster than one by one."""
    stored: list[StoredCommit] = orjson.loads(b"[" + b",".join(many_commit_bytes) + b"]")
    return stored


def rules_of(first: StoredCommit) -> str:
    """Return the rules version that a match's first commit names."""
    rules: str = first["commit"]["events"][0]["rules"]
    return rules
