"""What every journal promises about appending commits."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from service.journal.errors import ChainBroken, Conflict, JournalError, KeyReused
from service.journal.port import Journal
from service.journal.values import Appended, Entry
from tests.service.journal.entries import commit, entry, everything, grow


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
