"""Any version can be read, by each caller as much as they may see.

Snapshots change nothing but the time it takes.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from service.errors import NotFound
from service.journal.memory import memory_journal
from service.keys.tokens import Caller
from service.ledger import replay
from service.ledger.codec import decode_events, put_back
from service.ledger.commit import StoredCommit, digest, parse_commit, rules_of
from service.ledger.replay import apply
from service.matches import moves, views
from service.matches.context import Context
from service.matches.opening import Opened, OpenRequest, open_new
from service.matches.repository import at_version, read_snapshot, write_snapshot
from tests.service.journal.copies import Copy, copy_of_memory, put_back_in_memory
from tests.service.matches.conftest import (
    as_caller,
    bots,
    by,
    context_over,
    first_move,
    humans,
    make_move,
    now,
    play_on,
)

PUBLIC = Caller()
SEAT_0 = Caller("seat", 0)
SEAT_1 = Caller("seat", 1)


@pytest.fixture(scope="module")
def played_once() -> tuple[Opened, Copy]:
    """A whole match, and what its journal holds; to play it takes a while."""
    ctx = context_over(memory_journal())
    opened = open_new(ctx, OpenRequest("calimala", [*humans(2), *bots(1)], seed="reading"))
    play_on(ctx, opened)
    return opened, copy_of_memory(ctx.journal)


@pytest.fixture
def played(ctx: Context, played_once: tuple[Opened, Copy]) -> Opened:
    """A whole match of Calimala, two humans and a bot."""
    opened, copy = played_once
    put_back_in_memory(ctx.journal, copy)
    return opened


def fresh(ctx: Context) -> Context:
    """Return a context with an empty cache on the same journal."""
    return context_over(ctx.journal)


def entries_of(ctx: Context, opened: Opened) -> list[StoredCommit]:
    """Return all commits of a match."""
    return [parse_commit(stored) for stored in ctx.journal.events.read(opened.loaded.id)]


# ---- states --------------------------------------------------------------------------------------


def test_every_version_can_be_read(ctx: Context, played: Opened) -> None:
    """State at version n is the fold of the first n commits, with the hash and time of the last.

    Commit n holds the digest of its public view. Every 17th version is looked at.
    """
    entries = entries_of(ctx, played)
    rules = rules_of(entries[0])
    folded = None

    for version, entry in enumerate(entries, 1):
        events = decode_events([entry], rules)
        folded = apply(folded, events)
        if version % 17 != 1:
            continue

        loaded = at_version(fresh(ctx), played.loaded.id, version)
        public_state = views.view(loaded, PUBLIC)["state"]
        folded_state = folded.game.view(folded.state, None)
        commit = entry["commit"]

        assert digest(public_state) == digest(folded_state)
        assert digest(public_state) == commit["view"]
        assert loaded.hash == entry["hash"]
        assert loaded.time == commit["time"]


def test_what_everybody_knows_stands_beside_the_state(ctx: Context, played: Opened) -> None:
    """All callers are shown the drafted cards alike (C13), and no digest of a commit holds them."""
    last = now(ctx, played).version
    drafted_cards: set[str | None] = set()

    for version in range(1, last + 1):
        loaded = at_version(ctx, played.loaded.id, version)
        shown = [views.view(loaded, caller) for caller in (PUBLIC, SEAT_0, SEAT_1)]
        first, *others = [answer["known"] for answer in shown]
        assert others == [first, first]
        assert "known" not in (shown[0]["state"] or {})
        assert first is not None
        drafted_cards.update(player["drafted_card"] for player in first["players"])

    assert len(drafted_cards - {None}) == 3


def test_nothing_is_known_before_the_start(ctx: Context) -> None:
    """As there is no state."""
    lobby = open_new(ctx, OpenRequest("calimala", [*humans(2), {"kind": "open"}]))
    shown = views.view(lobby.loaded, PUBLIC)
    assert (shown["state"], shown["known"]) == (None, None)


@pytest.mark.parametrize("version", [0, 10_000])
def test_a_version_that_is_not_there_is_not_found(
    ctx: Context, played: Opened, version: int
) -> None:
    """The answer names the versions there are."""
    with pytest.raises(NotFound, match="versions 1 to"):
        views.state_at(ctx, as_caller(ctx, played.loaded.id, PUBLIC), version)


def test_the_outcome_has_points_and_ranks_of_every_seat(ctx: Context, played: Opened) -> None:
    outcome = replay.outcome(now(ctx, played))

    assert outcome is not None
    assert len(outcome["points"]) == 3
    assert len(outcome["ranks"]) == 3
    assert min(outcome["ranks"]) == 1


# ---- snapshots -----------------------------------------------------------------------------------


def test_a_snapshot_and_the_tail_equal_a_full_replay(ctx: Context, played: Opened) -> None:
    """Who had to fold a long tail leaves a snapshot. A state brought forward from any is right."""
    assert read_snapshot(ctx, played.loaded.id) is None
    whole = now(fresh(ctx), played)
    assert read_snapshot(ctx, played.loaded.id) == whole

    for version in (1, 40, whole.version):
        loaded = at_version(fresh(ctx), played.loaded.id, version)
        write_snapshot(ctx, loaded)
        assert now(fresh(ctx), played) == whole


# Each spoils a snapshot: what stands in its bytes, and what stands there then.
SPOILT = {
    "not-json": (b"}", b""),
    "other-shape": (b'"shape":"', b'"shape":"0'),
    "other-rules": (b'"rules":"calimala/1","shape"', b'"rules":"calimala/0","shape"'),
    "ahead": (b'"version":', b'"version":9'),
    "other-hash": (b'"hash":"', b'"hash":"0'),
    "missing-part": (b'"state":', b'"stat":'),
    "unreadable-state": (b'"state":{', b'"state":{"x":1,'),
}


@pytest.mark.parametrize(("right", "wrong"), SPOILT.values(), ids=SPOILT)
def test_a_snapshot_that_does_not_fit_is_dropped(
    ctx: Context, calimala: Opened, right: bytes, wrong: bytes
) -> None:
    """A bad snapshot is ignored, and the journal is replayed."""
    match = calimala.loaded.id
    play_on(ctx, calimala, until=12)
    whole = now(ctx, calimala)
    write_snapshot(ctx, whole)
    snapshot = ctx.journal.metadata.snapshot(match)
    assert snapshot is not None
    assert right in snapshot

    ctx.journal.metadata.put_snapshot(match, snapshot.replace(right, wrong))
    assert read_snapshot(ctx, match) is None
    assert now(fresh(ctx), calimala) == whole


# ---- history -------------------------------------------------------------------------------------


def newest_commit(ctx: Context, opened: Opened, caller: Caller) -> Mapping[str, Any]:
    """Return the last commit of a match as a caller may see it."""
    access = as_caller(ctx, opened.loaded.id, caller)
    [commit] = views.commits(ctx, access, access.version - 1, 1)
    return commit


def test_every_commit_names_its_game_and_rules(ctx: Context, calimala: Opened) -> None:
    """Readers need them, in a process that knows nothing as well. What is stored lacks them."""
    play_on(ctx, calimala, until=6)
    access = as_caller(ctx, calimala.loaded.id, PUBLIC)
    commits = views.commits(fresh(ctx), access, 3, 9)

    named = {(commit["game"], commit["rules"]) for commit in commits}
    assert named == {("calimala", "calimala/1")}
    assert not {"game", "rules"} & entries_of(ctx, calimala)[3]["commit"].keys()


def test_a_seat_sees_its_own_secrets_and_no_others(ctx: Context, calimala: Opened) -> None:
    """A kept scoring card is read by its keeper alone, in history and state (C43)."""
    move = first_move(ctx, calimala, 1)
    moves.move(ctx, by(calimala, "seat:1"), move)

    public = newest_commit(ctx, calimala, PUBLIC)
    neighbours = newest_commit(ctx, calimala, SEAT_0)
    own = newest_commit(ctx, calimala, SEAT_1)

    assert own["command"] == {**move, "seat": 1}
    assert own["events"] != public["events"]
    assert public["command"] == {"type": move["type"], "seat": 1}
    assert neighbours["command"] == public["command"]
    assert neighbours["events"] == public["events"]


def test_the_secret_is_shown_after_the_end_and_to_nobody_before(
    ctx: Context, calimala: Opened
) -> None:
    """The last commit reveals it to all (M9)."""
    secret = calimala.loaded.match.secret
    assert secret is not None
    for caller in (PUBLIC, SEAT_0, Caller("owner")):
        history = views.commits(ctx, as_caller(ctx, calimala.loaded.id, caller), 0, 10)
        assert secret not in str(history)

    play_on(ctx, calimala)
    assert secret in str(newest_commit(ctx, calimala, PUBLIC))


def test_the_revelation_is_the_last_commit_and_whole(ctx: Context, played: Opened) -> None:
    """After the end the house lays open every secret part of every commit, once (M9)."""
    entries = entries_of(ctx, played)
    secret_parts = {}
    for entry in entries:
        if entry["secrets"]:
            version = entry["commit"]["version"]
            secret_parts[str(version)] = entry["secrets"]

    command, _events = put_back(entries[-1])
    assert command["type"] == "reveal"
    assert command["parts"] == secret_parts
    assert now(ctx, played).match.revealed


def test_history_pages_meet_without_gap_or_overlap(ctx: Context, played: Opened) -> None:
    """Pages of seven read one after another are the whole history."""
    access = as_caller(ctx, played.loaded.id, PUBLIC)
    whole = views.commits(ctx, access, 0, access.version)

    paged = []
    for after in range(0, access.version, 7):
        paged += views.commits(ctx, access, after, 7)

    versions = [commit["version"] for commit in whole]
    assert versions == list(range(1, access.version + 1))
    assert paged == whole


def test_time_never_runs_backwards(calimala: Opened, ctx: Context) -> None:
    """When the clock is set back, commits keep the time of the last one."""
    late = replace(ctx, clock=lambda: 1_000)
    made = make_move(late, calimala, 0)

    assert made.entry["commit"]["time"] == calimala.loaded.time
