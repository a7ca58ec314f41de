"""The laws that every registered game obeys, held against random play in every setup."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain import wire
from domain.errors import RuleBroken
from domain.game import HOUSE, Game, Message, Setup, decide, fold, preview
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
    """Hold a law against random matches, always the same ones so that failures repeat."""
    seeded = given(seed=st.integers(0, 2**32 - 1))(law)
    return settings(
        max_examples=2, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )(seeded)


def _through_json(value: Any) -> Any:
    """Return what comes back of a value that is sent as JSON."""
    return json.loads(json.dumps(value))


def _written(events: Sequence[Message]) -> list[Any]:
    """Return events as they are sent."""
    return [wire.encode(event) for event in events]


# ---- events, states and the wire ----


@random_match
def test_events_alone_give_the_state_at_every_version(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """Folding the events, after a trip over the wire, gives the very state that play reached."""
    rebuilt = game.initial(setup)

    for step in walk(game, setup, seed):
        written = _through_json(_written(step.events))
        read = [wire.decode(game.events, event) for event in written]
        fold(game, rebuilt, read)

        assert rebuilt == step.after, f"version {step.version} after {step.move}"


@random_match
def test_messages_and_states_survive_the_wire(game: Game[Any], setup: Setup, seed: int) -> None:
    """Encoding loses nothing: commands, events, and states as snapshots hold them."""
    for step in walk(game, setup, seed):
        _check_message(step.move, game.commands)
        for event in step.events:
            _check_message(event, game.events)

        if step.version % 10 == 0:
            snapshot = _through_json(wire.dump(step.after))
            assert wire.load(game.state, snapshot) == step.after


def _check_message(message: Message, kinds: Mapping[str, type[Any]]) -> None:
    """Fail unless a message comes back as it was sent."""
    written = _through_json(wire.encode(message))
    assert wire.decode(kinds, written) == message


@random_match
def test_the_same_seeds_give_the_same_bytes(game: Game[Any], setup: Setup, seed: int) -> None:
    """Setup, moves and seeds fix a match to the last byte."""
    assert _journal(game, setup, seed) == _journal(game, setup, seed)


def _journal(game: Game[Any], setup: Setup, seed: int) -> str:
    """Return the events of a whole random match as text."""
    events_of_steps = [_written(step.events) for step in walk(game, setup, seed)]
    return json.dumps(events_of_steps)


@random_match
def test_redaction_hides_what_the_fields_say(game: Game[Any], setup: Setup, seed: int) -> None:
    """A secret field is None for everybody who may not see it and untouched for its seat."""
    for step in walk(game, setup, seed):
        for event in step.events:
            _check_redaction(event)


def _check_redaction(event: Any) -> None:
    """Fail unless the secret fields of an event are shown to those alone whom they are for."""
    event_class: Any = type(event)
    for name, audience in wire.secret_fields(event_class):
        value = getattr(event, name)
        shown_to_its_seat = getattr(wire.redact(event, event.seat), name)
        shown_to_the_public = getattr(wire.redact(event, None), name)

        assert shown_to_its_seat == (value if audience == "seat" else None)
        assert shown_to_the_public is None


# ---- deciding and previewing ----


@random_match
def test_decide_is_play_that_leaves_its_input_alone(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """The same events come out as in play; the state, and what is shared with it, is unchanged."""
    for step in walk(game, setup, seed):
        kept = wire.dump(step.before)
        events = decide(game, step.before, step.move, draws(seed, step.version))

        assert events == step.events
        assert wire.dump(step.before) == kept, f"version {step.version}"


@random_match
def test_a_preview_tells_all_but_what_chance_decides(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """With other draws a player's move causes the same events, but for their drawn fields."""
    for step in walk(game, setup, seed):
        if game.actors(step.before) == (HOUSE,):
            continue

        other_draws = draws(seed, -1)
        previewed = preview(game, step.before, step.move, other_draws)
        foretold = [one.event for one in previewed]
        undrawn = [_undrawn(event) for event in step.events]

        assert foretold == undrawn, f"version {step.version}"


def _undrawn(event: Message) -> Message:
    """Return the event with None for all that chance decides."""
    drawn_names = wire.drawn_fields(type(event))
    nothing = dict.fromkeys(drawn_names)
    return replace(event, **nothing)


# ---- legal moves and refusals ----


@random_match
def test_only_those_awaited_have_moves(game: Game[Any], setup: Setup, seed: int) -> None:
    """Whoever is awaited has a legal move, nobody else has one."""
    for step in walk(game, setup, seed):
        awaited = game.actors(step.after)
        for seat in (HOUSE, *range(setup.seats)):
            has_moves = bool(game.legal_moves(step.after, seat))
            assert has_moves == (seat in awaited), f"seat {seat}"


@random_match
def test_a_match_ends_with_an_outcome(game: Game[Any], setup: Setup, seed: int) -> None:
    """There is one exactly when nobody is awaited any more."""
    for step in walk(game, setup, seed):
        awaited = game.actors(step.after)
        has_outcome = game.outcome(step.after) is not None

        assert has_outcome != bool(awaited), f"version {step.version}"


