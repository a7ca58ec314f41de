"""What every journal promises to whoever goes through all commits or all matches."""

from service.journal.keys import partition_of
from service.journal.port import Journal
from service.journal.values import Tombstone
from tests.service.journal.entries import FEED, PARTITIONS, RUNNING, commit, grow, lines


def matches_in_feed(number: int) -> list[str]:
    """Return the first of many names of matches whose commits are in FEED."""
    names = [f"m{index}" for index in range(200)]
    inside = [name for name in names if partition_of(name, PARTITIONS) == FEED]
    return inside[:number]


def match_outside_feed() -> str:
    """Return a match whose commits are in another feed."""
    names = [f"m{index}" for index in range(200)]
    return next(name for name in names if partition_of(name, PARTITIONS) != FEED)


def test_a_feed_tells_the_commits_of_its_partition_in_order(journal: Journal) -> None:
    """A feed holds every commit of its partition once, in order of commit."""
    first, second = matches_in_feed(2)
    order = [(first, 1), (second, 1), (first, 2), (first, 3), (second, 2)]
    for match, version in order:
        commit(journal, match, version)

    commit(journal, match_outside_feed())

    assert lines(journal) == order


def test_a_feed_is_read_on_pages(journal: Journal) -> None:
    """A page begins after the last line of the one before."""
    grow(journal, "m", 5)

    first_page = journal.events.feed(FEED, "", 3)
    end_of_first, _, _ = first_page[-1]
    second_page = journal.events.feed(FEED, end_of_first, 9)
    end_of_second, _, _ = second_page[-1]

    assert [version for _, _, version in first_page] == [1, 2, 3]
    assert [version for _, _, version in second_page] == [4, 5]
    assert journal.events.feed(FEED, end_of_second, 9) == []


def test_a_feed_takes_any_id(journal: Journal) -> None:
    """A match id may hold the sign that a feed puts between match and version."""
    match = "a:7:b"
    commit(journal, match)

    feed = partition_of(match, PARTITIONS)
    assert lines(journal, feed) == [(match, 1)]
    assert journal.index.listing("", None, 9) == [(RUNNING.created, match)]


def test_all_matches_are_told_once(journal: Journal) -> None:
    """Public, private and deleted matches are told, each once, however many commits they have."""
    grow(journal, "public", 1)
    grow(journal, "long", 3)
    grow(journal, "private", 2, visibility="private")
    grow(journal, "deleted", 2)
    journal.lifecycle.delete("deleted", Tombstone(7_000, "ada"))

    matches = list(journal.events.matches())

    assert sorted(matches) == ["deleted", "long", "private", "public"]


def test_matches_of_all_partitions_are_told(journal: Journal) -> None:
    """However they are spread."""
    names = [f"m{number}" for number in range(30)]
    for name in names:
        commit(journal, name)

    matches = list(journal.events.matches())

    assert sorted(matches) == sorted(names)


def test_all_commits_are_counted(journal: Journal) -> None:
    """Of every match, also of one that was deleted."""
    grow(journal, "long", 3)
    grow(journal, "private", 2, visibility="private")
    grow(journal, "deleted", 2)
    journal.lifecycle.delete("deleted", Tombstone(7_000, "ada"))

    assert journal.events.commit_count() == 7


def test_a_feed_of_many_lines_is_read_to_its_end(journal: Journal) -> None:
    """A match that begins after the thousandth line of its partition's feed is told, too."""
    grow(journal, "a:1", 1_001)
    grow(journal, "a:1:b", 1)

    assert sorted(journal.events.matches()) == ["a:1", "a:1:b"]


def test_an_empty_journal_has_no_matches(journal: Journal) -> None:
    """Nothing is told of what was never begun."""
    assert list(journal.events.matches()) == []
    assert journal.events.commit_count() == 0
