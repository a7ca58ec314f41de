"""The sequencer: gives each commit its position in the log, and publishes how far the log goes.

One round reads what is new in the feeds, has the journal append it to the order at the size that
was seen, builds files from what is decided, and publishes a checkpoint over them by
compare-and-set. Any number of sequencers may be at work, and any of them may die at any step: what
is decided is decided once, and all of them build the same files from it.

Where the journal has gone back, nothing in the log is rewritten. It stands still until an operator
accepts the loss; then an entry says so, and the log goes on.
"""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from domain.games import RULES
from service.record import replay
from service.record.commit import parse_commits, timestamp
from service.record.tlog import checkpoint, tree
from service.record.tlog.checkpoint import Checkpoint, Verifier
from service.store.archive.places import NotThere
from service.store.journal.errors import HeadDamaged
from service.store.journal.ports import Journal
from service.store.journal.values import BUNDLE, Cursor, Head, Line, Order, first_kept, place_of
from service.store.keys.signer import Signer
from service.store.tlog.entries import (
    LogForked,
    LogUnavailable,
    commit_line,
    gone_back_line,
    leaf_of,
    read_line,
)
from service.store.tlog.log import Log, Saved

_log = logging.getLogger(__name__)

LINES_AT_ONCE = 4000  # of the feeds of a server, read and decided in one round
MOST_UNPUBLISHED = 20_000  # decided lines; beyond that none are decided until files are written
_HEADS_AT_ONCE = 500

_CHECK_EVERY_MS = 30_000  # from one look whether the files are ahead of the order to the next

# Feeds are trimmed of what is published. Lines stay so long that the journal's note, which is made
# every two seconds, is compared with them. Some stay in each feed, since each trim is a question.
# A round trims a few feeds of some lines each, so that commits which come meanwhile do not wait.
KEPT_MS = 60_000
_KEPT_LINES = 64
_TRIM_EVERY_MS = 10_000
_TRIMS_A_ROUND = 8
_TRIMMED_AT_ONCE = 500


class LostLines(Exception):
    """The journal has lost commits that are in the log, and nobody has noticed that yet.

    feeds: how many feeds lack a line.
    """

    def __init__(self, feeds: int) -> None:
        super().__init__(f"{feeds} feeds lack a line that is in the log")
        self.feeds = feeds


class _Overtaken(Exception):
    """Another sequencer has published, or has put the order back, meanwhile."""


@dataclass(frozen=True, slots=True)
class Round:
    """What a round has done.

    decided: how many lines.   size: of the order now.   has_more: more is to be done at once.
    """

    decided: int = 0
    size: int = 0
    has_more: bool = False


