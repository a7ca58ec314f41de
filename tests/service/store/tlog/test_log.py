"""The log as it is read: entries, tiles, proofs and positions, at any size."""

import struct

import orjson
import pytest

from service.record.commit import milliseconds
from service.record.tlog import tree
from service.record.tlog.tree import WIDTH
from service.store.tlog.entries import LogUnavailable, NotIndexed
from service.store.tlog.log import Log
from tests.service.store.tlog.conftest import START, House, run_out


def test_an_empty_log_says_so(house: House) -> None:
    """An empty log has no entry, no tile and no checkpoint."""
    assert (house.log.size(), house.log.checkpoint()) == (0, b"")
    assert house.log.entries(0, 10) == []
    assert house.log.tile(0, 0, 1) is None
    assert house.log.bundle(0, 1) is None
    assert house.log.position("ab" * 32) is None


def test_an_entry_names_only_public_facts(house: House) -> None:
    """A leaf names a commit of a public match. The leaf of a private one has only its hash.

    Data for a private match's players is in no bundle.
    """
    house.commit("m")
    house.commit("m", status="ended")
    house.commit("p", private=True)
    run_out(house.sequencer())

    entries = {entry.hash: entry for entry in house.log.entries(0, 10)}
    hashes = list(house.made.values())
    first, second, private = (entries[one] for one in hashes)
    assert orjson.loads(first.leaf) == {"hash": hashes[0], "match": "m", "version": 1}
    assert first.leaf == orjson.dumps(orjson.loads(first.leaf), option=orjson.OPT_SORT_KEYS)
    assert (second.match, second.version, second.hash) == ("m", 2, hashes[1])
    assert (second.game, second.status) == ("toy", "ended")
    assert START <= milliseconds(first.time) < milliseconds(second.time)

    assert private.leaf == b'{"hash":"%s"}' % hashes[2].encode()
    assert house.log.bundle(0, 3) is not None
    assert b'"p"' not in house.log.bundle(0, 3)  # type: ignore[operator]
    assert (private.match, private.version, private.game) == ("p", 1, "toy")
    assert [entry.is_private for entry in (first, second, private)] == [False, False, True]


def test_the_line_of_an_ended_match_says_finished(house: House) -> None:
    """The stored line says `finished`, as in the first release. The log says `ended`."""
    house.commit("m", status="ended")
    run_out(house.sequencer())

    [line] = house.journal.order.decided(0, 1) or []
    assert line.endswith(b"|toy|finished")
    assert [entry.status for entry in house.log.entries(0, 1)] == ["ended"]


def test_pages_are_the_same_however_they_are_cut(house: House) -> None:
    """Pages across bundles and beyond the end hold the same entries as one page."""
    house.fill(2 * WIDTH + 40)
    run_out(house.sequencer())

    whole = house.log.entries(0, 10_000)
    assert [entry.position for entry in whole] == list(range(2 * WIDTH + 40))
    for after, limit in [(0, 1), (255, 2), (256, 256), (100, 500), (500, 100), (551, 9), (552, 9)]:
        assert house.log.entries(after, limit) == whole[after : after + limit]


def test_tiles_and_bundles_are_those_of_c2sp(house: House) -> None:
    """Full and partial tiles and bundles are right. Beyond the checkpoint there are none."""
    house.fill(3 * WIDTH + 10)
    run_out(house.sequencer())
    leaves = [entry.leaf for entry in house.log.entries(0, 10_000)]
    hashes = list(map(tree.leaf_hash, leaves))

    for number, width in [(0, 256), (2, 256), (3, 10), (3, 4), (1, 7)]:
        start = number * WIDTH
        assert house.log.tile(0, number, width) == b"".join(hashes[start : start + width])
        some = leaves[start : start + width]
        framed = b"".join(struct.pack(">H", len(leaf)) + leaf for leaf in some)
        assert house.log.bundle(number, width) == framed
    roots = [tree.root_of(hashes[at : at + WIDTH]) for at in range(0, 3 * WIDTH, WIDTH)]
    assert house.log.tile(1, 0, 3) == b"".join(roots)
    assert house.log.tile(1, 0, 2) == b"".join(roots[:2])

    for level, number, width in [
        (0, 3, 11),
        (0, 4, 1),
        (1, 0, 4),
        (2, 0, 1),
        (0, 0, 0),
        (0, 0, 257),
    ]:
        assert house.log.tile(level, number, width) is None


