"""What every journal promises about commands that are sent again."""

import pytest

from service.journal.errors import Conflict, KeyReused
from service.journal.port import Journal
from service.journal.values import Appended
from tests.service.journal.entries import commit, entry, everything


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
