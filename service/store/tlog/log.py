"""The log as it is read: positions, entries, tiles and proofs, as far as its checkpoint goes.

What is in it never changes. It is read from its files, and its last entries, which do not fill a
bundle yet, from the order in the journal.

The files lie under `log/` in the archive's place, are written whole, and never change. Any number
of sequencers may write the same ones:

    bundle/N       256 entries, zstd; bundle/N.p/W while there are W so far
    tile/L/N       256 hashes of the level L from 1 on; tile/L/N.p/W while there are W so far
    checkpoint/S   the checkpoint of size S, and up to where each feed is sequenced, JSON

Tiles of level 0 are worked out from the bundles. What belongs to an older checkpoint alone is
removed after the next one is published.
"""

import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar

import orjson
import zstandard

from service.record.tlog import tree
from service.record.tlog.tree import (
    HEIGHT,
    WIDTH,
    Hashes,
    Tile,
    joined,
    split,
    tile_path,
    tile_width,
)
from service.store.archive.places import DRAFT, FileStore, NotThere, PlaceError, open_place
from service.store.journal.ports.order import OrderPort
from service.store.journal.values import Cursor, Order
from service.store.tlog.entries import (
    LogEntry,
    LogForked,
    LogUnavailable,
    NotIndexed,
    leaf_of,
    read_line,
)
from service.store.tlog.index import Index, Listed, Wanted

BUNDLES_KEPT = 64  # in memory; one has some 60 kB
TILES_KEPT = 256  # in memory; one has 17 kB
PYRAMIDS_KEPT = 64  # in memory; one has 35 kB
_TRIES = 5  # at what moves on while it is read
_BUNDLES_AT_ONCE = 100  # taken into the index by one call

FOLDER = "log"  # in the archive's place; those of packed matches have two letters
_CHECKPOINTS = "checkpoint"
_MOST_BUNDLE_BYTES = 1024 * 1024  # unpacked; 256 entries have some 60 kB
_BETWEEN = b"\n"  # two texts of a bundle: entry, its beside, entry, its beside

Content = TypeVar("Content")


# ---- the files -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Saved:
    """What is written with a checkpoint, so that the log can go on from its files alone.

    checkpoint: a signed note.   key: its verifier key.
    generation, cursors: as in `service.store.journal.values.Order`.
    """

    size: int
    checkpoint: bytes
    key: str
    generation: str
    cursors: Mapping[int, Cursor]


