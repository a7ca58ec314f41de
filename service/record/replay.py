"""Replay: a match brought from one version to a later one by the commits in between.

Replay needs little more of commits than their events, a small part of the bytes. To parse less, the
events are cut out of the stored bytes. In canonical JSON they stand between the command and the
match's id. A cut at the wrong place tears brackets apart, so the cut text is no JSON. Then the
whole commits are parsed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, pairwise
from typing import Any

import orjson

from domain.match.evolve import count_moves, end_commit, fold, fold_commits, new_match
from domain.match.state import Match, Stamp, Status
from service.base import answers
from service.record.codec import put_back, put_part_back, read_events
from service.record.commit import (
    Content,
    Json,
    StoredCommit,
    milliseconds,
    parse_commit,
    parse_commits,
)

_BEFORE_ACTOR = b'{"commit":{"actor":"'
_BEFORE_EVENTS = b',"events":['
_AFTER_EVENTS = b'],"match":"'
_BEFORE_SECRETS = b',"secrets":'
_WITHOUT_SECRETS = _BEFORE_SECRETS + b"{}}"


@dataclass(frozen=True)
class Loaded:
    """A match at one version.

    created: time of the first commit.   time, hash: time and hash of the last commit.
    match: must not be changed, since `status` is computed only once.
    """

    id: str
    version: int
    created: str
    time: str
    hash: str
    match: Match

    @cached_property
    def status(self) -> Status:
        """The status of the match: its stage, and the seats or the worker that must act."""
        return self.match.status


def replay_commits(base: Loaded | None, many_commit_bytes: Sequence[bytes]) -> Loaded | None:
    """Return the match after further commits, without changing the base.

    base: None if the commits begin with the first.
    """
    if not many_commit_bytes:
        return base

    last = without_messages(many_commit_bytes[-1])
    content = last["commit"]
    event_lists = events_in(many_commit_bytes)

    bounds = list(accumulate(map(len, event_lists), initial=0))
    if base is None:
        created = without_messages(many_commit_bytes[0])["commit"]["time"]
        events: list[Any] = read_events(event_lists, event_lists[0][0]["rules"])
        match = new_match(events[0])
        bounds[0] = 1
    else:
        created = base.created
        events = read_events(event_lists, base.match.rules)
        match = base.match.copy()
    _apply_commits(match, events, bounds, many_commit_bytes)

    return Loaded(
        id=content["match"],
        version=content["version"],
        created=created,
        time=content["time"],
        hash=last["hash"],
        match=match,
    )


def _apply_commits(
    match: Match, events: Sequence[Any], bounds: Sequence[int], many_commit_bytes: Sequence[bytes]
) -> None:
    """Apply commits in place, all at once if the match needs no stamps.

    events: events of all commits.   bounds: index of the first event to apply of each commit, and
        the end of the last commit.
    """
    if match.needs_stamps:
        commits = [events[start:end] for start, end in pairwise(bounds)]
        fold_commits(match, commits, lambda place: _stamp_in(many_commit_bytes[place]))
    else:
        fold(match, islice(events, bounds[0], None))
        count_moves(match, (events[end - 1] for end in bounds[1:]))


def apply(match: Match | None, events: Sequence[Any], stamp: Stamp | None = None) -> Match:
    """Apply the events of a commit in place and return the match.

    match: None if the events are those of the first commit, and open the match.
    stamp: stamp of the commit, for a match with `needs_stamps`.
    """
    if match is None:
        match = new_match(events[0])
        fold(match, events[1:])
    else:
        fold(match, events)
    count_moves(match, events[-1:])

    if match.needs_stamps:
        assert stamp is not None, "a clock, take-back and joint entropy need to know it"
        end_commit(match, events, stamp)
    return match


def stamp_of(content: Content) -> Stamp:
    """Return version, actor and time of a commit."""
    return Stamp(content["version"], content["actor"], milliseconds(content["time"]))


def _stamp_in(commit_bytes: bytes) -> Stamp:
    """Return the stamp of a stored commit, without parsing its messages."""
    if not commit_bytes.startswith(_BEFORE_ACTOR):
        return stamp_of(parse_commit(commit_bytes)["commit"])

    actor, _, _ = commit_bytes.removeprefix(_BEFORE_ACTOR).partition(b'"')
    content = without_messages(commit_bytes)["commit"]
    return Stamp(content["version"], actor.decode(), milliseconds(content["time"]))


def outcome(loaded: Loaded) -> answers.Outcome | None:
    """Return points and ranks by seat once the game is over, None before.

    The outcome also has the seats with stand-in bots (`Match.played_by_bots`), and the resigned
    seats if the match rules rank these last.
    """
    match = loaded.match
    result = match.outcome
    if result is None:
        return None
    end: answers.Outcome = {"points": list(result.points), "ranks": list(result.ranks)}
    if match.played_by_bots:
        end["stood_in_for"] = list(match.played_by_bots)
    if match.resigned and match.match_rules.ranks_resigned_last:
        end["resigned"] = list(match.resigned)
    return end


# ---- fast decoding -------------------------------------------------------------------------------


def without_messages(commit_bytes: bytes) -> StoredCommit:
    """Parse a commit. Its actor, command and events may be missing in the result."""
    _, _, rest = commit_bytes.rpartition(_AFTER_EVENTS)
    try:
        stored: StoredCommit = orjson.loads(b'{"commit":{"match":"' + rest)
    except ValueError:
        return parse_commit(commit_bytes)
    return stored


def events_in(many_commit_bytes: Sequence[bytes]) -> list[list[Json]]:
    """Return the events of each unredacted commit, with their secret fields."""
    try:
        return _cut_events(many_commit_bytes)
    except ValueError:
        return [put_back(stored)[1] for stored in parse_commits(many_commit_bytes)]


def _cut_events(many_commit_bytes: Sequence[bytes]) -> list[list[Json]]:
    """Parse the events of all commits at once. Raises ValueError if a cut has failed."""
    cuts = []
    for commit_bytes in many_commit_bytes:
        _, _, rest = commit_bytes.partition(_BEFORE_EVENTS)
        events_bytes, separator, _ = rest.rpartition(_AFTER_EVENTS)
        if not separator:
            raise ValueError("events are not in the form of canonical JSON")
        cuts.append(events_bytes)

    event_lists: list[list[Json]] = orjson.loads(b"[[" + b"],[".join(cuts) + b"]]")
    for commit_bytes, events in zip(many_commit_bytes, event_lists, strict=True):
        if commit_bytes[-len(_WITHOUT_SECRETS) :] != _WITHOUT_SECRETS:
            _put_secrets_back(commit_bytes, events)
    return event_lists


def _put_secrets_back(commit_bytes: bytes, events: list[Json]) -> None:
    """Put the secret fields of a commit's events into their places."""
    _, _, rest = commit_bytes.rpartition(_BEFORE_SECRETS)
    parts: dict[str, Json] = orjson.loads(rest[:-1])
    for part in parts.values():
        put_part_back(part, {}, events)
