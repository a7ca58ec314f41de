"""The files of the log in the archive's place: bundles of entries, tiles, the newest checkpoint.

They lie under `log/` there, are written whole, and never change, so any number of sequencers may
write the same ones:

    bundle/N       256 entries, zstd; bundle/N.p/W while there are W so far
    tile/L/N       256 hashes of the level L from 1 on; tile/L/N.p/W while there are W so far
    checkpoint/S   the checkpoint of size S, and up to where each feed is sequenced, JSON

Tiles of level 0 are worked out from the bundles. What belongs to an older checkpoint alone is
removed after the next one is published.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import orjson
import zstandard

from service.archive.places import DRAFT, NotThere, Place, PlaceError, open_place
from service.journal.errors import JournalUnavailable
from service.journal.values import Cursor
from service.log.tree import HEIGHT, WIDTH, Hashes, Tile, joined, split, tile_path, tile_width

FOLDER = "log"  # in the archive's place; those of packed matches have two letters
_CHECKPOINTS = "checkpoint"
_MOST_BUNDLE_BYTES = 1024 * 1024  # unpacked; 256 entries have some 60 kB
_BETWEEN = b"\n"  # two texts of a bundle: entry, its beside, entry, its beside

Content = TypeVar("Content")


class LogUnavailable(JournalUnavailable):
    """The log cannot be read or written now, or its files are not what they must be."""


class LogForked(LogUnavailable):
    """A file of the log holds something else than what was decided."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What is written with a checkpoint, so that the log can go on from its files alone.

    checkpoint: a signed note.   key: its verifier key.
    generation, cursors: as in `service.journal.values.Order`.
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
        self._place: Place = open_place(root)
        self._checkpoints: Place = open_place(f"{root}/{_CHECKPOINTS}")
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
        packed = zstandard.ZstdCompressor().compress(_BETWEEN.join(lines))
        self._put(name, packed, None if replace else (_unpacked, list(lines)))

    def tile(self, level: int, number: int, width: int) -> Hashes:
        """Return the hashes of a tile above level 0; raises NotThere."""
        return self._read(f"tile/{level}/{tile_path(number, width)}", split)

    def put_tile(self, tile: Tile, *, replace: bool = False) -> None:
        """Write a tile above level 0; raises LogForked for another one, unless it is to go."""
        name = f"tile/{tile.level}/{tile_path(tile.number, len(tile.hashes))}"
        self._put(name, joined(tile.hashes), None if replace else (split, tile.hashes))

    def newest(self) -> Saved | None:
        """Return what was saved with the greatest checkpoint, None without any."""
        while sizes := self._sizes():
            with suppress(NotThere):
                name = _checkpoint_name(max(sizes))
                return _read_saved(_explained(lambda name=name: self._checkpoints.read(name)))  # type: ignore[misc]
        return None

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
        _explained(lambda: self._checkpoints.write(_checkpoint_name(saved.size), content))

    def forget(self, old: int, size: int) -> None:
        """Remove what the checkpoint of an old size needs, and that of a newer one does not."""
        kept = set(_partial_names(size))
        for name in _partial_names(old):
            if name not in kept:
                _explained(lambda name=name: self._place.remove(name))  # type: ignore[misc]
        for older in self._sizes():
            if older < size:
                name = _checkpoint_name(older)
                _explained(lambda name=name: self._checkpoints.remove(name))  # type: ignore[misc]

    def _sizes(self) -> list[int]:
        names = _explained(lambda: list(self._checkpoints.names()))
        return [int(name) for name in names if not name.startswith(DRAFT) and name.isdigit()]

    def _read(self, name: str, read: Callable[[bytes], Content]) -> Content:
        return read(_explained(lambda: self._place.read(name)))

    def _put(
        self,
        name: str,
        content: bytes,
        wanted: tuple[Callable[[bytes], Content], Content] | None,
    ) -> None:
        """Write a file.

        wanted: how a file that is there is read, and what it must hold; None: it is replaced.
        """
        if wanted is not None:
            read, same = wanted
            try:
                found = self._read(name, read)
            except NotThere:
                pass
            else:
                if found != same:
                    detail = f"{name} in {self} holds something else than what was decided"
                    raise LogForked(detail)
                return
        _explained(lambda: self._place.write(name, content))


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
