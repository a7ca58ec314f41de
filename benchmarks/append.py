"""What the journal's guarantees cost: an append against a bare XADD of the same bytes by the same client.

Run `python -m benchmarks.append`. Both write to the bundled server, which syncs every write to the disk; rounds of the
two alternate and the median counts. Then what a commit takes in Redis against its JSON, and how long listings take.
"""

import hashlib
import json
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from service.journal.keys import Keys, partition_of
from service.journal.port import Entry, Head
from service.journal.redis import RedisJournal, connect
from service.process.valkey import Server

ROUNDS = 41
COMMITS = 200
MATCHES = 20_000
PARTITIONS = 256
PAGE = 50
GOAL = 0.6


def entry(match: str, version: int, work: str = "") -> Entry:
    """Return a commit as a match makes them: about 500 bytes of JSON, a command id, a fingerprint, two hashes."""
    hashes = [
        hashlib.sha256(f"{match}{number}".encode()).hexdigest() for number in (version - 1, version)
    ]
    command = {
        "type": "place_disc",
        "seat": version % 4,
        "space": version % 12,
        "actions": ["contract", "rank"],
    }
    events = [
        {"type": "disc_placed", "seat": version % 4, "space": version % 12},
        {"type": "goods_taken", "seat": version % 4, "brick": 1, "wood": 2},
        {"type": "turn_ended", "seat": version % 4, "next": (version + 1) % 4},
    ]
    body = {
        "version": version,
        "prev": hashes[0],
        "at": 1_700_000_000_000 + version,
        "by": version % 4,
    }
    data = json.dumps(
        {**body, "command": command, "events": events}, separators=(",", ":")
    ).encode()
    return Entry(
        match=match,
        expected=version - 1,
        prev=hashes[0] if version > 1 else "",
        data=data,
        head=Head(
            version, hashes[1], "running", work, (version % 4,), "calimala", "public", 1, version
        ),
        command_id=str(uuid.uuid4()),
        fingerprint=hashes[1][:32],
    )


def rate(write: Callable[..., object], rows: Sequence[Sequence[object]]) -> float:
    """Return how many of the rows are written in a second, one after the other."""
    start = time.perf_counter()
    for row in rows:
        write(*row)
    return len(rows) / (time.perf_counter() - start)


def compare(journal: RedisJournal, client: Any) -> None:
    """Print commits a second of both, and the ratio."""
    bare: list[float] = []
    guarded: list[float] = []
    for number in range(ROUNDS):
        entries = [entry(f"match-{number}", version) for version in range(1, COMMITS + 1)]
        rows = [(f"bare-{number}", {"c": one.data}, f"{one.head.version}-0") for one in entries]
        bare.append(rate(client.xadd, rows))
        guarded.append(rate(journal.append, [(one,) for one in entries]))
    bare_rate, append_rate = statistics.median(bare), statistics.median(guarded)
    print(
        f"bare XADD {bare_rate:.0f}/s, append {append_rate:.0f}/s, ratio {append_rate / bare_rate:.2f} (goal {GOAL})"
    )


def weigh(client: Any, keys: Keys) -> None:
    """Print the bytes that a commit takes in Redis, its keys and its line in the feed, against its JSON."""
    size = sum(len(entry("match-0", version).data) for version in range(1, COMMITS + 1)) / COMMITS
    each = {
        part: memory(client, keys.of("match-0", part)) / COMMITS
        for part in ("commits", "head", "ids")
    }
    feed = keys.feed[partition_of("match-0", keys.partitions)]
    each["feed"] = memory(client, feed) / client.xlen(feed)
    detail = ", ".join(f"{part} {share:.0f}" for part, share in each.items())
    total = sum(each.values())
    print(
        f"memory a commit {total:.0f} bytes ({detail}), its JSON {size:.0f} bytes, ratio {total / size:.2f}"
    )


def memory(client: Any, key: str) -> int:
    """Return the bytes that a key takes, every element counted."""
    return int(client.memory_usage(key, samples=0))


def browse(journal: RedisJournal) -> None:
    """Print how long the questions take that every partition answers, with many matches."""
    for number in range(MATCHES):
        journal.append(entry(f"browsed-{number}", 1, work="bots" if number % 4 else ""))
    questions: dict[str, Callable[[], object]] = {
        "listing": lambda: journal.listing("", None, PAGE),
        "pending": lambda: journal.pending(2**50, PAGE),
        "pending_count": journal.pending_count,
    }
    for name, ask in questions.items():
        milliseconds = statistics.median(1000 / rate(ask, [()]) for _ in range(21))
        print(f"{name} of {MATCHES} matches: {milliseconds:.1f} ms")


def main() -> None:
    """Run all on a server of its own, in a directory given or made."""
    with (
        tempfile.TemporaryDirectory() as made,
        Server(Path(sys.argv[1] if sys.argv[1:] else made)) as server,
    ):
        client = connect(server.url)
        journal = RedisJournal(client, PARTITIONS)
        compare(journal, client)
        weigh(client, Keys(PARTITIONS))
        browse(journal)
        journal.close()


if __name__ == "__main__":
    main()
