"""The journal goes back to an older copy, and goes on from there.

Nothing of what it has lost is told by a process that remembers it.
"""

from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

import pytest

from service.journal.memory import memory_journal
from service.journal.port import Journal
from service.ledger.replay import Loaded
from service.matches import automation, moves, repository
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import Opened, OpenRequest, open_new
from service.matches.repository import OtherStream, at_version, load, pieces, write_snapshot
from tests.service.journal.copies import Copy, copy_of_memory, put_back_in_memory
from tests.service.journal.ports import Over
from tests.service.matches.conftest import SECRET, START, humans, play_on

PIECE = 50  # commits read in one go in these tests


def context_over(journal: Journal) -> Context:
    """Return what another process works with: it remembers nothing yet."""
    ticks = count(START, 1000)
    return Context(
        journal,
        SECRET,
        clock=lambda: next(ticks),
        wake=lambda *_: None,
        allow_seed=True,
    )


@pytest.fixture
def journal() -> Journal:
    """An empty journal."""
    return memory_journal()


@pytest.fixture
def opened(journal: Journal) -> Opened:
    """A match of three humans."""
    return open_new(context_over(journal), OpenRequest("calimala", humans(3), seed="back"))


def play_otherwise(ctx: Context, opened: Opened, until: int, chance: Random) -> None:
    """Let the match go on to a version by moves that chance picks."""
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


def assert_tells_the_journal(ctx: Context, match: str) -> None:
    """Assert that a context tells the match as one does that remembers nothing."""
    fresh = context_over_the_same(ctx)
    loaded = load(ctx, match)
    assert loaded == load(fresh, match)

    for version in range(1, loaded.version + 1, 7):
        assert at_version(ctx, match, version) == at_version(
            context_over_the_same(ctx), match, version
        )
    for version in range(50, loaded.version + 1, 50):
        assert at_version(ctx, match, version) == at_version(
            context_over_the_same(ctx), match, version
        )


def context_over_the_same(ctx: Context) -> Context:
    """Return a context that remembers nothing, over the journal of another one."""
    return Context(ctx.journal, ctx.secret, ctx.clock, ctx.wake, allow_seed=True)


@pytest.mark.parametrize("seed", range(3))
def test_two_processes_tell_what_the_journal_holds(
    journal: Journal, opened: Opened, seed: int
) -> None:
    """Over a journal that goes back again and again, heads and past states are the journal's."""
    chance = Random(seed)
    match = opened.loaded.id
    contexts = [context_over(journal), context_over(journal)]
    copies: list[Copy] = [copy_of_memory(journal)]

    for _ in range(6):
        player = chance.choice(contexts)
        target = load(player, match).version + chance.randint(10, 60)
        play_otherwise(player, opened, target, chance)
        at_version(chance.choice(contexts), match, load(player, match).version)
        if chance.random() < 0.3:
            write_snapshot(player, load(player, match))
        copies.append(copy_of_memory(journal))
        put_back_in_memory(journal, chance.choice(copies))

        for ctx in contexts:
            assert_tells_the_journal(ctx, match)


class SwappedWhileRead(Over):
    """Commits of a journal that another copy takes the place of while a match is read, once."""

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


@pytest.fixture
def swapped(monkeypatch: pytest.MonkeyPatch) -> tuple[Journal, SwappedWhileRead, Opened]:
    """A long match in a journal that becomes another one between two pieces of it."""
    monkeypatch.setattr(repository, "PIECE", PIECE)
    journal = memory_journal()
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


def test_a_match_is_never_put_together_of_two_histories(
    swapped: tuple[Journal, SwappedWhileRead, Opened],
) -> None:
    """What was read before the journal became another one is read again."""
    journal, events, opened = swapped
    ctx = context_over(journal)

    loaded = load(ctx, opened.loaded.id)

    assert events.other is None
    assert loaded == load(context_over(journal), opened.loaded.id)
    assert_tells_the_journal(ctx, opened.loaded.id)


def test_a_past_state_is_never_put_together_of_two_histories(
    swapped: tuple[Journal, SwappedWhileRead, Opened],
) -> None:
    """The same for the state at a version, and its checkpoints on the way."""
    journal, _events, opened = swapped
    ctx = context_over(journal)

    loaded = at_version(ctx, opened.loaded.id, PIECE + 10)

    assert loaded == at_version(context_over(journal), opened.loaded.id, PIECE + 10)
    assert_tells_the_journal(ctx, opened.loaded.id)


def test_a_page_is_never_put_together_of_two_histories(
    swapped: tuple[Journal, SwappedWhileRead, Opened],
) -> None:
    """Whoever reads commits piece by piece is told that the journal has become another one."""
    journal, _events, opened = swapped

    with pytest.raises(OtherStream, match="another one while it was read"):
        list(pieces(context_over(journal), opened.loaded.id, 0, PIECE + 20))


def test_what_is_remembered_ahead_of_the_journal_is_dropped(
    journal: Journal, opened: Opened
) -> None:
    """A process that is ahead after the journal went back tells where it is now."""
    ctx = context_over(journal)
    kept = copy_of_memory(journal)
    play_on(ctx, opened, until=9)
    assert load(ctx, opened.loaded.id).version == 9

    put_back_in_memory(journal, kept)

    assert load(ctx, opened.loaded.id).version == 1
    assert ctx.cache.heads.get(opened.loaded.id) == loaded_without_memory(journal, opened)


def loaded_without_memory(journal: Journal, opened: Opened) -> Loaded:
    """Return a match as a process tells it that remembers nothing."""
    return load(context_over(journal), opened.loaded.id)


def test_a_remembered_match_of_the_same_version_is_dropped(
    journal: Journal, opened: Opened
) -> None:
    """The hash decides, not the version."""
    ctx = context_over(journal)
    ctx.cache.put(replace(opened.loaded, hash="0" * 64))

    assert load(ctx, opened.loaded.id).hash == opened.loaded.hash
