"""The Merkle tree against published vectors, the definition of RFC 6962, and another program."""

from collections.abc import Callable
from functools import cache

import pytest
from pymerkle import InmemoryTree, verify_consistency, verify_inclusion

from service.record.tlog import tree

LEAVES = [bytes.fromhex(text) for text in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
)]  # fmt: skip

# The roots over the first leaves, as Certificate Transparency publishes them.
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]

SIZES = [*range(1, 261), *range(505, 530), *range(65_530, 65_545)]
assert len(SIZES) == 300
MOST = max(SIZES)


@cache
def hash_at(position: int) -> bytes:
    return tree.leaf_hash(b"leaf %d" % position)


@cache
def root_over(start: int, end: int) -> bytes:
    """Return the root over some leaves by definition: split at the greatest power of two below."""
    if end - start == 1:
        return hash_at(start)
    middle = start + (1 << ((end - start - 1).bit_length() - 1))
    return tree.node_hash(root_over(start, middle), root_over(middle, end))


@pytest.fixture(scope="module")
def stored() -> dict[tuple[int, int], tree.Hashes]:
    """The widest form of every tile of a log that grows through all sizes."""
    tiles: dict[tuple[int, int], tree.Hashes] = {}
    edge = tree.Edge()
    at = 0
    for size in [*SIZES, MOST]:
        edge, full = tree.extended(edge, [hash_at(number) for number in range(at, size)])
        at = size
        assert edge.root == root_over(0, size), size
        for tile in full:
            tiles[tile.level, tile.number] = tile.hashes
    for level, hashes in enumerate(edge.partial):
        tiles[level, (MOST >> 8 * level) // tree.WIDTH] = hashes
    return tiles


@pytest.fixture(scope="module")
def reader(stored: dict[tuple[int, int], tree.Hashes]) -> tree.ReadTile:
    """Reads tiles, cut to the requested width."""
    return lambda level, number, width: stored[level, number][:width]


@pytest.fixture(scope="module")
def pyramid(reader: tree.ReadTile) -> tree.ReadPyramid:
    """Hashes each tile only once."""
    return cache(lambda level, number, width: tree.pyramid_of(reader(level, number, width)))


def test_roots_are_those_that_are_published() -> None:
    """The roots over 0 to 8 leaves are those of Certificate Transparency's test."""
    hashes = [tree.leaf_hash(leaf) for leaf in LEAVES]
    for size, root in enumerate(ROOTS):
        assert tree.root_of(hashes[:size]).hex() == root
        assert tree.extended(tree.Edge(), hashes[:size])[0].root.hex() == root


@pytest.mark.whole
def test_every_leaf_is_proven_at_300_sizes(pyramid: tree.ReadPyramid) -> None:
    """In large sizes every 397th leaf is proven. A proof has at most one hash for each tree level.

    A proof leads to the root, but not with another leaf or one hash more.
    """
    for size in SIZES:
        nodes = tree.Nodes(size, pyramid)
        root = root_over(0, size)
        for position in {*range(0, size, 1 if size < 1000 else 397), size - 1}:
            proof = tree.inclusion(position, size, nodes)
            assert len(proof) <= (size - 1).bit_length()
            assert tree.root_by_inclusion(hash_at(position), position, size, proof) == root
            assert tree.root_by_inclusion(hash_at(position + 1), position, size, proof) != root
            assert tree.root_by_inclusion(hash_at(position), position, size, [*proof, root]) is None


@pytest.mark.whole
def test_every_pair_of_300_sizes_is_consistent(pyramid: tree.ReadPyramid) -> None:
    """For every seventh pair, another old or new root is refused, too."""
    for size in SIZES:
        nodes = tree.Nodes(size, pyramid)
        root = root_over(0, size)
        for old in (old for old in SIZES if old <= size):
            proof = tree.consistency(old, size, nodes)
            old_root = root_over(0, old)
            assert tree.is_consistent(old, old_root, size, root, proof)
            if (old + size) % 7 == 0:
                assert not tree.is_consistent(old, hash_at(1), size, root, proof)
                assert not tree.is_consistent(old, old_root, size, hash_at(1), proof)
                assert not tree.is_consistent(old, old_root, size, root, [*proof, root])


def test_another_program_builds_the_same_tree(pyramid: tree.ReadPyramid) -> None:
    """Pymerkle has the same roots and proofs of leaves, and proves our roots of earlier sizes."""
    other = InmemoryTree(algorithm="sha256")
    for position in range(300):
        other.append_entry(b"leaf %d" % position)

    for size in (1, 2, 3, 7, 8, 100, 255, 256, 257, 300):
        nodes = tree.Nodes(size, pyramid)
        root = root_over(0, size)
        assert other.get_root(size) == root
        for position in range(0, size, 7):
            theirs = other.prove_inclusion(position + 1, size)
            verify_inclusion(hash_at(position), root, theirs)
            ours = tree.inclusion(position, size, nodes)
            assert [bytes.fromhex(one) for one in theirs.serialize()["path"]][1:] == ours
        for old in range(1, size, 5):
            verify_consistency(root_over(0, old), root, other.prove_consistency(old, size))


@pytest.mark.parametrize("size", SIZES[::7])
def test_the_edge_can_be_read_from_the_tiles(size: int, reader: tree.ReadTile) -> None:
    """The edge is read from stored tiles, so that a log goes on from them."""
    edge = tree.edge_at(size, reader)
    assert edge.root == root_over(0, size)
    assert tree.extended(edge, [hash_at(size)])[0].root == root_over(0, size + 1)


PATHS = [(0, 256, "000"), (67, 256, "067"), (1234067, 256, "x001/x234/067"), (999, 3, "999.p/3"),
         (1000, 255, "x001/000.p/255")]  # fmt: skip


@pytest.mark.parametrize(("number", "width", "path"), PATHS)
def test_paths_are_those_of_c2sp(number: int, width: int, path: str) -> None:
    """A path is written as by C2SP, and read again."""
    assert tree.tile_path(number, width) == path
    assert tree.read_tile_path(path) == (number, width)


NO_PATHS = ["", "1", "0001", "x000/001", "000.p/0", "000.p/256", "000.p/", "x1", "000.p/257",
            "../000", "٣٣٣", "9" * 40, "000.p/01"]  # fmt: skip


@pytest.mark.parametrize("path", NO_PATHS)
def test_no_other_path_is_read(path: str) -> None:
    """Each tile has one path. Other paths are not read."""
    assert tree.read_tile_path(path) is None


def test_a_tile_is_as_wide_as_the_size_says() -> None:
    """A tile is full, partial or missing, as the size of the log demands."""
    width: Callable[[int, int, int], int] = tree.tile_width
    assert [width(0, number, 600) for number in range(4)] == [256, 256, 88, 0]
    assert [width(1, 0, size) for size in (255, 256, 600, 65_536)] == [0, 1, 2, 256]
    assert tree.split(tree.joined([hash_at(1), hash_at(2)])) == (hash_at(1), hash_at(2))
