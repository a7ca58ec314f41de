"""Cases beyond a single run of calls: racing appenders, ends of feeds, bounds, generations.

test_model.py has consequences of any run, and test_refusals.py refusals.
"""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from service.store.journal.errors import Conflict
from service.store.journal.ports import Journal
from service.store.journal.values import MOST_THOUGHTS, Generation, GoneBack
from tests.service.store.journal.entries import (
    FEED,
    PARTITIONS,
    commit,
    entry,
    grow,
)

# ---- append --------------------------------------------------------------------------------------


def commands_of(thread: int) -> list[str]:
    """Return the commands that one of the racing threads appends."""
    return [f"{thread}-{number}" for number in range(25)]


def press_commands(journal: Journal, thread: int) -> None:
    """Append a thread's commands, trying each as often as it takes."""
    for command in commands_of(thread):
        head = journal.events.head("m")
        version = head.version + 1 if head else 1

        while True:
            new = entry(version=version, command_id=command, commit_bytes=command.encode())
            try:
                journal.events.append(new)
                break
            except Conflict as conflict:
                version = conflict.version + 1


def test_racing_appenders_leave_no_gap_and_no_double(journal: Journal) -> None:
    """Eight threads retry after conflicts: the stream holds each command once, in a chain.

    Of sixteen copies of one command one is appended, and all are answered with its version.
    """
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda thread: press_commands(journal, thread), range(8)))

    commits = journal.events.read("m")
    pressed = [command.encode() for thread in range(8) for command in commands_of(thread)]
    assert Counter(commits) == Counter(pressed)

    versions = [journal.events.version_made("m", command.decode(), "") for command in commits]
    assert versions == list(range(1, 201))

    head = journal.events.head("m")
    assert head is not None
    assert (head.version, head.hash) == (200, "h200")

    command = entry("n", command_id="c", fingerprint="f")

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(journal.events.append, [command] * 16))

    repeated = [answer.repeated for answer in answers]
    assert repeated.count(False) == 1
    assert {answer.version for answer in answers} == {1}
    assert journal.events.read("n") == [command.commit_bytes]


# ---- feeds ---------------------------------------------------------------------------------------


def test_the_ends_are_the_last_lines_of_the_feeds(journal: Journal) -> None:
    """Each partition with commits has the last line of its feed as its end."""
    for number in range(5):
        grow(journal, f"m{number}", 3)

    ends = journal.events.feed_ends({})

    assert ends.missing == frozenset()
    for partition in range(PARTITIONS):
        feed = journal.events.feed(partition, "", 100)
        assert ends.last.get(partition) == (feed[-1] if feed else None)


def test_a_noted_line_is_there_or_missing(journal: Journal) -> None:
    """A noted line need not be the last one. It is missing if the feed lacks it at its id."""
    assert journal.events.feed_ends({FEED: ("1", "m", 1)}).missing == {FEED}
    grow(journal, "m", 2)
    noted = journal.events.feed_ends({}).last
    entry_id, _, _ = noted[FEED]
    beyond_the_end = str(int(entry_id.split("-")[0]) + 1)
    commit(journal, "m0")

    wrong_lines = [
        (entry_id, "m", 3),
        (entry_id, "other", 2),
        (beyond_the_end, "m", 3),
    ]
    for line in wrong_lines:
        ends = journal.events.feed_ends({FEED: line})
        assert ends.missing == {FEED}

    commit(journal, "m", 3)
    assert journal.events.feed_ends(noted).missing == frozenset()


# ---- what bots have thought ----------------------------------------------------------------------


def test_thoughts_take_bounded_room(journal: Journal) -> None:
    """Thoughts beyond the limit are not kept, and their move is made all the same."""
    half = b"a" * (MOST_THOUGHTS // 2 - 1)
    commit(journal, thought=half)
    commit(journal, version=2, thought=half)
    commit(journal, version=3, thought=b"b")

    assert journal.metadata.thoughts("m") == [half, half]
    assert len(journal.events.read("m")) == 3


# ---- generations ---------------------------------------------------------------------------------

LOST = GoneBack(had=9, noted=1_000, has=4, noticed=2_000)
FIRST = Generation(id="one", since=1_000)
SECOND = Generation(id="two", since=2_000, superseded=("one", "other"), gone_back=LOST)


def test_a_generation_takes_the_place_of_the_one_before(journal: Journal) -> None:
    """A new journal has no generation. A caller must name the present one to replace it."""
    commit(journal)
    assert journal.lifecycle.generation() is None
    assert journal.lifecycle.replace_generation(None, FIRST)

    for another in (None, SECOND, replace(FIRST, gone_back=LOST)):
        assert not journal.lifecycle.replace_generation(another, SECOND)
        assert journal.lifecycle.generation() == FIRST

    assert journal.lifecycle.replace_generation(FIRST, SECOND)
    assert journal.lifecycle.generation() == SECOND
