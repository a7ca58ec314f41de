"""The feed of all commits in one order: pages, lines and a stream, with private matches hidden."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from json import loads
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from service.base.private_files import private_file
from service.bootstrap import open_sequencer
from service.capabilities.log import use_cases as feed
from service.capabilities.log.use_cases import FeedPage, FeedPosition, FeedReader
from service.capabilities.my_matches import use_cases as my_matches
from service.matches import lifecycle, listing
from service.matches.context import Context
from service.matches.server_log import log_id
from service.ops.backup import export, restore
from service.record.tlog.checkpoint import ED25519, Verifier
from service.store.journal.errors import JournalUnavailable
from service.store.journal.keys import LOG
from service.store.journal.values import Tombstone
from service.store.tlog.entries import LogEntry, LogUnavailable
from service.store.tlog.index import Index, MatchSelection
from service.store.tlog.sequencer import Sequencer
from tests.service.api.conftest import (
    SETTINGS,
    Door,
    Make,
    json,
    links,
    match_ids_on,
    opened,
    problem,
)
from tests.service.api.test_streams import PATIENCE, events
from tests.service.store.tlog.conftest import run_out

FIRENZE = [{"kind": "human"}] * 2

# The verifier key of a log of another server.
OTHER_KEY = str(Verifier("elsewhere", ED25519, bytes(32)))
OTHER_LOG = log_id(OTHER_KEY)


def move(door: Door) -> None:
    """Make a move of the seat to act."""
    seats = json(door.get("", "owner"))["waiting_for"]["seats"]
    assert door.move(f"seat:{seats[0]}").status_code == 201


def short(checkpoint: bytes) -> bytes:
    """Return a checkpoint as if the log had two entries. Nobody checks its signature here."""
    origin, _, *rest = checkpoint.split(b"\n")
    return b"\n".join([origin, b"2", *rest])


def raising(error: Exception) -> Callable[..., int]:
    """Return a function that raises an error."""

    def size(*_: object) -> int:
        raise error

    return size


@dataclass
class House:
    """Two public matches and a private one, with commits in the log in turn."""

    calimala: Door
    firenze: Door
    private: Door
    sequencer: Sequencer

    @property
    def log(self) -> str:
        """ID of the log."""
        assert self.private.ctx.log is not None
        return log_id(self.private.ctx.log.state().key)

    def seal(self) -> None:
        """Give all commits positions."""
        run_out(self.sequencer)

    def get(self, path: str, who: str = "", **more: Any) -> Any:
        """Ask, perhaps with a token of the private match."""
        return self.private.get(path, who, **more)

    def commits(self, path: str = "/v1/commits", who: str = "") -> list[dict[str, Any]]:
        """Return the commits of one page."""
        page: list[dict[str, Any]] = json(self.get(path, who))["commits"]
        return page


@pytest.fixture
def house(make_door: Make) -> House:
    """A house with positions for 12 commits."""
    app = make_door(**SETTINGS).client.application
    calimala = opened(Door.of(app))
    firenze = opened(Door.of(app), game="firenze", seats=FIRENZE)
    private = opened(Door.of(app), game="firenze", seats=FIRENZE, visibility="private")
    for _ in range(3):
        for door in (calimala, firenze, private):
            move(door)

    sequencer = open_sequencer(private.services.config, private.ctx)
    house_of_two = House(calimala, firenze, private, sequencer)
    house_of_two.seal()
    return house_of_two


def test_every_commit_has_one_position_and_its_matchs_data(house: House) -> None:
    """Positions have no gap. Hash, version and time are those of the match's own history."""
    commits = house.commits()
    assert [commit["position"] for commit in commits] == list(range(12))

    for door, game in ((house.calimala, "calimala"), (house.firenze, "firenze")):
        of_match = [commit for commit in commits if commit.get("match") == door.match]
        own = json(door.get("commits"))["commits"]
        for name in ("version", "hash", "time"):
            assert [commit[name] for commit in of_match] == [commit[name] for commit in own]
        assert {commit["game"] for commit in of_match} == {game}


