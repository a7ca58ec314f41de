"""Break a cluster again and again while writers write, and count what is lost.

Run `python -m tests.failover`, or `make failover`. With one replica asked nothing that was
acknowledged may be lost: else the exit code is 1. With `--replicas 0` it is only counted.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

from service.journal.redis import open_journal
from tests.failover.faults import FAULTS, PARTITIONS
from tests.failover.load import Load
from tests.redis_cluster import QUICK_MS, RunningCluster, running_cluster
from tests.running import until

WRITERS = 8
MATCHES = 8
MORE = 20  # commits of every writer after a fault
PATIENCE_SECONDS = 60.0


def main(arguments: list[str]) -> int:
    """Run as asked; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.failover", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="faults, in all (default: 20)")
    parser.add_argument("--replicas", type=int, default=1, help="GIORNALE_REPLICAS (default: 1)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the faults (default: 1)")
    asked = parser.parse_args(arguments)

    with (
        tempfile.TemporaryDirectory() as directory,
        running_cluster(Path(directory), QUICK_MS) as cluster,
    ):
        return break_it(cluster, asked.rounds, asked.replicas, asked.seed)


def break_it(cluster: RunningCluster, rounds: int, replicas: int, seed: int) -> int:
    """Do one fault after another under load; print what came of it and return the exit code."""
    chance = random.Random(seed)
    journal = open_journal(cluster.url, PARTITIONS, replicas)
    seconds_until_well = defaultdict(list)
    lost: Counter[str] = Counter()
    acknowledged = unconfirmed = unavailable = noticed = doubled = 0

    for number in range(rounds):
        name = list(FAULTS)[number % len(FAULTS)]
        cluster.wait_until_whole()
        load = Load(journal, writers=WRITERS, matches=MATCHES, name=f"{seed}-{number}-")
        with load.running():
            all_go_on(load)
            began = time.monotonic()
            FAULTS[name](cluster, chance)
            all_go_on(load)
            seconds_until_well[name].append(time.monotonic() - began)

        cluster.wait_until_whole()
        findings = load.findings()
        acknowledged += findings.acknowledged
        lost[name] += len(findings.lost)
        doubled += len(findings.doubled)
        noticed += len(findings.noticed)
        unconfirmed += load.answers["Unconfirmed"]
        unavailable += load.answers["JournalUnavailable"]

    for name, seconds in seconds_until_well.items():
        median, longest = statistics.median(seconds), max(seconds)
        times = f"{len(seconds)} times, all writers go on after {median:.1f} s, at most"
        print(f"{name}: {times} {longest:.1f} s, {lost[name]} lost")
    print(f"{acknowledged} acknowledged, {lost.total()} lost, {doubled} doubled")
    print(f"{unconfirmed} answers unconfirmed, {unavailable} unavailable")
    print(f"{noticed} writers met a journal that had gone back")
    journal.close()
    return 1 if doubled or (replicas and lost.total()) else 0


def all_go_on(load: Load) -> None:
    """Wait until every writer has made some more commits, or has met a loss."""
    before = load.progress_of_writers()

    def all_have() -> bool:
        after = load.progress_of_writers()
        pairs = zip(before, after, strict=True)
        return all(now is None or now - then >= MORE for then, now in pairs if then is not None)

    until(all_have, "every writer goes on", PATIENCE_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