class LogFiles:
    """The files of one log. All methods raise LogUnavailable, those that read NotThere, too."""

    def __init__(self, archive: str) -> None:
        """Take the address of the archive; nothing is opened yet."""
        root = f"{archive.rstrip('/')}/{FOLDER}"
        self._place: FileStore = open_place(root)
        self._checkpoints: FileStore = open_place(f"{root}/{_CHECKPOINTS}")
        self.is_remote = "://" in archive and not archive.startswith("file://")

    def __str__(self) -> str:
        """Return where they are, for the operator."""
        return str(self._place)

    def bundle(self, number: int, width: int = WIDTH) -> list[bytes]:
        """Return the lines of a bundle, as the order has them; raises NotThere."""
        return self._read(f"bundle/{tile_path(number, width)}", _unpacked)

    def put_bundle(self, number: int, lines: Sequence[bytes], *, replace: bool = False) -> None:
        """Write the lines of a bundle; raises LogForked for another one, unless it is to go."""
        name = f"bundle/{tile_path(number, len(lines))}"
        if replace or not self._holds(name, _unpacked, list(lines)):
            packed = zstandard.ZstdCompressor().compress(_BETWEEN.join(lines))
            _explained(partial(self._place.write, name, packed))

    def tile(self, level: int, number: int, width: int) -> Hashes:
        """Return the hashes of a tile above level 0; raises NotThere."""
        return self._read(f"tile/{level}/{tile_path(number, width)}", split)

    def put_tile(self, tile: Tile, *, replace: bool = False) -> None:
        """Write a tile above level 0; raises LogForked for another one, unless it is to go."""
        name = f"tile/{tile.level}/{tile_path(tile.number, len(tile.hashes))}"
        if replace or not self._holds(name, split, tile.hashes):
            _explained(partial(self._place.write, name, joined(tile.hashes)))

    def newest(self, strays: Collection[int] = ()) -> Saved | None:
        """Return what was saved with the greatest checkpoint, None without any.

        strays: the sizes of those that do not count.
        """
        while sizes := [size for size in self._sizes() if size not in strays]:
            with suppress(NotThere):
                name = _checkpoint_name(max(sizes))
                return _read_saved(_explained(partial(self._checkpoints.read, name)))
        return None

    def lines(self, saved: Saved, start: int) -> list[bytes]:
        """Return the lines that a checkpoint covers, from a position on; raises NotThere."""
        first = start // WIDTH
        found: list[bytes] = []
        for number in range(first, -(-saved.size // WIDTH)):
            found += self.bundle(number, tile_width(0, number, saved.size))
        return found[start - first * WIDTH :]

    def root(self, saved: Saved, size: int) -> bytes:
        """Return the root over the first entries that a checkpoint covers; raises NotThere."""

        def read(level: int, number: int, width: int) -> tree.Pyramid:
            widest = tile_width(level, number, saved.size)
            if level:
                return tree.pyramid_of(self.tile(level, number, widest)[:width])
            leaves = map(leaf_of, self.bundle(number, widest)[:width])
            return tree.pyramid_of(tuple(map(tree.leaf_hash, leaves)))

        return tree.Nodes(size, read).over(0, size)

    def save(self, saved: Saved) -> None:
        """Write what belongs to a checkpoint."""
        content = orjson.dumps(
            {
                "size": saved.size,
                "checkpoint": saved.checkpoint.decode(),
                "key": saved.key,
                "generation": saved.generation,
                "cursors": {str(number): list(one) for number, one in saved.cursors.items()},
            }
        )
        _explained(partial(self._checkpoints.write, _checkpoint_name(saved.size), content))

    def drop(self, saved: Saved) -> None:
        """Remove what was saved with a checkpoint, unless something else was saved by now."""
        name = _checkpoint_name(saved.size)
        with suppress(NotThere):
            if _read_saved(_explained(partial(self._checkpoints.read, name))) == saved:
                _explained(partial(self._checkpoints.remove, name))

    def forget(self, old: int, size: int) -> None:
        """Remove what the checkpoint of an old size needs, and that of a newer one does not."""
        kept = set(_partial_names(size))
        for name in _partial_names(old):
            if name not in kept:
                _explained(partial(self._place.remove, name))
        for older in self._sizes():
            if older < size:
                _explained(partial(self._checkpoints.remove, _checkpoint_name(older)))

    def _sizes(self) -> list[int]:
        names = _explained(lambda: list(self._checkpoints.names()))
        return [int(name) for name in names if not name.startswith(DRAFT) and name.isdigit()]

    def _read(self, name: str, read: Callable[[bytes], Content]) -> Content:
        return read(_explained(partial(self._place.read, name)))

    def _holds(self, name: str, read: Callable[[bytes], Content], wanted: Content) -> bool:
        """Return whether a file is there; raises LogForked if it holds something else."""
        try:
            found = self._read(name, read)
        except NotThere:
            return False
        if found != wanted:
            raise LogForked(f"{name} in {self} holds something else than what was decided")
        return True


def _explained(ask: Callable[[], Content]) -> Content:
    """Return what a place answers; raises LogUnavailable, and NotThere as it is."""
    try:
        return ask()
    except NotThere:
        raise
    except PlaceError as error:
        raise LogUnavailable(f"the files of the log cannot be reached: {error}") from None


def _partial_names(size: int) -> list[str]:
    """Return the names of the partial files of a log of a size."""
    names = []
    if size % WIDTH:
        names.append(f"bundle/{tile_path(size // WIDTH, size % WIDTH)}")
    level = 1
    while hashes := size >> (HEIGHT * level):
        number = hashes // WIDTH
        if width := tile_width(level, number, size):
            names.append(f"tile/{level}/{tile_path(number, width)}")
        level += 1
    return names


def _checkpoint_name(size: int) -> str:
    return f"{size:020d}"


def _read_saved(content: bytes) -> Saved:
    try:
        fields = orjson.loads(content)
        return Saved(
            size=fields["size"],
            checkpoint=fields["checkpoint"].encode(),
            key=fields["key"],
            generation=fields["generation"],
            cursors={int(number): Cursor(*one) for number, one in fields["cursors"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise LogUnavailable("a checkpoint among the files of the log is damaged") from None


def _unpacked(content: bytes) -> list[bytes]:
    """Return the lines of a bundle."""
    try:
        texts = zstandard.ZstdDecompressor().decompress(content, _MOST_BUNDLE_BYTES)
    except zstandard.ZstdError:
        raise LogUnavailable("a bundle among the files of the log is damaged") from None
    parts = texts.split(_BETWEEN)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [entry + _BETWEEN + beside for entry, beside in pairs]


# ---- the log -----------------------------------------------------------------------------------


class Log:
    """One log; safe to share among threads. All methods raise JournalUnavailable.

    files: where it lies.
    index: a file of this machine that is made when a position is first looked for.
    """

    def __init__(self, order: OrderPort, files: LogFiles, index: Path) -> None:
        self._order = order
        self.files = files
        self._index = Index(index)
        self._full_bundle = lru_cache(maxsize=BUNDLES_KEPT)(self._read_full_bundle)
        self._tile = lru_cache(maxsize=TILES_KEPT)(files.tile)
        self._level_0 = lru_cache(maxsize=TILES_KEPT)(self._hash_full_bundle)
        self._pyramid = lru_cache(maxsize=PYRAMIDS_KEPT)(self._read_pyramid)
        self._key = ""  # of the log in the caches

    def state(self) -> Order:
        """Return the published state of the log, without the cursors."""
        state = self._order.state(whole=False)
        if state.key != self._key:
            # Another log lies in the same place, and has other bundles and tiles.
            for cache in (self._full_bundle, self._tile, self._level_0, self._pyramid):
                cache.cache_clear()
            self._key = state.key
        return state

    def size(self) -> int:
        """Return how many entries there are, as the checkpoint says."""
        return self.state().published

    def checkpoint(self) -> bytes:
        """Return the newest checkpoint, a signed note; b"" before the first."""
        return self.state().checkpoint

    def cosigned_checkpoint(self) -> bytes:
        """Return the newest checkpoint that enough witnesses have signed; b"" without any."""
        return self.state().cosigned

    def keep_cosigned(self, size: int, checkpoint: bytes) -> bool:
        """Keep a checkpoint that enough witnesses have signed, unless a greater one is kept."""
        return self._order.cosign(size, checkpoint)

    def entries(self, after: int, limit: int, published: int | None = None) -> list[LogEntry]:
        """Return entries from the position `after` on, oldest first: `after` were seen before.

        published: how far the log goes, as was found just now.
        """
        size = self.size() if published is None else published
        end = min(size, after + limit)
        found: list[LogEntry] = []
        for number in range(after // WIDTH, -(-end // WIDTH)):
            start = number * WIDTH
            lines = self._lines(number, min(WIDTH, end - start))
            first = max(after - start, 0)
            found += [read_line(start + at, lines[at]) for at in range(first, len(lines))]
        return found

    def tile(self, level: int, number: int, width: int = WIDTH) -> bytes | None:
        """Return a tile of hashes (C2SP tlog-tiles), None if the log is too small for it."""
        size = self.size()
        if not 0 < width <= tree.tile_width(level, number, size):
            return None
        return tree.joined(self._read_tile(size, level, number, width))

    def bundle(self, number: int, width: int = WIDTH) -> bytes | None:
        """Return a bundle of leaves (C2SP tlog-tiles), None if the log is too small for it."""
        if not 0 < width <= tree.tile_width(0, number, self.size()):
            return None
        leaves = map(leaf_of, self._lines(number, width))
        return b"".join(struct.pack(">H", len(leaf)) + leaf for leaf in leaves)

    def inclusion(self, position: int, size: int) -> list[bytes]:
        """Return the proof of a position in the log of a size; 0 <= position < size <= size()."""
        return tree.inclusion(position, size, self._nodes(size))

    def consistency(self, old: int, size: int) -> list[bytes]:
        """Return the proof that the log of a size goes on from an old one; 0 < old <= size."""
        return tree.consistency(old, size, self._nodes(size))

    def root(self, size: int) -> bytes:
        """Return the root of the log of a size up to size()."""
        return self._nodes(size).over(0, size) if size else tree.EMPTY_ROOT

    def position(self, commit_hash: str) -> int | None:
        """Return where a commit is, None if it is not in the log; raises NotIndexed.

        The index of this machine catches up first, by so much as one request may take.
        """
        has_more = self.catch_up()
        found = self._index.find(commit_hash)
        if found is None and has_more:
            raise NotIndexed("the log is being indexed: try again")
        return found

    def known(self, hashes: Sequence[str]) -> set[str]:
        """Return which of some commits are in the log, whatever it takes to find out."""
        while self.catch_up():
            pass
        return {one for one in hashes if self._index.find(one) is not None}

    def listed(self, wanted: Wanted, limit: int) -> list[Listed]:
        """Return public matches, the last one that moved on first; raises NotIndexed."""
        if self.catch_up():
            raise NotIndexed("the log is being indexed: try again")
        return self._index.listed(wanted, limit)

    def forget(self, matches: Sequence[str]) -> None:
        """Leave matches out of what is listed from now on; the positions of their commits stay."""
        self._index.forget(matches)

    def catch_up(self, bundles: int | None = None) -> bool:
        """Take some bundles of entries into the index; return whether there are more."""
        state = self.state()
        for _ in range(bundles or _BUNDLES_AT_ONCE):
            indexed = self._index.size(state.key)
            if indexed > state.published and indexed > self.size():
                # It is of a log that is no longer there, under the same key.
                self._index.begin_again(state.key)
                continue
            if indexed >= state.published:
                return False
            self._index.add(indexed, self.entries(indexed, WIDTH - indexed % WIDTH))
        return self._index.size(state.key) < state.published

    def _nodes(self, size: int) -> tree.Nodes:
        return tree.Nodes(size, self._pyramid)

    def _read_pyramid(self, level: int, number: int, width: int) -> tree.Pyramid:
        """Return what follows from a tile; its first hashes never change, so it can be kept."""
        return tree.pyramid_of(self._read_tile(self.size(), level, number, width))

    def _read_tile(self, published: int, level: int, number: int, width: int) -> Hashes:
        """Return the first hashes of a tile."""
        if level == 0:
            if width == WIDTH:
                return self._level_0(number)
            return tuple(map(tree.leaf_hash, map(leaf_of, self._lines(number, width))))

        for _ in range(_TRIES):
            widest = tree.tile_width(level, number, published)
            try:
                return self._tile(level, number, widest)[:width]
            except NotThere:
                # A newer checkpoint has come, and with it a wider tile.
                published = self.size()
        raise LogUnavailable(f"a tile of the log is missing in {self.files}")

    def _lines(self, number: int, width: int) -> list[bytes]:
        """Return the first lines of a bundle, which the checkpoint covers."""
        if width == WIDTH:
            return self._full_bundle(number)
        lines = self._order.decided(number * WIDTH, width)
        return self._full_bundle(number)[:width] if lines is None else lines

    def _read_full_bundle(self, number: int) -> list[bytes]:
        try:
            return self.files.bundle(number)
        except NotThere:
            # The order still holds it until the checkpoint that covers it is published.
            lines = self._order.decided(number * WIDTH, WIDTH)
        if lines is None or len(lines) < WIDTH:
            raise LogUnavailable(f"a bundle of the log is missing in {self.files}")
        return lines

    def _hash_full_bundle(self, number: int) -> Hashes:
        return tuple(map(tree.leaf_hash, map(leaf_of, self._full_bundle(number))))


def open_log(order: OrderPort, archive: str, data: Path) -> Log:
    """Return the log whose files lie beside an archive; data: the directory of the index."""
    return Log(order, LogFiles(archive), data / "log.index")
