"""The reader of the log: positions, entries, tiles and proofs up to its published checkpoint.

Published entries never change. Full bundles are read from the log's files, and the last entries
from the order in the journal.

The files are under `log/` in the archive's place. They are written whole, and never change once a
published checkpoint covers them. Any number of sequencers may write the same files:

    bundle/N        256 entries, zstd
    bundle/N.p/W    the first W entries of bundle N, while it is not full
    tile/L/N        256 hashes of level L, with L from 1 on
    tile/L/N.p/W    the first W hashes of that tile, while it is not full
    checkpoint/S    the checkpoint of size S, its key, and generation and cursors of the order, JSON

Tiles of level 0 are computed from the bundles. Partial files and checkpoints of older sizes are
removed after a newer checkpoint is published.
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
from service.store.tlog.index import Index, Listed, MatchSelection

BUNDLES_KEPT = 64  # cached; one has some 60 kB
TILES_KEPT = 256  # cached; one has 17 kB
PYRAMIDS_KEPT = 64  # cached; one has 35 kB
_TRIES = 5  # attempts to read a tile while newer checkpoints replace it
_BUNDLES_AT_ONCE = 100  # indexed by one call

FOLDER = "log"  # in the archive's place; folders of packed matches have two letters
_CHECKPOINTS = "checkpoint"
_MOST_BUNDLE_BYTES = 1024 * 1024  # unpacked; 256 entries have some 60 kB
_BETWEEN = b"\n"  # separates the two parts of each line (`commit_line`), and the lines

Content = TypeVar("Content")


# ---- the files -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Saved:
    """The content of a checkpoint file. The log can go on from the files alone.

    checkpoint: a signed note.   key: verifier key of the note.
    generation, cursors: as in `service.store.journal.values.Order`.
    """

    size: int
    checkpoint: bytes
    key: str
    generation: str
    cursors: Mapping[int, Cursor]


class LogFiles:
    """The files of one log. Reads and writes raise LogUnavailable."""

    def __init__(self, archive: str) -> None:
        """Take the address of the archive. Nothing is opened yet."""
        root = f"{archive.rstrip('/')}/{FOLDER}"
        self._place: FileStore = open_place(root)
        self._checkpoints: FileStore = open_place(f"{root}/{_CHECKPOINTS}")
        self.is_remote = "://" in archive and not archive.startswith("file://")

    def __str__(self) -> str:
        """Return the place of the files, for the operator."""
        return str(self._place)

    def bundle(self, number: int, width: int = WIDTH) -> list[bytes]:
        """Return the lines of a bundle in the form of the order. Raises NotThere."""
        return self._read(f"bundle/{tile_path(number, width)}", _unpack_bundle)

    def put_bundle(self, number: int, lines: Sequence[bytes], *, replace: bool = False) -> None:
        """Write the lines of a bundle.

        replace: True to overwrite different content. Otherwise different content raises LogForked.
        """
        name = f"bundle/{tile_path(number, len(lines))}"
        if replace or not self._holds(name, _unpack_bundle, list(lines)):
            packed = zstandard.ZstdCompressor().compress(_BETWEEN.join(lines))
            _call(partial(self._place.write, name, packed))

    def tile(self, level: int, number: int, width: int) -> Hashes:
        """Return the hashes of a tile above level 0. Raises NotThere."""
        return self._read(f"tile/{level}/{tile_path(number, width)}", split)

    def put_tile(self, tile: Tile, *, replace: bool = False) -> None:
        """Write a tile above level 0. `replace` and LogForked are as in `put_bundle`."""
        name = f"tile/{tile.level}/{tile_path(tile.number, len(tile.hashes))}"
        if replace or not self._holds(name, split, tile.hashes):
            _call(partial(self._place.write, name, joined(tile.hashes)))

    def newest(self, strays: Collection[int] = ()) -> Saved | None:
        """Return the greatest saved checkpoint, None without any.

        strays: sizes to leave out.
        """
        while sizes := [size for size in self._sizes() if size not in strays]:
            with suppress(NotThere):
                name = _checkpoint_name(max(sizes))
                return _read_saved(_call(partial(self._checkpoints.read, name)))
        return None

    def lines(self, saved: Saved, start: int) -> list[bytes]:
        """Return the lines below a checkpoint from a position on. Raises NotThere."""
        first = start // WIDTH
        lines: list[bytes] = []
        for number in range(first, -(-saved.size // WIDTH)):
            lines += self.bundle(number, tile_width(0, number, saved.size))
        return lines[start - first * WIDTH :]

    def root(self, saved: Saved, size: int) -> bytes:
        """Return the root of the first `size` entries below a checkpoint. Raises NotThere."""

        def read(level: int, number: int, width: int) -> tree.Pyramid:
            widest = tile_width(level, number, saved.size)
            if level:
                return tree.pyramid_of(self.tile(level, number, widest)[:width])
            leaves = map(leaf_of, self.bundle(number, widest)[:width])
            return tree.pyramid_of(tuple(map(tree.leaf_hash, leaves)))

        return tree.Nodes(size, read).over(0, size)

    def save(self, saved: Saved) -> None:
        """Write the file of a checkpoint."""
        content = orjson.dumps(
            {
                "size": saved.size,
                "checkpoint": saved.checkpoint.decode(),
                "key": saved.key,
                "generation": saved.generation,
                "cursors": {str(number): list(one) for number, one in saved.cursors.items()},
            }
        )
        _call(partial(self._checkpoints.write, _checkpoint_name(saved.size), content))

    def drop(self, saved: Saved) -> None:
        """Remove the file of a checkpoint, unless its content has changed by now."""
        name = _checkpoint_name(saved.size)
        with suppress(NotThere):
            if _read_saved(_call(partial(self._checkpoints.read, name))) == saved:
                _call(partial(self._checkpoints.remove, name))

    def forget(self, old: int, size: int) -> None:
        """Remove the partial files of an old size, and all checkpoints below a new size.

        Partial files that the new size also needs stay.
        """
        current = set(_partial_names(size))
        for name in _partial_names(old):
            if name not in current:
                _call(partial(self._place.remove, name))
        for older in self._sizes():
            if older < size:
                _call(partial(self._checkpoints.remove, _checkpoint_name(older)))

    def _sizes(self) -> list[int]:
        names = _call(lambda: list(self._checkpoints.names()))
        return [int(name) for name in names if not name.startswith(DRAFT) and name.isdigit()]

    def _read(self, name: str, parse: Callable[[bytes], Content]) -> Content:
        return parse(_call(partial(self._place.read, name)))

    def _holds(self, name: str, parse: Callable[[bytes], Content], expected: Content) -> bool:
        """Return True if a file is stored. Raises LogForked if it has another content."""
        try:
            content = self._read(name, parse)
        except NotThere:
            return False
        if content != expected:
            raise LogForked(f"{name} in {self} differs from the decided lines")
        return True


def _call(ask: Callable[[], Content]) -> Content:
    """Call a place. A PlaceError other than NotThere becomes LogUnavailable."""
    try:
        return ask()
    except NotThere:
        raise
    except PlaceError as error:
        raise LogUnavailable(f"the files of the log cannot be reached: {error}") from None


def _partial_names(size: int) -> list[str]:
    """Return the names of the partial files of a log of `size` entries."""
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
        raise LogUnavailable("a checkpoint file of the log is damaged") from None


def _unpack_bundle(content: bytes) -> list[bytes]:
    """Return the lines of a bundle."""
    try:
        texts = zstandard.ZstdDecompressor().decompress(content, _MOST_BUNDLE_BYTES)
    except zstandard.ZstdError:
        raise LogUnavailable("a bundle file of the log is damaged") from None
    parts = texts.split(_BETWEEN)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [entry + _BETWEEN + beside for entry, beside in pairs]


# ---- the log -----------------------------------------------------------------------------------


class Log:
    """One log, safe to share among threads. All methods raise JournalUnavailable.

    index: path of the index on this machine. The file is created on first use.
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
        """Return the state of the order, without the cursors."""
        state = self._order.state(whole=False)
        if state.key != self._key:
            # Another log is in the same place, with other bundles and tiles.
            for cache in (self._full_bundle, self._tile, self._level_0, self._pyramid):
                cache.cache_clear()
            self._key = state.key
        return state

    def size(self) -> int:
        """Return the number of published entries."""
        return self.state().published

    def checkpoint(self) -> bytes:
        """Return the newest checkpoint as a signed note, b"" before the first."""
        return self.state().checkpoint

    def cosigned_checkpoint(self) -> bytes:
        """Return the newest checkpoint signed by enough witnesses, b"" without any."""
        return self.state().cosigned

    def keep_cosigned(self, size: int, checkpoint: bytes) -> bool:
        """Store a checkpoint signed by enough witnesses.

        Return False if a larger one is stored, or if `size` is not published.

        size: size of the checkpoint.
        """
        return self._order.cosign(size, checkpoint)

    def entries(self, after: int, limit: int, published: int | None = None) -> list[LogEntry]:
        """Return published entries, from the one at position `after` on, oldest first.

        published: size of the log if the caller has just read it, else None.
        """
        size = self.size() if published is None else published
        end = min(size, after + limit)
        entries: list[LogEntry] = []
        for number in range(after // WIDTH, -(-end // WIDTH)):
            start = number * WIDTH
            lines = self._lines(number, min(WIDTH, end - start))
            first = max(after - start, 0)
            entries += [read_line(start + at, lines[at]) for at in range(first, len(lines))]
        return entries

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
        """Return the inclusion proof of a position in the first `size` entries.

        Requires 0 <= position < size <= self.size().
        """
        return tree.inclusion(position, size, self._nodes(size))

    def consistency(self, old: int, size: int) -> list[bytes]:
        """Return the consistency proof from an old size to a size.

        Requires 0 < old <= size <= self.size().
        """
        return tree.consistency(old, size, self._nodes(size))

    def root(self, size: int) -> bytes:
        """Return the root of the first `size` entries. Requires 0 <= size <= self.size()."""
        return self._nodes(size).over(0, size) if size else tree.EMPTY_ROOT

    def position(self, commit_hash: str) -> int | None:
        """Return the position of a commit, None if it is not in the log. Raises NotIndexed.

        The index of this machine catches up first, by at most `_BUNDLES_AT_ONCE` bundles.
        """
        has_more = self.catch_up()
        position = self._index.find(commit_hash)
        if position is None and has_more:
            raise NotIndexed("the log is being indexed. Try again")
        return position

    def known(self, hashes: Sequence[str]) -> set[str]:
        """Return those of the hashes that belong to commits in the log.

        The index catches up first, however long that takes.
        """
        while self.catch_up():
            pass
        return {one for one in hashes if self._index.find(one) is not None}

    def listed(self, selection: MatchSelection, limit: int) -> list[Listed]:
        """Return public matches as `Index.listed` does. Raises NotIndexed."""
        if self.catch_up():
            raise NotIndexed("the log is being indexed. Try again")
        return self._index.listed(selection, limit)

    def forget(self, matches: Sequence[str]) -> None:
        """Remove matches from the lists. The positions of their commits stay."""
        self._index.forget(matches)

    def catch_up(self, bundles: int | None = None) -> bool:
        """Index the entries of some bundles. Return True if more are left.

        bundles: largest number, `_BUNDLES_AT_ONCE` by default.
        """
        state = self.state()
        for _ in range(bundles or _BUNDLES_AT_ONCE):
            indexed = self._index.size(state.key)
            if indexed > state.published and indexed > self.size():
                # The log was replaced by a smaller one with the same key.
                self._index.begin_again(state.key)
                continue
            if indexed >= state.published:
                return False
            self._index.add(indexed, self.entries(indexed, WIDTH - indexed % WIDTH))
        return self._index.size(state.key) < state.published

    def _nodes(self, size: int) -> tree.Nodes:
        return tree.Nodes(size, self._pyramid)

    def _read_pyramid(self, level: int, number: int, width: int) -> tree.Pyramid:
        """Return the pyramid of a tile, for a cache: the first `width` hashes never change."""
        return tree.pyramid_of(self._read_tile(self.size(), level, number, width))

    def _read_tile(self, published: int, level: int, number: int, width: int) -> Hashes:
        if level == 0:
            if width == WIDTH:
                return self._level_0(number)
            return tuple(map(tree.leaf_hash, map(leaf_of, self._lines(number, width))))

        for _ in range(_TRIES):
            widest = tree.tile_width(level, number, published)
            try:
                return self._tile(level, number, widest)[:width]
            except NotThere:
                # A newer checkpoint has replaced the tile by a wider one: retry.
                published = self.size()
        raise LogUnavailable(f"a tile of the log is missing in {self.files}")

    def _lines(self, number: int, width: int) -> list[bytes]:
        """Return the first `width` lines of a bundle. They must be published."""
        if width == WIDTH:
            return self._full_bundle(number)
        lines = self._order.decided(number * WIDTH, width)
        return self._full_bundle(number)[:width] if lines is None else lines

    def _read_full_bundle(self, number: int) -> list[bytes]:
        try:
            return self.files.bundle(number)
        except NotThere:
            # The order still has the lines until a checkpoint over the bundle is published.
            lines = self._order.decided(number * WIDTH, WIDTH)
        if lines is None or len(lines) < WIDTH:
            raise LogUnavailable(f"a bundle of the log is missing in {self.files}")
        return lines

    def _hash_full_bundle(self, number: int) -> Hashes:
        return tuple(map(tree.leaf_hash, map(leaf_of, self._full_bundle(number))))


def open_log(order: OrderPort, archive: str, data: Path) -> Log:
    """Return the log with the files in an archive's place.

    data: directory of the index.
    """
    return Log(order, LogFiles(archive), data / "log.index")
