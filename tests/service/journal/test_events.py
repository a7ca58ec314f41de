"""The port `events`: commits are appended once, read again, and named by the feeds."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from service.journal.errors import ChainBroken, Conflict, JournalError, KeyReused
from service.journal.keys import partition_of
from service.journal.port import Journal
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


def test_version_n_is_the_nth_commit(journal: Journal) -> None:
    """Appended commits are read back, byte for byte and in order."""
    commits = grow(journal, "m", 5)
    assert journal.events.read("m") == commits


def test_any_bytes_are_kept(journal: Journal) -> None:
    """A commit is bytes to the journal, not text."""
    all_bytes = bytes(range(256))
    commit(journal, commit_bytes=all_bytes)

    assert journal.events.read("m") == [all_bytes]


def test_append_tells_the_version_it_made(journal: Journal) -> None:
    """The first commit of a match makes version 1, the next one version 2; neither is repeated."""
    assert journal.events.append(entry(version=1)) == Appended(1, repeated=False)
    assert journal.events.append(entry(version=2)) == Appended(2, repeated=False)


# The match is at version 3, and its third commit was made by the command id "used".
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
]


@pytest.mark.parametrize(("refused", "error"), REFUSED)
def test_a_refused_append_changes_nothing(
    journal: Journal, refused: Entry, error: type[JournalError]
) -> None:
    """A refusal leaves stream, head, metadata, pending index, listings and feed as they were."""
    grow(journal, "m", 2)
    commit(
        journal,
        version=3,
        command_id="used",
        fingerprint="f",
        metadata={"seat": "ada"},
    )
    before = everything(journal, "m")

    head = replace(
        refused.head,
        status="finished",
        work="house",
        visibility="private",
    )
    changing_all = replace(refused, head=head, metadata={"seat": None, "new": "field"})
    with pytest.raises(error):
        journal.events.append(changing_all)

    assert everything(journal, "m") == before


@pytest.mark.parametrize("version", [1, 3, 5, 9])
def test_a_conflict_tells_where_the_match_is(journal: Journal, version: int) -> None:
    """Conflict carries the version of the match, whether the append was behind or ahead."""
    grow(journal, "m", 3)

    with pytest.raises(Conflict) as refused:
        journal.events.append(entry(version=version))
    assert refused.value.version == 3


def test_a_conflict_tells_that_there_is_no_match(journal: Journal) -> None:
    """An append to an unknown match, at a version past the first, is told version 0."""
    with pytest.raises(Conflict) as refused:
        journal.events.append(entry(version=2))
    assert refused.value.version == 0


def test_a_first_commit_has_no_predecessor(journal: Journal) -> None:
    """The first commit of a match must name no predecessor."""
    with pytest.raises(ChainBroken):
        journal.events.append(entry(prev="h0"))
    assert journal.events.head("m") is None


HELD_OTHERWISE = [
    pytest.param(("token:a", "seat:1"), id="another's"),
    pytest.param(("token:b", "seat:0"), id="another-token"),
    pytest.param(("token:a", ""), id="nobody's"),
]


@pytest.mark.parametrize("precondition", HELD_OTHERWISE)
def test_a_commit_demands_what_the_metadata_holds(
    journal: Journal, precondition: tuple[str, str]
) -> None:
    """A commit whose token has meanwhile become another's, or nobody's, is refused."""
    commit(journal, metadata={"token:a": "seat:0"})
    before = everything(journal, "m")

    with pytest.raises(Conflict) as refused:
        journal.events.append(entry(version=2, precondition=precondition))

    assert refused.value.version == 1
    assert everything(journal, "m") == before


def test_a_commit_is_taken_when_the_metadata_holds_what_it_demands(journal: Journal) -> None:
    """The token is still the seat's."""
    commit(journal, metadata={"token:a": "seat:0"})

    answer = journal.events.append(entry(version=2, precondition=("token:a", "seat:0")))

    assert answer == Appended(2, repeated=False)


def pressed_by_all() -> list[bytes]:
    """Return the commits that eight threads press."""
    commits = []
    for thread in range(8):
        commits += [f"{thread}-{number}".encode() for number in range(25)]
    return commits


def press_commands(journal: Journal, thread: int) -> None:
    """Append 25 commands, each as often as it takes."""
    for number in range(25):
        command = f"{thread}-{number}"
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
    assert Counter(commits) == Counter(pressed_by_all())

    versions = [journal.events.version_made("m", command.decode(), "") for command in commits]
    assert versions == list(range(1, 201))

    head = journal.events.head("m")
    assert head is not None
    assert head.version == 200
    assert head.hash == "h200"


