"""The laws that every registered game obeys, held against random play in every setup."""

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain import wire
from domain.errors import RuleBroken
from domain.game import Game, Setup, decide, fold, preview
from domain.wire import HOUSE
from tests.domain import refusals
from tests.domain.laws import (
    any_command,
    draws,
    every_legal_move,
    every_setup,
    hooks,
    misspelled,
    walk,
)

pytestmark = every_setup

Law = Callable[..., None]


def random_match(law: Law) -> Law:
    """Hold a law against random matches that Hypothesis chooses, always the same ones so that failures repeat."""
    seeded = given(seed=st.integers(0, 2**32 - 1))(law)
    return settings(
        max_examples=2, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )(seeded)


@random_match
def test_events_alone_give_the_state_at_every_version(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """Folding the events, after a trip over the wire, gives the very state that play reached."""
    rebuilt = game.initial(setup)
    for step in walk(game, setup, seed):
        events = json.loads(json.dumps([wire.encode(event) for event in step.events]))
        fold(game, rebuilt, [wire.decode(game.events, event) for event in events])
        assert rebuilt == step.after, f"version {step.version} after {step.move}"


@random_match
def test_decide_is_play_that_leaves_its_input_alone(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """The same events come out as in play, and neither the state nor anything shared with it has changed."""
    for step in walk(game, setup, seed):
        kept = wire.dump(step.before)
        assert decide(game, step.before, step.move, draws(seed, step.version)) == step.events
        assert wire.dump(step.before) == kept, f"version {step.version}"


@random_match
def test_a_preview_tells_all_but_what_chance_decides(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """With other draws a player's move is told to cause the same events, but for their drawn fields, which are None."""
    for step in walk(game, setup, seed):
        if game.actors(step.before) == (HOUSE,):
            continue
        told = preview(game, step.before, step.move, draws(seed, -1))
        assert [event for event, _ in told] == [_undrawn(event) for event in step.events], (
            f"version {step.version}"
        )


def _undrawn(event: Any) -> Any:
    kind: Any = type(event)
    return replace(event, **dict.fromkeys(wire.drawn_fields(kind)))


@random_match
def test_messages_and_states_survive_the_wire(game: Game[Any], setup: Setup, seed: int) -> None:
    """Encoding loses nothing: commands, events, and states as snapshots hold them."""
    for step in walk(game, setup, seed):
        assert (
            wire.decode(game.commands, json.loads(json.dumps(wire.encode(step.move)))) == step.move
        )
        for event in step.events:
            assert wire.decode(game.events, json.loads(json.dumps(wire.encode(event)))) == event
        if step.version % 10 == 0:
            assert (
                wire.load(game.state, json.loads(json.dumps(wire.dump(step.after)))) == step.after
            )


@random_match
def test_only_those_awaited_have_moves(game: Game[Any], setup: Setup, seed: int) -> None:
    """Whoever is awaited has a legal move, and nobody else has one; the match ends with an outcome."""
    for step in walk(game, setup, seed):
        awaited = game.actors(step.after)
        for seat in (HOUSE, *range(setup.seats)):
            assert bool(game.legal_moves(step.after, seat)) == (seat in awaited), f"seat {seat}"
        assert (game.outcome(step.after) is None) == bool(awaited)


@random_match
def test_every_legal_move_is_accepted_and_no_other(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """Commands drawn from all there are, and slips of listed ones, are accepted exactly when they are listed."""
    own, random = hooks(game), Random(seed)
    for step in walk(game, setup, seed):
        listed = every_legal_move(game, step.before, setup.seats)
        legal = (
            [move for move in listed if _accepted(game, step.before, move)]
            if step.version % 5 == 0
            else listed
        )
        assert legal == listed, f"version {step.version}"
        for command in (misspelled(random.choice(listed), random), any_command(game, random)):
            expected = own.spelled(command) in listed
            if _accepted(game, step.before, command) != expected:
                assert not expected, f"listed but refused: {command}"
                assert own.unlisted(step.before, command), f"accepted but not listed: {command}"


def _accepted(game: Game[Any], state: Any, command: Any) -> bool:
    """Whether play takes the command; it may say no by RuleBroken only."""
    try:
        decide(game, state, command, draws(0))
    except RuleBroken:
        return False
    return True


@random_match
def test_every_refusal_names_its_rule_and_says_what_would_be_right(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """Commands of all kinds, also of the seat that is awaited, are refused in the manner of refusals.py, if at all."""
    random = Random(seed)
    for step in walk(game, setup, seed):
        listed = every_legal_move(game, step.before, setup.seats)
        strays = [any_command(game, random) for _ in range(3)]
        slips = [misspelled(random.choice(listed), random) for _ in range(3)]
        for command in (
            *strays,
            *slips,
            *(_by(game.actors(step.before)[0], stray) for stray in strays),
        ):
            try:
                decide(game, step.before, command, draws(0))
            except RuleBroken as refusal:
                refusals.check(refusal, game.key)


def _by(seat: int, command: Any) -> Any:
    """Return the command as this seat gives it; the house's commands name no seat."""
    return replace(command, seat=seat) if hasattr(command, "seat") else command


@random_match
def test_pieces_are_conserved(game: Game[Any], setup: Setup, seed: int) -> None:
    """Nothing is made and nothing is lost: what the game counts stays the same from the opening on."""
    own, total = hooks(game), None
    for step in walk(game, setup, seed):
        total = total or own.conserved(step.after)
        assert own.conserved(step.after) == total, f"version {step.version} after {step.move}"


@random_match
def test_a_view_shows_nothing_of_what_it_may_not_show(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """Drawing anew all that a seat cannot see changes neither its view nor the public one."""
    for step in walk(game, setup, seed):
        seat = step.version % setup.seats
        imagined = game.imagine(step.after, seat, draws(seed))
        for viewer in (seat, None):
            assert game.view(imagined, viewer) == game.view(step.after, viewer), (
                f"version {step.version}"
            )


@random_match
def test_imagining_leaves_the_state_alone_and_playable(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """An imagined state is a copy in which the seat may do what it may do in truth."""
    for step in walk(game, setup, seed):
        if step.version % 5:
            continue
        seat, kept = step.version % setup.seats, wire.dump(step.after)
        imagined = game.imagine(step.after, seat, draws(seed))
        assert game.legal_moves(imagined, seat) == game.legal_moves(step.after, seat)
        if game.legal_moves(imagined, seat):
            decide(game, imagined, game.random_move(imagined, seat, draws(seed)), draws(seed))
        assert wire.dump(step.after) == kept


@random_match
def test_the_same_seeds_give_the_same_bytes(game: Game[Any], setup: Setup, seed: int) -> None:
    """Setup, moves and seeds fix a match to the last byte."""
    assert _journal(game, setup, seed) == _journal(game, setup, seed)


def _journal(game: Game[Any], setup: Setup, seed: int) -> str:
    return json.dumps(
        [[wire.encode(event) for event in step.events] for step in walk(game, setup, seed)]
    )


@random_match
def test_redaction_hides_what_the_fields_say(game: Game[Any], setup: Setup, seed: int) -> None:
    """A secret field is None for everybody who may not see it and untouched for its seat."""
    for step in walk(game, setup, seed):
        for event in step.events:
            kind: Any = type(event)
            for name, audience in wire.secret_fields(kind):
                assert getattr(wire.redact(event, None), name) is None
                own = getattr(wire.redact(event, event.seat), name)
                assert own == (getattr(event, name) if audience == "seat" else None)
