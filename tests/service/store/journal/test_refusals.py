"""The table of refusals: calls that every journal refuses. A refusal changes nothing.

Random runs of them are in test_model.py.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from service.store.journal.errors import ChainBroken, Conflict, Deleted, JournalError, KeyReused
from service.store.journal.ports import Journal
from service.store.journal.values import Last, Marker, Tombstone
from tests.service.store.journal.entries import commit, entry, everything, grow

STONE = Tombstone(7_000, "ada")
MARKER = Marker(sha256="0" * 64, size=9, commits=2, stored=80, at=1_002)


class Refusal(NamedTuple):
    """A request, its refusal, and the version in a conflict."""

    ask: Callable[[Journal], object]
    error: type[JournalError]
    version: int | None = None


def append(version: int, **changes: Any) -> Callable[[Journal], object]:
    """Return a call for an append to the match "m" with other data of every kind."""
    usual = {"status": "ended", "awaiting": "house", "visibility": "private"}
    changing = entry(
        version=version, metadata={"token:a": None, "new": "field"}, **usual, **changes
    )
    return lambda journal: journal.events.append(changing)


def restored_with(spoiled: Any) -> Callable[[Journal], object]:
    """Return a call for a restore of the match "n" with another third commit."""
    entries = [entry("n", version=1), entry("n", version=2), spoiled]
    return lambda journal: journal.events.restore(entries)


# The match "m" is at version 3. Its third commit was made by the command id "used", and the token
# "a" is that of seat 0. The match "gone" was deleted.
REFUSALS = {
    "stale": Refusal(append(2, commit_bytes=b"other"), Conflict, 3),
    "match-exists": Refusal(append(1, commit_bytes=b"other"), Conflict, 3),
    "gap": Refusal(append(5), Conflict, 3),
    "chain-of-an-older-commit": Refusal(append(4, prev="h2"), ChainBroken),
    "chain-missing": Refusal(append(4, prev=""), ChainBroken),
    "id-reused": Refusal(append(4, command_id="used", fingerprint="other"), KeyReused),
    "id-reused-and-stale": Refusal(append(2, command_id="used", fingerprint="other"), KeyReused),
    "other-holder": Refusal(append(4, precondition=("token:a", "seat:1")), Conflict, 3),
    "other-token": Refusal(append(4, precondition=("token:b", "seat:0")), Conflict, 3),
    "no-holder": Refusal(append(4, precondition=("token:a", "")), Conflict, 3),
    "repeat-by-a-revoked-token": Refusal(
        append(4, command_id="used", fingerprint="f", precondition=("token:b", "seat:0")),
        Conflict,
        3,
    ),
    "begun-with-the-second": Refusal(
        lambda journal: journal.events.append(entry("n", version=2)), Conflict, 0
    ),
    "begun-after-another": Refusal(
        lambda journal: journal.events.append(entry("n", prev="h0")), ChainBroken
    ),
    "restored-over": Refusal(lambda journal: journal.events.restore([entry()]), Conflict, 3),
    "restored-of-two": Refusal(restored_with(entry("other", version=3)), ChainBroken),
    "restored-with-a-gap": Refusal(restored_with(entry("n", version=4)), ChainBroken),
    "restored-unchained": Refusal(restored_with(entry("n", version=3, prev="h1")), ChainBroken),
    "metadata-of-an-unknown": Refusal(
        lambda journal: journal.metadata.put("n", {"a": "1"}), Conflict, 0
    ),
    "begun-after-its-deletion": Refusal(
        lambda journal: journal.events.append(entry("gone", command_id="c")), Deleted
    ),
    "restored-after-its-deletion": Refusal(
        lambda journal: journal.events.restore([entry("gone"), entry("gone", version=2)]), Deleted
    ),
    "late-commit-of-a-deleted": Refusal(
        lambda journal: journal.events.append(entry("gone", version=3)), Conflict, 0
    ),
    "metadata-of-a-deleted": Refusal(
        lambda journal: journal.metadata.put("gone", {"a": "1"}), Conflict, 0
    ),
    "deleted-again": Refusal(
        lambda journal: journal.lifecycle.delete("gone", replace(STONE, by="eve")), Deleted
    ),
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
def test_a_refused_commit_changes_nothing(journal: Journal, refusal: Refusal) -> None:
    """Stream, head, metadata, pending index, listings and feed stay as they were."""
    grow(journal, "m", 2)
    commit(journal, version=3, command_id="used", fingerprint="f", metadata={"token:a": "seat:0"})
    grow(journal, "gone", 2)
    journal.lifecycle.delete("gone", STONE)
    before = [everything(journal, match) for match in ("m", "n", "gone")]

    with pytest.raises(refusal.error) as raised:
        refusal.ask(journal)

    if isinstance(raised.value, Conflict) and refusal.version is not None:
        assert raised.value.version == refusal.version
    assert [everything(journal, match) for match in ("m", "n", "gone")] == before
    assert journal.lifecycle.deleted("gone") == STONE


@pytest.mark.parametrize("journal_kind", ["memory", "redis", "cluster"])
@pytest.mark.parametrize("prev", ["", "h2"], ids=["as-a-first-commit", "after-its-last-one"])
def test_an_archived_match_does_not_begin_again(journal: Journal, prev: str) -> None:
    """An archived match has no stream, but takes no first commit, with an earlier hash or none."""
    grow(journal, "m", 2, status="ended")
    journal.lifecycle.archive("m", MARKER, Last("h2", 0))
    before = everything(journal, "m")

    with pytest.raises(ChainBroken):
        journal.events.append(entry(prev=prev))

    assert everything(journal, "m") == before


def test_an_unknown_status_is_refused() -> None:
    """A head cannot have a status that no listing knows."""
    with pytest.raises(ValueError, match="must be one of open, running, ended, aborted"):
        entry(status="paused")
