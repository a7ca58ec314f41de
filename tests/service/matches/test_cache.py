"""The match cache: what one process remembers never outweighs what the journal says."""

from dataclasses import replace

import pytest

from service.errors import Stale, Unauthorized
from service.matches import access, moves, tokens
from service.matches.cache import CHECKPOINT_EVERY, MatchCache, Recent
from service.matches.context import Context
from service.matches.opening import Opened
from tests.service.matches.conftest import by, make_move, now

# ---- what is remembered --------------------------------------------------------------------------


def test_what_was_used_longest_ago_makes_room() -> None:
    """At most `size` values are remembered."""
    recent: Recent[str, int] = Recent(2)
    recent.put("a", 1)
    recent.put("b", 2)
    assert recent.get("a") == 1

    recent.put("c", 3)

    assert recent.get("b") is None
    assert (recent.get("a"), recent.get("c")) == (1, 3)


def test_of_two_versions_the_later_one_is_given_if_the_stream_has_made_it(calimala: Opened) -> None:
    """In whatever order they come. The commit must have the same hash, too."""
    cache = MatchCache()
    match = calimala.loaded.id
    later = replace(calimala.loaded, version=2)
    cache.put(later)
    cache.put(calimala.loaded)

    assert cache.get(match, 2, later.hash) is later
    assert cache.get(match, 2, "0" * 64) is None
    assert cache.get(match, 3, later.hash) is None


def test_all_is_forgotten_at_once(calimala: Opened) -> None:
    """Heads, the nearest checkpoints and the holders of tokens; the generation stays known."""
    cache = MatchCache()
    match = calimala.loaded.id
    checkpoint = replace(calimala.loaded, version=CHECKPOINT_EVERY)
    cache.put(calimala.loaded)
    cache.checkpoints.put((match, CHECKPOINT_EVERY), checkpoint)
    cache.holders.put("token:1", "owner")
    cache.generation = "g"
    assert cache.checkpoint_before(match, 3 * CHECKPOINT_EVERY + 7) is checkpoint
    assert cache.checkpoint_before(match, CHECKPOINT_EVERY - 1) is None

    cache.forget()

    assert cache.heads.get(match) is None
    assert cache.checkpoint_before(match, 3 * CHECKPOINT_EVERY + 7) is None
    assert cache.holders.get("token:1") is None
    assert cache.generation == "g"


# ---- two processes at work on one journal --------------------------------------------------------


@pytest.fixture
def other(ctx: Context) -> Context:
    """Another process at work on the same journal."""
    return replace(ctx, cache=MatchCache())


def enter(ctx: Context, opened: Opened, who: str) -> None:
    """Let the process remember the match, and whose the token is."""
    access.enter(ctx, opened.loaded.id, opened.tokens[who])


def test_processes_take_turns(ctx: Context, other: Context, calimala: Opened) -> None:
    """A process that remembers an older state moves on from the newest one."""
    made = [make_move(process, calimala, seat) for seat, process in enumerate((ctx, other, ctx))]

    assert [one.version for one in made] == [2, 3, 4]
    assert now(other, calimala) == now(ctx, calimala)


def test_a_stale_move_is_refused_over_a_remembered_state(
    ctx: Context, other: Context, calimala: Opened
) -> None:
    """Although this process has not heard of the commit, a move for the old version is not made."""
    move = moves.legal_moves(calimala.loaded, 1)[0]
    enter(ctx, calimala, "seat:1")
    make_move(other, calimala, 0)

    with pytest.raises(Stale) as refused:
        moves.move(ctx, by(calimala, "seat:1", expected=1), move)

    assert refused.value.version == 2
    assert len(refused.value.since) == 1


@pytest.mark.parametrize("key", ["k", ""], ids=["a-repeat", "without-a-key"])
def test_a_token_revoked_elsewhere_moves_nothing(
    ctx: Context, other: Context, calimala: Opened, key: str
) -> None:
    """The append makes sure that the token still counts."""
    move = moves.legal_moves(calimala.loaded, 0)[0]
    moves.move(ctx, by(calimala, "seat:0", key="k"), move)
    tokens.revoke(other, calimala.loaded.id, calimala.tokens["seat:0"], "seat:0")
    after_the_revocation = now(other, calimala).version

    with pytest.raises(Unauthorized):
        moves.move(ctx, by(calimala, "seat:0", key=key), move)
    assert after_the_revocation == 3
    assert now(other, calimala).version == after_the_revocation


def test_a_move_asks_the_journal_once(
    ctx: Context, calimala: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match and a token that were seen before cost no look before the append."""
    move = moves.legal_moves(calimala.loaded, 1)[0]
    make_move(ctx, calimala, 0)
    enter(ctx, calimala, "seat:1")

    monkeypatch.setattr(ctx.journal.events, "overviews", lambda *_: pytest.fail("it looked first"))
    assert moves.move(ctx, by(calimala, "seat:1"), move).version == 3
