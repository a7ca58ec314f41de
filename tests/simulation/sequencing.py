"""The log in a run: two sequencers, an operator who accepts losses, a reader, and a checker.

The sequencers are the product's own, each with its own view of the journal. They share one place
for files, and at each call to that place a process may die. `LogChecker` shares no code with the
product: it reads the files as `service/store/tlog/log.py` describes them, and works out the tree by
itself.
"""

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import pytest
import zstandard
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.capabilities.log.rounds import Sequencing
from service.matches import journal_watch
from service.record.tlog import tree
from service.store.archive.places import NotThere, PlaceError
from service.store.journal import values
from service.store.journal.errors import JournalError, JournalUnavailable
from service.store.tlog import log, sequencer
from service.store.tlog.entries import LogEntry
from service.store.tlog.log import Log, LogFiles
from service.store.tlog.sequencer import Sequencer
from tests.simulation.kernel import SECOND
from tests.simulation.processes import Process, Working

if TYPE_CHECKING:
    from tests.simulation.world import World

WIDTH = 4  # of bundles and tiles, so that the few commits of a run fill some of them
HEIGHT = 2
FAULTS = {"refused": 0.02, "crash": 0.01}  # of a call of the files, each with its probability
BOUND = 3 * SECOND  # the time to sequence a commit once the faults have ended
LOOK = SECOND // 2  # of the reader
OPERATOR_LOOKS = (SECOND, 4 * SECOND)


def set_log_sizes(patch: pytest.MonkeyPatch) -> None:
    """Let bundles and tiles be narrow, and feeds be trimmed while a run lasts."""
    patch.setattr(tree, "WIDTH", WIDTH)
    patch.setattr(tree, "HEIGHT", HEIGHT)
    patch.setattr(log, "WIDTH", WIDTH)
    patch.setattr(log, "HEIGHT", HEIGHT)
    patch.setattr(values, "BUNDLE", WIDTH)
    patch.setattr(sequencer, "BUNDLE", WIDTH)
    patch.setattr(LogFiles.bundle, "__defaults__", (WIDTH,))
    patch.setattr(tree.tile_path, "__defaults__", (WIDTH,))
    patch.setattr(sequencer, "_CHECK_EVERY_MS", 2_000)
    patch.setattr(sequencer, "KEPT_MS", 1_000)
    patch.setattr(sequencer, "_KEPT_LINES", 2)
    patch.setattr(sequencer, "_TRIM_EVERY_MS", 500)


class Files:
    """The place of the log's files, as one process reaches it."""

    def __init__(self, world: "World", process: Process, content: dict[str, bytes]) -> None:
        self._world = world
        self._process = process
        self._content = content

    def __str__(self) -> str:
        return "the files"

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""
        self._step("write", name)
        self._content[name] = content
        self._world.kernel.pause(self._world.moment())

    def read(self, name: str) -> bytes:
        """Return a file. Raises NotThere, and PlaceError as a fault."""
        self._step("read", name)
        if name not in self._content:
            raise NotThere
        return self._content[name]

    def remove(self, name: str) -> None:
        """Remove a file."""
        self._step("remove", name)
        self._content.pop(name, None)

    def names(self) -> Iterator[str]:
        """Return the names of all files."""
        self._step("names", "")
        return iter(sorted(self._content))

    def _step(self, what: str, name: str) -> None:
        """Let other strands go on, and perhaps meet a fault. Raises PlaceError."""
        world = self._world
        world.kernel.pause(world.moment())
        fault = world.log.drawn_fault()
        if fault is None:
            return
        world.say(f"{self._process.name}: files.{what}({name}): {fault}")
        world.faults.count(f"files: {fault}")
        if fault == "refused":
            raise PlaceError("the files are away")
        world.kernel.at(world.kernel.now, self._process.crash)
        world.kernel.pause(SECOND)


