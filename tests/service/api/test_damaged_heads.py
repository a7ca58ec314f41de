"""One damaged head: its match stands still, and every other match goes on."""

import io
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from redis import Redis

from service.api.health import checks
from service.bootstrap import open_sequencer
from service.capabilities.my_matches import use_cases as my_matches
from service.matches import automation, lifecycle, listing
from service.matches.lifecycle import DAY, Patience
from service.ops.backup import export
from service.store.archive.archive import due
from service.store.journal.errors import HeadDamaged
from service.store.journal.keys import COMMITS, HEAD, Keys
from service.store.tlog import entries as log_entries
from tests.service.api.conftest import SETTINGS, Door, Make, json, moved, opened, problem

HUMAN = {"kind": "human", "name": "Ada"}
BOTS = [{"kind": "bot", "level": "random"}] * 3
EVER = 2**53 - 1
DAMAGED = (
    b"",
    b"no head",
    b"\xff\xfe|",
    b"1|" + b"e" * 64 + b"|lost||0|public|1|1|calimala",  # no such status
    b"x|" + b"e" * 64 + b"|running||0|public|1|1|calimala",  # no number
)


@dataclass
class Two:
    """A door to two matches. The first one has a damaged head."""

    door: Door
    damaged: str
    well: str


@pytest.fixture(params=DAMAGED, ids=range(len(DAMAGED)))
def two(request: pytest.FixtureRequest, door: Door, redis_url: str) -> Two:
    """Two running matches of bots. The head of the first is damaged."""
    opened(door, "calimala", seats=BOTS, seed="one")
    damaged = door.match
    opened(door, "calimala", seats=BOTS, seed="two")
    with Redis.from_url(redis_url) as client:
        client.set(Keys(4).of(damaged, HEAD), request.param)
    return Two(door, damaged, door.match)


def test_many_heads_are_read_beside_a_damaged_one(two: Two) -> None:
    """An error stands in place of the damaged head."""
    events = two.door.ctx.journal.events
    heads = events.heads([two.damaged, two.well, "no"])
    overviews = events.overviews([(two.damaged, ("seats",)), (two.well, ("seats",))])

    assert isinstance(heads[0], HeadDamaged)
    assert heads[1] == events.head(two.well)
    assert heads[2] is None
    assert isinstance(overviews[0][0], HeadDamaged)
    assert overviews[1][0] == events.head(two.well)
    with pytest.raises(HeadDamaged, match=two.damaged):
        events.head(two.damaged)


def test_the_damage_is_logged_once(two: Two, caplog: pytest.LogCaptureFixture) -> None:
    """One log record names the match, however often its damaged head is read."""
    for _ in range(3):
        two.door.ctx.journal.events.heads([two.damaged])

    records = [one for one in caplog.records if "head of a match is damaged" in one.message]
    assert [vars(one)["match"] for one in records] == [two.damaged]


def test_a_sweep_wakes_the_other_match(two: Two) -> None:
    """A sweep enqueues the other match, and the damaged one stays due."""
    woken: list[str] = []
    ctx = replace(two.door.ctx, enqueue=lambda match, *_: woken.append(match))
    automation.sweep(ctx, 0)

    assert woken == [two.well]
    waiting = {one.pending.match: one.awaiting for one in automation.waiting_matches(ctx, 10)}
    assert waiting == {two.damaged: "", two.well: "exhibition"}


def test_an_idle_match_ends_beside_a_damaged_one(two: Two) -> None:
    """Beside a match with a damaged head the other idle match expires."""
    now = two.door.ctx.clock() + 10 * DAY
    ctx = replace(two.door.ctx, clock=lambda: now)

    assert lifecycle.expire(ctx, Patience(open=DAY, running=DAY)) == 1
    head = ctx.journal.events.head(two.well)
    assert head is not None
    assert head.status == "aborted"


def test_lists_leave_a_damaged_match_out(two: Two) -> None:
    """Public lists and lists of a holder leave a damaged match out.

    The operator's list names it.
    """
    for query in ("", "?status=running", "?game=calimala", "?player=Ada"):
        answer = two.door.ask("GET", f"/v1/matches{query}")
        assert answer.status_code == 200, answer.text
        assert two.damaged not in answer.text

    assert list(listing.summaries(two.door.ctx, [two.damaged, two.well])) == [two.well]
    overviews = listing.overviews(two.door.ctx, listing.MatchFilter(), 10)
    assert overviews.damaged == [two.damaged]
    assert [overview["match"] for overview in overviews.matches] == [two.well]


