"""Snapshots change only the duration of a read. The times of commits do not go back."""

from dataclasses import replace

import pytest

from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.repository import load_snapshot, load_version, write_snapshot
from service.store.journal.memory import memory_journal
from tests.service.matches.conftest import (
    bots,
    context_over,
    humans,
    make_move,
    now,
    play_on,
)
from tests.service.store.journal.copies import Copy, copy_of_memory, put_back_in_memory


@pytest.fixture(scope="module")
def played_once() -> tuple[NewMatch, Copy]:
    """A whole match, and the content of its journal. Playing it takes a while."""
    ctx = context_over(memory_journal())
    opened = open_new(ctx, OpenRequest("calimala", [*humans(2), *bots(1)], seed="reading"))
    play_on(ctx, opened)
    return opened, copy_of_memory(ctx.journal)


@pytest.fixture
def played(ctx: Context, played_once: tuple[NewMatch, Copy]) -> NewMatch:
    """A whole match of Calimala, two humans and a bot."""
    opened, copy = played_once
    put_back_in_memory(ctx.journal, copy)
    return opened


def fresh(ctx: Context) -> Context:
    """Return a context with an empty cache on the same journal."""
    return context_over(ctx.journal)


# ---- snapshots -----------------------------------------------------------------------------------


def test_a_snapshot_and_the_tail_equal_a_full_replay(ctx: Context, played: NewMatch) -> None:
    """A reader of many commits writes a snapshot.

    Snapshots of any version lead to the same state.
    """
    assert load_snapshot(ctx, played.loaded.id) is None
    whole = now(fresh(ctx), played)
    assert load_snapshot(ctx, played.loaded.id) == whole

    for version in (1, 40, whole.version):
        loaded = load_version(fresh(ctx), played.loaded.id, version)
        write_snapshot(ctx, loaded)
        assert now(fresh(ctx), played) == whole


# Each spoils a snapshot: some of its bytes, and their replacement.
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
    ctx: Context, calimala: NewMatch, right: bytes, wrong: bytes
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
    assert load_snapshot(ctx, match) is None
    assert now(fresh(ctx), calimala) == whole


# ---- time ----------------------------------------------------------------------------------------


def test_time_never_runs_backwards(calimala: NewMatch, ctx: Context) -> None:
    """When the clock is set back, commits keep the time of the last one."""
    late = replace(ctx, clock=lambda: 1_000)
    move = make_move(late, calimala, 0)

    assert move.entry["commit"]["time"] == calimala.loaded.time