def test_racing_copies_of_one_command_land_once(journal: Journal) -> None:
    """Of sixteen copies of a command one is appended; all are answered with its version."""
    command = entry(command_id="c", fingerprint="f")
    copies = [command] * 16

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(journal.events.append, copies))

    repeated = [answer.repeated for answer in answers]
    versions = {answer.version for answer in answers}
    assert repeated.count(False) == 1
    assert versions == {1}
    assert journal.events.read("m") == [command.commit_bytes]


# ---- commands that are sent again ----------------------------------------------------------------


def test_a_repeated_command_is_answered_with_its_commit(journal: Journal) -> None:
    """A known id is answered with the version it made, however far the match has moved on."""
    command = commit(journal, version=1, command_id="c", fingerprint="f")
    commit(journal, version=2)

    answer = journal.events.append(command)

    assert answer == Appended(1, repeated=True)


def test_a_repeated_command_changes_nothing(journal: Journal) -> None:
    """So it is even if it was decided anew, at the version that the match has now."""
    commit(journal, version=1, command_id="c", fingerprint="f")
    commit(journal, version=2)
    before = everything(journal, "m")

    decided_anew = entry(version=3, command_id="c", fingerprint="f", status="finished")
    answer = journal.events.append(decided_anew)

    assert answer == Appended(1, repeated=True)
    assert everything(journal, "m") == before


def test_a_command_id_belongs_to_its_match(journal: Journal) -> None:
    """The same id may be used in another match."""
    commit(journal, "a", command_id="c", fingerprint="f")
    in_another_match = entry("b", command_id="c", fingerprint="other")

    assert journal.events.append(in_another_match) == Appended(1, repeated=False)


def test_an_empty_command_id_is_never_remembered(journal: Journal) -> None:
    """Commits without a command id are never taken for each other."""
    commit(journal, version=1, fingerprint="f")

    answer = journal.events.append(entry(version=2, fingerprint="f"))

    assert answer == Appended(2, repeated=False)
    assert journal.events.version_made("m", "", "f") is None


def test_what_a_command_id_has_made_is_told(journal: Journal) -> None:
    """`version_made` gives the version of a known id; fingerprints may hold any text."""
    commit(journal, command_id="c", fingerprint="a:b\nc")

    assert journal.events.version_made("m", "c", "a:b\nc") == 1
    assert journal.events.version_made("m", "d", "a:b\nc") is None


def test_what_a_command_id_has_made_is_not_told_of_another_command(journal: Journal) -> None:
    """`version_made` refuses an id that was used with another fingerprint."""
    commit(journal, command_id="c", fingerprint="a:b\nc")
    with pytest.raises(KeyReused):
        journal.events.version_made("m", "c", "a")


def test_a_revoked_token_is_not_told_what_its_key_has_made(journal: Journal) -> None:
    """What must be held is looked at before the command id."""
    commit(journal, command_id="k", metadata={"token:a": "seat:0"})
    journal.metadata.put("m", {"token:a": None})

    repetition = entry(version=2, command_id="k", precondition=("token:a", "seat:0"))

    with pytest.raises(Conflict):
        journal.events.append(repetition)


# ---- whole matches -------------------------------------------------------------------------------


def test_a_whole_match_is_restored(journal: Journal) -> None:
    """Restored commits are as if they had been appended one by one."""
    first = entry(version=1, work="bots")
    second = entry(version=2, work="bots")
    last = entry(version=3, work="bots")

    journal.events.restore([first, second, last])

    assert journal.events.read("m") == [
        first.commit_bytes,
        second.commit_bytes,
        last.commit_bytes,
    ]
    assert journal.events.head("m") == last.head
    assert lines(journal) == [("m", 1), ("m", 2), ("m", 3)]
    assert journal.pending.totals().waiting == 1


def test_a_match_is_not_restored_over_another(journal: Journal) -> None:
    """Where the match exists nothing changes, and the conflict tells where it is."""
    grow(journal, "m", 2)
    before = everything(journal, "m")

    others = [entry(version=version, commit_bytes=b"other") for version in (1, 2, 3)]

    with pytest.raises(Conflict) as refused:
        journal.events.restore(others)
    assert refused.value.version == 2
    assert everything(journal, "m") == before


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
        pytest.param(0, None, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], id="all"),
        pytest.param(3, 2, [4, 5], id="page"),
        pytest.param(9, 5, [10, 11, 12], id="last-page"),
        pytest.param(12, None, [], id="at-the-end"),
        pytest.param(99, 1, [], id="beyond-the-end"),
    ],
)
def test_read_pages(journal: Journal, after: int, limit: int | None, versions: list[int]) -> None:
    """`read` gives the commits after a version, no more than the limit."""
    commits = grow(journal, "m", 12)
    assert journal.events.read("m", after, limit) == [commits[version - 1] for version in versions]


