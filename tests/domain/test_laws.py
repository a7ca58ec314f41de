"""The laws that every registered game obeys, held against random play in every setup."""

import json
from collections.abc import Callable, Sequence
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
        max_examples=2,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )(seeded)


def _through_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _written(events: Sequence[Message]) -> list[Any]:
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
        fold(game, rebuilt, [wire.decode(game.events, event) for event in written])

        assert rebuilt == step.after, f"version {step.version} after {step.move}"


@random_match
def test_messages_and_states_survive_the_wire(game: Game[Any], setup: Setup, seed: int) -> None:
    """Encoding loses nothing: commands, events, and states as snapshots hold them."""
    for step in walk(game, setup, seed):
        written_move = _through_json(wire.encode(step.move))
        assert wire.decode(game.commands, written_move) == step.move

        for event in step.events:
            written = _through_json(wire.encode(event))
            assert wire.decode(game.events, written) == event

        if step.version % 10 == 0:
            snapshot = _through_json(wire.dump(step.after))
            assert wire.load(game.state, snapshot) == step.after


@random_match
def test_the_same_seeds_give_the_same_bytes(game: Game[Any], setup: Setup, seed: int) -> None:
    """Setup, moves and seeds fix a match to the last byte."""
    assert _journal(game, setup, seed) == _journal(game, setup, seed)


def _journal(game: Game[Any], setup: Setup, seed: int) -> str:
    """Return the events of a whole random match as text."""
    return json.dumps([_written(step.events) for step in walk(game, setup, seed)])


@random_match
def test_redaction_hides_what_the_fields_say(game: Game[Any], setup: Setup, seed: int) -> None:
    """A secret field is None for everybody who may not see it and untouched for its seat."""
    for step in walk(game, setup, seed):
        for event in step.events:
            for name, audience in wire.secret_fields(type(event)):
                _check_redaction(event, name, audience)


def _check_redaction(event: Any, name: str, audience: str) -> None:
    value = getattr(event, name)
    shown_to_its_seat = getattr(wire.redact(event, event.seat), name)
    assert shown_to_its_seat == (value if audience == "seat" else None)
    assert getattr(wire.redact(event, None), name) is None


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
        previewed = preview(game, step.before, step.move, draws(seed, -1))
        events = [one.event for one in previewed]

        assert events == [_undrawn(event) for event in step.events], f"version {step.version}"


def _undrawn(event: Message) -> Message:
    """Return the event with None for all that chance decides."""
    return replace(event, **dict.fromkeys(wire.drawn_fields(type(event))))


# ---- legal moves and refusals ----


@random_match
def test_only_those_awaited_have_moves(game: Game[Any], setup: Setup, seed: int) -> None:
    """Whoever is awaited has a legal move, nobody else has one; a match ends with an outcome."""
    for step in walk(game, setup, seed):
        awaited = game.actors(step.after)
        for seat in (HOUSE, *range(setup.seats)):
            has_moves = bool(game.legal_moves(step.after, seat))
            assert has_moves == (seat in awaited), f"seat {seat}"

        assert (game.outcome(step.after) is None) == bool(awaited)


@random_match
def test_every_listed_move_is_accepted(game: Game[Any], setup: Setup, seed: int) -> None:
    """What legal_moves lists, play takes; at every fifth version all of it is tried."""
    for step in walk(game, setup, seed):
        if step.version % 5:
            continue
        listed = every_legal_move(game, step.before, setup.seats)
        accepted = [move for move in listed if _accepted(game, step.before, move)]

        assert accepted == listed, f"version {step.version}"


@random_match
def test_commands_are_accepted_exactly_when_they_are_listed(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """Commands drawn from all there are, and slips of listed ones; but for what may be unlisted."""
    own = hooks(game)
    random = Random(seed)
    for step in walk(game, setup, seed):
        listed = every_legal_move(game, step.before, setup.seats)
        slip = misspelled(random.choice(listed), random)
        for command in (slip, any_command(game, random)):
            accepted = _accepted(game, step.before, command)
            if own.spelled(command) in listed:
                assert accepted, f"listed but refused: {command}"
            elif accepted:
                assert own.unlisted(step.before, command), f"accepted but not listed: {command}"


def _accepted(game: Game[Any], state: Any, command: Message) -> bool:
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
    return replace(command, seat=seat) if hasattr(command, "seat") else command


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
    """Drawing anew all that a seat cannot see changes neither its view nor the public one."""
    for step in walk(game, setup, seed):
        seat = step.version % setup.seats
        imagined = game.imagine(step.after, seat, draws(seed))
        for viewer in (seat, None):
            seen = game.view(imagined, viewer)
            assert seen == game.view(step.after, viewer), f"version {step.version}"


@random_match
def test_imagining_leaves_the_state_alone_and_playable(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """An imagined state is a copy in which the seat may do what it may do in truth."""
    for step in walk(game, setup, seed):
        if step.version % 5:
            continue
        kept = wire.dump(step.after)
        seat = step.version % setup.seats
        imagined = game.imagine(step.after, seat, draws(seed))
        moves = game.legal_moves(imagined, seat)

        assert moves == game.legal_moves(step.after, seat)
        if moves:
            move = game.random_move(imagined, seat, draws(seed))
            decide(game, imagined, move, draws(seed))
        assert wire.dump(step.after) == kept
