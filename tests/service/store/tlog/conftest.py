"""A service with a log: a journal in memory, files in a directory, and sequencers over them."""

import hashlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import orjson
import pytest

from service.record.commit import timestamp
from service.record.tlog import checkpoint, tree
from service.store.journal.memory import journal_over
from service.store.journal.memory.store import MemoryStore
from service.store.journal.ports import Journal
from service.store.journal.values import Entry, Generation, Head
from service.store.keys.signer import Signer
from service.store.tlog.log import Log, LogFiles
from service.store.tlog.sequencer import Sequencer

START = 1_700_000_000_000
PARTITIONS = 4


class House:
    """A journal with invented commits, but real hashes, and its log.

    made: the hash of each commit ever appended, by match and version.
    """

    def __init__(self, root: Path) -> None:
        root.mkdir(exist_ok=True)
        self.root = root
        self.ticks: Iterator[int] = count(START, 7)
        self.store = MemoryStore(PARTITIONS, lambda: next(self.ticks))
        self.journal: Journal = journal_over(self.store)
        self.journal.lifecycle.replace_generation(None, Generation("one", since=START))
        self.files = LogFiles(str(root / "archive"))
        self.log = Log(self.journal.order, self.files, root / "log.index")
        self.signer = Signer(root / "log-keys.json", lambda: START)
        self.made: dict[tuple[str, int], str] = {}

    def sequencer(self, journal: Journal | None = None, files: LogFiles | None = None) -> Sequencer:
        """Return one more sequencer, perhaps with a journal or files of its own."""
        own = journal or self.journal
        log = Log(own.order, files or self.files, self.root / "log.index")
        return Sequencer(own, log, self.signer, lambda: START)

    def commit(self, match: str, *, private: bool = False, status: str = "running") -> None:
        """Append one more commit to a match."""
        head = self.journal.events.head(match)
        version = head.version + 1 if head else 1
        now = next(self.ticks)
        content = orjson.dumps([match, version, now])
        commit_hash = hashlib.sha256(content).hexdigest()
        stored = {
            "commit": {"match": match, "version": version, "time": timestamp(now)},
            "hash": commit_hash,
        }
        new_head = Head(
            version=version,
            hash=commit_hash,
            status=status,
            awaiting="",
            waiting=(),
            game="toy",
            visibility="private" if private else "public",
            created=now,
            updated=now,
        )
        prev = head.hash if head else ""
        entry = Entry(match, version - 1, prev, orjson.dumps(stored), new_head)
        self.journal.events.append(entry)
        self.made[match, version] = commit_hash

    def fill(self, commits: int, matches: int = 5) -> None:
        """Append commits to some matches in turn. The matches m2 and m5 are private."""
        for number in range(commits):
            match = f"m{number % matches}"
            self.commit(match, private=match in ("m2", "m5"))

    def check(self) -> None:
        """Check the log: no commit twice, no gap, and the checkpoint over all entries."""
        state = self.journal.order.state()
        entries = self.log.entries(0, 10**9)
        assert [entry.position for entry in entries] == list(range(state.published))
        hashes = [entry.hash for entry in entries if entry.hash]
        assert len(hashes) == len(set(hashes))

        note = checkpoint.read_note(self.log.checkpoint())
        assert checkpoint.read_verifier(state.key).is_on(note)
        signed = checkpoint.read_checkpoint(note)
        assert signed.size == state.published
        leaf_hashes = [tree.leaf_hash(entry.leaf) for entry in entries]
        assert signed.root == tree.root_of(leaf_hashes) == self.log.root(signed.size)

    def check_all_sealed(self) -> None:
        """Check the log, and that it has every commit of `made`, in the order of its match."""
        self.check()
        entries = self.log.entries(0, 10**9)
        hashes = [entry.hash for entry in entries if entry.hash]
        assert set(hashes) == set(self.made.values())
        places = {one: place for place, one in enumerate(hashes)}
        for (match, version), commit_hash in self.made.items():
            if version > 1:
                assert places[self.made[match, version - 1]] < places[commit_hash]


@pytest.fixture
def house(tmp_path: Path) -> House:
    """An empty house."""
    return House(tmp_path)


def run_out(sequencer: Sequencer) -> None:
    """Run rounds until nothing is left to sequence, and publish."""
    while sequencer.round().decided:
        pass
    sequencer.publish()
