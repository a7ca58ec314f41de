"""The sequencer: gives commits their positions in the log, and publishes checkpoints of the log.

States of a commit, one after the other:

    new         in the feed of its partition, after the cursor of the order
    decided     its line has a position in the order
    saved       its line is in a bundle, and a checkpoint file covers the line
    published   the order names that checkpoint

A round decides new lines and publishes decided ones. Any number of sequencers may make rounds at
the same time, and each may die at any step. `OrderPort.decide` is a compare-and-set on size and
cursors of the order, and `OrderPort.publish` on published size, key and lines. So a line is decided
once, and all sequencers build the same files from the decided lines. The loser of a race changes
nothing in the order, and goes on in its next round.

A sequencer dies between `LogFiles.save` and `OrderPort.publish`:

1. The checkpoint file is ahead of the order. Readers still see the old checkpoint.
2. `_repair` of another sequencer finds the file: before its next publication, or in its check
   every `_CHECK_EVERY_MS`. `_extends` compares it with the published checkpoint.
3. `_publish_saved` publishes the saved checkpoint, since the order still has its lines.

A failover loses the end of the order. The files are ahead again, but the order lacks lines or has
others. Then `_adopt` restores the order from the files.

A failover loses commits from a feed after they were decided. The cursor of the feed names the last
decided line, and the feed lacks that line. Nothing in the log is rewritten:

1. `_meet_loss` raises LostLines, and the caller gives the journal a new generation.
2. No line is decided until an operator accepts the loss.
3. `_meet_loss` publishes the decided lines, and decides an entry about the loss. It sets the
   cursors of these feeds to the beginning and marks them as doubtful, because the next lines of the
   feeds may be in the log already.
4. `_sequence` leaves out the lines of doubtful feeds that are in the log already.
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

LINES_AT_ONCE = 4000  # from the feeds of each server in one round
MOST_UNPUBLISHED = 20_000  # lines. With so many, a round decides none until some are published
_HEADS_AT_ONCE = 500

_CHECK_EVERY_MS = 30_000  # between checks for files ahead of the order

# Published lines are trimmed from the feeds once they are KEPT_MS old: the journal watch looks in
# the feeds for the lines of its last note. Feeds with an estimated length below _KEPT_LINES are not
# trimmed, because each trim costs a request. A round trims at most _TRIMS_A_ROUND feeds, so that
# new commits do not wait.
KEPT_MS = 60_000
_KEPT_LINES = 64
_TRIM_EVERY_MS = 10_000
_TRIMS_A_ROUND = 8
_TRIMMED_AT_ONCE = 500


class LostLines(Exception):
    """The journal has lost commits that are in the log, and nobody has noticed that yet.

    feeds: number of feeds that lack their last decided line.
    """

    def __init__(self, feeds: int) -> None:
        super().__init__(f"{feeds} feeds lack a line of the log")
        self.feeds = feeds


class _Overtaken(Exception):
    """The order has changed meanwhile: another sequencer was faster, or the order has gone back."""


@dataclass(frozen=True, slots=True)
class Round:
    """The result of a round.

    decided: number of lines.   size: of the order after the round.
    has_more: True if the next round should follow at once.
    """

    decided: int = 0
    size: int = 0
    has_more: bool = False


class Sequencer:
    """The sequencer of a journal. The journal must read archived matches, too (`with_archive`).

    signer: signs checkpoints.   origin: name of the log, "" for a name derived from its key.
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
        self._published = 0  # the published size at the last look
        self._saved: Saved | None = None  # the last checkpoint saved by this sequencer
        self._next_check = 0
        self._reported: str | None = None  # reason of a standstill, "" for none, None if unknown
        self._lengths: Counter[int] | None = None  # estimated lengths of the feeds
        self._long_feeds: list[int] = []  # still to be trimmed
        self._next_trim = 0

    def round(self, *, publish: bool = True) -> Round:
        """Decide new lines, and publish decided ones.

        publish: True to publish after a round that decided fewer than LINES_AT_ONCE lines. A round
            with MOST_UNPUBLISHED unpublished lines publishes in any case.
        Raises LostLines, and JournalUnavailable, for example if a store does not answer.
        """
        order = self._journal.order.state()
        self._reported = order.stopped
        now = self._clock()
        if now >= self._next_check or order.published < self._published:
            try:
                if self._repair(order):
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
        """True if the files are in a remote place: each write takes time, and may cost money."""
        return self._files.is_remote

    # ---- new lines get positions ---------------------------------------------------------------

    def _decide(self, order: Order) -> int:
        """Append new lines to the order. Return their number, 0 if the race was lost."""
        generation = self._journal.lifecycle.generation()
        generation_id = generation.id if generation else ""
        news = self._journal.order.news(order.cursors, LINES_AT_ONCE)
        if news.missing:
            return self._meet_loss(order, news.missing)

        by_time = sorted(news.lines, key=lambda line: place_of(line[1][0]))
        ready, lines = self._sequence(order, by_time)
        cursors = _cursors_after(order.cursors, ready)
        if not cursors and generation_id == order.generation:
            return 0
        is_decided = self._journal.order.decide(order, lines, cursors, generation_id)
        if is_decided and self._lengths is not None:
            self._lengths.update(partition for partition, _ in ready)
        return len(lines) if is_decided else 0

    def _trim(self) -> None:
        """Trim published lines from some long feeds, if no decided line waits for publication."""
        now = self._clock()
        if not self._long_feeds and now < self._next_trim:
            return
        order = self._journal.order.settled()
        if order.size != order.published:
            return

        if self._lengths is None:
            # Lengths are unknown after a start. Assume _KEPT_LINES, so that every feed is trimmed.
            self._lengths = Counter(dict.fromkeys(order.cursors, _KEPT_LINES))
        if not self._long_feeds:
            self._next_trim = now + _TRIM_EVERY_MS
            lengths = self._lengths.items()
            self._long_feeds = [feed for feed, length in lengths if length >= _KEPT_LINES]
        for _ in range(min(_TRIMS_A_ROUND, len(self._long_feeds))):
            self._trim_one(self._long_feeds.pop(), order, self._lengths)

    def _trim_one(self, partition: int, order: Order, lengths: Counter[int]) -> None:
        """Trim the oldest lines of a feed. If more may be old, put the feed back on the list."""
        cursor = order.cursors.get(partition, Cursor())
        gone = self._journal.order.trim(partition, cursor, KEPT_MS, _TRIMMED_AT_ONCE)
        lengths[partition] = max(lengths[partition] - gone, 0)
        if gone == _TRIMMED_AT_ONCE:
            # The feed may have more old lines. Assume _KEPT_LINES at least, and trim it again.
            lengths[partition] = max(lengths[partition], _KEPT_LINES)
            self._long_feeds.append(partition)

    def _sequence(
        self, order: Order, news: list[tuple[int, Line]]
    ) -> tuple[list[tuple[int, Line]], list[bytes]]:
        """Return the next lines of the feeds, and the log's lines for them.

        A match with unreadable commits holds up its whole partition. Commits of deleted matches get
        no position, nor do commits of doubtful feeds that are in the log already.
        """
        written, unreadable = self._lines_by_version([line for _, line in news])
        held_up = {partition for partition, line in news if line[1] in unreadable}
        ready = [(partition, line) for partition, line in news if partition not in held_up]
        self.report(f"feeds wait for unreadable matches: {len(held_up)}" if held_up else "")

        doubtful = {number for number, cursor in order.cursors.items() if cursor.doubtful}
        new_lines = [
            (partition, written[line[1:]]) for partition, line in ready if line[1:] in written
        ]
        doubted = [
            read_line(0, text).hash for partition, text in new_lines if partition in doubtful
        ]
        repeated = self._log.known(doubted) if doubted else set()
        if not repeated:
            return ready, [text for _, text in new_lines]
        return ready, [text for _, text in new_lines if read_line(0, text).hash not in repeated]

    def _lines_by_version(
        self, lines: Sequence[Line]
    ) -> tuple[dict[tuple[str, int], bytes], set[str]]:
        """Return the log's lines by match and version, and the matches with unreadable commits.

        Deleted matches have no lines.
        """
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
                except Exception as error:  # noqa: BLE001 - damaged commits may raise any error
                    _log.warning(
                        "match could not be sequenced", extra={"match": match, "reason": str(error)}
                    )
                    unreadable.add(match)
        return written, unreadable

    def _lines_of(
        self, match: str, head: Head | HeadDamaged, versions: Sequence[int]
    ) -> dict[tuple[str, int], bytes]:
        """Return the log's lines for some versions of a match.

        If the head is damaged, its values are taken from the commits. Raises JournalUnavailable for
        an unreadable archived match, and any exception for damaged commits.
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
        """Handle feeds that lack their last decided line. Return the number of decided lines.

        The generation of the journal shows the state of the loss. If there is no generation, or the
        last lines were decided in the present one, nobody has noticed the loss, and LostLines is
        raised. While `gone_back` of the generation is set, the log stands still. Once an operator
        has accepted the loss, `gone_back` is None, and the log goes on.
        """
        now = self._journal.order.state()
        if any(now.cursors.get(number) != order.cursors[number] for number in missing):
            return 0  # overtaken by another sequencer, and the feed was trimmed since

        generation = self._journal.lifecycle.generation()
        if generation is None or generation.id == order.generation:
            raise LostLines(len(missing))
        if generation.gone_back is not None:
            self.report("the journal has gone back, and nobody has accepted the loss")
            return 0
        if order.published < order.size:
            self.publish()
            return 0

        cursors = {number: Cursor(doubtful=True) for number in missing}
        line = gone_back_line(generation.id, timestamp(self._clock()))
        if not self._journal.order.decide(order, [line], cursors, generation.id):
            return 0
        _log.warning("log continued after commits were lost", extra={"feeds": len(missing)})
        return 1

    def report(self, stopped: str) -> None:
        """Store the reason of a standstill for all readers, "" for none. Skip a repeated one."""
        if stopped != self._reported:
            self._reported = None  # unknown until Redis has answered
            self._journal.order.report(stopped)
            self._reported = stopped

    # ---- decided lines are published ---------------------------------------------------------

    def publish(self) -> None:
        """Write the files of all decided lines, and publish a checkpoint over them.

        A lost race is no error.
        """
        with suppress(_Overtaken):
            self._publish()

    def _publish(self) -> None:
        order = self._journal.order.settled()
        if order.size == order.published:
            return
        if self._repair(order):
            order = self._journal.order.settled()
        lines = self._journal.order.decided(order.published, order.size - order.published)
        now = self._journal.order.state()
        if (now.size, now.published, now.cursors) != (order.size, order.published, order.cursors):
            raise _Overtaken  # or it has gone back: the two reads do not belong together
        if not lines or len(lines) != order.size - order.published:
            return  # another sequencer has published

        key = str(self._verifier)
        if order.key not in ("", key):
            raise LogUnavailable(
                f"the log has the key {order.key}, but this scheduler has {key}. All schedulers "
                "need the same log-keys.json, and GIORNALE_LOG_ORIGIN may not change"
            )
        edge, tiles = tree.extended(self._edge_at(order), list(map(_hash_of, lines)))
        self._write(order, lines, edge, tiles)
        written = self._sign(edge)
        self._saved = Saved(edge.size, written, key, order.generation, order.cursors)
        self._files.save(self._saved)
        if self._journal.order.publish(order.published, lines, key, written):
            self._edge = edge
            self._published = edge.size
            self._files.forget(order.published, edge.size)
        else:
            self._next_check = 0  # the saved checkpoint may not extend the published one: check it

    def _write(
        self, order: Order, lines: list[bytes], edge: tree.Edge, tiles: list[tree.Tile]
    ) -> None:
        """Write bundles and tiles up to the size of an edge.

        Existing files beyond the published checkpoint may have lines of an order that has gone back
        since. They are replaced if the order still has `lines`.
        """
        whole = [*self._read_tail(order), *lines]
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

    def _read_tail(self, order: Order) -> list[bytes]:
        """Return the published lines that do not fill a bundle."""
        start = first_kept(order.published)
        tail = self._journal.order.decided(start, order.published - start)
        if tail is None or len(tail) != order.published - start:
            raise _Overtaken
        return tail

    def _edge_at(self, order: Order) -> tree.Edge:
        """Return the edge of the published tree, cached or read from files and order."""
        if self._edge.size == order.published:
            return self._edge
        if not order.published:
            return tree.Edge()

        tail = self._read_tail(order)

        def read(level: int, number: int, width: int) -> tree.Hashes:
            return self._files.tile(level, number, width) if level else tuple(map(_hash_of, tail))

        try:
            edge = tree.edge_at(order.published, read)
        except NotThere:
            raise LogUnavailable(f"a tile of the log is missing in {self._files}") from None
        if edge.root != _root_of(order.checkpoint):
            raise LogForked(f"the tiles in {self._files} do not fit the checkpoint")
        return edge

    def _repair(self, order: Order) -> bool:
        """Publish or adopt a saved checkpoint that is ahead of the order. Return True if one was.

        The files are ahead if a sequencer died before the publication, or if the order has gone
        back. Raises _Overtaken after a lost race.
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
        """Return the newest saved checkpoint that is no stray.

        A stray is larger than the published checkpoint and does not extend it: after the save the
        order went back. The sequencer that has saved a stray removes it.
        """
        strays: set[int] = set()
        while True:
            newest = self._files.newest(strays)
            if newest is None or newest.size <= order.published or self._extends(newest, order):
                return newest
            strays.add(newest.size)
            if newest == self._saved:
                self._files.drop(newest)

    def _extends(self, saved: Saved, order: Order) -> bool:
        """Return True if a saved checkpoint extends the published one."""
        roots = {saved.size: _root_of(saved.checkpoint)}
        if order.published:
            roots[order.published] = _root_of(order.checkpoint)
        try:
            return all(self._files.root(saved, size) == root for size, root in roots.items())
        except NotThere:
            raise LogUnavailable(f"a tile of the log is missing in {self._files}") from None

    def _publish_saved(self, order: Order, newest: Saved) -> bool:
        """Publish a saved checkpoint. Return False if the order has other lines.

        Raises _Overtaken after a lost race.
        """
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
        """Restore the order from a saved checkpoint. Raises _Overtaken after a lost race."""
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
            "order had gone back: adopted from the files of the log",
            extra={"had": newest.size, "has": order.published},
        )

    def _sign(self, edge: tree.Edge) -> bytes:
        """Return a signed checkpoint of an edge."""
        at_edge = Checkpoint(self._verifier.name, edge.size, edge.root)
        return checkpoint.signed(
            at_edge, self._verifier.public, lambda text: self._signer.sign_bytes(text)[1]
        )

    @property
    def _verifier(self) -> Verifier:
        """The log's public key and name."""
        if self._verifier_ is None:
            key = self._signer.keys()[-1]
            origin = self._origin or f"giornale-{key['id']}"
            self._verifier_ = Verifier(origin, checkpoint.ED25519, bytes.fromhex(key["public"]))
        return self._verifier_


def _root_of(written: bytes) -> bytes:
    """Return the root in a signed checkpoint."""
    return checkpoint.read_checkpoint(checkpoint.read_note(written)).root


def _hash_of(line: bytes) -> bytes:
    return tree.leaf_hash(leaf_of(line))


def _partial(edge: tree.Edge) -> list[tree.Tile]:
    return [
        tree.Tile(level, (edge.size >> (tree.HEIGHT * level)) // tree.WIDTH, hashes)
        for level, hashes in enumerate(edge.partial)
        if hashes
    ]


def _cursors_after(
    cursors: Mapping[int, Cursor], lines: Sequence[tuple[int, Line]]
) -> dict[int, Cursor]:
    """Return the cursors after new lines, for the partitions of these lines."""
    return {
        partition: Cursor(*line, doubtful=partition in cursors and cursors[partition].doubtful)
        for partition, line in dict(lines).items()
    }
