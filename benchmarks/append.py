"""The cost of the journal's guarantees: an append against a bare XADD of the same bytes.

One client writes both to the bundled server. The server syncs every write to the disk. Rounds of
the two alternate, and the median counts. The commits belong to no match of a game.
"""

import hashlib
from collections.abc import Callable
from functools import partial
from itertools import count

from benchmarks.measure import Figures, Ratio, compare, rate
from benchmarks.web import server
from service.store.journal.redis import connect, open_journal
from service.store.journal.values import Entry, Head

ROUNDS = 41
COMMITS = 200
COMMIT_BYTES = 450  # as long as the commits of real matches are on average
PARTITIONS = 256
START = 1_600_000_000_000  # milliseconds since the epoch
NEVER = 4_000_000_000_000  # the deadline of these matches


def entry(number: int, version: int, status: str = "running") -> Entry:
    """Return a realistic commit of a match: with a command ID, a fingerprint and two hashes.

    Later matches have higher numbers.
    """
    match = f"filler-{number:08}"
    created = START + number * 1000
    own_hash = _hash_of(match, version)
    head = Head(
        version=version,
        hash=own_hash,
        status=status,
        awaiting="",
        waiting=() if status == "ended" else (version % 3,),
        game="calimala" if number % 2 else "firenze",
        visibility="public",
        created=created,
        updated=created + version,
    )
    content = own_hash * (COMMIT_BYTES // len(own_hash) + 1)  # bytes that do not repeat much
    return Entry(
        match=match,
        expected=version - 1,
        prev=_hash_of(match, version - 1) if version > 1 else "",
        commit_bytes=content.encode()[:COMMIT_BYTES],
        head=head,
        command_id=own_hash[:36],
        fingerprint=own_hash[:32],
        deadline=NEVER,
    )


def _hash_of(match: str, version: int) -> str:
    return hashlib.sha256(f"{match}{version}".encode()).hexdigest()


def main() -> Figures:
    """Run both on one server, print commits a second, and return the ratio."""
    numbers = count()

    def written(append: Callable[[Entry], object]) -> float:
        """Append the commits of a new match. Return commits a second."""
        number = next(numbers)
        entries = [entry(number, version) for version in range(1, COMMITS + 1)]
        return rate(COMMITS, lambda: [append(one) for one in entries])

    with server() as url, connect(url) as client:
        journal = open_journal(url, PARTITIONS)

        def add(one: Entry) -> None:
            client.xadd(f"bare-{one.match}", {"c": one.commit_bytes}, f"{one.head.version}-0")

        contenders = {
            "bare XADD": partial(written, add),
            "append": partial(written, journal.events.append),
        }
        rates = compare("one client", "commits/s", ROUNDS, contenders)
        journal.close()
    return [Ratio("append against a bare XADD", rates["append"] / rates["bare XADD"], 0.6)]