def test_a_request_for_it_is_a_problem(two: Two) -> None:
    """A request for the damaged match is answered 503 with its id."""
    two.door.match = two.damaged
    for path in ("", "state", "commits", "record", "story", "moves"):
        answer = two.door.get(path)
        assert problem(answer) == (503, "journal-unavailable"), answer.text
        assert two.damaged in json(answer)["detail"]


def test_readiness_names_it(two: Two) -> None:
    """Readiness names the damaged match in a warning, since all other matches move on."""
    warning = json(two.door.another_process().ask("GET", "/readyz"))["warnings"]["heads"]

    assert two.damaged in warning
    assert two.well not in warning
    assert checks.damaged_heads_in(two.door.ctx.journal) == warning


def test_backup_export_and_archive_take_the_others(two: Two, tmp_path: Path) -> None:
    """Backup and export name the damaged match as missing.

    The archive takes the other ended match.
    """
    ctx = two.door.ctx
    two.door.match = two.well
    assert two.door.post("abort", None, "owner").status_code == 201
    two.door.house()
    manifest = export.write(ctx.journal, io.BytesIO(), {}, ctx.clock, lambda _: None)
    exported = export.export_all(ctx, tmp_path, lambda _: None)

    assert (manifest.matches, manifest.missing) == (1, (two.damaged,))
    assert (exported.written, exported.missing) == (1, [two.damaged])
    assert [match for match, _ in due(ctx.journal, EVER)] == [two.well]


@pytest.fixture
def logged(make_door: Make) -> Door:
    """A door with a log in files of its own."""
    return make_door(**SETTINGS, RATE_LIMIT="0", OPENINGS="0")


def sequence(logged: Door) -> str:
    """Sequence and publish all commits. Return the reason if the log stands still."""
    sequencer = open_sequencer(logged.services.config, logged.ctx)
    while sequencer.round().decided:
        pass
    sequencer.publish()
    return logged.ctx.journal.order.state(whole=False).stopped


def two_of_one_partition(logged: Door) -> tuple[str, str]:
    """Open matches until two of them share a partition."""
    by_partition: dict[int, str] = {}
    while True:
        opened(logged, "calimala", seats=[HUMAN] * 3)
        other = by_partition.setdefault(Keys(4).partition_of(logged.match), logged.match)
        if other != logged.match:
            return other, logged.match


def test_the_log_takes_commits_beside_a_damaged_head(logged: Door, redis_url: str) -> None:
    """Without the head, game, status and visibility of an entry come from the commits."""
    damaged, well = two_of_one_partition(logged)
    private = opened(logged, "firenze", seats=[HUMAN] * 3, visibility="private").match
    with Redis.from_url(redis_url) as client:
        for match in (damaged, private):
            client.set(Keys(4).of(match, HEAD), b"no head")

    assert sequence(logged) == ""
    lines = [
        log_entries.read_line(0, line) for line in logged.ctx.journal.order.decided(0, 99) or []
    ]
    entries = {line.match: line for line in lines}
    assert entries.keys() >= {damaged, well, private}
    facts = [(entry.game, entry.status, entry.is_private) for entry in entries.values()]
    assert facts.count(("firenze", "running", True)) == 1
    assert (entries[damaged].game, entries[damaged].status) == ("calimala", "running")
    assert not entries[damaged].is_private


def test_a_damaged_commit_holds_up_one_partition(logged: Door, redis_url: str) -> None:
    """Only the feed with the damaged commit waits, and the log gives the reason."""
    by_partition: dict[int, str] = {}
    while len(by_partition) < 2:
        opened(logged, "calimala", seats=[HUMAN] * 3)
        by_partition[Keys(4).partition_of(logged.match)] = logged.match
    damaged, well = by_partition.values()
    stream = Keys(4).of(damaged, COMMITS)
    with Redis.from_url(redis_url) as client:
        client.set(Keys(4).of(damaged, HEAD), b"no head")
        client.delete(stream)
        client.xadd(stream, {"c": b"no commit"}, id="1-0")

    assert sequence(logged) == "feeds wait for unreadable matches: 1"
    page = json(logged.another_process().ask("GET", "/v1/commits"))["commits"]
    assert well in {commit["match"] for commit in page}
    assert damaged not in {commit["match"] for commit in page}


