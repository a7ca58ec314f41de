"""What every journal promises about the listings of public matches."""

import pytest

from service.journal.port import Journal
from service.journal.values import STATUSES
from tests.service.journal.entries import commit, listed


def pages(journal: Journal, size: int) -> list[tuple[int, str]]:
    """Return a whole listing, read page by page with its cursor.

    It ends even if the cursor stands still.
    """
    page = journal.listing("", None, size)
    found = list(page)
    while page and len(found) < 100:
        page = journal.listing("", page[-1], size)
        found += page
    return found


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_a_listing_is_newest_first_on_pages_of_any_size(journal: Journal, size: int) -> None:
    """Every public match is on exactly one page, newest first; ties go by id, downwards too."""
    opened = [(5_000 + number // 4, f"m{number}") for number in range(20)]
    for time, match in opened:
        commit(journal, match, created=time)
    assert pages(journal, size) == sorted(opened, reverse=True)


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


def test_a_cursor_stays_right_while_matches_come_and_change(journal: Journal) -> None:
    """Between two pages matches open, move on or leave: the second page misses and repeats none."""
    for number in range(6):
        commit(journal, f"m{number}", created=1_000 + number, status="open")
    first_page = journal.listing("open", None, 2)
    assert first_page == [(1_005, "m5"), (1_004, "m4")]

    commit(journal, "new", created=2_000, status="open")
    commit(journal, "m4", version=2, created=1_004, status="running")
    commit(journal, "m2", version=2, created=1_002, status="open")
    commit(journal, "m1", version=2, created=1_001, status="aborted")

    second_page = journal.listing("open", first_page[-1], 9)
    assert second_page == [(1_003, "m3"), (1_002, "m2"), (1_000, "m0")]


def test_a_private_match_is_not_listed(journal: Journal) -> None:
    """A private match is in no listing, and leaves them when it becomes private."""
    commit(journal, "a", visibility="private", status="open")
    commit(journal, "b", visibility="public", status="open")
    commit(journal, "c", visibility="private", status="open")
    commit(journal, "c", version=2, visibility="public", status="running")
    commit(journal, "b", version=2, visibility="private", status="running")

    assert listed(journal, "") == ["c"]
    assert listed(journal, "open") == []
    assert listed(journal, "running") == ["c"]


def test_an_imported_match_is_listed_by_the_time_of_its_import(journal: Journal) -> None:
    """The time of the import comes back; lists order by it instead of by what the record tells."""
    commit(journal, "future", created=9_000, imported=4_000)
    commit(journal, "played", created=5_000)

    head = journal.head("future")
    assert head is not None
    assert head.imported == 4_000
    assert head.created == 9_000
    assert head.listed == 4_000

    for status in ("", "running"):
        for game in ("", "calimala"):
            page = journal.listing(status, None, 9, game)
            assert page == [(5_000, "played"), (4_000, "future")]


@pytest.mark.parametrize(
    ("status", "matches"),
    [
        ("", ["m2", "m0"]),
        ("open", ["m0"]),
        ("running", ["m2"]),
    ],
)
def test_a_listing_of_a_game_holds_its_matches_alone(
    journal: Journal, status: str, matches: list[str]
) -> None:
    """Each game has listings of its own, for all and by status, that follow its matches."""
    for number, game in enumerate(["calimala", "firenze", "calimala", "calimala2"]):
        commit(journal, f"m{number}", game=game, status="open", created=1_000 + number)
    commit(journal, "m2", version=2, game="calimala", status="running", created=1_002)

    assert listed(journal, status, "calimala") == matches
    assert listed(journal, status, "chess") == []


def test_a_listing_of_a_game_goes_on_after_a_cursor(journal: Journal) -> None:
    """Pages of a game are as exact as those of all."""
    for number in range(6):
        game = "a" if number % 2 == 0 else "b"
        commit(journal, f"m{number}", game=game, created=1_000)

    first_page = journal.listing("running", None, 2, "a")
    second_page = journal.listing("running", first_page[-1], 2, "a")
    assert first_page == [(1_000, "m4"), (1_000, "m2")]
    assert second_page == [(1_000, "m0")]


def test_public_matches_are_counted_by_status(journal: Journal) -> None:
    """Each public match counts under its present status; private ones do not count."""
    assert journal.listed_counts() == dict.fromkeys(STATUSES, 0)

    statuses = ["open", "open", "running", "finished", "aborted", "finished", "finished"]
    for number, status in enumerate(statuses):
        commit(journal, f"m{number}", status=status)
    commit(journal, "private", status="open", visibility="private")
    commit(journal, "m0", version=2, status="running")

    assert journal.listed_counts() == {"open": 1, "running": 2, "finished": 3, "aborted": 1}
