"""A packed match comes out as it went in, byte for byte, for ever. Damage is noticed."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from domain.games import RULES
from service.record.commit import canonical
from service.store.archive import packing
from service.store.archive.packing import NotReadable, pack, read_header, unpack
from service.store.journal.values import Whole
from tests.service.store.archive.conftest import golden

IDS = {"seat:0:key": (3, "f:1"), "open": (1, "")}
PACKED = sorted((Path(__file__).parent / "packed").glob("*.zst"))

# With a lobby, an abort, stand-ins, a bound match, a typed-in board, the fewest and most seats.
RECORDS = {
    "calimala": ["1-3-00", "1-4-bound-09", "1-5-03"],
    "firenze": ["1-2-bound-00", "1-3-09", "1-4-07"],
}
NAMES = [f"{game}/{name}" for game, names in RECORDS.items() for name in names]
MOST_BYTES = {"calimala": 18, "firenze": 30}  # a commit


@pytest.mark.parametrize("name", NAMES)
def test_a_match_comes_out_as_it_went_in_and_is_small(name: str) -> None:
    """Every byte of every commit follows from the rows, in few bytes a commit."""
    match, commits = golden(name)
    packed_bytes = pack(match, Whole(commits, IDS))

    header = read_header(packed_bytes)
    assert (header.match, header.commits, header.form) == (match, len(commits), "rows")
    assert unpack(packed_bytes) == Whole(commits, IDS)
    assert len(packed_bytes) / len(commits) < MOST_BYTES[name.partition("/")[0]]


@pytest.mark.parametrize("name", ["calimala/1-3-bound-03", "firenze/1-2-bound-03"])
def test_a_fork_is_packed_as_rows(name: str) -> None:
    """M21: its embedded state is in its events, and all else follows from them."""
    match, commits = golden(f"forks/{name}")
    packed_bytes = pack(match, Whole(commits, IDS))

    assert read_header(packed_bytes).form == "rows"
    assert unpack(packed_bytes) == Whole(commits, IDS)


@pytest.mark.parametrize("name", ["calimala/1-3", "firenze/1-2"])
def test_a_signed_match_is_packed_as_rows(name: str) -> None:
    """M18: signatures are kept beside the messages, public and hidden ones. All else follows."""
    match, commits = golden(f"signed/{name}")
    packed_bytes = pack(match, Whole(commits, IDS))

    assert read_header(packed_bytes).form == "rows"
    assert unpack(packed_bytes) == Whole(commits, IDS)


@pytest.mark.parametrize("path", PACKED, ids=lambda path: path.name)
def test_files_of_the_first_packing_release_stay_readable(path: Path) -> None:
    """These files were packed by the first release with an archive. They never change."""
    unpacked = unpack(path.read_bytes())
    digest = hashlib.sha256(b"\n".join(unpacked.commits)).hexdigest()

    assert f".{digest[:16]}." in path.name
    assert read_header(path.read_bytes()).form == "rows"


def test_matches_are_packed_under_all_rules_with_a_dictionary() -> None:
    rules = {path.name.partition(".")[0].rpartition("-")[0] for path in PACKED}
    assert rules == {name.replace("/", "-") for name in packing.NEWEST}
    assert len(rules) >= 2


Change = Callable[[dict[str, Any]], object]

# Changes of a stored commit after which it does not follow from the rest.
NOT_DERIVED: dict[str, Change] = {
    "view": lambda stored: stored["commit"].update(view="ab" * 32),
    "prev": lambda stored: stored["commit"].update(prev="ab" * 32),
    "hash": lambda stored: stored.update(hash="ab" * 32),
    "version": lambda stored: stored["commit"].update(version=700),
    "time": lambda stored: stored["commit"].update(time="2026-01-01T00:00:00.123456Z"),
    "more": lambda stored: stored["commit"].update(more=1),
    "digest": lambda stored: stored["commit"]["secrets"].update(house="ab" * 32),
    "events": lambda stored: stored["commit"].update(events=[{"type": "unknown"}]),
}


def test_a_salt_that_does_not_follow_is_stored() -> None:
    """A salt that cannot be derived is stored, and comes back."""
    match, commits = golden("calimala/1-3-bound-09")
    stored = orjson.loads(commits[0])
    stored["secrets"]["house"]["salt"] = "ab" * 32
    commits[0] = canonical(stored)

    assert unpack(pack(match, Whole(commits, {}))).commits == commits


@pytest.mark.parametrize("change", NOT_DERIVED.values(), ids=NOT_DERIVED)
@pytest.mark.parametrize("place", [0, 40])
def test_underivable_values_are_stored_whole(change: Change, place: int) -> None:
    """A match with a value that cannot be derived is stored whole, and comes back unchanged."""
    match, commits = golden("calimala/1-3-bound-09")
    stored = orjson.loads(commits[place])
    change(stored)
    commits[place] = canonical(stored)
    packed_bytes = pack(match, Whole(commits, IDS))

    assert read_header(packed_bytes).form == "whole"
    assert unpack(packed_bytes) == Whole(commits, IDS)


def test_thoughts_of_bots_are_unpacked_with_the_match() -> None:
    """A match packed without thoughts has none once it is unpacked."""
    match, commits = golden("calimala/1-3-bound-09")
    thoughts = [b'{"version":2,"best":[{"win_chance":0.417}]}', b'{"version":3}']

    packed_bytes = pack(match, Whole(commits, IDS, thoughts))

    assert unpack(packed_bytes) == Whole(commits, IDS, thoughts)
    assert read_header(packed_bytes).form == "rows"
    assert unpack(pack(match, Whole(commits, IDS))).thoughts == []


def test_rules_that_are_not_known_are_no_obstacle() -> None:
    """A match of a game that is not here is packed whole."""
    match, commits = golden("calimala/1-3-bound-09")
    commits = [one.replace(b"calimala/1", b"settignano/3") for one in commits]
    packed_bytes = pack(match, Whole(commits, {}))

    assert read_header(packed_bytes).dictionary == ""
    assert unpack(packed_bytes).commits == commits


@pytest.fixture
def whole() -> bytes:
    """A packed match."""
    match, commits = golden("calimala/1-3-bound-09")
    return pack(match, Whole(commits, IDS))


def test_a_release_with_another_view_names_one_that_can_read(
    whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of the view cannot make the view digests. The error names the release."""
    game = RULES["calimala/1"]
    monkeypatch.setitem(RULES, "calimala/1", replace(game, view_version=game.view_version + 1))

    with pytest.raises(NotReadable, match=r"version 1, .* version 2. It was packed by Giornale 0"):
        unpack(whole)