LINES = (b"", b"garbage", b"\xff\xfe:1", b"m:", b"m:x", b"m:0", b"m:-1", b"m: 1", b":1")


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_a_damaged_line_of_a_feed_stops_no_other(
    logged: Door, redis_url: str, line: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """The log, the journal watch and the backup go on after the line. The service logs it."""
    one, other = two_of_one_partition(logged)
    journal = logged.ctx.journal
    partition = Keys(4).partition_of(one)
    before = journal.events.feed_ends({})
    with Redis.from_url(redis_url) as client:
        line_id = client.xadd(Keys(4).feed[partition], {"m": line})

    assert sequence(logged) == ""
    ends = journal.events.feed_ends(before.last)
    assert not ends.missing
    assert partition not in ends.last
    assert {*journal.events.matches()} >= {one, other}
    manifest = export.write(journal, io.BytesIO(), {}, logged.ctx.clock, lambda _: None)
    assert manifest.missing == ()
    [record] = [one for one in caplog.records if "line of the feed is damaged" in one.message]
    assert (vars(record)["line"], vars(record)["bytes"]) == (line_id.decode(), len(line))

    size = journal.order.state().size
    moved(logged, 1)
    assert sequence(logged) == ""
    assert journal.order.state().size == size + 1
    assert partition in journal.events.feed_ends({}).last


def test_a_noted_line_that_is_damaged_is_not_lost(logged: Door, redis_url: str) -> None:
    """If the last noted line is damaged, it does not count as missing, and the log goes on."""
    opened(logged, "calimala", seats=[HUMAN] * 3)
    partition = Keys(4).partition_of(logged.match)
    assert sequence(logged) == ""
    noted = logged.ctx.journal.events.feed_ends({}).last
    feed = Keys(4).feed[partition]
    with Redis.from_url(redis_url) as client:
        last_id, _ = client.xrevrange(feed, count=1)[0]
        client.delete(feed)
        client.xadd(feed, {"m": b"damaged"}, id=last_id)

    assert not logged.ctx.journal.events.feed_ends(noted).missing
    order = logged.ctx.journal.order.state()
    assert not logged.ctx.journal.order.news(order.cursors, 10).missing
    assert sequence(logged) == ""


def test_a_dump_names_it_as_missing(two: Two) -> None:
    """The time of a damaged match is unknown, so a dump of any span names it as missing."""
    redis_of_index = two.door.ctx.journal.index.listing("running", None, 10)
    assert {match for _, match in redis_of_index} == {two.damaged, two.well}
    spans = [export.Span(0, 1), export.Span(0, EVER)]
    listed = [list(export._final_matches(two.door.ctx, "running", span)) for span in spans]

    assert listed == [[(two.damaged, 0)], [(two.damaged, 0)]]


def test_it_can_be_deleted(two: Two) -> None:
    """The deletion of a damaged match removes its entries in all lists."""
    ctx = two.door.ctx
    lifecycle.delete(ctx, two.damaged, "a test")

    [head] = ctx.journal.events.heads([two.damaged])
    assert head is None
    for game in ("", "calimala"):
        for status in ("", "running"):
            listed = ctx.journal.index.listing(status, None, 10, game)
            assert [match for _, match in listed] == [two.well]
    assert checks.damaged_heads_in(ctx.journal) == ""


def test_a_holder_of_two_matches_reads_the_other(
    door: Door, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stream and the list of the holder's matches have the undamaged match."""
    tokens = []
    for seed in ("one", "two"):
        opened(door, "calimala", seats=[HUMAN] * 3, seed=seed)
        tokens.append((door.match, door.tokens["seat:0"]))
    (damaged, first), (well, second) = tokens
    with Redis.from_url(redis_url) as client:
        client.set(Keys(4).of(damaged, HEAD), b"no head")

    mine = my_matches.MyMatches([first, second])
    assert {one["match"] for one in mine.news(door.ctx)} == {well}
    assert mine.moved(door.ctx) == []
    page = listing.mine(door.ctx, [first, second], "", None, waiting=False)
    assert [overview["match"] for overview in page.matches] == [well]
