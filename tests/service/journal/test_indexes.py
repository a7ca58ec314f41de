"""What every journal promises about heads, sidecars, the pending index, listings, feeds and snapshots."""

import pytest

from service.journal.errors import Conflict, Deleted
from service.journal.keys import partition_of
from service.journal.port import Journal
from service.journal.values import Head, Pending, Tombstone
from tests.service.journal.entries import RUNNING, entry, everything, grow

LATE = 10_000_000


def test_the_head_is_that_of_the_last_commit(journal: Journal) -> None:
    """Every field of a head comes back as it was given."""
    grow(journal, "m", 1)
    last = Head(
        2, "h2", "finished", "bots", (1, 3), "firenze", "private", 1_000, 9_007_199_254_740_991
    )
    journal.append(
        entry(
            version=2, **{name: getattr(last, name) for name in Head.__slots__ if name != "version"}
        )
    )
    assert journal.head("m") == last


def test_a_head_may_wait_for_nobody(journal: Journal) -> None:
    """A head without waiting seats comes back without any."""
    journal.append(entry(waiting=()))
    assert journal.heads(["m"])[0] == entry(waiting=()).head


def test_heads_answers_in_the_order_asked(journal: Journal) -> None:
    """Heads of many matches come in the order of the question, None for an unknown match."""
    for match in "abc":
        journal.append(entry(match, game=match))
    assert [head and head.game for head in journal.heads(["c", "x", "a"])] == ["c", None, "a"]
    assert journal.heads([]) == []


def test_an_unknown_status_is_refused() -> None:
    """A head cannot have a status that no listing knows."""
    with pytest.raises(ValueError, match="must be one of open, running, finished, aborted"):
        Head(1, "h", "paused", "", (), "calimala", "public", 1, 1)


def test_a_commit_changes_the_side_table(journal: Journal) -> None:
    """Fields are set and deleted with the commit; others stay; deleting what is not there is no error."""
    journal.append(entry(sidecar={"a": "1", "b": "2", "c": ""}))
    journal.append(entry(version=2, sidecar={"b": None, "a": "3", "x": None}))
    journal.append(entry(version=3, sidecar={"c": None}))
    assert journal.sidecar("m") == {"a": "3"}
    assert journal.sidecar_field("m", "a") == "3"


def test_the_side_table_changes_outside_a_commit(journal: Journal) -> None:
    """`put_sidecar` sets and deletes fields and makes no commit."""
    journal.append(entry(sidecar={"a": "1", "b": "2"}))
    journal.put_sidecar("m", {"a": None, "c": "à"})
    journal.put_sidecar("m", {})
    assert journal.sidecar("m") == {"b": "2", "c": "à"}
    assert len(journal.read("m")) == 1


def test_the_side_table_changes_only_if_a_field_still_holds_its_value(journal: Journal) -> None:
    """Who has read a field and builds on it learns that another was faster, and changes nothing."""
    journal.append(entry(sidecar={"a": "1"}))
    assert not journal.put_sidecar("m", {"b": "2"}, ("a", "0"))
    assert not journal.put_sidecar("m", {"b": "2"}, ("x", ""))
    assert journal.sidecar("m") == {"a": "1"}
    assert journal.put_sidecar("m", {"a": "2"}, ("a", "1"))
    assert journal.sidecar("m") == {"a": "2"}


def test_a_field_is_set_unless_it_is_there(journal: Journal) -> None:
    """`put_sidecar_if_missing` never overwrites, and leaves nothing behind for a match that does not exist."""
    journal.append(entry(sidecar={"a": "1"}))
    journal.put_sidecar_if_missing("m", "a", "2")
    journal.put_sidecar_if_missing("m", "b", "3")
    journal.put_sidecar_if_missing("x", "b", "3")
    assert journal.sidecar("m") == {"a": "1", "b": "3"}
    assert journal.sidecar("x") == {}


def test_an_overview_is_the_head_and_some_fields(journal: Journal) -> None:
    """Each match is asked for its own fields; what is not there is left out."""
    journal.append(entry("m", sidecar={"a": "1", "b": "à"}))
    journal.append(entry("n", sidecar={"a": "2"}))
    asked = [("n", ("a", "b")), ("x", ("a",)), ("m", ("b",))]
    heads = journal.heads(["n", "x", "m"])
    assert journal.overviews(asked) == [(heads[0], {"a": "2"}), (None, {}), (heads[2], {"b": "à"})]
    assert journal.overviews([]) == []