def test_a_missing_dictionary_is_named(whole: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the dictionary that this release lacks."""
    packing.dictionary.cache_clear()
    monkeypatch.setattr(packing, "HOME", Path("/nowhere"))

    with pytest.raises(NotReadable, match="this release has no dictionary calimala-1-7fe16fc1"):
        unpack(whole)


def test_a_later_layout_is_refused(whole: bytes) -> None:
    """A file of a later layout is refused, and its content is not guessed."""
    later = whole.replace(b'"layout":1', b'"layout":2')
    with pytest.raises(NotReadable, match="it has layout 2, and this program reads layout 1"):
        unpack(later)


@pytest.mark.whole
def test_no_damaged_byte_changes_a_commit(whole: bytes) -> None:
    """Each changed byte gives an error or the same commits, and each cut file gives an error.

    The marker in the journal has the file's SHA-256, so damaged ids of commands are noticed, too.
    """
    expected = unpack(whole)
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x15
        with suppress(NotReadable):
            assert unpack(bytes(damaged)).commits == expected.commits

        with pytest.raises(NotReadable):
            unpack(whole[:place])


def test_every_dictionary_has_the_hash_in_its_name() -> None:
    """Each dictionary fits the hash in its name. The dictionaries for new matches exist."""
    for path in packing.HOME.iterdir():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert path.suffix == packing.SUFFIX
        assert path.stem.endswith(f"-{digest[:8]}")

    for rules, name in packing.NEWEST.items():
        assert packing.path_of(name).exists()
        assert name.startswith(rules.replace("/", "-"))