def test_a_tail_is_read_with_one_field_of_the_metadata(journal: Journal) -> None:
    """`tail` gives the commits after a version, one field and the head."""
    commit(journal, metadata={"seat": "ada"})
    last = commit(journal, version=2)

    tail = journal.events.tail("m", 1, "seat")

    assert tail == Tail(commits=[last.commit_bytes], value="ada", head=last.head)


def test_a_tail_may_be_empty(journal: Journal) -> None:
    """At the head there are no commits, and None stands for a field that is not there."""
    grow(journal, "m", 2)

    tail = journal.events.tail("m", 2, "other")

    assert tail.commits == []
    assert tail.value is None
    assert tail.head == entry(version=2).head


def test_a_tail_is_no_longer_than_its_limit(journal: Journal) -> None:
    """A long match is read in pieces; the head tells that there is more."""
    _first, second, third, _fourth, _fifth = grow(journal, "m", 5)

    tail = journal.events.tail("m", 1, "seat", 2)

    assert tail.commits == [second, third]
    assert tail.value is None
    assert tail.head == entry(version=5).head


UNKNOWN: dict[str, tuple[Any, Any]] = {
    "read": (lambda journal: journal.events.read("m"), []),
    "tail": (lambda journal: journal.events.tail("m", 0, "seat"), Tail([], None, None)),
    "head": (lambda journal: journal.events.head("m"), None),
    "field": (lambda journal: journal.metadata.field("m", "seat"), None),
    "fields": (lambda journal: journal.metadata.fields("m"), {}),
    "version_made": (lambda journal: journal.events.version_made("m", "c", "f"), None),
    "snapshot": (lambda journal: journal.metadata.snapshot("m"), None),
}


@pytest.mark.parametrize(("ask", "answer"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_unknown_match_is_empty(journal: Journal, ask: Any, answer: Any) -> None:
    """Nothing is known of a match before its first commit."""
    assert ask(journal) == answer


def test_the_head_is_that_of_the_last_commit(journal: Journal) -> None:
    """Every field of a head comes back as it was given."""
    grow(journal, "m", 1)
    last = Head(
        version=2,
        hash="h2",
        status="finished",
        work="bots",
        waiting=(1, 3),
        game="firenze",
        visibility="private",
        created=1_000,
        updated=9_007_199_254_740_991,
    )
    commit(journal, version=2, head=last)

    assert journal.events.head("m") == last


def test_a_head_may_wait_for_nobody(journal: Journal) -> None:
    """A head without waiting seats comes back without any."""
    new = commit(journal, waiting=())
    assert journal.events.heads(["m"]) == [new.head]


def test_heads_answers_in_the_order_asked(journal: Journal) -> None:
    """Heads of many matches come in the order of the question, None for an unknown match."""
    first = commit(journal, "a")
    commit(journal, "b")
    third = commit(journal, "c", game="firenze")

    heads = journal.events.heads(["c", "x", "a"])

    assert heads == [third.head, None, first.head]


def test_heads_of_no_match_are_none(journal: Journal) -> None:
    """Whoever has an empty page need not take care."""
    assert journal.events.heads([]) == []


def test_an_unknown_status_is_refused() -> None:
    """A head cannot have a status that no listing knows."""
    with pytest.raises(ValueError, match="must be one of open, running, finished, aborted"):
        entry(status="paused")


def test_a_snapshot_is_the_last_one_stored(journal: Journal) -> None:
    """A snapshot replaces the one before; it belongs to its match."""
    grow(journal, "m", 1)
    journal.metadata.put_snapshot("m", b"first")
    journal.metadata.put_snapshot("m", b"\x00\xff")

    assert journal.metadata.snapshot("m") == b"\x00\xff"
    assert journal.metadata.snapshot("n") is None


def test_a_snapshot_of_no_match_is_not_kept(journal: Journal) -> None:
    """A process that stores one late leaves nothing behind of a match that is gone."""
    journal.metadata.put_snapshot("m", b"late")
    grow(journal, "m", 1)

    assert journal.metadata.snapshot("m") is None


# ---- feeds ---------------------------------------------------------------------------------------


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
