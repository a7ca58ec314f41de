"""A match brought from one version to a later one by the commits in between."""

from dataclasses import dataclass
from typing import Any

from domain.match.state import Match, fold, opened
from service.ledger import codec
from service.ledger.codec import Json


@dataclass(frozen=True, slots=True)
class Loaded:
    """A match at one version: when its first and last commits were made, and the last one's hash.

    `match` is never changed.
    """

    id: str
    version: int
    created: str
    time: str
    hash: str
    match: Match


def forward(base: Loaded | None, entries: list[bytes]) -> Loaded | None:
    """Return the match after further commits (None: from its first); the base is left alone."""
    if not entries:
        return base
    parsed = codec.parse_all(entries)
    rules = base.match.rules if base else codec.rules_of(parsed[0])
    match = apply(base.match.copy() if base else None, codec.decode_events(parsed, rules))
    last = parsed[-1]
    commit = last["commit"]
    created = base.created if base else parsed[0]["commit"]["time"]
    return Loaded(commit["match"], commit["version"], created, commit["time"], last["hash"], match)


def apply(match: Match | None, events: list[Any]) -> Match:
    """Apply events in place (None: the first commit's at least, which make the match) and return the match."""
    if match is None:
        match = opened(events[0])
        events = events[1:]
    fold(match, events)
    return match


def outcome(loaded: Loaded) -> Json | None:
    """Return points and ranks by seat once the game is over."""
    match = loaded.match
    result = match.game.outcome(match.state) if match.state is not None else None
    return None if result is None else {"points": list(result.points), "ranks": list(result.ranks)}
