"""A whole match as rows: its commits without all that follows from the rest of the match.

A row is `[ELAPSED,ACTOR,COMMAND,EVENTS]`, and `[..., PARTS]` for a commit with secret parts.
ELAPSED is in milliseconds since the commit before; in the first row since the epoch. COMMAND and
EVENTS are the public messages. PARTS are the secret parts by audience, without their salts.

What is left out is made again: version, match and hashes from the order of the rows; salts from
the match's key (M10); digests of views from the states; what the revelation lays open from the
secret parts (M9). Events are kept, not decided again: a row is read by folding alone (0051).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from domain.match.messages import Reveal, SecretsRevealed
from domain.match.state import Match
from service.ledger.canonical import Json, canonical, digest
from service.ledger.commit import Content, StoredCommit, parse_commits
from service.ledger.decoding import decode_events
from service.ledger.replay import apply
from service.ledger.secrets import salt
from service.ledger.times import milliseconds, timestamp
from service.ledger.writing import stored_bytes, view_digest

Row = list[Any]

_REVELATION = (Reveal.tag, SecretsRevealed.tag)
_LAID_OPEN = ("secret", "parts")


class OtherView(Exception):
    """The match's view digests are of a version of the view that this program does not make."""


def rows_of(commits: Sequence[bytes]) -> list[Row]:
    """Return the rows of a whole match, of its commits as the journal holds them."""
    rows = []
    time_before = 0

    for stored in parse_commits(commits):
        content = stored["commit"]
        time = milliseconds(content["time"])
        row: Row = [
            time - time_before,
            content["actor"],
            _without_revelation(content["command"]),
            [_without_revelation(event) for event in content["events"]],
        ]
        if stored["secrets"]:
            row.append({name: _without_salt(part) for name, part in stored["secrets"].items()})

        rows.append(row)
        time_before = time

    return rows


def commits_of(match_id: str, rows: Sequence[Row]) -> Iterator[bytes]:
    """Yield the commits that rows were made of, as the journal held them.

    Raises OtherView. Other errors are those of a fold that does not go: the rows are damaged, or of
    rules that are not known.
    """
    rebuilt = _Rebuilt(match_id)
    for row in rows:
        yield rebuilt.commit_bytes(row)


@dataclass(slots=True)
class _Rebuilt:
    """A match as far as its rows were read.

    time: of the last commit, in milliseconds.   revealed: the secret parts so far, by version.
    """

    match_id: str
    version: int = 0
    time: int = 0
    hash: str = ""
    match: Match | None = None
    revealed: dict[str, dict[str, Json]] = field(default_factory=dict)

    def commit_bytes(self, row: Row) -> bytes:
        """Return the commit of the next row."""
        elapsed, actor, command, events, *rest = row
        bare_parts: dict[str, Json] = rest[0] if rest else {}

        self.version += 1
        self.time += elapsed

        command = self._with_revelation(command)
        events = [self._with_revelation(event) for event in events]
        match = self._fold(command, events, bare_parts)
        parts = self._salted(match, bare_parts)

        content: Content = {
            "match": self.match_id,
            "version": self.version,
            "time": timestamp(self.time),
            "actor": actor,
            "command": command,
            "events": events,
            "prev": self.hash,
            "view": _view_digest(match),
            "secrets": {audience: digest(part) for audience, part in parts.items()},
        }
        content_bytes = canonical(content)
        self.hash = sha256(content_bytes).hexdigest()
        return stored_bytes(content_bytes, self.hash, parts)

    def _with_revelation(self, message: Json) -> Json:
        """Return a message; the revelation's with all that it lays open."""
        if message["type"] not in _REVELATION:
            return message
        assert self.match is not None, "a match is revealed after its opening"
        return {**message, "secret": self.match.secret, "parts": self.revealed}

    def _fold(self, command: Json, events: list[Json], parts: dict[str, Json]) -> Match:
        """Return the match after the next commit; secret parts need no salts for that."""
        public: Any = {"command": command, "events": events}
        stored: StoredCommit = {"commit": public, "hash": "", "secrets": parts}
        rules = self.match.rules if self.match else events[0]["rules"]
        self.match = apply(self.match, decode_events([stored], rules))
        return self.match

    def _salted(self, match: Match, bare_parts: dict[str, Json]) -> dict[str, Json]:
        """Return the secret parts of the commit with their salts, and note them as revealed."""
        parts = {
            audience: {**part, "salt": salt(match.key, self.version, audience)}
            for audience, part in bare_parts.items()
        }
        if parts:
            self.revealed[str(self.version)] = parts
        return parts


def _without_revelation(message: Json) -> Json:
    """Return a message; the revelation's without what it lays open."""
    if message["type"] not in _REVELATION:
        return message
    return {name: value for name, value in message.items() if name not in _LAID_OPEN}


def _without_salt(part: Json) -> Json:
    return {name: value for name, value in part.items() if name != "salt"}


def _view_digest(match: Match) -> str:
    """Return the digest of the public view; raises OtherView."""
    if match.views != match.game.view_version:
        raise OtherView(
            f"its views are of version {match.views}, and this program makes version "
            f"{match.game.view_version}"
        )
    return view_digest(match)
