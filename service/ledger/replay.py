"""A match brought from one version to a later one by the commits in between."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from domain.match.evolve import fold, new_match
from domain.match.state import Match, Standing
from service.ledger.canonical import Json
from service.ledger.decoding import read_events
from service.ledger.skimming import events_in, without_messages


@dataclass(frozen=True)
class Loaded:
    """A match at one version: when its first and last commits were made, and the last one's hash.

    `match` is never changed, so where it stands is worked out once.
    """

    id: str
    version: int
    created: str
    time: str
    hash: str
    match: Match

    @cached_property
    def standing(self) -> Standing:
        """Where the match stands, and whom it waits for."""
        return self.match.standing


def forward(base: Loaded | None, many_commit_bytes: Sequence[bytes]) -> Loaded | None:
    """Return the match after further commits (None: from its first); the base is left alone."""
    if not many_commit_bytes:
        return base

    last = without_messages(many_commit_bytes[-1])
    content = last["commit"]
    event_lists = events_in(many_commit_bytes)

    if base is None:
        created = without_messages(many_commit_bytes[0])["commit"]["time"]
        rules = event_lists[0][0]["rules"]
        match = apply(None, read_events(event_lists, rules))
    else:
        created = base.created
        match = apply(base.match.copy(), read_events(event_lists, base.match.rules))

    return Loaded(
        id=content["match"],
        version=content["version"],
        created=created,
        time=content["time"],
        hash=last["hash"],
        match=match,
    )


def apply(match: Match | None, events: list[Any]) -> Match:
    """Apply events in place and return the match.

    Without a match they begin with those of its first commit, which make it.
    """
    if match is None:
        match = new_match(events[0])
        events = events[1:]
    fold(match, events)
    return match


def outcome(loaded: Loaded) -> Json | None:
    """Return points and ranks by seat once the game is over."""
    match = loaded.match
    if match.state is None:
        return None

    result = match.game.outcome(match.state)
    if result is None:
        return None
    return {"points": list(result.points), "ranks": list(result.ranks)}
