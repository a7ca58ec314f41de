"""What the journal's guarantees cost: an append against a bare XADD of the same bytes.

One client writes both to the bundled server, which syncs every write to the disk; rounds of the two
alternate and the median counts.
"""

import hashlib
import json
import uuid
from typing import Any

from benchmarks.measure import Figures, Ratio, interleaved, rate, show
from benchmarks.web import server
from service.journal.port import Journal
from service.journal.redis import connect, open_journal
from service.journal.values import Entry, Head

ROUNDS = 41
COMMITS = 200
PARTITIONS = 256
GOAL = 0.6
START = 1_700_000_000_000  # milliseconds since the epoch


def commit_bytes(match: str, version: int) -> bytes:
    """Return the JSON of a commit, 340 bytes long."""
    seat = version % 4
    space = version % 12
    content = {
        "version": version,
        "prev": hash_of(match, version - 1),
        "at": START + version,
        "by": seat,
        "command": {
            "type": "place_disc",
            "seat": seat,
            "space": space,
            "actions": ["contract", "rank"],
        },
        "events": [
            {"type": "disc_placed", "seat": seat, "space": space},
            {"type": "goods_taken", "seat": seat, "brick": 1, "wood": 2},
            {"type": "turn_ended", "seat": seat, "next": (version + 1) % 4},
        ],
    }
    return json.dumps(content, separators=(",", ":")).encode()


def hash_of(match: str, version: int) -> str:
    """Return what stands for the hash of a commit."""
    return hashlib.sha256(f"{match}{version}".encode()).hexdigest()


def entry(match: str, version: int) -> Entry:
    """Return a commit as a match makes them: with a command id, a fingerprint and two hashes."""
    head = Head(
        version=version,
        hash=hash_of(match, version),
        status="running",
        awaiting="",
        waiting=(version % 4,),
        game="calimala",
        visibility="public",
        created=1,
        updated=version,
    )
    return Entry(
        match=match,
        expected=version - 1,
        prev=hash_of(match, version - 1) if version > 1 else "",
        commit_bytes=commit_bytes(match, version),
        head=head,
        command_id=str(uuid.uuid4()),
        fingerprint=head.hash[:32],
    )


def compare(journal: Journal, client: Any) -> Ratio:
    """Print commits a second of both; return the ratio."""
    numbers = iter(range(2 * ROUNDS))

    def new_match() -> list[Entry]:
        match = f"match-{next(numbers)}"
        return [entry(match, version) for version in range(1, COMMITS + 1)]

    def bare() -> float:
        entries = new_match()

        def write() -> None:
            for one in entries:
                client.xadd(f"bare-{one.match}", {"c": one.commit_bytes}, f"{one.head.version}-0")

        return rate(COMMITS, write)

    def guarded() -> float:
        entries = new_match()

        def write() -> None:
            for one in entries:
                journal.events.append(one)

        return rate(COMMITS, write)

    rates = interleaved(ROUNDS, {"bare XADD": bare, "append": guarded})
    show("one client", rates, "commits/s")
    return Ratio("append against a bare XADD", rates["append"] / rates["bare XADD"], GOAL)


def main() -> Figures:
    """Run both on one server; return the ratio."""
    with server() as url, connect(url) as client:
        journal = open_journal(url, PARTITIONS)
        ratio = compare(journal, client)
        journal.close()
    return [ratio]