class LogOfRun:
    """The files of a run's log, its key, and its processes.

    is_there: True if this run has a log.
    """

    def __init__(self, world: "World") -> None:
        self._world = world
        self._random = Random(f"{world.seed}|files")
        self.is_there = world.plan.has_log
        self.files: dict[str, bytes] = {}
        self.checkpoints: dict[str, bytes] = {}
        self.signer: Any = _Signer()
        self.checker = LogChecker(world)
        self._home = Path(mkdtemp(prefix="giornale-simulation-"))
        self._opened = 0

    def processes(self) -> list[Process]:
        """Begin the log's processes, and return them."""
        if not self.is_there:
            return []
        world = self._world
        sequencers = [SequencerProcess(world, f"sequencer-{number}") for number in (1, 2)]
        return [*sequencers, Operator(world, "operator"), Reader(world, "log-reader")]

    def opened(self, process: Process) -> Log:
        """Return the log as a process reaches it. Its index goes with the process."""
        files = LogFiles("nowhere")
        places: Any = [Files(self._world, process, one) for one in (self.files, self.checkpoints)]
        files._place, files._checkpoints = places
        self._opened += 1
        return Log(process.ctx.journal.order, files, self._home / f"{self._opened}.index")

    def close(self) -> None:
        """Remove the indexes."""
        rmtree(self._home, ignore_errors=True)

    def drawn_fault(self) -> str | None:
        """Return the fault of a call of the files, None if there is none."""
        if self._world.kernel.now >= self._world.plan.chaos:
            return None
        draw = self._random.random()
        for fault, probability in FAULTS.items():
            draw -= probability
            if draw < 0:
                return fault
        return None


class _Signer:
    """The log's key, the same in all runs."""

    def __init__(self) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(b"k" * 32)

    def keys(self) -> list[dict[str, str]]:
        """Return the one key."""
        return [{"id": "key", "public": self._key.public_key().public_bytes_raw().hex()}]

    def sign_bytes(self, signed: bytes) -> tuple[str, bytes]:
        """Return the id of the key, and its signature."""
        return "key", self._key.sign(signed)


class SequencerProcess(Working):
    """The scheduler's thread for the log."""

    def work(self) -> None:
        """Make one round after the other."""
        world = self._world
        opened = world.log.opened(self)
        ctx = replace(self.ctx, log=opened)
        own_sequencer = Sequencer(ctx.journal, opened, world.log.signer, self.clock)
        sequencing = Sequencing(ctx, own_sequencer)
        while True:
            world.kernel.pause(int(sequencing.attempt() * SECOND))


class Operator(Working):
    """Accepts a reverted journal, some time after the loss is noticed."""

    def work(self) -> None:
        """Accept losses, now and then."""
        world = self._world
        random = Random(f"{world.seed}|{self.life}")
        while True:
            world.kernel.pause(random.randint(*OPERATOR_LOOKS))
            with suppress(JournalError):
                if journal_watch.accept(self.ctx.journal) is not None:
                    world.say("the operator accepts that the journal has gone back")


class Reader(Working):
    """Reads parts of the log, again and again."""

    def work(self) -> None:
        """Read pages from random positions."""
        world = self._world
        random = Random(f"{world.seed}|{self.life}")
        opened = world.log.opened(self)
        while True:
            world.kernel.pause(LOOK)
            after = random.randrange(world.log.checker.size + 1)
            with suppress(JournalUnavailable):
                world.log.checker.told(after, opened.entries(after, 1 + random.randrange(30)))


