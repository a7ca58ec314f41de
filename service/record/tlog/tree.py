"""The Merkle tree of RFC 6962, cut into tiles of height 8 (C2SP tlog-tiles): pure functions.

A tile of level L holds at most 256 hashes, each the root of a complete subtree over 256^L leaves.
A node is named by its height above the leaves and its number from the left.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

WIDTH = 256  # hashes of a full tile, and entries of a full bundle
HEIGHT = 8  # levels of the tree that one tile spans

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()

Hashes = tuple[bytes, ...]
Pyramid = tuple[Hashes, ...]

# Functions of level, number and width of a tile. They return the tile's hashes, or the pyramid of
# these hashes.
ReadTile = Callable[[int, int, int], Hashes]
ReadPyramid = Callable[[int, int, int], Pyramid]


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash of a leaf."""
    return hashlib.sha256(b"\0" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node over its two children."""
    return hashlib.sha256(b"\1" + left + right).digest()


def root_of(hashes: Sequence[bytes]) -> bytes:
    """Return the root of a tree over the hashes of its leaves.

    The hashes may be roots of complete subtrees of one size instead. The last subtree may be
    smaller.
    """
    if not hashes:
        return EMPTY_ROOT
    level = list(hashes)
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        above = [node_hash(left, right) for left, right in pairs]
        if len(level) % 2:
            above.append(level[-1])
        level = above
    return level[0]


# ---- tiles and their names ---------------------------------------------------------------------


def joined(hashes: Sequence[bytes]) -> bytes:
    """Return a tile's bytes."""
    return b"".join(hashes)


def split(tile: bytes) -> Hashes:
    """Return the hashes in a tile's bytes."""
    return tuple(tile[at : at + HASH_BYTES] for at in range(0, len(tile), HASH_BYTES))


def tile_width(level: int, number: int, size: int) -> int:
    """Return the number of hashes of a tile in a log of a size, 0 for a missing tile."""
    hashes = size >> (HEIGHT * level)
    return max(0, min(WIDTH, hashes - WIDTH * number))


def tile_path(number: int, width: int = WIDTH) -> str:
    """Return a tile's number as a path of C2SP: x001/x234/067, and .p/W if it is partial.

    width: number of its hashes or entries.
    """
    text = f"{number % 1000:03d}"
    while number := number // 1000:
        text = f"x{number % 1000:03d}/{text}"
    return text if width == WIDTH else f"{text}.p/{width}"


def read_tile_path(path: str) -> tuple[int, int] | None:
    """Return number and width of a path as from `tile_path`, None for any other text."""
    text, is_partial, width_text = path.partition(".p/")
    digits = text.replace("x", "").replace("/", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        return None

    width = WIDTH
    if is_partial:
        width = int(width_text) if width_text.isascii() and width_text.isdigit() else 0
    number = int(digits)
    is_right = 0 < width <= WIDTH and path == tile_path(number, width)
    return (number, width) if is_right else None


# ---- the right edge: enough to add leaves --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Edge:
    """The right edge of a tree: the hashes of its partial tile on each level, lowest first."""

    size: int = 0
    partial: tuple[Hashes, ...] = field(default=((),))

    @property
    def root(self) -> bytes:
        """The root of the tree."""
        rest: Hashes = ()
        for hashes in self.partial:
            if hashes or rest:
                rest = (root_of((*hashes, *rest)),)
        return rest[0] if rest else EMPTY_ROOT


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile. It is full if it has WIDTH hashes."""

    level: int
    number: int
    hashes: Hashes


def extended(edge: Edge, leaf_hashes: Sequence[bytes]) -> tuple[Edge, list[Tile]]:
    """Return the edge after more leaves, and the newly full tiles, lowest first."""
    size = edge.size + len(leaf_hashes)
    full: list[Tile] = []
    partial: list[Hashes] = []
    new: Sequence[bytes] = leaf_hashes
    level = 0

    while new or level < len(edge.partial):
        before = edge.partial[level] if level < len(edge.partial) else ()
        hashes = (*before, *new)
        first = (edge.size >> (HEIGHT * level)) // WIDTH
        whole = [hashes[at : at + WIDTH] for at in range(0, len(hashes) - WIDTH + 1, WIDTH)]
        full += [Tile(level, first + number, tile) for number, tile in enumerate(whole)]
        partial.append(hashes[WIDTH * len(whole) :])
        new = [root_of(tile) for tile in whole]
        level += 1

    return Edge(size, tuple(partial) or ((),)), full


def edge_at(size: int, read_tile: ReadTile) -> Edge:
    """Return the edge of a tree of a size, read from its tiles."""
    partial: list[Hashes] = []
    level = 0
    while not partial or size >> (HEIGHT * level):
        number, width = divmod(size >> (HEIGHT * level), WIDTH)
        partial.append(read_tile(level, number, width) if width else ())
        level += 1
    return Edge(size, tuple(partial))


# ---- proofs --------------------------------------------------------------------------------------


def pyramid_of(hashes: Hashes) -> Pyramid:
    """Return the hashes of a tile, and the hashes of each height above them in the tile."""
    heights = [hashes]
    while len(heights[-1]) > 1:
        below = heights[-1]
        pairs = zip(below[::2], below[1::2], strict=False)
        heights.append(tuple(node_hash(left, right) for left, right in pairs))
    return tuple(heights)


class Nodes:
    """The nodes of a tree of a size.

    pyramid: takes level, number and width of a tile.
    """

    def __init__(self, size: int, pyramid: ReadPyramid) -> None:
        self._size = size
        self._pyramid = pyramid

    def complete(self, height: int, number: int) -> bytes:
        """Return the root of a complete subtree."""
        level, above = divmod(height, HEIGHT)
        tile, place = divmod(number << above, WIDTH)
        width = tile_width(level, tile, self._size)
        return self._pyramid(level, tile, width)[above][place >> above]

    def over(self, start: int, end: int) -> bytes:
        """Return the root over the leaves from `start` on and before `end`.

        The leaves are a complete subtree, or the right end of a tree of `end` leaves.
        """
        roots: list[bytes] = []
        while start < end:
            height = (end - start).bit_length() - 1
            roots.append(self.complete(height, start >> height))
            start += 1 << height

        root = roots.pop()
        while roots:
            root = node_hash(roots.pop(), root)
        return root


def inclusion(position: int, size: int, nodes: Nodes) -> list[bytes]:
    """Return the inclusion proof of a leaf in a tree of a size (RFC 6962, 2.1.1)."""
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if position < middle:
            path.append(nodes.over(middle, end))
            end = middle
        else:
            path.append(nodes.over(start, middle))
            start = middle
    return path[::-1]


def consistency(old: int, size: int, nodes: Nodes) -> list[bytes]:
    """Return the proof that a tree of a size begins with a tree of an older size (2.1.2).

    0 < old <= size.
    """
    path: list[bytes] = []
    start, end = 0, size
    is_root_known = True
    while old != end:
        middle = start + _split(end - start)
        if old <= middle:
            path.append(nodes.over(middle, end))
            end = middle
        else:
            path.append(nodes.over(start, middle))
            start = middle
            is_root_known = False
    if not is_root_known:
        path.append(nodes.over(start, end))
    return path[::-1]


def root_by_inclusion(
    leaf: bytes, position: int, size: int, proof: Sequence[bytes]
) -> bytes | None:
    """Return the root by a leaf's inclusion proof.

    None: the position is outside of the tree, or the proof has the wrong number of hashes.
    leaf: hash of the leaf.
    """
    if not 0 <= position < size:
        return None
    number, last = position, size - 1
    root = leaf
    for hash_ in proof:
        if last == 0:
            return None
        if number % 2 or number == last:
            root = node_hash(hash_, root)
            while number % 2 == 0 and number:
                number, last = number >> 1, last >> 1
        else:
            root = node_hash(root, hash_)
        number, last = number >> 1, last >> 1
    return root if last == 0 else None


def is_consistent(
    old: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]
) -> bool:
    """Return True if a proof shows that one tree begins with another (RFC 9162, 2.1.4.2)."""
    if not 0 < old <= size:
        return False
    if old == size:
        return not proof and old_root == root

    hashes = list(proof)
    if old & (old - 1) == 0:
        hashes.insert(0, old_root)
    if not hashes:
        return False

    number, last = old - 1, size - 1
    while number % 2:
        number, last = number >> 1, last >> 1

    first = second = hashes[0]
    for hash_ in hashes[1:]:
        if last == 0:
            return False
        if number % 2 or number == last:
            first, second = node_hash(hash_, first), node_hash(hash_, second)
            while number % 2 == 0 and number:
                number, last = number >> 1, last >> 1
        else:
            second = node_hash(second, hash_)
        number, last = number >> 1, last >> 1
    return last == 0 and first == old_root and second == root


def _split(leaves: int) -> int:
    """Return the greatest power of two below a number of leaves."""
    return 1 << ((leaves - 1).bit_length() - 1)
