"""The port `events`: commits are appended once, read again, and named by the feeds.

What follows from any run of calls is proven in test_model.py.
"""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from service.journal.errors import ChainBroken, Conflict, JournalError, KeyReused
from service.journal.keys import partition_of
from service.journal.port import Journal
from service.journal.redis import events as redis_events
from service.journal.values import Appended, Entry, Head, Tail, Tombstone
from tests.service.journal.entries import (
    FEED,
    PARTITIONS,
    RUNNING,
    commit,
    entry,
    everything,
    grow,
    lines,
)

# ---- append --------------------------------------------------------------------------------------


def test_a_commit_is_kept_byte_for_byte(journal: Journal) -> None:
    """A commit is bytes to the journal, not text."""
    all_bytes = bytes(range(256))

    assert journal.events.append(entry(commit_bytes=all_bytes)) == Appended(1, repeated=False)
    assert journal.events.append(entry(version=2)) == Appended(2, repeated=False)
    assert journal.events.read("m") == [all_bytes, entry(version=2).commit_bytes]


# The match is at version 3. Its third commit was made by the command id "used", and the token "a"
# is that of seat 0.
HELD = ("token:a", "seat:0")
REFUSED = [
    pytest.param(entry(version=2, commit_bytes=b"other"), Conflict, id="stale"),
    pytest.param(entry(version=1, commit_bytes=b"other"), Conflict, id="match-exists"),
    pytest.param(entry(version=5), Conflict, id="gap"),
    pytest.param(entry(version=4, prev="h2"), ChainBroken, id="chain-of-an-older-commit"),
    pytest.param(entry(version=4, prev=""), ChainBroken, id="chain-missing"),
    pytest.param(
        entry(version=4, command_id="used", fingerprint="other"),
        KeyReused,
        id="id-reused",
    ),
    pytest.param(
        entry(version=2, command_id="used", fingerprint="other"),
        KeyReused,
        id="id-reused-and-stale",
    ),
    pytest.param(entry(version=4, precondition=("token:a", "seat:1")), Conflict, id="other-holder"),
    pytest.param(entry(version=4, precondition=("token:b", "seat:0")), Conflict, id="other-token"),
    pytest.param(entry(version=4, precondition=("token:a", "")), Conflict, id="no-holder"),
    pytest.param(
        entry(version=4, command_id="used", fingerprint="f", precondition=("token:b", "seat:0")),
        Conflict,
        id="repeat-by-a-revoked-token",
    ),
]


def grow_to_three(journal: Journal) -> None:
    """Append the three commits that the refused entries do not follow."""
    grow(journal, "m", 2)
    commit(journal, version=3, command_id="used", fingerprint="f", metadata=dict([HELD]))


@pytest.mark.parametrize(("refused", "error"), REFUSED)
def test_a_refused_append_changes_nothing(
    journal: Journal, refused: Entry, error: type[JournalError]
) -> None:
    """Stream, head, metadata, pending index, listings and feed stay as they were.

    A conflict names the version at which the match is.
    """
    grow_to_three(journal)
    before = everything(journal, "m")

    head = replace(
        refused.head,
        status="finished",
        work="house",
        visibility="private",
    )
    changing_all = replace(refused, head=head, metadata={"token:a": None, "new": "field"})
    with pytest.raises(error) as raised:
        journal.events.append(changing_all)

    if isinstance(raised.value, Conflict):
        assert raised.value.version == 3
    assert everything(journal, "m") == before


def test_a_commit_is_taken_when_the_metadata_holds_what_it_demands(journal: Journal) -> None:
    grow_to_three(journal)
    new = entry(version=4, precondition=HELD)

    assert journal.events.append(new) == Appended(4, repeated=False)


def test_a_match_begins_with_its_first_commit(journal: Journal) -> None:
    """Neither with a later one, nor with one that names a predecessor."""
    with pytest.raises(Conflict) as refused:
        journal.events.append(entry(version=2))
    assert refused.value.version == 0

    with pytest.raises(ChainBroken):
        journal.events.append(entry(prev="h0"))
    assert journal.events.head("m") is None