class LogChecker:
    """Knows all published leaves: later ones may only extend them.

    published_count: the number of checkpoints. losses: the number of leaves about an accepted
    loss of commits.
    """

    def __init__(self, world: "World") -> None:
        self._world = world
        self._leaves: list[bytes] = []
        self.published_count = 0
        self.losses = 0

    @property
    def size(self) -> int:
        """How many leaves were ever published."""
        return len(self._leaves)

    def published(self) -> None:
        """Check the present checkpoint of the journal."""
        self.published_count += 1
        note = self._world.store.journal.order.state().checkpoint.decode()
        origin, size_text, root, *_ = note.split("\n")
        size = int(size_text)
        leaves = self._leaves_in_files(size)
        place = f"the checkpoint of size {size} of {origin}"
        if leaves is None:
            self._demand(False, f"{place} is published, and its files are missing")
            return

        common = min(size, self.size)
        self._demand(leaves[:common] == self._leaves[:common], f"{place} is a fork")
        right = base64.b64encode(_root(leaves)).decode()
        self._demand(root == right, f"{place} has another root than its leaves")
        for position in range(self.size, size):
            self._check_new(leaves, position)
        self._leaves = max(self._leaves, leaves, key=len)

    def _leaves_in_files(self, size: int) -> list[bytes] | None:
        """Return the leaves in the files, None if some are missing."""
        leaves: list[bytes] = []
        for number in range(-(-size // WIDTH)):
            width = min(WIDTH, size - number * WIDTH)
            name = f"bundle/{number:03d}" + (f".p/{width}" if width < WIDTH else "")
            packed = self._world.log.files.get(name)
            if packed is None:
                return None
            texts = zstandard.ZstdDecompressor().decompress(packed, 1_000_000).split(b"\n")
            leaves += texts[::2]
        return leaves

    def _check_new(self, leaves: Sequence[bytes], position: int) -> None:
        """Check a new leaf: the store took its commit, and the log has no earlier leaf of it.

        A leaf of a private match is the hash alone. A leaf about an accepted loss has no commit.
        """
        leaf = json.loads(leaves[position])
        if "hash" not in leaf:
            is_right = leaf.keys() == {"generation", "gone_back"}
            self._demand(is_right, f"the leaf at {position} is {leaf}")
            self.losses += 1
            return
        fact = self._world.checker.known(leaf["hash"])
        if fact is None:
            self._demand(False, f"the leaf at {position} is of a commit that was never made")
            return

        fields = {"hash": fact.hash, "match": fact.match, "version": fact.version}
        right = fields if fact.head.visibility == "public" else {"hash": fact.hash}
        self._demand(leaf == right, f"the leaf at {position} is {leaf}, not {right}")
        is_new = leaves[position] not in leaves[:position]
        self._demand(is_new, f"{fact.name} is in the log twice")

    def told(self, after: int, entries: Sequence[LogEntry]) -> None:
        """Check a reader's part of the log."""
        for position, entry in enumerate(entries, after):
            is_right = entry.position == position and entry.leaf == self._leaves[position]
            self._demand(is_right, f"a reader was told another leaf at {position}")

    def check_end(self) -> None:
        """Check that the log has every present commit, except the latest ones."""
        order = self._world.store.journal.order.state()
        self._demand(order.stopped == "", f"the log has stopped: {order.stopped}")
        is_all = order.published == self.size
        self._demand(is_all, f"{order.published} entries are published, and were {self.size}")
        self._check_tiles()

        checker = self._world.checker
        latest = self._world.plan.end - BOUND
        hashes = set(map(_hash_in, self._leaves))
        for commits in checker.matches.values():
            for fact in commits:
                is_there = fact.hash in hashes or checker.appended[fact.hash] > latest
                self._demand(is_there, f"{fact.name} is not in the log")

    def _check_tiles(self) -> None:
        """Check the full tiles above the leaves."""
        hashes = list(map(_leaf_hash, self._leaves))
        level = 0
        while len(hashes) >= WIDTH:
            groups = [hashes[at : at + WIDTH] for at in range(0, len(hashes), WIDTH)]
            full = [group for group in groups if len(group) == WIDTH]
            for number, group in enumerate(full if level else []):
                tile = self._world.log.files.get(f"tile/{level}/{number:03d}")
                self._demand(tile == b"".join(group), f"tile {number} of level {level} is wrong")
            hashes = [_root_of(group) for group in full]
            level += 1

    def _demand(self, holds: bool, complaint: str) -> None:
        self._world.checker.demand(holds, f"log: {complaint}")


def _hash_in(leaf: bytes) -> str:
    """Return the hash of a leaf's commit, "" if it names none."""
    commit_hash: str = json.loads(leaf).get("hash", "")
    return commit_hash


def _leaf_hash(leaf: bytes) -> bytes:
    return hashlib.sha256(b"\0" + leaf).digest()


def _root(leaves: Sequence[bytes]) -> bytes:
    """Return the root over leaves (RFC 6962)."""
    return _root_of(list(map(_leaf_hash, leaves)))


def _root_of(hashes: Sequence[bytes]) -> bytes:
    if len(hashes) == 1:
        return hashes[0]
    middle = 1
    while 2 * middle < len(hashes):
        middle *= 2
    both = _root_of(hashes[:middle]) + _root_of(hashes[middle:])
    return hashlib.sha256(b"\1" + both).digest()
