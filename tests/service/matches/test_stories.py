"""The story: it leaves the cached match unchanged, and discloses no hidden state."""

from typing import Any

import pytest

from domain.game import HOUSE, Game, Setup
from domain.games import GAMES
from domain.match.state import Match, Seat
from service.matches import automation, stories
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load, load_version
from service.matches.stories import Names
from service.store.journal.values import Range
from service.store.keys.tokens import Caller
from tests.domain.laws import draws, walk
from tests.e2e.playing import LONG_GAMES
from tests.service.matches.conftest import bots
from workers.bots import choose

MOVES = 120
EVERY = 3
LONGEST_STORY = 70  # commits; a short match is over before
CHECKPOINT_EVERY = 2  # versions, so that the past of a short match is cached, too
NAMES = Names({0: "Ada"})


def match_of(game: Game[Any], state: Any, seats: int) -> Match:
    """Return a running match of humans."""
    human = Seat("human", level="", name="", entropy="")
    return Match(
        rules=game.rules,
        options={},
        seats=[human] * seats,
        visibility="public",
        commitment="",
        views=game.view_version,
        secret=None,
        stage="running",
        state=state,
    )


@pytest.mark.parametrize("key", GAMES)
def test_hidden_state_changes_no_foretold_sentence(key: str) -> None:
    """If the state hidden from a seat is drawn anew, a preview has the same sentences."""
    game = GAMES[key]
    seats = game.seats[0]
    setup = Setup(seats, game.read_options({}))

    compared = 0
    for step in walk(game, setup, 5):
        if step.version == MOVES:
            break
        if step.version % EVERY or game.actors(step.before) == (HOUSE,):
            continue

        move: Any = step.move
        imagined = game.imagine(step.before, move.seat, draws(step.version))
        in_truth = stories.foretell(match_of(game, step.before, seats), move.seat, move, NAMES)
        in_fancy = stories.foretell(match_of(game, imagined, seats), move.seat, move, NAMES)
        assert in_truth == in_fancy, f"version {step.version}"
        compared += 1

    assert compared > (20 if key in LONG_GAMES else 0)


@pytest.mark.parametrize("key", GAMES)
def test_a_story_leaves_the_cached_match_unchanged(
    ctx: Context, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A story begins with a cached match, and does not change it."""
    monkeypatch.setattr(ctx.cache, "checkpoint_every", CHECKPOINT_EVERY)
    opened = open_new(ctx, OpenRequest(key, bots(GAMES[key].seats[0]), seed="told"))
    match_id = opened.loaded.id
    loaded = load(ctx, match_id)
    while loaded.version < LONGEST_STORY and loaded.match.status.awaiting:
        automation.play_bots(ctx, match_id, choose)
        automation.act(ctx, match_id)
        loaded = load(ctx, match_id)

    middle = loaded.version // 2 // CHECKPOINT_EVERY * CHECKPOINT_EVERY
    remembered = load_version(ctx, match_id, middle)
    state = remembered.match.state.copy()
    span = Range(middle, loaded.version, closed=True)
    names = stories.names_of(ctx, loaded)

    first = stories.story(ctx, loaded, Caller(), names, span)
    second = stories.story(ctx, loaded, Caller(), names, span)
    assert first == second
    assert load_version(ctx, match_id, middle) is remembered
    assert remembered.match.state == state


def test_the_fingerprint_of_names_changes_with_them() -> None:
    """Names and the present player of a seat change the fingerprint."""
    match = match_of(GAMES["firenze"], None, 2)
    of_held_seat = match_of(GAMES["firenze"], None, 2)
    of_held_seat.seats[1] = Seat("human", level="", name="a digest", entropy="")

    fingerprints = {
        Names({}, match).fingerprint,
        Names({0: "Ada"}, match).fingerprint,
        Names({1: "Ada"}, match).fingerprint,
        Names({}, of_held_seat).fingerprint,
    }
    assert len(fingerprints) == 4
    assert Names({0: "Ada"}, match).fingerprint == Names({0: "Ada"}, match).fingerprint