def commands_of(thread: int) -> list[str]:
    """Return the commands that one of the racing threads presses."""
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
    """Eight threads press through conflicts: the stream holds each command once, in a chain."""
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


def test_racing_copies_of_one_command_land_once(journal: Journal) -> None:
    """Of sixteen copies of a command one is appended. All are answered with its version."""
    command = entry(command_id="c", fingerprint="f")

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(journal.events.append, [command] * 16))

    repeated = [answer.repeated for answer in answers]
    assert repeated.count(False) == 1
    assert {answer.version for answer in answers} == {1}
    assert journal.events.read("m") == [command.commit_bytes]


# ---- commands that are sent again ----------------------------------------------------------------


def test_a_repeated_command_changes_nothing(journal: Journal) -> None:
    """It is answered with the version it made, even if it was decided anew at the version now."""
    command = commit(journal, version=1, command_id="c", fingerprint="f")
    commit(journal, version=2)
    before = everything(journal, "m")

    decided_anew = entry(version=3, command_id="c", fingerprint="f", status="finished")

    assert journal.events.append(command) == Appended(1, repeated=True)
    assert journal.events.append(decided_anew) == Appended(1, repeated=True)
    assert everything(journal, "m") == before


def test_the_version_that_a_command_id_has_made(journal: Journal) -> None:
    """Fingerprints may hold any text. Another fingerprint is another command."""
    commit(journal, command_id="c", fingerprint="a:b\nc")

    assert journal.events.version_made("m", "c", "a:b\nc") == 1
    assert journal.events.version_made("m", "d", "a:b\nc") is None
    with pytest.raises(KeyReused):
        journal.events.version_made("m", "c", "a")


# ---- whole matches -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spoiled",
    [
        pytest.param(entry("other", version=3), id="another-match"),
        pytest.param(entry(version=4), id="gap"),
        pytest.param(entry(version=3, prev="h1"), id="chain"),
    ],
)
def test_a_match_is_restored_whole_or_not(journal: Journal, spoiled: Entry) -> None:
    """One commit that does not follow the one before it, and none is stored."""
    with pytest.raises(ChainBroken):
        journal.events.restore([entry(version=1), entry(version=2), spoiled])
    assert journal.events.heads(["m", "other"]) == [None, None]


# ---- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("after", "limit", "versions"),
    [
        pytest.param(0, None, range(1, 13), id="all"),
        pytest.param(3, 2, [4, 5], id="page"),
        pytest.param(9, 5, [10, 11, 12], id="last-page"),
        pytest.param(12, None, [], id="at-the-end"),
        pytest.param(99, 1, [], id="beyond-the-end"),
    ],
)
def test_commits_are_read_after_a_version_up_to_a_limit(
    journal: Journal, after: int, limit: int | None, versions: list[int]
) -> None:
    """`tail` adds one field of the metadata, None if it is missing, and the head."""
    commit(journal, metadata={"seat": "ada"})
    for version in range(2, 13):
        commit(journal, version=version)

    commits = [entry(version=version).commit_bytes for version in versions]
    head = entry(version=12).head

    with_field = journal.events.tail("m", after, "seat", limit)
    without_field = journal.events.tail("m", after, "other", limit)

    assert journal.events.read("m", after, limit) == commits
    assert with_field == Tail(commits, "ada", head)
    assert without_field == Tail(commits, None, head)


UNKNOWN: dict[str, tuple[Any, Any]] = {
    "read": (lambda journal: journal.events.read("m"), []),
    "tail": (lambda journal: journal.events.tail("m", 0, "seat"), Tail([], None, None)),
    "head": (lambda journal: journal.events.head("m"), None),
    "heads-of-none": (lambda journal: journal.events.heads([]), []),
    "overviews-of-none": (lambda journal: journal.events.overviews([]), []),
    "field": (lambda journal: journal.metadata.field("m", "seat"), None),
    "fields": (lambda journal: journal.metadata.fields("m"), {}),
    "version_made": (lambda journal: journal.events.version_made("m", "c", "f"), None),
    "snapshot": (lambda journal: journal.metadata.snapshot("m"), None),
    "matches": (lambda journal: list(journal.events.matches()), []),
    "commit_count": (lambda journal: journal.events.commit_count(), 0),
}