def test_an_unknown_match_has_no_side_table(journal: Journal) -> None:
    """`put_sidecar` leaves nothing behind for a match that does not exist."""
    with pytest.raises(Conflict) as caught:
        journal.put_sidecar("m", {"a": "1"})
    assert caught.value.version == 0
    assert journal.sidecar("m") == {}


def test_a_match_is_pending_while_somebody_of_the_house_must_act(journal: Journal) -> None:
    """A commit puts its match in the pending index since its own time, or takes it out."""
    steps = [
        ("house", [Pending("m", 1_001)]),
        ("bots", [Pending("m", 1_002)]),
        ("", []),
        ("bots", [Pending("m", 1_004)]),
    ]
    for version, (work, pending) in enumerate(steps, 1):
        journal.append(entry(version=version, work=work))
        assert journal.pending(LATE, 10) == pending
        assert journal.pending_count() == len(pending)


@pytest.mark.parametrize(
    ("before", "limit", "matches"),
    [
        pytest.param(LATE, 99, "dacbe", id="oldest-first"),
        pytest.param(LATE, 2, "da", id="limit"),
        pytest.param(4_000, 99, "dac", id="before-leaves-out-its-own-time"),
        pytest.param(4_001, 99, "dacb", id="just-before"),
        pytest.param(1_000, 99, "", id="none-yet"),
    ],
)
def test_pending_gives_the_oldest(journal: Journal, before: int, limit: int, matches: str) -> None:
    """Matches come by the time they have waited since, then by id, whatever partition they lie in."""
    for match, updated in {"a": 2_000, "b": 4_000, "c": 3_000, "d": 1_000, "e": 5_000}.items():
        journal.append(entry(match, work="bots", updated=updated))
    assert "".join(waiting.match for waiting in journal.pending(before, limit)) == matches
    assert journal.pending_count() == 5


