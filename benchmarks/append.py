"""What the journal's guarantees cost: an append against a bare XADD of the same bytes.

Run `python -m benchmarks.append`. One client writes both to the bundled server, which syncs every
write to the disk; rounds of the two alternate and the median counts. Then what a commit takes in
Redis against its JSON, and how long listings take.
"""

import hashlib
import json
import statistics
import sys
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import Ratio, interleaved, rate, timed
from service.journal.keys import Keys, partition_of
from service.journal.port import Journal
from service.journal.redis import connect, open_journal
from service.journal.values import Entry, Head
from service.process.valkey import Server

ROUNDS = 41
COMMITS = 200
MATCHES = 20_000
LISTINGS = 21
PARTITIONS = 256
PAGE = 50
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


def entry(match: str, version: int, work: str = "") -> Entry:
    """Return a commit as a match makes them: with a command id, a fingerprint and two hashes."""
    head = Head(
        version=version,
        hash=hash_of(match, version),
        status="running",
        work=work,
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


def whole_match(match: str) -> list[Entry]:
    """Return the commits of a match."""
    return [entry(match, version) for version in range(1, COMMITS + 1)]


def compare(journal: Journal, client: Any) -> Ratio:
    """Print commits a second of both; return the ratio."""
    numbers = iter(range(2 * ROUNDS))

    def bare() -> float:
        stream = f"bare-{next(numbers)}"
        entries = whole_match(stream)

        def write() -> None:
            for one in entries:
                client.xadd(stream, {"c": one.commit_bytes}, f"{one.head.version}-0")

        return rate(COMMITS, write)

    def guarded() -> float:
        entries = whole_match(f"match-{next(numbers)}")

        def write() -> None:
            for one in entries:
                journal.events.append(one)

        return rate(COMMITS, write)

    rates = interleaved(ROUNDS, {"bare": bare, "append": guarded})
    print(f"bare XADD {rates['bare']:.0f}/s, append {rates['append']:.0f}/s")
    return Ratio("append against a bare XADD", rates["append"] / rates["bare"], GOAL)


def weigh(journal: Journal, client: Any, keys: Keys) -> Ratio:
    """Print the bytes that a commit takes in Redis; return them against its JSON.

    They are those of the match's keys and of the commit's line in the feed of its partition.
    """
    match = "weighed"
    entries = whole_match(match)
    for one in entries:
        journal.events.append(one)

    shares = {
        part: memory(client, keys.of(match, part)) / COMMITS for part in ("commits", "head", "ids")
    }
    feed = keys.feed[partition_of(match, keys.partitions)]
    shares["feed"] = memory(client, feed) / client.xlen(feed)

    json_bytes = sum(len(one.commit_bytes) for one in entries) / COMMITS
    redis_bytes = sum(shares.values())
    detail = ", ".join(f"{part} {share:.0f}" for part, share in shares.items())
    print(f"memory a commit {redis_bytes:.0f} bytes ({detail}), its JSON {json_bytes:.0f} bytes")
    return Ratio(
        "memory of a commit against its JSON",
        redis_bytes / json_bytes,
        smaller_is_better=True,
    )


def memory(client: Any, key: str) -> int:
    """Return the bytes that a key takes, every element counted."""
    return int(client.memory_usage(key, samples=0))


def browse(journal: Journal) -> None:
    """Print how long the questions take that every partition answers, with many matches."""
    for number in range(MATCHES):
        work = "bots" if number % 4 else ""
        journal.events.append(entry(f"browsed-{number}", 1, work))

    questions: dict[str, Callable[[], object]] = {
        "listing": lambda: journal.index.listing("", None, PAGE),
        "pending": lambda: journal.pending.due(0, PAGE),
        "pending_totals": journal.pending.totals,
    }
    for name, ask in questions.items():
        seconds = [timed(ask) for _ in range(LISTINGS)]
        milliseconds = 1000 * statistics.median(seconds)
        print(f"{name} of {MATCHES} matches: {milliseconds:.1f} ms")


def main(directory: str = "") -> list[Ratio]:
    """Run all on a server of its own, in a directory that is given or made; return the ratios."""
    with (
        tempfile.TemporaryDirectory() as temporary,
        Server(Path(directory or temporary)) as server,
    ):
        client = connect(server.url)
        journal = open_journal(server.url, PARTITIONS)
        ratios = [compare(journal, client), weigh(journal, client, Keys(PARTITIONS))]
        print(*ratios, sep="\n")
        browse(journal)
        journal.close()
    return ratios


if __name__ == "__main__":
    main(*sys.argv[1:])
