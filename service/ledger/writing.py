"""A new commit as bytes: secret parts salted and digested, the public part hashed.

The digest of the public view, which a commit also holds, is made here, too.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from domain.games import RULES
from domain.match.state import Match
from service.ledger.canonical import canonical, digest
from service.ledger.commit import Content, StoredCommit
from service.ledger.secrets import salt, split


@dataclass(frozen=True, slots=True)
class NewCommit:
    """What a commit is to say.

    `command` and `events` are messages, the other fields as in Content.
    """

    match: str
    version: int
    time: str
    actor: str
    command: Any
    events: Sequence[Any]
    prev: str
    view: str


@dataclass(frozen=True, slots=True)
class Written:
    """A commit that was written: the bytes to be stored, and what they hold."""

    commit_bytes: bytes
    stored: StoredCommit


def write(new: NewCommit, key: bytes) -> Written:
    """Return a commit as the journal holds it; the match's key (M10) salts the secret parts."""
    messages = split(new.command, new.events)
    parts = messages.parts
    for audience, part in parts.items():
        part["salt"] = salt(key, new.version, audience)

    content: Content = {
        "match": new.match,
        "version": new.version,
        "time": new.time,
        "actor": new.actor,
        "command": messages.command,
        "events": messages.events,
        "prev": new.prev,
        "view": new.view,
        "secrets": {audience: digest(part) for audience, part in parts.items()},
    }
    content_bytes = canonical(content)
    commit_hash = hashlib.sha256(content_bytes).hexdigest()

    stored: StoredCommit = {"commit": content, "hash": commit_hash, "secrets": parts}
    return Written(stored_bytes(content_bytes, commit_hash, parts), stored)


def view_digest(match: Match) -> str:
    """Return the digest of what the public sees of the game, "" before the start."""
    if match.state is None:
        return ""
    return digest(RULES[match.rules].view(match.state, None))


def stored_bytes(content_bytes: bytes, commit_hash: Any, parts: Any) -> bytes:
    """Return the canonical bytes of a stored commit.

    They are made of its CONTENT's bytes, its hash and its secret parts.
    """
    return b'{"commit":%s,"hash":%s,"secrets":%s}' % (
        content_bytes,
        canonical(commit_hash),
        canonical(parts),
    )