def test_every_entry_and_every_earlier_size_is_proven(house: House) -> None:
    """At the size of each earlier checkpoint every entry before it is proven."""
    sequencer = house.sequencer()
    sizes = []
    for more in (1, 2, 250, 3, 10, 300, 1):
        house.fill(more)
        run_out(sequencer)
        sizes.append(house.log.size())

    hashes = [tree.leaf_hash(entry.leaf) for entry in house.log.entries(0, 10_000)]
    for size in sizes:
        root = house.log.root(size)
        assert root == tree.root_of(hashes[:size])
        for position in range(size):
            proof = house.log.inclusion(position, size)
            assert tree.root_by_inclusion(hashes[position], position, size, proof) == root
        for old in (one for one in sizes if one <= size):
            old_root = tree.root_of(hashes[:old])
            proof = house.log.consistency(old, size)
            assert tree.is_consistent(old, old_root, size, root, proof)


def test_positions_are_found_by_hash(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits are found by hash, even private ones. An unfinished index raises NotIndexed."""
    house.fill(2 * WIDTH + 9)
    run_out(house.sequencer())
    entries = house.log.entries(0, 10_000)
    assert [house.log.position(entry.hash) for entry in entries] == list(range(2 * WIDTH + 9))
    assert house.log.position("ab" * 32) is None

    other = Log(house.journal.order, house.files, house.root / "other.index")
    monkeypatch.setattr("service.store.tlog.log._BUNDLES_AT_ONCE", 1)
    with pytest.raises(NotIndexed):
        other.position(entries[-1].hash)
    assert other.known([entries[-1].hash, "cd" * 32]) == {entries[-1].hash}
    assert other.position(entries[-1].hash) == 2 * WIDTH + 8


@pytest.mark.parametrize("is_key_kept", [False, True], ids=["another key", "the same key"])
def test_the_index_of_another_log_is_begun_anew(house: House, *, is_key_kept: bool) -> None:
    """The index begins again if its directory is used for another journal.

    If the key is the same, the index is ahead of the log.
    """
    house.fill(10)
    run_out(house.sequencer())
    [first] = house.log.entries(0, 1)
    assert house.log.position(first.hash) == 0

    new = House(house.root / "new")
    if is_key_kept:
        new.signer = house.signer
    next(new.ticks)  # so that its commits are others
    new.fill(3)
    new.log = Log(new.journal.order, new.files, house.root / "log.index")
    run_out(new.sequencer())
    assert new.log.position(first.hash) is None
    assert [new.log.position(entry.hash) for entry in new.log.entries(0, 9)] == [0, 1, 2]


def test_a_damaged_index_is_made_again(house: House) -> None:
    """The first query finds the damage, removes the index and fails. The next makes it again."""
    (house.root / "log.index").write_bytes(b"no database" * 999)
    house.fill(3)
    run_out(house.sequencer())
    [first] = house.log.entries(0, 1)

    with pytest.raises(LogUnavailable):
        house.log.position(first.hash)
    assert house.log.position(first.hash) == 0


def test_an_index_that_is_removed_while_it_is_open_is_made_again(house: House) -> None:
    """If an open index is removed, all its users go on with a new one."""
    other = Log(house.journal.order, house.files, house.root / "log.index")
    house.fill(3)
    run_out(house.sequencer())
    [first] = house.log.entries(0, 1)
    assert [log.position(first.hash) for log in (house.log, other)] == [0, 0]

    (house.root / "log.index").unlink()
    assert house.log.position(first.hash) == 0
    assert (house.root / "log.index").exists()
    assert other.position(first.hash) == 0
