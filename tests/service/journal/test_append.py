"""What every journal promises about appending and reading commits."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from service.journal.errors import ChainBroken, Conflict, JournalError, KeyReused
from service.journal.keys import partition_of
from service.journal.port import Journal
from service.journal.values import Appended, Entry, Tail
from tests.service.journal.entries import entry, everything, grow

FEED = partition_of("m", 16)


def test_version_n_is_the_nth_commit(journal: Journal) -> None:
    """Appended commits are read back, byte for byte and in order."""
    commits = grow(journal, "m", 5)
    assert journal.read("m") == commits


def test_append_tells_the_version_it_made(journal: Journal) -> None:
    """The first commit of a match makes version 1, the next one version 2; neither is a repetition."""
    assert [journal.append(entry(version=version)) for version in (1, 2)] == [
        Appended(1, False),
        Appended(2, False),
    ]


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
    assert journal.read("m", after, limit) == [commits[version - 1] for version in versions]


def test_tail_is_read_with_one_field_of_the_side_table(journal: Journal) -> None:
    """`tail` gives the commits after a version and one field, None where the field is not there."""
    journal.append(entry(sidecar={"seat": "ada"}))
    journal.append(entry(version=2))
    assert journal.tail("m", 1, "seat") == Tail(journal.read("m", 1), "ada", entry(version=2).head)
    assert journal.tail("m", 2, "other") == Tail([], None, entry(version=2).head)


def test_tail_reads_no_more_than_its_limit(journal: Journal) -> None:
    """A long match is read in pieces; the head tells that there is more."""
    commits = grow(journal, "m", 5)
    assert journal.tail("m", 1, "seat", 2) == Tail(commits[1:3], None, entry(version=5).head)


def test_an_unknown_match_is_empty(journal: Journal) -> None:
    """Nothing is known of a match before its first commit."""
    assert journal.read("m") == []
    assert journal.tail("m", 0, "seat") == Tail([], None, None)
    assert journal.head("m") is None
    assert journal.sidecar_field("m", "seat") is None
    assert journal.sidecar("m") == {}
    assert journal.version_made("m", "c", "f") is None
    assert journal.snapshot("m") is None


REFUSED = [
    pytest.param(entry(version=2, commit_bytes=b"other"), Conflict, id="stale"),
    pytest.param(entry(version=1, commit_bytes=b"other"), Conflict, id="match-exists"),
    pytest.param(entry(version=5), Conflict, id="gap"),
    pytest.param(replace(entry(version=4), prev="h2"), ChainBroken, id="chain-of-an-older-commit"),
    pytest.param(replace(entry(version=4), prev=""), ChainBroken, id="chain-missing"),
    pytest.param(
        entry(version=4, command_id="used", fingerprint="other"), KeyReused, id="id-reused"
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
    """A refusal leaves stream, head, sidecar, pending index, listings and feed as they were."""
    grow(journal, "m", 2)
    journal.append(entry(version=3, command_id="used", fingerprint="f", sidecar={"seat": "ada"}))
    before = everything(journal, "m", FEED)
    sidecar = {"seat": None, "new": "field"}
    head = replace(refused.head, status="finished", work="house", visibility="private")
    with pytest.raises(error):
        journal.append(replace(refused, sidecar=sidecar, head=head))
    assert everything(journal, "m", FEED) == before


@pytest.mark.parametrize(("version", "at"), [(1, 3), (3, 3), (5, 3), (9, 3)])
def test_a_conflict_tells_where_the_match_is(journal: Journal, version: int, at: int) -> None:
    """Conflict carries the version of the match, whether the append was behind or ahead."""
    grow(journal, "m", 3)
    with pytest.raises(Conflict) as caught:
        journal.append(entry(version=version))
    assert caught.value.version == at


def test_a_conflict_tells_that_there_is_no_match(journal: Journal) -> None:
    """An append to a match that does not exist, at a version past the first, is told version 0."""
    with pytest.raises(Conflict) as caught:
        journal.append(entry(version=2))
    assert caught.value.version == 0


def test_a_first_commit_has_no_predecessor(journal: Journal) -> None:
    """The first commit of a match must name no predecessor."""
    with pytest.raises(ChainBroken):
        journal.append(replace(entry(), prev="h0"))
    assert journal.head("m") is None


def test_a_repeated_command_is_answered_with_its_commit(journal: Journal) -> None:
    """A known id is answered with the version it made, however far the match has moved on, and changes nothing."""
    command = entry(version=1, command_id="c", fingerprint="f")
    journal.append(command)
    journal.append(entry(version=2))
    before = everything(journal, "m", FEED)
    late = entry(version=3, command_id="c", fingerprint="f", status="finished")
    assert journal.append(command) == journal.append(late) == Appended(1, repeated=True)
    assert everything(journal, "m", FEED) == before


def test_a_command_id_belongs_to_its_match(journal: Journal) -> None:
    """The same id may be used in another match."""
    journal.append(entry("a", command_id="c", fingerprint="f"))
    assert journal.append(entry("b", command_id="c", fingerprint="other")) == Appended(
        1, repeated=False
    )


def test_an_empty_command_id_is_never_remembered(journal: Journal) -> None:
    """Commits without a command id are never taken for each other."""
    journal.append(entry(version=1, fingerprint="f"))
    assert journal.append(entry(version=2, fingerprint="f")) == Appended(2, repeated=False)
    assert journal.version_made("m", "", "f") is None


def test_made_tells_what_a_command_did(journal: Journal) -> None:
    """`made` gives the version of a known id and refuses another body; fingerprints may hold any text."""
    journal.append(entry(command_id="c", fingerprint="a:b\nc"))
    assert journal.version_made("m", "c", "a:b\nc") == 1
    assert journal.version_made("m", "d", "a:b\nc") is None
    with pytest.raises(KeyReused):
        journal.version_made("m", "c", "a")


def test_any_bytes_are_kept(journal: Journal) -> None:
    """A commit is bytes to the journal, not text."""
    data = bytes(range(256))
    journal.append(entry(commit_bytes=data))
    assert journal.read("m") == [data]


def test_a_whole_match_is_restored(journal: Journal) -> None:
    """Restored commits are as if they had been appended one by one."""
    entries = [entry(version=version, work="bots") for version in (1, 2, 3)]
    journal.restore(entries)
    assert journal.read("m") == [one.commit_bytes for one in entries]
    assert journal.head("m") == entries[-1].head
    assert [row[1:] for row in journal.feed(FEED, "", 9)] == [("m", 1), ("m", 2), ("m", 3)]
    assert journal.pending_count() == 1


def test_a_match_is_not_restored_over_another(journal: Journal) -> None:
    """Where the match exists nothing changes, and the conflict tells where it is."""
    grow(journal, "m", 2)
    before = everything(journal, "m", FEED)
    with pytest.raises(Conflict) as caught:
        journal.restore([entry(version=version, commit_bytes=b"other") for version in (1, 2, 3)])
    assert caught.value.version == 2
    assert everything(journal, "m", FEED) == before


@pytest.mark.parametrize(
    "spoiled",
    [
        pytest.param(entry("other", version=3), id="another-match"),
        pytest.param(entry(version=4), id="gap"),
        pytest.param(replace(entry(version=3), prev="h1"), id="chain"),
    ],
)
def test_a_match_is_restored_whole_or_not(journal: Journal, spoiled: Entry) -> None:
    """One commit that does not follow the one before it, and none is stored."""
    with pytest.raises(ChainBroken):
        journal.restore([entry(version=1), entry(version=2), spoiled])
    assert journal.heads(["m", "other"]) == [None, None]


def test_racing_appenders_leave_no_gap_and_no_double(journal: Journal) -> None:
    """Eight threads press 25 commands each through conflicts: the stream holds each exactly once, in a chain."""

    def press(thread: int) -> None:
        for number in range(25):
            command = f"{thread}-{number}"
            version = (journal.head("m") or entry(version=0).head).version + 1
            while True:
                try:
                    journal.append(
                        entry(version=version, command_id=command, commit_bytes=command.encode())
                    )
                    break
                except Conflict as conflict:
                    version = conflict.version + 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(press, range(8)))
    commits = journal.read("m")
    assert Counter(commits) == Counter(
        f"{thread}-{number}".encode() for thread in range(8) for number in range(25)
    )
    assert [journal.version_made("m", data.decode(), "") for data in commits] == list(range(1, 201))
    head = journal.head("m")
    assert head is not None
    assert (head.version, head.hash) == (200, "h200")


def test_racing_copies_of_one_command_land_once(journal: Journal) -> None:
    """Of sixteen copies of a command sent at once one is appended; all are answered with its version."""
    copy = entry(command_id="c", fingerprint="f")
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(journal.append, [copy] * 16))
    assert Counter(answers) == {Appended(1, False): 1, Appended(1, True): 15}
    assert journal.read("m") == [copy.commit_bytes]


@pytest.mark.parametrize(
    "holds", [("token:a", "seat:1"), ("token:b", "seat:0"), ("token:a", "")], ids=str
)
def test_a_commit_demands_what_the_side_table_holds(
    journal: Journal, holds: tuple[str, str]
) -> None:
    """A commit whose token has meanwhile become another's, or nobody's, is refused and changes nothing."""
    journal.append(entry(sidecar={"token:a": "seat:0"}))
    before = everything(journal, "m", FEED)
    with pytest.raises(Conflict) as refused:
        journal.append(replace(entry(version=2), holds=holds))
    assert refused.value.version == 1
    assert everything(journal, "m", FEED) == before
    assert journal.append(replace(entry(version=2), holds=("token:a", "seat:0"))) == Appended(
        2, False
    )


def test_a_revoked_token_is_not_told_what_its_key_has_made(journal: Journal) -> None:
    """What must be held is looked at before the command id."""
    journal.append(entry(command_id="k", sidecar={"token:a": "seat:0"}))
    journal.put_sidecar("m", {"token:a": None})
    with pytest.raises(Conflict):
        journal.append(replace(entry(version=2, command_id="k"), holds=("token:a", "seat:0")))
