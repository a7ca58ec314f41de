"""What a page of the list costs over all partitions, against the same page out of one sorted set.

Run `python -m benchmarks.listing`. The listings of all partitions are filled as matches fill them,
and beside them one sorted set with the same members. Then the journal's page and a bare
ZREVRANGEBYLEX of the one set alternate, and the median counts: with few and with many matches,
short and long pages, from the beginning and from the middle.
"""

import random
import statistics
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.measure import Ratio, interleaved, timed
from service.journal.encoding import listing_bounds, listing_member
from service.journal.keys import Keys
from service.journal.port import Journal
from service.journal.redis import connect, open_journal
from service.ledger.commit import match_id
from service.process.valkey import Server

ROUNDS = 41
SIZES = (1, 10_000, 100_000)  # matches
LIMITS = (50, 500)
PARTITIONS = 256
BATCH = 2000
START = 1_700_000_000_000  # milliseconds since the epoch
APART = 977  # milliseconds between two matches
STATUS = "running"
GAME = "calimala"
ONE_SET = "all"  # the key of the sorted set to compare with
GOALS = {(1, 50): 8}  # by number of matches and length of the page


def fill(client: Any, keys: Keys, numbers: Iterator[int]) -> None:
    """List matches of these numbers, each later than the one before."""
    source = random.Random(1)
    while batch := list(islice(numbers, BATCH)):
        pipeline = client.pipeline(transaction=False)
        for number in batch:
            match = match_id(source.randbytes(16))
            listed = listing_member(START + number * APART, match)
            groups = ("", STATUS, f"@{GAME}:", f"@{GAME}:{STATUS}")
            members = {f"{group}{listed}": 0 for group in groups}
            pipeline.zadd(keys.listing[keys.partition_of(match)], members)
            pipeline.zadd(ONE_SET, members)
        pipeline.execute()


def page(journal: Journal, client: Any, matches: int, limit: int, *, deep: bool) -> Ratio:
    """Print how long both take; return the ratio."""
    before = (START + matches // 2 * APART, "") if deep else None
    newest, oldest = listing_bounds(STATUS, before)

    def bare() -> float:
        ask = client.zrevrangebylex
        return timed(lambda: ask(ONE_SET, max=newest, min=oldest, start=0, num=limit))

    def listing() -> float:
        return timed(lambda: journal.index.listing(STATUS, before, limit))

    seconds = interleaved(ROUNDS, {"bare": bare, "listing": listing})
    where = "in the middle" if deep else "at the beginning"
    name = f"{limit} of {matches} matches {where}"
    of_bare = 1000 * seconds["bare"]
    of_listing = 1000 * seconds["listing"]
    print(f"{name}: one set {of_bare:.2f} ms, listing {of_listing:.2f} ms")
    return Ratio(
        f"list of {name} against one set",
        of_listing / of_bare,
        0 if deep else GOALS.get((matches, limit), 0),
        smaller_is_better=True,
    )


def count(journal: Journal, matches: int) -> None:
    """Print how long the counts take that the metrics tell."""
    for name, ask in (
        ("listed", journal.index.listed_counts),
        ("commits", journal.events.commit_count),
    ):
        milliseconds = 1000 * statistics.median(timed(ask) for _ in range(ROUNDS))
        print(f"count of {name} with {matches} matches: {milliseconds:.2f} ms")


def main(directory: str = "") -> list[Ratio]:
    """Run all on a server of its own, in a directory that is given or made; return the ratios."""
    ratios = []
    listed = 0
    with (
        tempfile.TemporaryDirectory() as temporary,
        Server(Path(directory or temporary)) as server,
    ):
        client = connect(server.url)
        client.config_set("appendfsync", "no")  # what is filled in here need not last
        journal = open_journal(server.url, PARTITIONS)
        for matches in SIZES:
            fill(client, Keys(PARTITIONS), iter(range(listed, matches)))
            listed = matches
            for limit in LIMITS:
                ratios.append(page(journal, client, matches, limit, deep=False))
                ratios.append(page(journal, client, matches, limit, deep=True))
            count(journal, matches)
        journal.close()

    print(*ratios, sep="\n")
    return ratios


if __name__ == "__main__":
    main(*sys.argv[1:])
