"""The port `index`: public matches are listed, and idle ones found.

That listings and counts follow the heads in any run of calls is proven in test_model.py.
"""

from collections.abc import Callable
from itertools import count, islice
from random import Random
from typing import Any

import pytest

from service.journal.keys import partition_of
from service.journal.memory import memory_journal
from service.journal.port import Journal
from tests.service.journal.entries import LATE, PARTITIONS, commit, listed

# ---- listings ------------------------------------------------------------------------------------

MATCHES = 90


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


def test_a_cursor_stays_right_while_matches_come_and_change(journal: Journal) -> None:
    """Between two pages matches open, move on or leave: the second page misses and repeats none."""
    for number in range(6):
        commit(journal, f"m{number}", created=1_000 + number, status="open")
    first_page = journal.index.listing("open", None, 2)
    assert first_page == [(1_005, "m5"), (1_004, "m4")]

    commit(journal, "new", created=2_000, status="open")
    commit(journal, "m4", version=2, created=1_004, status="running")
    commit(journal, "m2", version=2, created=1_002, status="open")
    commit(journal, "m1", version=2, created=1_001, status="aborted")

    second_page = journal.index.listing("open", first_page[-1], 9)
    assert second_page == [(1_003, "m3"), (1_002, "m2"), (1_000, "m0")]


def test_a_listing_of_a_game_holds_its_matches_alone(journal: Journal) -> None:
    """Its pages go on after a cursor, as those of all do."""
    games = ["a", "b", "a", "a2", "a"]
    for number, game in enumerate(games):
        commit(journal, f"m{number}", game=game, created=1_000)

    first_page = journal.index.listing("running", None, 2, "a")
    second_page = journal.index.listing("running", first_page[-1], 2, "a")

    assert first_page == [(1_000, "m4"), (1_000, "m2")]
    assert second_page == [(1_000, "m0")]
    assert listed(journal, "", "chess") == []


# ---- what was written ----------------------------------------------------------------------------


def test_the_fingerprint_of_what_is_written_changes_with_every_write(
    redis_journal: Journal,
) -> None:
    """Reading changes nothing of it; commits and metadata do."""
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
    """To the millisecond. A later commit does not put the look off."""
    commit(journal, updated=3_000)
    commit(journal, version=2, updated=9_000)

    assert journal.index.idle(2_999, 9) == []
    assert journal.index.idle(3_000, 9) == ["m"]


def test_the_longest_idle_come_first(journal: Journal) -> None:
    """As many as are asked for. One that was imported whole has ended, and is never looked at."""
    commit(journal, "a", updated=3_000)
    commit(journal, "b", updated=2_000, status="open")
    commit(journal, "ended", updated=1_000, status="finished")

    assert journal.index.idle(LATE, 9) == ["b", "a"]
    assert journal.index.idle(LATE, 1) == ["b"]


def test_a_look_is_put_off_or_made_the_last(journal: Journal) -> None:
    for match in "abc":
        commit(journal, match, updated=1_000)

    journal.index.look_again({"a": 5_000, "b": None})
    journal.index.look_again({})

    assert journal.index.idle(4_999, 9) == ["c"]
    assert journal.index.idle(5_000, 9) == ["c", "a"]
