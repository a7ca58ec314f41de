"""The match cache is bounded, keeps the newest, and answers only what the stream confirms."""

from dataclasses import replace

from service.matches.cache import CHECKPOINT_EVERY, MatchCache, Recent
from service.matches.opening import Opened


def test_what_was_used_longest_ago_makes_room() -> None:
    """At most `size` values are remembered."""
    recent: Recent[str, int] = Recent(2)
    recent.put("a", 1)
    recent.put("b", 2)
    assert recent.get("a") == 1

    recent.put("c", 3)

    assert recent.get("b") is None
    assert (recent.get("a"), recent.get("c")) == (1, 3)


def test_an_earlier_version_replaces_no_later_one(calimala: Opened) -> None:
    """Of two versions of a match it keeps the later one, in whatever order they come."""
    cache = MatchCache()
    earlier = calimala.loaded
    later = replace(earlier, version=2)

    cache.put(later)
    cache.put(earlier)

    assert cache.heads.get(earlier.id) is later


def test_only_what_the_stream_has_made_is_given(calimala: Opened) -> None:
    """The version alone does not count: its commit must have the same hash."""
    cache = MatchCache()
    loaded = calimala.loaded
    cache.put(loaded)

    assert cache.get(loaded.id, loaded.version, loaded.hash) is loaded
    assert cache.get(loaded.id, loaded.version, "0" * 64) is None
    assert cache.get(loaded.id, loaded.version + 1, loaded.hash) is None


def test_the_nearest_checkpoint_is_found(calimala: Opened) -> None:
    """It is the last one that is not after the version wanted."""
    cache = MatchCache()
    match = calimala.loaded.id
    first = replace(calimala.loaded, version=CHECKPOINT_EVERY)
    cache.checkpoints.put((match, CHECKPOINT_EVERY), first)

    assert cache.checkpoint_before(match, CHECKPOINT_EVERY - 1) is None
    assert cache.checkpoint_before(match, 3 * CHECKPOINT_EVERY + 7) is first


def test_all_is_forgotten_at_once(calimala: Opened) -> None:
    """Heads, checkpoints and the holders of tokens; the generation stays known."""
    cache = MatchCache()
    match = calimala.loaded.id
    cache.put(calimala.loaded)
    cache.checkpoints.put((match, 50), calimala.loaded)
    cache.holders.put("token:1", "owner")
    cache.generation = "g"

    cache.forget()

    assert cache.heads.get(match) is None
    assert cache.checkpoint_before(match, 50) is None
    assert cache.holders.get("token:1") is None
    assert cache.generation == "g"
