"""The match cache: a process does not show cached values that contradict the journal.

This holds even if the journal goes back to an older copy, and goes on from there.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from prometheus_client import REGISTRY

from service.base import answers
from service.base.errors import Stale, Unauthorized
from service.matches import access, automation, moves, repository, tokens, views
from service.matches.command_handler import Submission
from service.matches.context import Context, LRUCache, MatchCache
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.repository import OtherStream, load, load_version, pieces, write_snapshot
from service.store.journal.memory import memory_journal
from service.store.journal.ports import Journal
from service.store.keys.tokens import Caller
from tests.service.matches.conftest import (
    as_caller,
    bots,
    by,
    context_over,
    humans,
    make_move,
    now,
    play_on,
)
from tests.service.store.journal.copies import Copy, copy_of_memory, put_back_in_memory
from tests.service.store.journal.ports import Over

PIECE = 50  # commits read in one go in these tests
PUBLIC = Caller()


@pytest.fixture
def journal() -> Journal:
    """An empty journal."""
    return memory_journal()


@pytest.fixture
def opened(journal: Journal) -> NewMatch:
    """A match of three humans."""
    return open_new(context_over(journal), OpenRequest("calimala", humans(3), seed="back"))


def play_otherwise(ctx: Context, opened: NewMatch, until: int, chance: Random) -> None:
    """Play the match to a version by random moves."""
    match = opened.loaded.id
    while (loaded := load(ctx, match)).version < until:
        status = loaded.match.status
        if status.awaiting == "house":
            automation.act(ctx, match)
            continue

        seat = status.seats[0]
        legal = moves.legal_moves(loaded, seat)
        submission = Submission(match, opened.tokens[f"seat:{seat}"])
        moves.move(ctx, submission, chance.choice(legal))


def states(ctx: Context, match: str, caller: Caller, after: int, limit: int) -> list[answers.State]:
    """Return the states of a span of a match."""
    access = as_caller(ctx, match, caller)
    return views.states(ctx, access, views.page_range(access, after, limit))


def assert_shows_the_journal(ctx: Context, match: str) -> None:
    """Assert that a context shows the match as a context with an empty cache does."""
    loaded = load(ctx, match)
    last = loaded.version
    assert loaded == load(context_over(ctx.journal), match)

    some_versions = range(1, last + 1, 7)
    checkpoints = range(PIECE, last + 1, PIECE)
    for version in {*some_versions, *checkpoints}:
        fresh = context_over(ctx.journal)
        past = load_version(ctx, match, version)
        assert past == load_version(fresh, match, version)

    after = max(0, last - 30)
    fresh = context_over(ctx.journal)
    page = states(ctx, match, PUBLIC, after, 20)
    assert page == states(fresh, match, PUBLIC, after, 20)


@pytest.mark.parametrize("seed", range(3))
def test_two_processes_show_the_state_of_the_journal(
    journal: Journal, opened: NewMatch, seed: int
) -> None:
    """Heads, past states and spans are right, even if the journal goes back several times."""
    chance = Random(seed)
    match = opened.loaded.id
    contexts = [context_over(journal), context_over(journal)]
    copies: list[Copy] = [copy_of_memory(journal)]

    for _ in range(6):
        player = chance.choice(contexts)
        target = load(player, match).version + chance.randint(10, 60)
        play_otherwise(player, opened, target, chance)
        load_version(chance.choice(contexts), match, load(player, match).version)
        if chance.random() < 0.3:
            write_snapshot(player, load(player, match))
        copies.append(copy_of_memory(journal))
        put_back_in_memory(journal, chance.choice(copies))

        for ctx in contexts:
            assert_shows_the_journal(ctx, match)


# ---- while a match is read -----------------------------------------------------------------------


class SwappedWhileRead(Over):
    """Commits of a journal that another copy replaces once while a match is read."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal.events)
        self._journal = journal
        self.other: Copy | None = None

    def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Return commits, from the other copy beyond the first piece."""
        if self.other is not None and after >= PIECE:
            other, self.other = self.other, None
            put_back_in_memory(self._journal, other)
        commits: list[bytes] = self.below.read(match_id, after, limit)
        return commits


Swapped = tuple[Journal, SwappedWhileRead, NewMatch]


@pytest.fixture
def swapped(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> Swapped:
    """A long match in a journal that is replaced between the reads of two pieces."""
    monkeypatch.setattr(repository, "PIECE", PIECE)
    ctx = context_over(journal)
    opened = open_new(ctx, OpenRequest("calimala", humans(3), seed="swap"))
    play_otherwise(ctx, opened, PIECE - 20, Random(1))
    before = copy_of_memory(journal)
    play_otherwise(ctx, opened, PIECE + 20, Random(2))
    other = copy_of_memory(journal)

    put_back_in_memory(journal, before)
    play_otherwise(ctx, opened, PIECE + 20, Random(3))
    events: Any = SwappedWhileRead(journal)
    events.other = other
    return replace(journal, events=events), events, opened


READ: dict[str, Callable[[Context, str], object]] = {
    "head": load,
    "past-state": lambda ctx, match: load_version(ctx, match, PIECE + 10),
}


@pytest.mark.parametrize("reader", READ.values(), ids=READ)
def test_a_match_is_never_put_together_of_two_histories(
    swapped: Swapped, reader: Callable[[Context, str], object]
) -> None:
    """Commits that were read before the journal was replaced are read again."""
    journal, events, opened = swapped
    ctx = context_over(journal)

    loaded = reader(ctx, opened.loaded.id)

    assert events.other is None
    assert loaded == reader(context_over(journal), opened.loaded.id)
    assert_shows_the_journal(ctx, opened.loaded.id)


def test_a_page_is_never_put_together_of_two_histories(swapped: Swapped) -> None:
    """A reader of commits in pieces gets an error if the journal is replaced meanwhile."""
    journal, _events, opened = swapped

    with pytest.raises(OtherStream, match="was replaced while it was read"):
        list(pieces(context_over(journal), opened.loaded.id, 0, PIECE + 20))


# ---- spans of states -----------------------------------------------------------------------------


def replayed() -> float:
    """Return the number of commits replayed in this process."""
    return REGISTRY.get_sample_value("giornale_replayed_commits_total") or 0


@pytest.mark.whole
def test_the_states_of_a_whole_match_are_those_at_each_version(ctx: Context) -> None:
    """For the public and two seats, in spans of up to 120 versions, across all checkpoints.

    A span replays its commits once, and at most fifty commits before its first.
    """
    opened = open_new(ctx, OpenRequest("calimala", [*humans(2), *bots(1)], seed="spans"))
    play_on(ctx, opened)
    match = opened.loaded.id
    last = load(ctx, match).version
    fresh = context_over(ctx.journal)
    at_each_version = [load_version(fresh, match, version) for version in range(1, last + 1)]
    load_version(ctx, match, last)  # passes the checkpoints

    for caller in (PUBLIC, Caller("seat", 0), Caller("seat", 1)):
        collected: list[answers.State] = []
        chance = Random(7)
        while len(collected) < last:
            before = replayed()
            more = states(ctx, match, caller, len(collected), chance.randint(1, 120))
            assert len(more) <= replayed() - before <= len(more) + 50
            collected += more
        assert collected == [views.view(loaded, caller) for loaded in at_each_version]


# ---- what is remembered --------------------------------------------------------------------------


def test_the_cache_is_bounded_and_gives_the_latest_version(calimala: NewMatch) -> None:
    """At most `size` values are cached. Of two versions of a match the later one stays.

    It is returned only for its own version and hash.
    """
    recent: LRUCache[str, int] = LRUCache(2)
    recent.put("a", 1)
    recent.put("b", 2)
    assert recent.get("a") == 1

    recent.put("c", 3)

    assert recent.get("b") is None
    assert (recent.get("a"), recent.get("c")) == (1, 3)

    cache = MatchCache()
    match = calimala.loaded.id
    later = replace(calimala.loaded, version=2)
    cache.put(later)
    cache.put(calimala.loaded)

    assert cache.get(match, 2, later.hash) is later
    assert cache.get(match, 2, "0" * 64) is None
    assert cache.get(match, 3, later.hash) is None


# ---- two processes at work on one journal --------------------------------------------------------


@pytest.fixture
def other(ctx: Context) -> Context:
    """Another process at work on the same journal."""
    return replace(ctx, cache=MatchCache())


def enter(ctx: Context, opened: NewMatch, who: str) -> None:
    """Let the process cache the match and the holder of the token."""
    access.enter(ctx, opened.loaded.id, opened.tokens[who])


def test_a_stale_move_is_refused_over_a_remembered_state(
    ctx: Context, other: Context, calimala: NewMatch
) -> None:
    """A move for an old version is refused, even if the process does not know the newer commit."""
    move = moves.legal_moves(calimala.loaded, 1)[0]
    enter(ctx, calimala, "seat:1")
    make_move(other, calimala, 0)

    with pytest.raises(Stale) as refused:
        moves.move(ctx, by(calimala, "seat:1", expected=1), move)

    assert refused.value.version == 2
    assert len(refused.value.since) == 1


@pytest.mark.parametrize("key", ["k", ""], ids=["a-repeat", "without-a-key"])
def test_a_token_revoked_elsewhere_moves_nothing(
    ctx: Context, other: Context, calimala: NewMatch, key: str
) -> None:
    """A move with a token that another process has revoked is refused by the append."""
    move = moves.legal_moves(calimala.loaded, 0)[0]
    moves.move(ctx, by(calimala, "seat:0", key="k"), move)
    tokens.revoke(other, Submission(calimala.loaded.id, calimala.tokens["seat:0"]), "seat:0")
    after_the_revocation = now(other, calimala).version

    with pytest.raises(Unauthorized):
        moves.move(ctx, by(calimala, "seat:0", key=key), move)
    assert after_the_revocation == 3
    assert now(other, calimala).version == after_the_revocation


def test_a_move_over_lost_commits_clears_the_cached_match(ctx: Context, calimala: NewMatch) -> None:
    """After a loss of commits a move replaces the cached match, and later moves use the new one."""
    backup = copy_of_memory(ctx.journal)
    make_move(ctx, calimala, 0)
    move = moves.legal_moves(now(ctx, calimala), 1)[0]
    enter(ctx, calimala, "seat:1")
    put_back_in_memory(ctx.journal, backup)

    result = moves.move(ctx, by(calimala, "seat:1"), move)

    assert result.version == 2, "the journal has lost the move of seat 0"
    assert ctx.cache.heads.get(calimala.loaded.id) == result.after