@random_match
def test_every_listed_move_is_accepted(game: Game[Any], setup: Setup, seed: int) -> None:
    """What legal_moves lists, play takes; at every fifth version all of it is tried."""
    for step in walk(game, setup, seed):
        if step.version % 5 == 0:
            listed = every_legal_move(game, step.before, setup.seats)
            accepted = [move for move in listed if _accepted(game, step.before, move)]

            assert accepted == listed, f"version {step.version}"


@random_match
def test_commands_are_accepted_exactly_when_they_are_listed(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """Commands drawn from all there are, and slips of listed ones; but for what may be unlisted."""
    random = Random(seed)

    for step in walk(game, setup, seed):
        listed = every_legal_move(game, step.before, setup.seats)
        slip = misspelled(random.choice(listed), random)
        stray = any_command(game, random)

        _check_acceptance(game, step.before, listed, slip)
        _check_acceptance(game, step.before, listed, stray)


def _check_acceptance(game: Game[Any], state: Any, listed: list[Message], command: Message) -> None:
    """Fail if a command is listed but refused, or accepted though it should have been listed."""
    own = hooks(game)
    accepted = _accepted(game, state, command)

    if own.spelled(command) in listed:
        assert accepted, f"listed but refused: {command}"
    elif accepted:
        assert own.unlisted(state, command), f"accepted but not listed: {command}"


def _accepted(game: Game[Any], state: Any, command: Message) -> bool:
    """Return whether play takes the command."""
    return _refusal(game, state, command) is None


def _refusal(game: Game[Any], state: Any, command: Message) -> RuleBroken | None:
    """Return why play does not take the command; it may say no by RuleBroken only."""
    try:
        decide(game, state, command, draws(0))
    except RuleBroken as refusal:
        return refusal
    return None


@random_match
def test_every_refusal_names_its_rule_and_says_what_would_be_right(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """Commands of all kinds, also of the seat that is awaited, are refused as refusals.py says."""
    random = Random(seed)

    for step in walk(game, setup, seed):
        listed = every_legal_move(game, step.before, setup.seats)
        actor = game.actors(step.before)[0]

        for _ in range(3):
            stray = any_command(game, random)
            in_turn = _given_by(actor, stray)
            slip = misspelled(random.choice(listed), random)

            for command in (stray, in_turn, slip):
                refusal = _refusal(game, step.before, command)
                if refusal is not None:
                    refusals.check(refusal, game.key)


def _given_by(seat: int, command: Any) -> Any:
    """Return the command as this seat gives it; the house's commands name no seat."""
    if hasattr(command, "seat"):
        return replace(command, seat=seat)
    return command


# ---- pieces, and who sees them ----


@random_match
def test_pieces_are_conserved(game: Game[Any], setup: Setup, seed: int) -> None:
    """Nothing is made and nothing is lost: what the game counts stays the same from the opening."""
    own = hooks(game)
    total = None
    for step in walk(game, setup, seed):
        now = own.conserved(step.after)
        total = total or now
        assert now == total, f"version {step.version} after {step.move}"


@random_match
def test_a_view_shows_nothing_of_what_it_may_not_show(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """Drawing anew all that a seat cannot see changes neither its view nor the public one.

    Nor does it change what everybody knows beside the views.
    """
    for step in walk(game, setup, seed):
        seat = step.version % setup.seats
        imagined = game.imagine(step.after, seat, draws(seed))

        for viewer in (seat, None):
            true_view = game.view(step.after, viewer)
            imagined_view = game.view(imagined, viewer)
            assert imagined_view == true_view, f"version {step.version}"

        assert game.known(imagined) == game.known(step.after), f"version {step.version}"


@random_match
def test_imagining_leaves_the_state_alone(game: Game[Any], setup: Setup, seed: int) -> None:
    """An imagined state is a copy: play goes on in it, and the state stays as it is."""
    for step in walk(game, setup, seed):
        if step.version % 5:
            continue

        kept = wire.dump(step.after)
        seat = step.version % setup.seats
        imagined = game.imagine(step.after, seat, draws(seed))
        if game.legal_moves(imagined, seat):
            move = game.random_move(imagined, seat, draws(seed))
            decide(game, imagined, move, draws(seed))

        assert wire.dump(step.after) == kept, f"version {step.version}"


@random_match
def test_in_an_imagined_state_a_seat_may_do_what_it_may_in_truth(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """Its legal moves depend on nothing that it cannot see."""
    for step in walk(game, setup, seed):
        if step.version % 5:
            continue

        seat = step.version % setup.seats
        imagined = game.imagine(step.after, seat, draws(seed))

        imagined_moves = game.legal_moves(imagined, seat)
        true_moves = game.legal_moves(step.after, seat)
        assert imagined_moves == true_moves, f"version {step.version}"