class Sequencer:
    """Makes rounds over a journal, which reads archived matches, too.

    signer: of checkpoints.   origin: the name of the log, "" for one after its key.
    clock: returns milliseconds since the epoch.
    """

    def __init__(
        self,
        journal: Journal,
        log: Log,
        signer: Signer,
        clock: Callable[[], int],
        origin: str = "",
    ) -> None:
        self._journal = journal
        self._log = log
        self._files = log.files
        self._signer = signer
        self._clock = clock
        self._origin = origin
        self._verifier_: Verifier | None = None
        self._edge = tree.Edge()
        self._published = 0  # how far the log went at the last look
        self._saved: Saved | None = None  # with the last checkpoint that was written here
        self._next_check = 0
        self._reported: str | None = None  # why the log stands still, as far as is known
        self._lengths: Counter[int] | None = None  # of the feeds, as far as is known
        self._long_feeds: list[int] = []  # that are still to be trimmed
        self._next_trim = 0

    def round(self, *, publish: bool = True) -> Round:
        """Decide what is new, and publish what is decided if that is wanted, or too much waits.

        Raises LostLines, and JournalUnavailable where a store does not answer.
        """
        order = self._journal.order.state()
        self._reported = order.stopped
        now = self._clock()
        if now >= self._next_check or order.published < self._published:
            try:
                if self._has_changed(order):
                    order = self._journal.order.state()
            except _Overtaken:
                return Round()
            self._next_check = now + _CHECK_EVERY_MS
        self._published = order.published

        decided = 0
        waiting = order.size - order.published
        if waiting < MOST_UNPUBLISHED:
            decided = self._decide(order)
        is_full = waiting + decided >= MOST_UNPUBLISHED
        has_more = decided >= LINES_AT_ONCE
        if (publish and not has_more) or is_full:
            self.publish()
            self._trim()
        return Round(decided, order.size + decided, has_more)

    @property
    def is_remote(self) -> bool:
        """Whether the files lie in a place where each write costs time, and perhaps money."""
        return self._files.is_remote

    # ---- what is new gets positions ------------------------------------------------------------

    def _decide(self, order: Order) -> int:
        """Append what is new to the order; return how many lines."""
        generation = self._journal.lifecycle.generation()
        known = generation.id if generation else ""
        news = self._journal.order.news(order.cursors, LINES_AT_ONCE)
        if news.missing:
            return self._meet_loss(order, news.missing)

        by_time = sorted(news.lines, key=lambda line: place_of(line[1][0]))
        taken, lines = self._sequenced(order, by_time)
        cursors = _cursors_after(order.cursors, taken)
        if not cursors and known == order.generation:
            return 0
        is_decided = self._journal.order.decide(order, lines, cursors, known)
        if is_decided and self._lengths is not None:
            self._lengths.update(partition for partition, _ in taken)
        return len(lines) if is_decided else 0

    def _trim(self) -> None:
        """Let lines of the feeds go that are published, now and then, and a few in each round."""
        now = self._clock()
        if not self._long_feeds and now < self._next_trim:
            return
        order = self._journal.order.settled()
        if order.size != order.published:
            return

        if self._lengths is None:
            # What lies in the feeds from before is not known.
            self._lengths = Counter(dict.fromkeys(order.cursors, _KEPT_LINES))
        if not self._long_feeds:
            self._next_trim = now + _TRIM_EVERY_MS
            lengths = self._lengths.items()
            self._long_feeds = [feed for feed, length in lengths if length >= _KEPT_LINES]
        for _ in range(min(_TRIMS_A_ROUND, len(self._long_feeds))):
            self._trim_one(self._long_feeds.pop(), order, self._lengths)

    def _trim_one(self, partition: int, order: Order, lengths: Counter[int]) -> None:
        """Let the oldest lines of a feed go; if there may be more of them, it has another turn."""
        cursor = order.cursors.get(partition, Cursor())
        gone = self._journal.order.trim(partition, cursor, KEPT_MS, _TRIMMED_AT_ONCE)
        lengths[partition] = max(lengths[partition] - gone, 0)
        if gone == _TRIMMED_AT_ONCE:
            # What is not known of it counts as long.
            lengths[partition] = max(lengths[partition], _KEPT_LINES)
            self._long_feeds.append(partition)

    def _sequenced(
        self, order: Order, news: list[tuple[int, Line]]
    ) -> tuple[list[tuple[int, Line]], list[bytes]]:
        """Return the next lines of the feeds, and the log's lines for them.

        A match with unreadable commits holds up its own partition. Commits of deleted matches get
        no position, since nothing is left of them.
        """
        written, unreadable = self._written([line for _, line in news])
        held_up = {partition for partition, line in news if line[1] in unreadable}
        taken = [(partition, line) for partition, line in news if partition not in held_up]
        self.report(f"{len(held_up)} feeds wait for matches that cannot be read" if held_up else "")

        doubtful = {number for number, cursor in order.cursors.items() if cursor.doubtful}
        found = [(partition, written[line[1:]]) for partition, line in taken if line[1:] in written]
        doubted = [read_line(0, text).hash for partition, text in found if partition in doubtful]
        known = self._log.known(doubted) if doubted else set()
        if not known:
            return taken, [text for _, text in found]
        return taken, [text for _, text in found if read_line(0, text).hash not in known]

    def _written(self, lines: Sequence[Line]) -> tuple[dict[tuple[str, int], bytes], set[str]]:
        """Return the log's line for each match and version that is there; what is unreadable."""
        versions: dict[str, list[int]] = {}
        for _, match, version in lines:
            versions.setdefault(match, []).append(version)

        written: dict[tuple[str, int], bytes] = {}
        unreadable: set[str] = set()
        matches = list(versions)
        for start in range(0, len(matches), _HEADS_AT_ONCE):
            some = matches[start : start + _HEADS_AT_ONCE]
            for match, head in zip(some, self._journal.events.heads(some), strict=True):
                if head is None:
                    continue  # deleted
                try:
                    written |= self._lines_of(match, head, versions[match])
                except Exception as error:  # noqa: BLE001 - damaged commits may lead a fold anywhere
                    _log.warning(
                        "a match cannot be sequenced", extra={"match": match, "reason": str(error)}
                    )
                    unreadable.add(match)
        return written, unreadable

    def _lines_of(
        self, match: str, head: Head | HeadDamaged, versions: Sequence[int]
    ) -> dict[tuple[str, int], bytes]:
        """Return the log's lines for some versions of a match.

        The commits tell as much as a damaged head would. Raises JournalUnavailable for an archived
        match that cannot be read, and anything for damaged commits.
        """
        if isinstance(head, HeadDamaged):
            loaded = replay.replay_commits(None, self._journal.events.read(match))
            if loaded is None:
                return {}  # deleted meanwhile
            is_private = loaded.match.visibility != "public"
            game, status = RULES[loaded.match.rules].key, loaded.status.name
        else:
            is_private = head.visibility != "public"
            game, status = head.game, head.status

        if isinstance(head, Head) and list(versions) == [head.version]:
            facts = {head.version: (head.hash, timestamp(head.updated))}
        else:
            first, last = min(versions), max(versions)
            stored = parse_commits(self._journal.events.read(match, first - 1, last - first + 1))
            facts = {
                one["commit"]["version"]: (one["hash"], one["commit"]["time"]) for one in stored
            }

        lines: dict[tuple[str, int], bytes] = {}
        for version in versions:
            if version not in facts:
                continue
            commit_hash, time = facts[version]
            beside = (time, game, status)
            lines[match, version] = commit_line(
                match, version, commit_hash, beside, private=is_private
            )
        return lines

    # ---- the journal has gone back ---------------------------------------------------------------

    def _meet_loss(self, order: Order, missing: frozenset[int]) -> int:
        """Stand still while the journal lacks what is in the log, and go on once that is accepted.

        The generation tells: it is the one in which the last lines were decided until somebody has
        noticed the loss, and says that the journal has gone back until an operator accepts it.
        """
        now = self._journal.order.state()
        if any(now.cursors.get(number) != order.cursors[number] for number in missing):
            return 0  # another sequencer was faster, and has trimmed the feed since

        generation = self._journal.lifecycle.generation()
        if generation is None or generation.id == order.generation:
            raise LostLines(len(missing))
        if generation.gone_back is not None:
            self.report("the journal has gone back, and nobody has accepted that")
            return 0
        if order.published < order.size:
            self.publish()
            return 0

        cursors = {number: Cursor(doubtful=True) for number in missing}
        line = gone_back_line(generation.id, timestamp(self._clock()))
        if not self._journal.order.decide(order, [line], cursors, generation.id):
            return 0
        _log.warning("the log goes on after commits were lost", extra={"feeds": len(missing)})
        return 1

    def report(self, stopped: str) -> None:
        """Note for everybody why the log stands still, "" if it does not."""
        if stopped != self._reported:
            self._reported = None  # until there is an answer
            self._journal.order.report(stopped)
            self._reported = stopped

    # ---- what is decided is published --------------------------------------------------------

    def publish(self) -> None:
        """Write the files of all that is decided, and publish a checkpoint over them.

        Nothing is left to do where another sequencer does so meanwhile.
        """
        with suppress(_Overtaken):
            self._publish()

    def _publish(self) -> None:
        order = self._journal.order.settled()
        if order.size == order.published:
            return
        if self._has_changed(order):
            order = self._journal.order.settled()
        lines = self._journal.order.decided(order.published, order.size - order.published)
        now = self._journal.order.state()
        if (now.size, now.published, now.cursors) != (order.size, order.published, order.cursors):
            raise _Overtaken  # or it has gone back, and what was read does not belong together
        if not lines or len(lines) != order.size - order.published:
            return  # another sequencer has published

        key = str(self._verifier)
        if order.key not in ("", key):
            raise LogUnavailable(
                f"the log has the key {order.key}, and here is {key}: all schedulers need the same "
                "log-keys.json, and GIORNALE_LOG_ORIGIN may not change"
            )
        edge, tiles = tree.extended(self._edge_at(order), list(map(_hash_of, lines)))
        self._write(order, lines, edge, tiles)
        written = self._signed(edge)
        self._saved = Saved(edge.size, written, key, order.generation, order.cursors)
        self._files.save(self._saved)
        if self._journal.order.publish(order.published, lines, key, written):
            self._edge = edge
            self._published = edge.size
            self._files.forget(order.published, edge.size)
        else:
            self._next_check = 0  # what was just saved may belong to no checkpoint

    def _write(
        self, order: Order, lines: list[bytes], edge: tree.Edge, tiles: list[tree.Tile]
    ) -> None:
        """Write bundles and tiles up to the size of an edge.

        What lies beyond the newest checkpoint may be of an order that has gone back before it was
        published; then it is replaced by what is decided now.
        """
        whole = [*self._held(order), *lines]
        first = first_kept(order.published) // BUNDLE
        bundles = [whole[at : at + BUNDLE] for at in range(0, len(whole), BUNDLE)]
        try:
            self._put(first, bundles, [*tiles, *_partial(edge)])
        except LogForked:
            if self._journal.order.decided(order.published, len(lines)) != lines:
                raise
            self._put(first, bundles, [*tiles, *_partial(edge)], replace=True)

    def _put(
        self,
        first: int,
        bundles: list[list[bytes]],
        tiles: list[tree.Tile],
        *,
        replace: bool = False,
    ) -> None:
        for number, lines in enumerate(bundles, first):
            self._files.put_bundle(number, lines, replace=replace)
        for tile in tiles:
            if tile.level:
                self._files.put_tile(tile, replace=replace)

    def _held(self, order: Order) -> list[bytes]:
        """Return the published lines that do not fill a bundle."""
        start = first_kept(order.published)
        held = self._journal.order.decided(start, order.published - start)
        if held is None or len(held) != order.published - start:
            raise _Overtaken
        return held

    def _edge_at(self, order: Order) -> tree.Edge:
        """Return the edge of what is published: as it is remembered, or from files and order."""
        if self._edge.size == order.published:
            return self._edge
        if not order.published:
            return tree.Edge()

        held = self._held(order)

        def read(level: int, number: int, width: int) -> tree.Hashes:
            return self._files.tile(level, number, width) if level else tuple(map(_hash_of, held))

        try:
            edge = tree.edge_at(order.published, read)
        except NotThere:
            raise LogUnavailable(f"a tile of the log is missing in {self._files}") from None
        if edge.root != _root_of(order.checkpoint):
            raise LogForked(f"the tiles in {self._files} are not those of the checkpoint")
        return edge

    def _has_changed(self, order: Order) -> bool:
        """Compare the order with the newest checkpoint among the files; return whether it changed.

        The files may be ahead, because a sequencer died before it had published, or because the
        order has gone back: then the order goes on from what they hold.
        """
        newest = self._newest(order)
        if newest is None and order.published:
            raise LogUnavailable(f"the files of the log are not in {self._files}")
        if newest is None or newest.size <= order.published:
            return False

        if order.size >= newest.size and self._publish_saved(order, newest):
            return True
        self._adopt(order, newest)
        return True

    def _newest(self, order: Order) -> Saved | None:
        """Return what was saved with the newest checkpoint that goes on from what is published.

        Another one was saved from an order that went back before it was published. It does not
        count, and the sequencer that has saved it removes it.
        """
        strays: set[int] = set()
        while True:
            newest = self._files.newest(strays)
            if newest is None or newest.size <= order.published or self._goes_on(newest, order):
                return newest
            strays.add(newest.size)
            if newest == self._saved:
                self._files.drop(newest)

    def _goes_on(self, saved: Saved, order: Order) -> bool:
        """Return whether a checkpoint among the files goes on from the one that is published."""
        known = {saved.size: _root_of(saved.checkpoint)}
        if order.published:
            known[order.published] = _root_of(order.checkpoint)
        try:
            return all(self._files.root(saved, size) == root for size, root in known.items())
        except NotThere:
            raise LogUnavailable(f"a tile of the log is missing in {self._files}") from None

    def _publish_saved(self, order: Order, newest: Saved) -> bool:
        """Publish a checkpoint among the files; return False if the order has other lines."""
        lines = self._saved_lines(newest, order.published)
        if self._journal.order.decided(order.published, len(lines)) != lines:
            return False
        if not self._journal.order.publish(order.published, lines, newest.key, newest.checkpoint):
            raise _Overtaken
        return True

    def _saved_lines(self, saved: Saved, start: int) -> list[bytes]:
        try:
            return self._files.lines(saved, start)
        except NotThere:
            raise LogUnavailable(f"a bundle of the log is missing in {self._files}") from None

    def _adopt(self, order: Order, newest: Saved) -> None:
        """Put the order back to where the files are."""
        lines = self._saved_lines(newest, first_kept(newest.size))
        adopted = Order(
            size=newest.size,
            base=newest.size - len(lines),
            published=newest.size,
            checkpoint=newest.checkpoint,
            key=newest.key,
            generation=newest.generation,
            cursors=newest.cursors,
        )
        if not self._journal.order.adopt(order.size, order.published, adopted, lines):
            raise _Overtaken
        self._edge = tree.Edge()
        _log.warning(
            "the order of the log had gone back: it goes on from its files",
            extra={"had": newest.size, "has": order.published},
        )

    def _signed(self, edge: tree.Edge) -> bytes:
        """Return the checkpoint at an edge as a signed note."""
        at_edge = Checkpoint(self._verifier.name, edge.size, edge.root)
        return checkpoint.signed(
            at_edge, self._verifier.public, lambda text: self._signer.sign_bytes(text)[1]
        )

    @property
    def _verifier(self) -> Verifier:
        """The log's key and name."""
        if self._verifier_ is None:
            key = self._signer.keys()[-1]
            origin = self._origin or f"giornale-{key['id']}"
            self._verifier_ = Verifier(origin, checkpoint.ED25519, bytes.fromhex(key["public"]))
        return self._verifier_


def _root_of(written: bytes) -> bytes:
    """Return the root that a checkpoint says."""
    return checkpoint.read_checkpoint(checkpoint.read_note(written)).root


def _hash_of(line: bytes) -> bytes:
    return tree.leaf_hash(leaf_of(line))


def _partial(edge: tree.Edge) -> list[tree.Tile]:
    """Return the partial tiles of an edge."""
    return [
        tree.Tile(level, (edge.size >> (tree.HEIGHT * level)) // tree.WIDTH, hashes)
        for level, hashes in enumerate(edge.partial)
        if hashes
    ]


def _cursors_after(
    cursors: Mapping[int, Cursor], lines: Sequence[tuple[int, Line]]
) -> dict[int, Cursor]:
    """Return the cursors of the partitions that have new lines, after them."""
    return {
        partition: Cursor(*line, doubtful=partition in cursors and cursors[partition].doubtful)
        for partition, line in dict(lines).items()
    }