def test_of_a_private_match_there_is_the_hash_alone(house: House) -> None:
    """With a token of a private match, its commits are readable. Other tokens show only hashes."""
    own = json(house.private.get("commits", "seat:0"))["commits"]
    hashes = {commit["hash"] for commit in own}

    for who in ("", house.calimala.tokens["seat:0"]):
        of_private = [commit for commit in house.commits(who=who) if commit["hash"] in hashes]
        assert len(of_private) == 4
        assert all(commit.keys() == {"log", "position", "hash"} for commit in of_private)
        page = house.get("/v1/commits", who)
        assert house.private.match not in page.text
        assert page.headers["Cache-Control"].startswith("public")

    for more in (
        {"who": "seat:1"},
        {"headers": {"Giornale-Tokens": house.private.tokens["spectator"]}},
    ):
        page = house.get("/v1/commits", **more)
        of_private = [commit for commit in json(page)["commits"] if commit["hash"] in hashes]
        assert {commit["match"] for commit in of_private} == {house.private.match}
        assert page.headers["Cache-Control"] == "private, no-cache"
        assert page.headers["Vary"].startswith("Authorization, Giornale-Tokens")


@pytest.mark.parametrize("limit", [1, 5, 12])
def test_pages_lead_on_and_full_ones_never_change(house: House, limit: int) -> None:
    """A reader who follows `next` sees every commit once, in the same order as in one page."""
    whole = house.commits()
    collected: list[dict[str, Any]] = []
    path = f"/v1/commits?limit={limit}"
    while True:
        page = house.get(path)
        commits = json(page)["commits"]
        collected += commits
        is_full = len(commits) == limit
        assert json(page)["log"] == house.log
        is_named = "log=" in path
        assert ("immutable" in page.headers["Cache-Control"]) == (is_full and is_named)
        path = links(page)["next"]
        assert (
            json(page)["next"]
            == path
            == f"/v1/commits?limit={limit}&after={len(collected)}&log={house.log}"
        )
        if not is_full:
            break
    assert collected == whole

    etag = house.get("/v1/commits").headers["ETag"]
    unchanged = house.get("/v1/commits", headers={"If-None-Match": etag})
    assert unchanged.status_code == 304


def test_one_game_is_read_alone(house: House) -> None:
    """Even a filter by game hides private matches from strangers. Positions stay the same."""
    whole = {commit["position"]: commit for commit in house.commits()}

    commits = house.commits("/v1/commits?game=firenze")
    assert {commit["match"] for commit in commits} == {house.firenze.match}
    assert all(whole[commit["position"]] == commit for commit in commits)
    following = json(house.get("/v1/commits?game=firenze"))["next"]
    assert following == f"/v1/commits?game=firenze&after=12&log={house.log}"

    own = house.commits("/v1/commits?game=firenze", "seat:0")
    assert {commit["match"] for commit in own} == {house.firenze.match, house.private.match}


def test_lines_are_the_page(house: House) -> None:
    """Each line is a commit. The header Link names the next lines."""
    answer = house.get("/v1/commits.ndjson?after=3&limit=4")
    assert answer.mimetype == "application/x-ndjson"
    assert [loads(line) for line in answer.text.splitlines()] == house.commits()[3:7]
    assert links(answer)["next"] == f"/v1/commits.ndjson?after=7&limit=4&log={house.log}"


