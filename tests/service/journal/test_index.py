"""The port `index`: public matches are listed, and idle ones found."""

from collections.abc import Callable
from itertools import count, islice
from random import Random
from typing import Any

import pytest

from service.journal.keys import partition_of
from service.journal.memory import memory_journal
from service.journal.port import Journal
from service.journal.values import STATUSES
from tests.service.journal.entries import LATE, PARTITIONS, commit, listed

# ---- listings ------------------------------------------------------------------------------------


MATCHES = 90


def pages(journal: Journal, size: int) -> list[tuple[int, str]]:
    """Return a whole listing, read page by page with its cursor.

    It ends even if the cursor stands still.
    """
    page = journal.index.listing("", None, size)
    found = list(page)
    while page and len(found) < 100:
        page = journal.index.listing("", page[-1], size)
        found += page
    return found


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_a_listing_is_newest_first_on_pages_of_any_size(journal: Journal, size: int) -> None:
    """Every public match is on exactly one page, newest first; ties go by id, downwards too."""
    opened = [(5_000 + number // 4, f"m{number}") for number in range(20)]
    for time, match in opened:
        commit(journal, match, created=time)

    newest_first = sorted(opened, reverse=True)
    assert pages(journal, size) == newest_first


def in_partition(partition: int) -> list[str]:
    """Return ids of matches that all lie in one partition."""
    ids = (f"m{number}" for number in count())
    found = (match for match in ids if partition_of(match, PARTITIONS) == partition)
    return list(islice(found, MATCHES))


# How matches lie in partitions and in time: an id and a time for each number, from the oldest on.
SPREADS: dict[str, Callable[[int], tuple[str, int]]] = {
    "even": lambda number: (f"m{number}", 1_000 + number),
    "in one partition": lambda number: (in_partition(3)[number], 1_000 + number),
    "newest in one partition": lambda number: (
        in_partition(3)[number] if number > 40 else f"n{number}",
        1_000 + number,
    ),
    "at one time": lambda number: (f"m{number}", 1_000),
    "at one time in one partition": lambda number: (in_partition(3)[number], 1_000),
}


@pytest.mark.parametrize("spread", SPREADS.values(), ids=SPREADS)
def test_a_page_holds_exactly_the_newest(
    journal: Journal, spread: Callable[[int], tuple[str, int]]
) -> None:
    """However matches lie in partitions and in time, after any cursor, on pages of any size."""
    opened = [spread(number) for number in range(MATCHES)]
    Random(1).shuffle(opened)
    for match, time in opened:
        commit(journal, match, created=time)

    newest_first = sorted(((time, match) for match, time in opened), reverse=True)
    for after in (0, 1, 30, 88):
        cursor = newest_first[after - 1] if after else None
        for size in (1, 2, 17, 50, 200):
            page = journal.index.listing("running", cursor, size)
            assert page == newest_first[after : after + size]


@pytest.fixture
def six_open(journal: Journal) -> Journal:
    """A journal with the open matches "m0" to "m5", each opened one millisecond after the other."""
    for number in range(6):
        commit(journal, f"m{number}", created=1_000 + number, status="open")
    return journal


@pytest.mark.parametrize("status", STATUSES)
def test_a_listing_follows_the_status(journal: Journal, status: str) -> None:
    """A match is listed under the status of its last commit alone, and under all."""
    commit(journal, "m", status="open")
    commit(journal, "m", version=2, status=status)

    assert listed(journal, "") == ["m"]
    assert listed(journal, status) == ["m"]

    for other in STATUSES:
        if other != status:
            assert listed(journal, other) == []


def test_a_cursor_stays_right_while_matches_come_and_change(six_open: Journal) -> None:
    """Between two pages matches open, move on or leave: the second page misses and repeats none."""
    first_page = six_open.index.listing("open", None, 2)
    assert first_page == [(1_005, "m5"), (1_004, "m4")]

    commit(six_open, "new", created=2_000, status="open")
    commit(six_open, "m4", version=2, created=1_004, status="running")
    commit(six_open, "m2", version=2, created=1_002, status="open")
    commit(six_open, "m1", version=2, created=1_001, status="aborted")

    second_page = six_open.index.listing("open", first_page[-1], 9)
    assert second_page == [(1_003, "m3"), (1_002, "m2"), (1_000, "m0")]


def test_a_private_match_is_not_listed(journal: Journal) -> None:
    """Neither under all nor under its status."""
    commit(journal, visibility="private", status="open")

    assert listed(journal, "") == []
    assert listed(journal, "open") == []


def test_a_match_that_becomes_private_leaves_the_listings(journal: Journal) -> None:
    """It is neither under its old status nor under its new one."""
    commit(journal, visibility="public", status="open")
    commit(journal, version=2, visibility="private", status="running")

    assert listed(journal, "") == []
    assert listed(journal, "open") == []
    assert listed(journal, "running") == []


def test_a_match_that_becomes_public_is_listed(journal: Journal) -> None:
    """It is under all and under its new status."""
    commit(journal, visibility="private", status="open")
    commit(journal, version=2, visibility="public", status="running")

    assert listed(journal, "") == ["m"]
    assert listed(journal, "open") == []
    assert listed(journal, "running") == ["m"]


def test_a_head_tells_when_its_match_was_imported(journal: Journal) -> None:
    """The time of the import comes back, beside that at which the match was opened."""
    commit(journal, created=9_000, imported=4_000)

    head = journal.events.head("m")
    assert head is not None
    assert head.imported == 4_000
    assert head.created == 9_000
    assert head.listed == 4_000


@pytest.mark.parametrize("game", ["", "calimala"])
@pytest.mark.parametrize("status", ["", "running"])
def test_an_imported_match_is_listed_by_the_time_of_its_import(
    journal: Journal, status: str, game: str
) -> None:
    """Lists do not order by what the record tells of the opening."""
    commit(journal, "future", created=9_000, imported=4_000)
    commit(journal, "played", created=5_000)

    page = journal.index.listing(status, None, 9, game)

    assert page == [(5_000, "played"), (4_000, "future")]


@pytest.fixture
def of_many_games(journal: Journal) -> Journal:
    """A journal with open matches of three games, and a running one of Calimala, "m2"."""
    for number, game in enumerate(["calimala", "firenze", "calimala", "calimala2"]):
        commit(
            journal,
            f"m{number}",
            game=game,
            status="open",
            created=1_000 + number,
        )

    commit(
        journal,
        "m2",
        version=2,
        game="calimala",
        status="running",
        created=1_002,
    )
    return journal


@pytest.mark.parametrize(
    ("status", "matches"),
    [
        ("", ["m2", "m0"]),
        ("open", ["m0"]),
        ("running", ["m2"]),
    ],
)
def test_a_listing_of_a_game_holds_its_matches_alone(
    of_many_games: Journal, status: str, matches: list[str]
) -> None:
    """Each game has listings of its own, for all and by status, that follow its matches."""
    assert listed(of_many_games, status, "calimala") == matches


def test_a_game_without_matches_has_an_empty_listing(of_many_games: Journal) -> None:
    """Nobody has played chess here."""
    assert listed(of_many_games, "", "chess") == []


def test_a_listing_of_a_game_goes_on_after_a_cursor(journal: Journal) -> None:
    """Pages of a game are as exact as those of all."""
    for number in range(6):
        game = "a" if number % 2 == 0 else "b"
        commit(journal, f"m{number}", game=game, created=1_000)

    first_page = journal.index.listing("running", None, 2, "a")
    second_page = journal.index.listing("running", first_page[-1], 2, "a")

    assert first_page == [(1_000, "m4"), (1_000, "m2")]
    assert second_page == [(1_000, "m0")]


def test_public_matches_are_counted_by_status(journal: Journal) -> None:
    """Each public match counts under its status; private ones do not count."""
    statuses = ["open", "running", "finished", "aborted", "finished", "finished"]
    for number, status in enumerate(statuses):
        commit(journal, f"m{number}", status=status)

    commit(journal, "private", status="open", visibility="private")

    assert journal.index.listed_counts() == {
        "open": 1,
        "running": 1,
        "finished": 3,
        "aborted": 1,
    }


def test_a_match_counts_under_its_present_status(journal: Journal) -> None:
    """It counts no more under the one before."""
    commit(journal, status="open")
    commit(journal, version=2, status="running")

    counts = journal.index.listed_counts()
    assert counts["open"] == 0
    assert counts["running"] == 1


def test_an_empty_journal_counts_none(journal: Journal) -> None:
    """Every status is told all the same."""
    assert journal.index.listed_counts() == dict.fromkeys(STATUSES, 0)


def test_the_fingerprint_of_what_is_written_changes_with_every_write(
    redis_journal: Journal,
) -> None:
    """Reading changes nothing of it; commits, metadata and deletions do."""
    fingerprints = [redis_journal.index.written()]
    commit(redis_journal, "m")
    fingerprints.append(redis_journal.index.written())
    redis_journal.metadata.put("m", {"name:0": "x"})
    fingerprints.append(redis_journal.index.written())
    redis_journal.index.listing("", None, 5)
    redis_journal.events.tail("m", 0, "")

    assert "" not in fingerprints
    assert len(set(fingerprints)) == len(fingerprints)
    assert redis_journal.index.written() == fingerprints[-1]


def test_a_fingerprint_does_not_come_again_when_the_server_saves(
    client: Any, redis_journal: Journal
) -> None:
    """Its count of changes begins anew, and two saves may be within a second."""
    fingerprints = []
    for number in range(5):
        client.save()
        client.set("key", number)
        fingerprints.append(redis_journal.index.written())

    assert len(set(fingerprints)) == len(fingerprints)


def test_memory_has_no_fingerprint_of_what_was_written() -> None:
    """So no reader takes an equal one for a promise."""
    assert memory_journal().index.written() == ""


# ---- idle matches --------------------------------------------------------------------------------


def test_a_match_is_due_for_a_look_from_its_first_commit_on(journal: Journal) -> None:
    """It is told from the very millisecond on."""
    commit(journal, updated=3_000)

    assert journal.index.idle(2_999, 9) == []
    assert journal.index.idle(3_000, 9) == ["m"]


def test_the_longest_idle_come_first(journal: Journal) -> None:
    """As many as are asked for."""
    commit(journal, "a", updated=3_000)
    commit(journal, "b", updated=2_000, status="open")

    assert journal.index.idle(LATE, 9) == ["b", "a"]
    assert journal.index.idle(LATE, 1) == ["b"]


def test_a_later_commit_does_not_put_the_look_off(journal: Journal) -> None:
    """Only the first commit touches the idle index."""
    commit(journal, updated=3_000)
    commit(journal, version=2, updated=9_000)

    assert journal.index.idle(2_999, 9) == []
    assert journal.index.idle(3_000, 9) == ["m"]


def test_an_ended_match_is_never_looked_at(journal: Journal) -> None:
    """One that was imported whole has ended at its first commit."""
    commit(journal, status="finished")

    assert journal.index.idle(LATE, 9) == []


def test_a_look_is_put_off_or_made_the_last(journal: Journal) -> None:
    """`look_again` moves a match to another time, or out of the index."""
    for match in "abc":
        commit(journal, match, updated=1_000)

    journal.index.look_again({"a": 5_000, "b": None})
    journal.index.look_again({})

    assert journal.index.idle(4_999, 9) == ["c"]
    assert journal.index.idle(5_000, 9) == ["c", "a"]
