"""Break a cluster again and again while writers write, and count what is lost.

Run `python -m tests.failover`, or `make failover`. The exit code is 1 if a commit is doubled or
lost, or another promise is broken. With `--replicas 0` only a doubled commit counts.
"""

import argparse
import itertools
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from service.store.journal.redis import open_journal
from tests.failover.faults import FAULTS, PARTITIONS
from tests.failover.writers import Writers, lost
from tests.promises.checker import DOUBLED, Finding
from tests.redis_cluster import QUICK_MS, RunningCluster, running_cluster
from tests.running import until

WRITERS = 8
MATCHES = 8
MORE = 20  # commits of every writer after a fault
PATIENCE_SECONDS = 60.0


def main(arguments: list[str]) -> int:
    """Run as asked. Return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.failover", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="faults, in all (default: 20)")
    parser.add_argument("--replicas", type=int, default=1, help="GIORNALE_REPLICAS (default: 1)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the faults (default: 1)")
    options = parser.parse_args(arguments)

    with (
        tempfile.TemporaryDirectory() as directory,
        running_cluster(Path(directory), QUICK_MS) as cluster,
    ):
        return break_it(cluster, options.rounds, options.replicas, options.seed)


@dataclass(slots=True)
class Tally:
    """The results of all rounds.

    seconds: by fault, the times until all writers went on. lost: by fault, the number of lost
    acknowledged commits.
    """

    seconds: dict[str, list[float]] = field(default_factory=dict)
    lost: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, fault: str, seconds: float, writers: Writers, findings: list[Finding]) -> None:
        """Add the results of one round."""
        self.seconds.setdefault(fault, []).append(seconds)
        self.lost[fault] += len(lost(findings))
        self.counts += Counter(
            acknowledged=writers.history.acknowledged,
            doubled=sum(one.rule == DOUBLED for one in findings),
            unconfirmed=writers.count("Unconfirmed"),
            unavailable=writers.count("JournalUnavailable"),
            noticed=len(writers.noticed()),
        )

    def lines(self) -> Iterator[str]:
        """Yield the printed lines."""
        for fault, seconds in self.seconds.items():
            times = f"{statistics.median(seconds):.1f} s, at most {max(seconds):.1f} s"
            count = f"{len(seconds)} times"
            yield f"{fault}: {count}, all writers go on after {times}, {self.lost[fault]} lost"

        counts = self.counts
        was_lost = f"{self.lost.total()} lost, {counts['doubled']} doubled"
        yield f"{counts['acknowledged']} acknowledged, {was_lost}"
        yield f"{counts['unconfirmed']} answers unconfirmed, {counts['unavailable']} unavailable"
        yield f"{counts['noticed']} matches whose writers met a journal that had gone back"


def break_it(cluster: RunningCluster, rounds: int, replicas: int, seed: int) -> int:
    """Do one fault after another under load. Print the results and return the exit code."""
    chance = random.Random(seed)
    journal = open_journal(cluster.url, PARTITIONS, replicas)
    faults = itertools.islice(itertools.cycle(FAULTS), rounds)
    tally = Tally()
    other_findings: list[Finding] = []

    for number, fault in enumerate(faults):
        cluster.wait_until_whole()
        writers = Writers(journal, writers=WRITERS, matches=MATCHES, name=f"{seed}-{number}-")
        with writers.running():
            all_go_on(writers)
            began = time.monotonic()
            FAULTS[fault](cluster, chance)
            all_go_on(writers)
            seconds = time.monotonic() - began

        findings = writers.findings_in(cluster)
        tally.add(fault, seconds, writers, findings)
        if replicas:
            other_findings += findings

    print(*tally.lines(), sep="\n")
    for one in other_findings:
        print(f"{one.rule}: {one.match} {one.text}")
    journal.close()
    return int(bool(tally.counts["doubled"] or other_findings))


def all_go_on(writers: Writers) -> None:
    """Wait until every writer has made some more commits, or has met a loss."""
    before = writers.progress_of_each()

    def all_have() -> bool:
        after = writers.progress_of_each()
        pairs = zip(before, after, strict=True)
        return all(now is None or now - then >= MORE for then, now in pairs if then is not None)

    until(all_have, "every writer goes on", PATIENCE_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
