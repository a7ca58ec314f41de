"""The checker: what clients were told, held against the journal as it is in the end.

It shares no code with the service: it reads Redis, the history and JSON by itself.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.campaign import findings
from tests.campaign.answers import check_answers, check_recency
from tests.campaign.chains import check_ended, check_journal
from tests.campaign.findings import Finding
from tests.campaign.history import Try
from tests.campaign.journal import StoredJournal, StoredMatch

OPENING_ID = "open"


@dataclass(slots=True)
class Stored:
    """What the checker asks of one match all the time.

    hashes: of the commits, by version.   versions: of each hash, usually one.
    actors: who made each commit, by version.   humans: the actors for whom clients act.
    made: the versions that each command id has made.
    """

    hashes: dict[int, str] = field(default_factory=dict)
    versions: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    actors: dict[int, str] = field(default_factory=dict)
    humans: set[str] = field(default_factory=set)
    made: dict[str, int] = field(default_factory=dict)


def check(tries: list[Try], journal: StoredJournal, *, ended: bool = True) -> list[Finding]:
    """Return all broken promises.

    ended: every match was played to its end, so none may wait.
    """
    matches = {match: _stored(stored) for match, stored in journal.matches.items()}
    found = [
        *check_journal(journal),
        *check_told(tries, matches),
        *check_requests(tries, matches),
        *check_made(tries, matches),
        *check_recency(tries),
        *check_answers(tries),
    ]
    if ended:
        found += check_ended(journal)
    return found


def _stored(stored: StoredMatch) -> Stored:
    """Return a match as the checker asks it."""
    view = Stored()
    for number, (_entry, commit_bytes) in enumerate(stored.commits, start=1):
        commit = json.loads(commit_bytes)
        content = commit["commit"]
        commit_hash = commit["hash"]

        view.hashes[number] = commit_hash
        view.versions[commit_hash].append(number)
        view.actors[number] = content["actor"]
        if number == 1:
            view.humans = _humans(content)

    for command_id, packed in stored.ids.items():
        version, _, _fingerprint = packed.partition(":")
        view.made[command_id] = int(version)
    return view


def _humans(opening: dict[str, Any]) -> set[str]:
    """Return the actors for whom clients act in a match, by the content of its first commit."""
    opened = opening["events"][0]
    humans = {"owner"}
    for number, seat in enumerate(opened["seats"]):
        if seat["kind"] == "human":
            humans.add(f"seat:{number}")
    return humans


def check_told(tries: Iterable[Try], matches: dict[str, Stored]) -> Iterator[Finding]:
    """Check that each pair of version and hash that anybody was told is in the journal."""
    nothing = Stored()
    for one in tries:
        stored = matches.get(one.match, nothing)
        for version, digest in one.told:
            if stored.hashes.get(version) != digest:
                yield _not_there(one, stored, version, digest)


def _not_there(one: Try, stored: Stored, version: int, digest: str) -> Finding:
    """Return what a pair means that was told and is not in the journal."""
    text = f"{one.what} was told version {version} with hash {digest}"
    if not one.acknowledged:
        return Finding(findings.VANISHED, one.match, text)

    is_elsewhere = digest in stored.versions or version in stored.hashes
    rule = findings.CHANGED if is_elsewhere else findings.LOST
    return Finding(rule, one.match, text)


def check_requests(tries: list[Try], matches: dict[str, Stored]) -> Iterator[Finding]:
    """Check each request with all its tries: one commit if acknowledged, none if refused."""
    by_request: defaultdict[int, list[Try]] = defaultdict(list)
    for one in tries:
        if one.writes:
            by_request[one.request].append(one)

    for attempts in by_request.values():
        known_matches = [one.match for one in attempts if one.match]
        match = known_matches[0] if known_matches else ""
        stored = matches.get(match, Stored())
        yield from _check_request(attempts, match, stored)


def _check_request(attempts: list[Try], match: str, stored: Stored) -> Iterator[Finding]:
    """Check one request."""
    first = attempts[0]
    made_version = stored.made.get(_command_id(first))
    acknowledged = {one.version for one in attempts if one.acknowledged}

    if len(acknowledged) > 1:
        text = f"{first.key} was told as versions {sorted(acknowledged)}"
        yield Finding(findings.DOUBLED, match, text)

    for version in sorted(acknowledged - {made_version}):
        text = f"{first.key} was told version {version}; the journal says {made_version}"
        rule = findings.LOST if made_version is None else findings.CHANGED
        yield Finding(rule, match, text)

    if first.expected and acknowledged - {first.expected + 1}:
        text = f"{first.key} expected version {first.expected} and made {sorted(acknowledged)}"
        yield Finding(findings.CHANGED, match, text)

    if made_version is not None and all(one.refused for one in attempts):
        text = f"{first.key} was refused and made version {made_version}"
        yield Finding(findings.REFUSED_BUT_MADE, match, text)

    if _was_forgotten(attempts):
        text = f"{first.key} was refused after it had been acknowledged"
        yield Finding(findings.FORGOTTEN, match, text)


def _was_forgotten(attempts: list[Try]) -> bool:
    """Return whether a try was refused that was sent after another one had been acknowledged."""
    acknowledged = [one.ended for one in attempts if one.acknowledged]
    if not acknowledged:
        return False
    return any(one.refused and one.sent > min(acknowledged) for one in attempts)


def _command_id(one: Try) -> str:
    """Return under which id the journal remembers what a request has made."""
    return OPENING_ID if one.what == "open" else f"{one.actor}:{one.key}"


def check_made(tries: Iterable[Try], matches: dict[str, Stored]) -> Iterator[Finding]:
    """Check that the commits in clients' names are those of their requests, one for each."""
    asked: defaultdict[str, set[str]] = defaultdict(set)
    for one in tries:
        if one.writes:
            asked[one.match].add(_command_id(one))

    for match, stored in matches.items():
        yield from _check_ids(match, stored)

        unasked = stored.made.keys() - asked[match] - {OPENING_ID}
        for command_id in sorted(unasked):
            yield Finding(findings.INVENTED, match, f"nobody has sent {command_id}")


def _check_ids(match: str, stored: Stored) -> Iterator[Finding]:
    """Check that command ids and the commits of clients are in one-to-one relation."""
    by_version: defaultdict[int, list[str]] = defaultdict(list)
    for command_id, version in stored.made.items():
        by_version[version].append(command_id)

    for version, actor in stored.actors.items():
        command_ids = by_version.pop(version, [])
        if actor in stored.humans and not command_ids:
            text = f"version {version} is {actor}'s and has no command id"
            yield Finding(findings.DOUBLED, match, text)

        if len(command_ids) > 1:
            text = f"{sorted(command_ids)} have all made version {version}"
            yield Finding(findings.LOST, match, text)

    for version, command_ids in by_version.items():
        text = f"{sorted(command_ids)} have made version {version}, which is not there"
        yield Finding(findings.LOST, match, text)