def pages(journal: Journal, status: str, size: int) -> list[tuple[int, str]]:
    """Return a whole listing, read page by page with its cursor; ends even if the cursor stands still."""
    found = page = journal.listing(status, None, size)
    while page and len(found) < 100:
        page = journal.listing(status, page[-1], size)
        found = found + page
    return found


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_a_listing_is_newest_first_on_pages_of_any_size(journal: Journal, size: int) -> None:
    """Every public match is on exactly one page, newest first; ties of creation go by id, downwards too."""
    created = {f"m{number}": 5_000 + number // 4 for number in range(20)}
    for match, time in created.items():
        journal.append(entry(match, created=time))
    assert pages(journal, "", size) == sorted(
        ((time, match) for match, time in created.items()), reverse=True
    )


@pytest.mark.parametrize("status", ["open", "running", "finished", "aborted"])
def test_a_listing_follows_the_status(journal: Journal, status: str) -> None:
    """A match is listed under the status of its last commit alone, and under all."""
    journal.append(entry("m", status="open"))
    journal.append(entry("m", version=2, status=status))
    listed = {
        name: journal.listing(name, None, 9)
        for name in ("", "open", "running", "finished", "aborted")
    }
    assert listed == {name: [(1_000, "m")] if name in ("", status) else [] for name in listed}


def test_a_cursor_stays_right_while_matches_come_and_change(journal: Journal) -> None:
    """Between two pages new matches open, others move on or leave: no match of the second page is lost or doubled."""
    for number in range(6):
        journal.append(entry(f"m{number}", created=1_000 + number, status="open"))
    first = journal.listing("open", None, 2)
    journal.append(entry("new", created=2_000, status="open"))
    journal.append(entry("m4", version=2, created=1_004, status="running"))
    journal.append(entry("m2", version=2, created=1_002, status="open"))
    journal.append(entry("m1", version=2, created=1_001, status="aborted"))
    assert [match for _, match in first] == ["m5", "m4"]
    assert [match for _, match in journal.listing("open", first[-1], 9)] == ["m3", "m2", "m0"]


def test_a_private_match_is_not_listed(journal: Journal) -> None:
    """A private match is in no listing, and leaves them when it becomes private."""
    journal.append(entry("a", visibility="private", status="open"))
    journal.append(entry("b", visibility="public", status="open"))
    journal.append(entry("c", visibility="private", status="open"))
    journal.append(entry("c", version=2, visibility="public", status="running"))
    journal.append(entry("b", version=2, visibility="private", status="running"))
    listed = {
        name: [match for _, match in journal.listing(name, None, 9)]
        for name in ("", "open", "running")
    }
    assert listed == {"": ["c"], "open": [], "running": ["c"]}


def test_a_feed_tells_the_commits_of_its_partition_in_order(journal: Journal) -> None:
    """A feed holds every commit of its partition once, in order of commit, on pages; other partitions are elsewhere."""
    home = partition_of("m", 16)
    matches = [f"m{number}" for number in range(200) if partition_of(f"m{number}", 16) == home][:2]
    stranger = next(f"m{number}" for number in range(200) if partition_of(f"m{number}", 16) != home)
    order = [(matches[0], 1), (matches[1], 1), (matches[0], 2), (matches[0], 3), (matches[1], 2)]
    for match, version in order:
        journal.append(entry(match, version))
    journal.append(entry(stranger))
    first = journal.feed(home, "", 3)
    rest = journal.feed(home, first[-1][0], 9)
    assert [(match, version) for _, match, version in first + rest] == order
    assert journal.feed(home, rest[-1][0], 9) == []


def test_a_feed_takes_any_id(journal: Journal) -> None:
    """A match id may hold the sign that a feed puts between match and version."""
    journal.append(entry("a:7:b"))
    assert [tuple(row[1:]) for row in journal.feed(partition_of("a:7:b", 16), "", 9)] == [
        ("a:7:b", 1)
    ]
    assert journal.listing("", None, 9) == [(RUNNING.created, "a:7:b")]


def test_a_snapshot_is_the_last_one_stored(journal: Journal) -> None:
    """A snapshot replaces the one before; it belongs to its match."""
    grow(journal, "m", 1)
    for data in (b"first", b"\x00\xff"):
        journal.put_snapshot("m", data)
    assert journal.snapshot("m") == b"\x00\xff"
    assert journal.snapshot("n") is None


def test_a_snapshot_of_no_match_is_not_kept(journal: Journal) -> None:
    """A process that stores one late leaves nothing behind of a match that is gone."""
    journal.put_snapshot("m", b"late")
    grow(journal, "m", 1)
    assert journal.snapshot("m") is None


def test_a_head_says_when_its_match_was_imported(journal: Journal) -> None:
    """The time of the import comes back; lists order by it instead of by what the record tells."""
    journal.append(entry("future", created=9_000, imported=4_000))
    journal.append(entry("played", created=5_000))
    head = journal.head("future")
    assert head is not None
    assert (head.imported, head.created, head.listed) == (4_000, 9_000, 4_000)
    for status, game in (("", ""), ("running", ""), ("", "calimala"), ("running", "calimala")):
        assert journal.listing(status, None, 9, game) == [(5_000, "played"), (4_000, "future")]


@pytest.mark.parametrize("status", ["", "open", "running"])
def test_a_listing_of_a_game_holds_its_matches_alone(journal: Journal, status: str) -> None:
    """Each game has listings of its own, for all and by status, that follow the status of its matches."""
    for number, game in enumerate(["calimala", "firenze", "calimala", "calimala2"]):
        journal.append(entry(f"m{number}", game=game, status="open", created=1_000 + number))
    journal.append(entry("m2", version=2, game="calimala", status="running", created=1_002))
    expected = {
        "": [(1_002, "m2"), (1_000, "m0")],
        "open": [(1_000, "m0")],
        "running": [(1_002, "m2")],
    }
    assert journal.listing(status, None, 9, "calimala") == expected[status]
    assert journal.listing(status, None, 9, "chess") == []


def test_a_listing_of_a_game_goes_on_after_a_cursor(journal: Journal) -> None:
    """Pages of a game are as exact as those of all."""
    for number in range(6):
        journal.append(entry(f"m{number}", game="ab"[number % 2], created=1_000))
    first = journal.listing("running", None, 2, "a")
    assert first + journal.listing("running", first[-1], 2, "a") == [
        (1_000, "m4"),
        (1_000, "m2"),
        (1_000, "m0"),
    ]


def test_a_match_is_due_for_a_look_from_its_first_commit_on(journal: Journal) -> None:
    """Only the first commit touches the idle index; an ended match is never put there."""
    journal.append(entry("a", updated=3_000))
    journal.append(entry("b", updated=2_000, status="open"))
    journal.append(entry("c", updated=1_000, status="finished"))
    journal.append(entry("a", version=2, updated=9_000))
    assert journal.idle(3_000, 9) == ["b", "a"]
    assert journal.idle(2_999, 9) == ["b"]
    assert journal.idle(3_000, 1) == ["b"]


def test_a_look_is_put_off_or_made_the_last(journal: Journal) -> None:
    """`look_again` moves a match to another time, or out of the index."""
    for match in "abc":
        journal.append(entry(match, updated=1_000))
    journal.look_again({"a": 5_000, "b": None})
    journal.look_again({})
    assert journal.idle(4_999, 9) == ["c"]
    assert journal.idle(5_000, 9) == ["c", "a"]


def test_a_deleted_match_is_gone_from_everywhere(journal: Journal) -> None:
    """Nothing tells of it but the tombstone and its numbers in the feed; another match is left alone."""
    journal.append(entry("n", work="bots"))
    before = everything(journal, "m", 0)
    grow(journal, "m", 3, work="house", status="open")
    journal.put_sidecar("m", {"a": "1"})
    journal.put_snapshot("m", b"state")
    journal.delete("m", Tombstone(7_000, "ada"))
    assert everything(journal, "m", 0) == before
    assert journal.idle(LATE, 9) == ["n"]
    assert journal.snapshot("m") is None
    assert journal.version_made("m", "", "") is None
    assert [
        journal.listing("open", None, 9, "calimala"),
        journal.listing("", None, 9, "calimala"),
    ] == [
        [],
        [(1_000, "n")],
    ]
    assert journal.deleted("m") == Tombstone(7_000, "ada")
    assert journal.deleted("n") is None


def test_an_imported_match_is_deleted_from_the_listings(journal: Journal) -> None:
    """Its members are named by the time of its import."""
    journal.append(entry(created=9_000, imported=4_000))
    journal.delete("m", Tombstone(7_000, "ada"))
    assert [
        journal.listing(status, None, 9, game)
        for status in ("", "running")
        for game in ("", "calimala")
    ] == [[]] * 4


def test_the_id_of_a_deleted_match_is_never_used_again(journal: Journal) -> None:
    """Neither a first commit nor a whole record is taken, a late commit, name or snapshot no more."""
    grow(journal, "m", 2)
    journal.delete("m", Tombstone(7_000, "ada"))
    with pytest.raises(Deleted):
        journal.append(entry(command_id="c"))
    with pytest.raises(Deleted):
        journal.restore([entry(), entry(version=2)])
    for late in (
        lambda: journal.append(entry(version=3)),
        lambda: journal.put_sidecar("m", {"a": "1"}),
    ):
        with pytest.raises(Conflict) as refused:
            late()
        assert refused.value.version == 0
    journal.put_snapshot("m", b"late")
    assert (journal.head("m"), journal.snapshot("m"), journal.sidecar("m")) == (None, None, {})


def test_what_is_not_there_is_not_deleted(journal: Journal) -> None:
    """An unknown match leaves no tombstone; a deleted one keeps its first."""
    with pytest.raises(Conflict):
        journal.delete("m", Tombstone(7_000, "ada"))
    assert journal.deleted("m") is None
    grow(journal, "m", 1)
    journal.delete("m", Tombstone(7_000, "ada"))
    with pytest.raises(Deleted):
        journal.delete("m", Tombstone(8_000, "eve"))
    assert journal.deleted("m") == Tombstone(7_000, "ada")


def test_a_journal_of_this_release_lacks_nothing(journal: Journal) -> None:
    """An upgrade, twice, changes nothing that is told."""
    grow(journal, "m", 2)
    before = everything(journal, "m", 0)
    journal.upgrade()
    assert journal.upgrade() == 0
    assert everything(journal, "m", 0) == before


def test_a_healthy_journal_has_no_complaint(journal: Journal) -> None:
    """A store set up as it should be passes its own check and can be written."""
    journal.ping()
    assert journal.check() == []
