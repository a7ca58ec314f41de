"""A small match with its recorded history, in which everything is right: to be corrupted."""

import json
from dataclasses import dataclass, replace
from typing import Any

from tests.campaign.chains import hash_of
from tests.campaign.history import ANSWERED, UNKNOWN, Try
from tests.campaign.journal import StoredJournal, StoredMatch

MATCH = "a" * 26
PARTITION = "p00"
SEATS = [{"kind": "human"}, {"kind": "bot"}]

# Who makes which commit of the match, and what happens in it.
STORY = (
    ("owner", "match_opened"),
    ("seat:0", "moved"),
    ("seat:1", "moved"),
    ("seat:0", "moved"),
    ("house", "game_ended"),
    ("house", "secrets_revealed"),
)


@dataclass
class Case:
    """A recorded history and the journal behind it, to be corrupted."""

    tries: list[Try]
    journal: StoredJournal

    @property
    def match(self) -> StoredMatch:
        """The one match."""
        return self.journal.matches[MATCH]

    def commit(self, version: int) -> dict[str, Any]:
        """Return a commit."""
        stored: dict[str, Any] = json.loads(self.match.commits[version - 1][1])
        return stored

    def put(self, version: int, commit: dict[str, Any]) -> None:
        """Put another commit in the place of one."""
        self.match.commits[version - 1] = (f"{version}-0", json.dumps(commit).encode())

    def edit(self, number: int, **changes: Any) -> None:
        """Change what is recorded of a try."""
        self.tries[number] = replace(self.tries[number], **changes)


def content(version: int, prev: str) -> dict[str, Any]:
    """Return the content of a commit of the story."""
    actor, happened = STORY[version - 1]
    event: dict[str, Any] = {"type": happened}
    if version == 1:
        event["seats"] = SEATS
    return {
        "actor": actor,
        "command": {"type": "act"},
        "events": [event],
        "match": MATCH,
        "prev": prev,
        "secrets": {},
        "time": f"2026-01-01T00:00:0{version}.000Z",
        "version": version,
        "view": "",
    }


def sound() -> Case:
    """Return a history and a journal in which everything is right."""
    commits = []
    digest = ""
    for version in range(1, len(STORY) + 1):
        told = content(version, digest)
        digest = hash_of(told)
        stored = {"commit": told, "hash": digest, "secrets": {}}
        commits.append((f"{version}-0", json.dumps(stored).encode()))

    match = StoredMatch(
        partition=PARTITION,
        commits=commits,
        head=f"6|{digest}|finished|||public|5|9|calimala",
        ids={"open": "1:f", "seat:0:k2": "2:f", "seat:0:k4": "4:f"},
    )
    stored_journal = StoredJournal(
        matches={MATCH: match},
        feeds={PARTITION: [f"{MATCH}:{version}" for version in range(1, 7)]},
        listing={
            PARTITION: {
                f":{5:014d}:{MATCH}",
                f"finished:{5:014d}:{MATCH}",
                f"@calimala::{5:014d}:{MATCH}",
                f"@calimala:finished:{5:014d}:{MATCH}",
            }
        },
    )
    case = Case([], stored_journal)
    case.tries = tries_of(case)
    return case


def tries_of(case: Case) -> list[Try]:
    """Return what a client did in the sound match.

    It opened, moved (the first answer was lost), read, was refused, and moved again.
    """

    def told(version: int) -> dict[str, Any]:
        pair = (version, case.commit(version)["hash"])
        return {"outcome": ANSWERED, "version": version, "told": (pair,)}

    stale = {"outcome": ANSWERED, "status": 412, "problem": "stale-version", "version": 2}
    return [
        try_of(1, 1, "open", key="k1", status=201, **told(1)),
        try_of(2, 2, "move", key="k2", expected=1, outcome=UNKNOWN),
        try_of(3, 2, "move", key="k2", expected=1, status=201, repeated=True, **told(2)),
        try_of(4, 3, "match", status=200, **told(2)),
        try_of(5, 4, "move", key="k3", expected=1, **stale),
        try_of(6, 5, "move", key="k4", expected=3, status=201, **told(4)),
        try_of(7, 6, "match", status=200, **told(6)),
    ]


def try_of(number: int, request: int, what: str, **facts: Any) -> Try:
    """Return a try of the one client, half a second long; facts: what else is noted of it."""
    return Try(
        number=number,
        request=request,
        what=what,
        client="c",
        match=MATCH,
        actor="owner" if what == "open" else "seat:0",
        sent=float(number),
        ended=number + 0.5,
        **facts,
    )