@pytest.mark.parametrize("path", ["/v1/commits", "/v1/commits.ndjson"])
def test_a_page_is_made_once_while_nothing_is_added(
    house: House, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """A full page stays cached, the last page until more is sealed.

    A page for a token is not cached.

    No cached page is used if the log is another one, or has gone back.
    """
    starts: list[int] = []
    page = feed.page

    def noted(ctx: Context, reading: FeedReader, start: FeedPosition, limit: int) -> FeedPage:
        starts.append(start.after)
        return page(ctx, reading, start, limit)

    monkeypatch.setattr(feed, "page", noted)
    full, last = f"{path}?after=2&limit=4", f"{path}?after=8"

    def answers() -> list[str]:
        starts.clear()
        return [house.get(one).text for one in (full, last)]

    first = answers()
    assert starts == [2, 8]
    assert answers() == first
    assert starts == []

    move(house.calimala)
    assert answers() == first
    house.seal()
    again = answers()
    assert (again[0], starts) == (first[0], [8])
    assert len(again[1]) > len(first[1])

    house.get(full, "owner")
    house.get(full, "owner")
    assert starts == [8, 2, 2]

    log = house.private.ctx.log
    assert log is not None
    order = log.state()
    for other in (replace(order, key=OTHER_KEY), replace(order, published=5)):
        monkeypatch.setattr(log, "state", lambda state=other: state)
        answers()
        assert starts == [2, 8]


def test_a_log_that_is_shorter_than_its_index_proves_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request for a proof is answered 503 while the log is shorter than its index."""
    path = f"/v1/matches/{house.private.match}/proof"
    assert house.get(path, "owner").status_code == 200
    log = house.private.ctx.log
    assert log is not None
    order = log.state()
    for checkpoint in (b"", short(order.checkpoint)):
        gone_back = replace(order, checkpoint=checkpoint)
        monkeypatch.setattr(log, "state", lambda state=gone_back: state)
        assert problem(house.get(path, "owner")) == (503, "journal-unavailable")


def test_an_index_that_cannot_be_used_is_logged_in_a_line(
    house: House,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The reason is logged once, without a traceback, since any request may meet it.

    A different reason is logged, too. The answer names no file.
    """
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        monkeypatch.setattr(house.private.ctx.log, "_index", Index(tmp_path / place))  # a directory
        for _ in range(3):
            for path in (f"/v1/matches/{house.private.match}/proof", "/v1/matches?sort=-updated"):
                refused = house.get(path, "owner")
                assert problem(refused) == (503, "journal-unavailable")
                assert str(tmp_path) not in refused.text

    lines = [one for one in caplog.records if one.levelname == "ERROR"]
    assert [line.exc_info for line in lines] == [None, None]
    for line, place in zip(lines, ("one", "two"), strict=True):
        assert str(tmp_path / place) in line.__dict__["reason"]


def test_beyond_the_end_there_is_nothing(house: House) -> None:
    """A page beyond the end is empty, and its `next` stays at the reader's position."""
    empty = {"commits": [], "next": f"/v1/commits?after=99&log={house.log}", "log": house.log}
    assert json(house.get("/v1/commits?after=99")) == empty


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("after=-1", "after"),
        ("after=soon", "after"),
        ("log=4f2a9c1", "log"),
        ("log=4F2A9C1E", "log"),
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("game=Chess!", "game"),
        ("wait=61", "wait"),
    ],
)
def test_a_wrong_question_is_named(door: Door, query: str, wrong: str) -> None:
    """The problem names the wrong parameter."""
    for path in ("/v1/commits", "/v1/commits.ndjson"):
        refused = door.get(f"{path}?{query}")
        assert problem(refused) == (422, "invalid-request")
        assert [place["parameter"] for place in json(refused)["errors"]] == [wrong]


def test_a_reader_waits_for_new_commits(house: House) -> None:
    """The answer comes when the next commit has its position."""
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(house.get, "/v1/commits?after=12&wait=60")
        move(house.firenze)
        house.seal()
        page = json(waiting.result(PATIENCE))
    assert [commit["version"] for commit in page["commits"]] == [5]
    assert page["next"] == f"/v1/commits?after=13&log={house.log}"


@pytest.mark.parametrize(
    ("query", "headers", "first"),
    [
        ("?after=10", {}, 10),
        ("?after=10&log={log}", {}, 10),
        ("?after=2", {"Last-Event-ID": "{log}-11"}, 11),
        ("", {}, 12),
    ],
    ids=["after", "after-in-a-log", "last-event-id", "new"],
)
def test_a_stream_resumes_at_its_readers_position(
    house: House, query: str, headers: dict[str, str], first: int
) -> None:
    """A stream starts after a position or an event, or with new commits.

    Then it has every commit.
    """
    path = f"/v1/commits/stream{query}".format(log=house.log)
    request_headers = {name: value.format(log=house.log) for name, value in headers.items()}
    with house.get(path, headers=request_headers, buffered=False) as stream:
        news = events(stream)
        move(house.calimala)
        house.seal()
        first_events = [next(news) for _ in range(first, 13)]

    assert [number for number, _ in first_events] == [
        f"{house.log}-{n}" for n in range(first + 1, 14)
    ]
    assert [commit for _, commit in first_events] == house.commits(f"/v1/commits?after={first}")


