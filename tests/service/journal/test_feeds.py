"""What every journal promises to whoever goes through all commits or all matches."""

from service.journal.keys import partition_of
from service.journal.port import Journal
from service.journal.values import Tombstone
from tests.service.journal.entries import FEED, PARTITIONS, RUNNING, commit, grow, lines


def two_of_one_feed_and_a_stranger() -> tuple[str, str, str]:
    """Return two matches whose commits are in FEED, and one whose commits are in another feed."""
    names = [f"m{number}" for number in range(200)]
    inside = [name for name in names if partition_of(name, PARTITIONS) == FEED]
    outside = [name for name in names if partition_of(name, PARTITIONS) != FEED]
    return inside[0], inside[1], outside[0]


def test_a_feed_tells_the_commits_of_its_partition_in_order(journal: Journal) -> None:
    """A feed holds every commit of its partition once, in order of commit, on pages."""
    first, second, stranger = two_of_one_feed_and_a_stranger()
    order = [(first, 1), (second, 1), (first, 2), (first, 3), (second, 2)]
    for match, version in order:
        commit(journal, match, version)
    commit(journal, stranger)

    first_page = journal.feed(FEED, "", 3)
    second_page = journal.feed(FEED, first_page[-1][0], 9)
    assert [line[1:] for line in first_page] == order[:3]
    assert [line[1:] for line in second_page] == order[3:]
    assert journal.feed(FEED, second_page[-1][0], 9) == []


def test_a_feed_takes_any_id(journal: Journal) -> None:
    """A match id may hold the sign that a feed puts between match and version."""
    commit(journal, "a:7:b")
    assert lines(journal, partition_of("a:7:b", PARTITIONS)) == [("a:7:b", 1)]
    assert journal.listing("", None, 9) == [(RUNNING.created, "a:7:b")]


def test_all_matches_are_told_once(journal: Journal) -> None:
    """Public, private and deleted matches are told, each once, however many commits they have."""
    versions = {f"m{number}": 1 + number % 3 for number in range(30)}
    for number, name in enumerate(versions):
        visibility = "public" if number % 2 else "private"
        grow(journal, name, versions[name], visibility=visibility)
    journal.delete("m7", Tombstone(7_000, "ada"))

    assert sorted(journal.matches()) == sorted(versions)
    assert journal.commit_count() == sum(versions.values())


def test_a_feed_of_many_lines_is_read_to_its_end(journal: Journal) -> None:
    """A match that begins after the thousandth line of its partition's feed is told, too."""
    grow(journal, "a:1", 1_001)
    grow(journal, "a:1:b", 1)
    assert sorted(journal.matches()) == ["a:1", "a:1:b"]


def test_an_empty_journal_has_no_matches(journal: Journal) -> None:
    """Nothing is told of what was never begun."""
    assert list(journal.matches()) == []
    assert journal.commit_count() == 0
