"""The log: how fast an older journal is sealed, and how soon a commit has its position.

A bundled server is filled with made-up matches that nobody has sealed, and the lines that a
sequencer seals are counted by its processor time. Then commits are waited for while it works as the
scheduler does. What it costs appends shows in `append`, with a service beside it or without.
"""

import tempfile
import threading
import time
from functools import partial
from pathlib import Path

import orjson

from benchmarks.append import PARTITIONS, entry
from benchmarks.measure import Figures, Ratio, limit, milliseconds, p99, show_spread, worked
from service.journal.redis import open_journal
from service.journal.values import Entry
from service.keys.signer import Signer
from service.ledger.commit import clock, timestamp
from service.log.log import open_log
from service.log.sequencer import Sequencer
from service.process.valkey import Server
from workers.scheduler import SEQUENCE_SECONDS

MATCHES = 1000
COMMITS = 100
LOOKS = 200


def with_json(one: Entry) -> Entry:
    """Return a commit whose bytes name it."""
    named = {"match": one.match, "version": one.head.version, "time": timestamp(one.head.updated)}
    stored = {"commit": named, "hash": one.head.hash, "filler": one.commit_bytes[:300].decode()}
    return Entry(one.match, one.expected, one.prev, orjson.dumps(stored), one.head)


def main() -> Figures:
    """Print what was measured; return the ratios."""
    with tempfile.TemporaryDirectory() as name, Server(Path(name, "journal")) as running:
        journal = open_journal(running.url, PARTITIONS)
        log = open_log(journal.order, f"{name}/archive", Path(name))
        sequencer = Sequencer(journal, log, Signer(Path(name, "log-keys.json"), clock), clock)
        for number in range(MATCHES):
            commits = [with_json(entry(number, one)) for one in range(1, COMMITS + 1)]
            journal.events.restore(commits)

        def seal() -> None:
            while log.size() < MATCHES * COMMITS:
                sequencer.round()

        lines_a_ms = MATCHES * COMMITS / worked(seal)
        is_over = threading.Event()

        def work() -> None:
            while not is_over.wait(SEQUENCE_SECONDS):
                sequencer.round()

        def wait_for(number: int) -> None:
            size = log.size()
            journal.events.append(with_json(entry(number, 1)))
            while log.size() == size:
                time.sleep(0.002)

        worker = threading.Thread(target=work)
        worker.start()
        waited = [milliseconds(partial(wait_for, MATCHES + n)) for n in range(LOOKS)]
        is_over.set()
        worker.join()

    show_spread("a commit waits for its position", waited, "ms")
    return [
        Ratio("log: thousand lines sealed in a second of a core", lines_a_ms, 50),
        limit("log: a commit has its position, p99 ms", p99(waited), 500),
    ]