@pytest.mark.parametrize(("ask", "answer"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_empty_journal_knows_no_match(journal: Journal, ask: Any, answer: Any) -> None:
    assert ask(journal) == answer


def test_every_field_of_a_head_comes_back(journal: Journal) -> None:
    """Also of a match that was imported, or waits for no seat; in the order of the question."""
    last = Head(
        version=2,
        hash="h2",
        status="finished",
        work="bots",
        waiting=(1, 3),
        game="firenze",
        visibility="private",
        created=9_000,
        updated=9_007_199_254_740_991,
        imported=4_000,
    )
    grow(journal, "m", 1)
    commit(journal, version=2, head=last)
    waits_for_nobody = commit(journal, "n", waiting=())

    assert journal.events.head("m") == last
    assert journal.events.heads(["n", "x", "m"]) == [waits_for_nobody.head, None, last]


def test_an_unknown_status_is_refused() -> None:
    """A head cannot have a status that no listing knows."""
    with pytest.raises(ValueError, match="must be one of open, running, finished, aborted"):
        entry(status="paused")


# ---- feeds ---------------------------------------------------------------------------------------


def names_in(partition: int) -> list[str]:
    """Return names of matches whose commits are in a feed."""
    names = [f"m{number}" for number in range(200)]
    return [name for name in names if partition_of(name, PARTITIONS) == partition]


def test_a_feed_is_read_on_pages(journal: Journal) -> None:
    """It holds every commit of its partition once, in the order in which they were made."""
    first, second, *_ = names_in(FEED)
    outside, *_ = names_in(FEED + 1)
    order = [
        (first, 1),
        (second, 1),
        (first, 2),
        (first, 3),
        (second, 2),
    ]
    for match, version in order:
        commit(journal, match, version)
    commit(journal, outside)

    first_page = journal.events.feed(FEED, "", 3)
    end_of_first, _, _ = first_page[-1]
    second_page = journal.events.feed(FEED, end_of_first, 9)
    end_of_second, _, _ = second_page[-1]

    found = [(match, version) for _, match, version in first_page + second_page]
    assert found == order
    assert len(first_page) == 3
    assert journal.events.feed(FEED, end_of_second, 9) == []


def test_a_match_id_may_hold_the_sign_between_match_and_version(journal: Journal) -> None:
    match = "a:7:b"
    commit(journal, match)

    assert lines(journal, partition_of(match, PARTITIONS)) == [(match, 1)]
    assert journal.index.listing("", None, 9) == [(RUNNING.created, match)]


def test_matches_of_all_partitions_are_named_once(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also private and deleted ones, on whatever page of a feed they begin. All commits count."""
    monkeypatch.setattr(redis_events, "_LINES", 3)
    names = [f"m{number}" for number in range(30)]
    for name in names:
        commit(journal, name)
    grow(journal, "private", 4, visibility="private")
    grow(journal, "deleted", 3)
    journal.lifecycle.delete("deleted", Tombstone(7_000, "ada"))

    first_page = journal.events.feed(partition_of("deleted", PARTITIONS), "", 3)
    assert "deleted" not in {match for _, match, _ in first_page}
    assert sorted(journal.events.matches()) == sorted([*names, "private", "deleted"])
    assert journal.events.commit_count() == 30 + 4 + 3


def test_the_ends_are_the_last_lines_of_the_feeds(journal: Journal) -> None:
    """Of each partition that has any, as the feed has them."""
    for number in range(5):
        grow(journal, f"m{number}", 3)

    ends = journal.events.feed_ends({})

    assert ends.missing == frozenset()
    for partition in range(PARTITIONS):
        feed = journal.events.feed(partition, "", 100)
        assert ends.last.get(partition) == (feed[-1] if feed else None)


def test_a_noted_line_is_there_or_missing(journal: Journal) -> None:
    """It need not be the last one any more. It is missing if another one stands in its place."""
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
