"""Checks of the journal by itself: chains, heads, feeds and indexes agree with the commits.

Hashes are computed as `docs/fairness.md` defines them, with the standard library alone.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from tests.campaign.findings import CHAIN, GAP, HEAD, INDEX, STUCK, Finding
from tests.campaign.journal import (
    ENDED,
    Head,
    StoredJournal,
    StoredMatch,
    feed_versions,
    read_head,
)

REVEALED = "secrets_revealed"
Content = dict[str, Any]


def canonical(value: Any) -> bytes:
    """Return canonical JSON (docs/fairness.md, section 1)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def hash_of(content: Content) -> str:
    """Return the hash of a commit's content (docs/fairness.md, section 3)."""
    return hashlib.sha256(canonical(content)).hexdigest()


def check_journal(journal: StoredJournal) -> Iterator[Finding]:
    """Yield all that is wrong in a journal by itself."""
    for match, stored in sorted(journal.matches.items()):
        yield from _check_chain(match, stored)
        yield from _check_head(match, stored)
        yield from _check_pending(match, stored, journal)

    yield from _check_feeds(journal)
    yield from _check_listing(journal)


def check_ended(journal: StoredJournal) -> Iterator[Finding]:
    """Yield the matches that are not over, or wait for the service."""
    for match, stored in sorted(journal.matches.items()):
        # What has no head or no commits is found by `check_journal`.
        if not stored.head or not stored.commits:
            continue

        head = read_head(stored.head)
        is_over = head.status in ENDED and not head.work
        if is_over and _is_revealed(stored):
            continue

        awaited = head.work or "nobody of the service"
        text = f"{head.status} at version {head.version}, waits for {awaited}"
        yield Finding(STUCK, match, text)


def _is_revealed(stored: StoredMatch) -> bool:
    """Return whether the last commit reveals the secrets."""
    _, last_bytes = stored.commits[-1]
    last = json.loads(last_bytes)["commit"]
    types = [event["type"] for event in last["events"]]
    return types == [REVEALED]


def _check_chain(match: str, stored: StoredMatch) -> Iterator[Finding]:
    """Check every commit of a match against the one before."""
    hash_before = ""
    time_before = ""
    for version, (entry, commit_bytes) in enumerate(stored.commits, start=1):
        commit = json.loads(commit_bytes)
        content = commit["commit"]

        place = (entry, content["version"], content["match"])
        expected_place = (f"{version}-0", version, match)
        if place != expected_place:
            yield Finding(GAP, match, f"entry {entry} holds version {content['version']}")

        yield from _check_hash(match, commit, hash_before)
        if content["time"] < time_before:
            yield Finding(CHAIN, match, f"version {version} is earlier than the one before")

        hash_before = commit["hash"]
        time_before = content["time"]


def _check_hash(match: str, commit: dict[str, Any], hash_before: str) -> Iterator[Finding]:
    """Check the hash of a commit, the hash before it, and the digests of its secret parts."""
    content = commit["commit"]
    version = content["version"]
    if commit["hash"] != hash_of(content):
        yield Finding(CHAIN, match, f"the hash of version {version} is not that of its content")
    if content["prev"] != hash_before:
        yield Finding(CHAIN, match, f"version {version} does not name the hash before it")

    digests = {name: hash_of(part) for name, part in commit["secrets"].items()}
    if digests != content["secrets"]:
        yield Finding(CHAIN, match, f"a secret part of version {version} is not as its digest")


def _check_head(match: str, stored: StoredMatch) -> Iterator[Finding]:
    """Check that the head tells the last commit."""
    if not stored.head or not stored.commits:
        yield Finding(HEAD, match, "it has no head or no commits")
        return

    number = len(stored.commits)
    _, last_bytes = stored.commits[-1]
    last_hash = json.loads(last_bytes)["hash"]

    head = read_head(stored.head)
    is_right = head.version == number and head.hash == last_hash
    if not is_right:
        text = f"the head tells version {head.version} of {number}"
        yield Finding(HEAD, match, text)


def _check_pending(match: str, stored: StoredMatch, journal: StoredJournal) -> Iterator[Finding]:
    """Check that a match is pending exactly while it waits for the service."""
    waits = bool(stored.head) and bool(read_head(stored.head).work)
    is_pending = match in journal.pending.get(stored.partition, set())
    if waits != is_pending:
        yield Finding(INDEX, match, "it waits and is not pending, or the other way round")


def _check_feeds(journal: StoredJournal) -> Iterator[Finding]:
    """Check that the feeds name each commit once, those of a match in their order."""
    told = feed_versions(journal)
    for match in sorted(told.keys() | journal.matches.keys()):
        stored = journal.matches.get(match)
        number = len(stored.commits) if stored else 0
        if told.get(match, []) != list(range(1, number + 1)):
            yield Finding(INDEX, match, f"the feed does not name its {number} commits in order")


def _check_listing(journal: StoredJournal) -> Iterator[Finding]:
    """Check that the listings hold each public match under its status and its game."""
    expected: dict[str, set[str]] = {}
    for match, stored in journal.matches.items():
        members = expected.setdefault(stored.partition, set())
        if stored.head:
            members |= _listed(match, read_head(stored.head))

    partitions = expected.keys() | journal.listing.keys()
    for partition in sorted(partitions):
        listed = journal.listing.get(partition, set())
        wrong = expected.get(partition, set()) ^ listed
        for member in sorted(wrong):
            _, _, match = member.rpartition(":")
            yield Finding(INDEX, match, f"the listing is wrong about {member}")


def _listed(match: str, head: Head) -> set[str]:
    """Return the members of the listing that stand for a match."""
    if head.visibility != "public":
        return set()

    end = f":{head.created:014d}:{match}"
    of_game = f"@{head.game}:"
    return {end, head.status + end, of_game + end, of_game + head.status + end}