def test_a_stream_shows_no_private_match_to_strangers(house: House) -> None:
    """A stream shows the private match to its players only."""
    for who, is_shown in (("", False), ("seat:0", True)):
        with house.get("/v1/commits/stream?after=0", who, buffered=False) as stream:
            news = events(stream)
            commits = [next(news)[1] for _ in range(12)]
        matches = {commit["match"] for commit in commits if "match" in commit}
        assert (house.private.match in matches) == is_shown


def test_a_stream_is_silent_while_the_journal_is_away(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stream does not end, and goes on when the journal is back."""
    ctx = house.private.ctx
    assert ctx.log is not None
    stream = feed.follow(
        ctx, house.private.services.notifications, FeedReader(), FeedPosition("", 11), beat=0.01
    )
    with monkeypatch.context() as patched:
        patched.setattr(ctx.log, "state", raising(JournalUnavailable("away")))
        assert [next(stream) for _ in range(3)] == [b""] * 3
    assert next(filter(None, stream)).startswith(b"id: %s-12\n" % house.log.encode())


def test_a_stream_without_matching_commits_sends_heartbeats(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is a heartbeat for each batch of positions, so that a closed connection is noticed."""
    monkeypatch.setattr(feed, "MOST", 4)
    log = house.private.ctx.log
    assert log is not None
    starts: list[int] = []
    entries = log.entries

    def counted(after: int, limit: int, published: int) -> list[LogEntry]:
        starts.append(after)
        return entries(after, limit, published)

    monkeypatch.setattr(log, "entries", counted)
    nothing = FeedReader(game="no such game")
    stream = feed.follow(
        house.private.ctx,
        house.private.services.notifications,
        nothing,
        FeedPosition("", 0),
        beat=0.01,
    )
    for number in range(1, 4):
        assert next(stream) == b""
        assert starts == [0, 4, 8][:number]


def test_commits_of_the_catching_up_are_not_cached(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streams from many positions cost no memory for the commits that they catch up on."""
    monkeypatch.setattr(feed, "MOST", 4)
    notifications = house.private.services.notifications
    with notifications.follow(LOG) as channel, notifications.follow(LOG):
        stream = feed.follow(
            house.private.ctx, notifications, FeedReader(), FeedPosition("", 0), beat=3600
        )
        assert len([next(stream) for _ in range(12)]) == 12
        assert channel._answers == {}


# ---- another log ---------------------------------------------------------------------------------


def in_another_log(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server go on with another log, as after a restored backup."""
    log = house.private.ctx.log
    assert log is not None
    other = replace(log.state(), key=OTHER_KEY)
    monkeypatch.setattr(log, "state", lambda: other)


@pytest.mark.parametrize("path", ["/v1/commits", "/v1/commits.ndjson", "/v1/records"])
def test_a_page_of_another_log_is_refused(house: House, path: str) -> None:
    """The refusal names the log of this server. It comes at once, even with `wait`."""
    assert house.get(f"{path}?after=3&log={house.log}").status_code == 200
    wait = "" if path == "/v1/records" else "&wait=60"
    refused = house.get(f"{path}?after=99&log={OTHER_LOG}{wait}")
    assert problem(refused) == (409, "another-log")
    assert json(refused)["log"] == house.log


@pytest.mark.parametrize("path", ["/v1/commits", "/v1/commits.ndjson", "/v1/records"])
def test_a_log_without_entries_is_another_log(make_door: Make, path: str) -> None:
    """A log has no ID before its first entry: its readers follow it without one."""
    door = make_door(**SETTINGS)
    assert json(door.get("/v1/commits")) == {
        "commits": [],
        "next": "/v1/commits?after=0",
        "log": None,
    }
    refused = door.get(f"{path}?after=3&log={OTHER_LOG}")
    assert problem(refused) == (409, "another-log")
    assert json(refused)["log"] is None


def test_a_restored_backup_begins_another_log(
    house: House, make_door: Make, tmp_path: Path
) -> None:
    """A reader of the old log is refused, and the new log has every commit again."""
    backup = tmp_path / "giornale.backup"
    journal = house.private.ctx.journal
    with private_file(backup) as draft:
        export.write(journal, draft, {}, house.private.ctx.clock, lambda _commits: None)
    with Redis.from_url(house.private.services.config.journal_url) as client:
        client.flushall()

    (tmp_path / "elsewhere").mkdir()
    elsewhere = make_door(**SETTINGS, DATA=str(tmp_path / "elsewhere"))
    reader = restore.check(backup, lambda _commits: None)
    restore.restore(elsewhere.ctx.journal, reader, lambda _commits: None, merge=False)
    run_out(open_sequencer(elsewhere.services.config, elsewhere.ctx))

    old_log = log_id(str(house.sequencer._verifier))
    refused = elsewhere.get(f"/v1/commits?after=5&log={old_log}")
    assert problem(refused) == (409, "another-log")
    page = json(elsewhere.get(f"/v1/commits?after=0&log={json(refused)['log']}"))
    assert [commit["position"] for commit in page["commits"]] == list(range(12))


@pytest.mark.parametrize(
    ("query", "headers"),
    [(f"?after=3&log={OTHER_LOG}", {}), ("", {"Last-Event-ID": f"{OTHER_LOG}-3"})],
    ids=["query", "last-event-id"],
)
def test_a_stream_of_another_log_is_rewritten(
    house: House, query: str, headers: dict[str, str]
) -> None:
    """One event names the log of this server, and the stream ends."""
    stream = house.get(f"/v1/commits/stream{query}", headers=headers)
    first = f'id: {house.log}-0\nevent: rewritten\ndata: {{"log":"{house.log}"}}\n\n'
    assert stream.text == "retry: 2000\n\n" + first


def test_a_stream_notices_another_log(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader at the end of one log is not sent commits of another."""
    notifications = house.private.services.notifications
    stream = feed.follow(
        house.private.ctx, notifications, FeedReader(), FeedPosition("", 11), beat=0.01
    )
    assert next(stream).startswith(b"id: %s-12\n" % house.log.encode())
    in_another_log(house, monkeypatch)
    assert next(filter(None, stream)).startswith(b"id: %s-0\nevent: rewritten" % OTHER_LOG.encode())
    assert list(stream) == []


# ---- rights --------------------------------------------------------------------------------------


def test_a_stream_checks_the_token_at_each_commit(house: House) -> None:
    """After a token was replaced, its stream shows only hashes of the private match."""
    notifications = house.private.services.notifications
    token = house.private.tokens["seat:0"]
    reading = feed.reader(house.private.ctx, [token], None)
    stream = feed.follow(house.private.ctx, notifications, reading, FeedPosition("", 0), beat=0.01)

    before: list[dict[str, Any]] = []
    while not before or before[-1].get("match") != house.private.match:
        before.append(loads(next(stream).partition(b"data: ")[2]))
    assert house.private.post("tokens", {"holder": "seat:0"}, "owner").status_code == 201

    after = [loads(next(stream).partition(b"data: ")[2]) for _ in range(12 - len(before))]
    own = {commit["hash"] for commit in json(house.private.get("commits", "owner"))["commits"]}
    of_private = [commit for commit in after if commit["hash"] in own]
    assert len(of_private) == 3
    assert all(commit.keys() == {"log", "position", "hash"} for commit in of_private)


def test_a_slow_reader_is_checked_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stream of my matches shows nothing of a match after its token was replaced."""
    monkeypatch.setattr(my_matches, "_CHECK_SECONDS", 0.0)
    private = house.private
    watched = my_matches.MyMatches([house.firenze.tokens["seat:0"], private.tokens["seat:0"]])
    news = watched.news(private.ctx)
    assert next(news)["match"] == house.firenze.match
    assert private.post("tokens", {"holder": "seat:0"}, "owner").status_code == 201
    assert [(one["match"], one["event"]) for one in news] == [(private.match, "gone")]


# ---- lists in the order of the log ---------------------------------------------------------------


def listed(house: House, query: str) -> list[str]:
    """Return the matches named by a list, on as many pages as it has."""
    ids: list[str] = []
    path: str | None = f"/v1/matches?{query}"
    while path:
        page = house.get(path)
        ids += match_ids_on(page)
        path = links(page).get("next")
    return ids


@pytest.mark.parametrize("limit", [1, 50])
def test_matches_are_listed_by_their_last_commits(house: House, limit: int) -> None:
    """The match with the latest commit comes first. Private matches are in no list."""
    calimala, firenze = house.calimala.match, house.firenze.match
    assert listed(house, f"sort=-updated&limit={limit}") == [firenze, calimala]

    move(house.calimala)
    assert listed(house, f"sort=-updated&limit={limit}") == [firenze, calimala], "not sealed yet"
    house.seal()
    assert listed(house, f"sort=-updated&limit={limit}") == [calimala, firenze]
    assert listed(house, f"sort=-updated&game=firenze&limit={limit}") == [firenze]
    assert listed(house, f"sort=-updated&status=ended&limit={limit}") == []


def test_matches_are_listed_by_their_ends(house: House) -> None:
    """Only ended matches are in the list."""
    assert listed(house, "sort=-ended") == []
    for door in (house.firenze, house.calimala):
        assert door.post("abort", None, "owner").status_code == 201
        door.house()
        house.seal()

    calimala, firenze = house.calimala.match, house.firenze.match
    assert listed(house, "sort=-ended") == [calimala, firenze]
    assert listed(house, "sort=-ended&status=aborted&game=firenze") == [firenze]

    ended = json(house.firenze.get())["updated"]
    later = json(house.calimala.get())["updated"]
    assert listed(house, f"ended_from={ended}") == [calimala, firenze]
    assert listed(house, f"ended_from={later}") == [calimala]
    assert listed(house, "ended_from=2999-01-01T00:00:00Z") == []
    assert listed(house, f"ended_to={later}") == [firenze]
    assert listed(house, f"ended_from={ended}&ended_to={ended}") == []


@pytest.mark.parametrize("path", ["matches?sort=-ended", "records?ended_from=2020-01-01T00:00:00Z"])
def test_a_deleted_match_leaves_the_index(house: House, path: str) -> None:
    """A deleted match leaves the index when a list first meets it.

    Its commits keep their positions.
    """
    for door in (house.firenze, house.calimala):
        assert door.post("abort", None, "owner").status_code == 201
        door.house()
        house.seal()
    log, journal = house.private.ctx.log, house.private.ctx.journal
    assert log is not None
    [first, *_] = json(house.calimala.get("commits"))["commits"]

    journal.lifecycle.delete(house.calimala.match, Tombstone(1, "ada"))
    assert house.get(f"/v1/{path}").status_code == 200
    assert [one.match for one in log.listed(MatchSelection(), 9)] == [house.firenze.match]
    assert log.position(first["hash"]) is not None


def test_the_log_keeps_the_entries_of_a_deleted_match(house: House) -> None:
    """The help of `match delete` and the contract say so."""
    before = house.commits()
    for match in (house.calimala.match, house.private.match):
        lifecycle.delete(house.private.ctx, match, "ada")

    assert house.commits() == before
    assert house.calimala.match in {one.get("match") for one in before}


def test_a_deleted_match_is_left_out_though_still_in_the_index(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the index cannot drop the deleted match, each list leaves it out again."""
    monkeypatch.setattr(house.private.ctx.log, "forget", raising(LogUnavailable()))
    house.private.ctx.journal.lifecycle.delete(house.calimala.match, Tombstone(1, "ada"))
    for _ in range(2):
        assert listed(house, "sort=-updated") == [house.firenze.match]


@pytest.mark.parametrize("looked_at", [1, 500])
def test_matches_of_a_player_are_listed(
    house: House, monkeypatch: pytest.MonkeyPatch, looked_at: int
) -> None:
    """The filter uses present names, however many pages of the index it reads.

    Erased names match nothing.
    """
    monkeypatch.setattr(listing, "_LOOKED_AT", looked_at)
    app = house.calimala.client.application
    seats = [{"kind": "human", "name": "Ada"}, {"kind": "human", "name": "Ada Lovelace"}]
    both = [opened(Door.of(app), game="firenze", seats=seats, seed=seed) for seed in ("a", "b")]
    house.seal()

    first, second = (door.match for door in both)
    assert listed(house, "player=Ada") == [second, first]
    assert listed(house, "player=Ada&limit=1") == [second, first]
    assert listed(house, "player=Ada%20Lovelace&sort=-ended") == []
    assert listed(house, "player=ada") == []

    assert both[1].delete("players/0", "owner").status_code == 204
    assert listed(house, "player=Ada") == [first]


def test_a_match_that_moves_stays_in_the_list_of_a_player(house: House) -> None:
    """Pages that follow each other hold each match of the player once."""
    app = house.calimala.client.application
    seats = [{"kind": "human", "name": "Ada"}, {"kind": "human"}]
    doors = [opened(Door.of(app), game="firenze", seats=seats, seed=str(n)) for n in range(3)]
    house.seal()

    page = house.get("/v1/matches?player=Ada&limit=1")
    ids = match_ids_on(page)
    for door in doors:
        move(door)
    house.seal()
    while following := links(page).get("next"):
        page = house.get(following)
        ids += match_ids_on(page)
    assert ids == [door.match for door in reversed(doors)]


def test_matches_are_listed_by_the_time_of_their_last_move(house: House) -> None:
    """`updated_from` is inclusive, `updated_to` exclusive. Times may have any time zone."""
    move(house.calimala)
    house.seal()
    last = json(house.calimala.get())["updated"]
    assert listed(house, f"updated_from={last}") == [house.calimala.match]
    assert len(listed(house, "updated_from=2020-01-01T00:00:00%2B01:00")) == 2
    assert listed(house, f"updated_to={last}") == [house.firenze.match]


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("sort=updated", "sort"),
        ("player=", "player"),
        ("waiting_for=me&sort=-ended", "sort"),
        ("waiting_for=me&player=Ada&sort=-ended", "sort, player"),
        ("updated_from=17", "updated_from"),
        ("ended_from=yesterday", "ended_from"),
        ("updated_from=2026-01-01T00:00:00Z&ended_from=2026-01-01T00:00:00Z", "ended_from"),
        ("updated_to=2026-01-01T00:00:00Z&ended_to=2026-01-01T00:00:00Z", "ended_to"),
        ("sort=-updated&ended_from=2026-01-01T00:00:00Z", "sort"),
    ],
)
def test_a_wrong_list_is_named(door: Door, query: str, wrong: str) -> None:
    """The problem names the wrong parameters."""
    refused = door.get(f"/v1/matches?{query}")
    assert problem(refused) == (422, "invalid-request")
    assert ", ".join(place["parameter"] for place in json(refused)["errors"]) == wrong


def test_a_list_is_waited_for(house: House) -> None:
    """A caller with the ETag of a list is answered when something in the list has changed."""
    for query in ("sort=-updated", "game=calimala"):
        page = house.get(f"/v1/matches?{query}")
        condition = {"If-None-Match": page.headers["ETag"]}
        with ThreadPoolExecutor() as pool:
            waiting = pool.submit(house.get, f"/v1/matches?{query}&wait=60", headers=condition)
            move(house.calimala)
            house.seal()
            newer = waiting.result(PATIENCE)
        assert newer.status_code == 200
        assert json(newer) != json(page)
    unchanged = house.get("/v1/matches?sort=-updated&wait=0", headers={"If-None-Match": "x"})
    assert unchanged.status_code == 200
