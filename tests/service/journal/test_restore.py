"""What every journal promises about taking in a whole match."""

import pytest

from service.journal.errors import ChainBroken, Conflict
from service.journal.port import Journal
from service.journal.values import Entry
from tests.service.journal.entries import entry, everything, grow, lines


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
