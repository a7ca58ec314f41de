"""The laws that every registered game obeys, held against random play in every setup."""

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from random import Random
from typing import Any

import pytest

from domain import wire
from domain.chance import Chance
from domain.errors import RuleBroken
from domain.game import HOUSE, Game, Message, Previewed, Setup, decide, fold, foreseen, preview
from domain.story import Sentence
from tests.domain import refusals
from tests.domain.laws import (
    Step,
    any_command,
    draws,
    every_legal_move,
    every_setup,
    hooks,
    misspelled,
    walk,
)
from tests.domain.stories import NAMES, check, moments

pytestmark = every_setup

COMMANDS_A_VERSION = 3  # of each sort that are tried, sensible or not


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Return the seed of a law's match: another one for each law and setup, always the same."""
    return zlib.crc32(request.node.name.encode())


def _through_json(value: Any) -> Any:
    """Return a value after a way through JSON."""
    return json.loads(json.dumps(value))


def _written(events: Sequence[Message]) -> list[Any]:
    """Return events as they are sent."""
    return [wire.encode(event) for event in events]


# ---- events, states and the wire ----


def test_events_that_were_sent_give_the_state_at_every_version(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """Commands, events and snapshots lose nothing on the wire, and folding needs nothing else."""
    rebuilt = game.initial(setup)

    for step in walk(game, setup, seed):
        sent_move = _through_json(wire.encode(step.move))
        assert wire.decode(game.commands, sent_move) == step.move

        sent_events = _through_json(_written(step.events))
        events = [wire.decode(game.events, event) for event in sent_events]
        fold(game, rebuilt, events)
        assert events == step.events
        assert rebuilt == step.after, f"version {step.version} after {step.move}"

        if step.version % 10 == 0:
            snapshot = _through_json(wire.dump(step.after))
            assert wire.load(game.state, snapshot) == step.after


def test_redaction_hides_the_secret_fields(game: Game[Any], setup: Setup, seed: int) -> None:
    """A secret field is None for everybody who may not see it and untouched for its seat."""
    for step in walk(game, setup, seed):
        for event in step.events:
            _check_redaction(event)


def _check_redaction(event: Any) -> None:
    """Fail unless the secret fields of an event are shown to their audience alone."""
    event_class: Any = type(event)
    for name, audience in wire.secret_fields(event_class):
        value = getattr(event, name)
        shown_to_its_seat = getattr(wire.redact(event, event.seat), name)
        shown_to_the_public = getattr(wire.redact(event, None), name)

        assert shown_to_its_seat == (value if audience == "seat" else None)
        assert shown_to_the_public is None


# ---- deciding and previewing ----


def test_decide_is_play_that_leaves_its_input_alone(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """The same events come out as in play. The state, and objects shared with it, are unchanged."""
    for step in walk(game, setup, seed):
        original = wire.dump(step.before)
        events = decide(game, step.before, step.move, draws(seed, step.version))

        assert events == step.events
        assert wire.dump(step.before) == original, f"version {step.version}"


def test_a_preview_tells_all_but_the_outcomes_of_chance(
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


def test_seats_with_moves_are_awaited_until_an_outcome(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """An awaited seat has a legal move, and no other has one. With an outcome nobody is awaited."""
    for step in walk(game, setup, seed):
        awaited = game.actors(step.after)
        for seat in (HOUSE, *range(setup.seats)):
            has_moves = bool(game.legal_moves(step.after, seat))
            assert has_moves == (seat in awaited), f"seat {seat}"

        has_outcome = game.outcome(step.after) is not None
        assert has_outcome != bool(awaited), f"version {step.version}"


def test_every_listed_move_is_accepted(game: Game[Any], setup: Setup, seed: int) -> None:
    """Play takes each move of legal_moves. At every fifth version all of them are tried."""
    for step in walk(game, setup, seed):
        if step.version % 5 == 0:
            listed = every_legal_move(game, step.before, setup.seats)
            accepted = [move for move in listed if _accepted(game, step.before, move)]

            assert accepted == listed, f"version {step.version}"


def test_commands_are_accepted_exactly_when_they_are_listed(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """Random and misspelled commands are accepted if listed, or if they may be unlisted."""
    random = Random(seed)

    for step in walk(game, setup, seed):
        listed = every_legal_move(game, step.before, setup.seats)
        for _ in range(COMMANDS_A_VERSION):
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
    """Return True if play takes the command."""
    return _refusal(game, state, command) is None


def _refusal(game: Game[Any], state: Any, command: Message) -> RuleBroken | None:
    """Return play's reason to refuse the command. It may refuse by RuleBroken only."""
    try:
        decide(game, state, command, draws(0))
    except RuleBroken as refusal:
        return refusal
    return None


def test_every_refusal_has_a_rule_a_code_and_sentences(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """Commands of all kinds, also of the seat that is awaited, are refused as refusals.py says."""
    random = Random(seed)

    for step in walk(game, setup, seed):
        listed = every_legal_move(game, step.before, setup.seats)
        actor = game.actors(step.before)[0]

        for _ in range(COMMANDS_A_VERSION):
            stray = any_command(game, random)
            in_turn = _given_by(actor, stray)
            slip = misspelled(random.choice(listed), random)

            for command in (stray, in_turn, slip):
                refusal = _refusal(game, step.before, command)
                if refusal is not None:
                    refusals.check(refusal, game.key)


def _given_by(seat: int, command: Any) -> Any:
    """Return the command as this seat gives it. The house's commands name no seat."""
    if hasattr(command, "seat"):
        return replace(command, seat=seat)
    return command


# ---- pieces, and who sees them ----


def test_pieces_are_conserved(game: Game[Any], setup: Setup, seed: int) -> None:
    """Nothing is made and nothing is lost: the game's counts stay the same from the opening."""
    own = hooks(game)
    total = None
    for step in walk(game, setup, seed):
        now = own.conserved(step.after)
        total = total or now
        assert now == total, f"version {step.version} after {step.move}"


def test_a_view_shows_nothing_hidden(game: Game[Any], setup: Setup, seed: int) -> None:
    """If all that a seat cannot see is drawn anew, its view and the public view stay the same.

    So do the public facts beside the views.
    """
    for step in walk(game, setup, seed):
        seat = step.version % setup.seats
        imagined = game.imagine(step.after, seat, draws(seed))

        for viewer in (seat, None):
            true_view = game.view(step.after, viewer)
            imagined_view = game.view(imagined, viewer)
            assert imagined_view == true_view, f"version {step.version}"

        assert game.known(imagined) == game.known(step.after), f"version {step.version}"


def test_an_imagined_copy_allows_the_same_moves_as_the_truth(
    game: Game[Any], setup: Setup, seed: int
) -> None:
    """A seat's legal moves do not depend on hidden state. Play in the copy leaves the state."""
    for step in walk(game, setup, seed):
        if step.version % 5:
            continue

        original = wire.dump(step.after)
        seat = step.version % setup.seats
        imagined = game.imagine(step.after, seat, draws(seed))
        moves = game.legal_moves(imagined, seat)
        assert moves == game.legal_moves(step.after, seat), f"version {step.version}"
        assert hooks(game).conserved(imagined) == hooks(game).conserved(step.after)

        if moves:
            move = game.random_move(imagined, seat, draws(seed))
            for event in decide(game, imagined, move, draws(seed)):
                game.evolve(imagined, event)
        assert wire.dump(step.after) == original, f"version {step.version}"


# ---- stories ----


SEED = 31
EVERY = 4  # versions


def test_every_event_is_told_in_sentences(game: Game[Any], setup: Setup) -> None:
    """Sentences are plain English with full stops, for every reader, and their rules exist."""
    names = NAMES[: setup.seats]
    for state, event in moments(game, setup, SEED):
        original = wire.dump(state)
        for reader in (None, *range(setup.seats)):
            check(_told(game, state, event, reader, names), game.key)
        assert wire.dump(state) == original, "telling changes nothing"


def test_hidden_state_changes_no_story(game: Game[Any], setup: Setup) -> None:
    """Two worlds differ only in state hidden from a reader: the reader is told the same."""
    names = NAMES[: setup.seats]
    for step in walk(game, setup, SEED):
        seat = step.version % setup.seats
        imagined = game.imagine(step.before, seat, draws(step.version))
        in_truth = list(_told_to_two(game, step.before, step.events, seat, names))
        stories = list(_told_to_two(game, imagined, step.events, seat, names))

        assert stories == in_truth, f"version {step.version}"


def _told_to_two(
    game: Game[Any], state: Any, events: list[Message], seat: int, names: Sequence[str]
) -> Iterator[tuple[Sentence, Sentence]]:
    """Yield each event as the seat reads it, and as the public does. The state changes."""
    for event in events:
        to_seat = _told(game, state, event, seat, names)
        to_public = _told(game, state, event, None, names)
        yield to_seat, to_public
        game.evolve(state, event)


def _told(
    game: Game[Any], state: Any, event: Message, reader: int | None, names: Sequence[str]
) -> Sentence:
    """Return an event as a reader is told it."""
    return game.story(state, wire.redact(event, reader), names)


def test_chance_changes_no_story_of_a_preview(game: Game[Any], setup: Setup) -> None:
    """With other draws, and with all hidden state drawn anew, the seat is told the same."""
    names = NAMES[: setup.seats]
    for step in walk(game, setup, SEED):
        if step.version % EVERY or game.actors(step.before) == (HOUSE,):
            continue

        seat = step.move.seat
        imagined = game.imagine(step.before, seat, draws(step.version))
        in_truth = _foretold(game, step.before.copy(), step.move, draws(-1), names)
        sentences = _foretold(game, imagined, step.move, draws(-2), names)

        assert sentences == in_truth, f"version {step.version}"
        for sentence in sentences:
            check(sentence, game.key)


def _foretold(
    game: Game[Any], state: Any, move: Any, chance: Chance, names: Sequence[str]
) -> list[Sentence]:
    """Return the sentences told to a seat about the events of its move, each without its draws.

    The state changes by the draws.
    """
    previewed = preview(game, state, move, chance)
    decided = decide(game, state, move, chance)
    sentences = []
    for undrawn, event in zip(previewed, decided, strict=True):
        public_event = wire.redact(undrawn.event, move.seat)
        sentences.append(game.story(state, public_event, names))
        game.evolve(state, event)
    return sentences


# ---- what a preview tells of the state ----


def _players_steps(game: Game[Any], setup: Setup) -> list[Step]:
    """Return some moves of players in a random match."""
    return [
        step._replace(after=step.after.copy())
        for step in walk(game, setup, SEED)
        if step.version % EVERY == 0 and game.actors(step.before) != (HOUSE,)
    ]


def test_views_are_foreseen_up_to_the_first_draw(game: Game[Any], setup: Setup) -> None:
    """There is a view before all events, and one after each event before the first drawn one.

    If no event is drawn, the last view is the one after the move.
    """
    for step in _players_steps(game, setup):
        seat = step.move.seat
        previewed = preview(game, step.before, step.move, draws(-1))
        certain = list(takewhile(_is_certain, previewed))
        views = foreseen(game, step.before, previewed, seat)

        assert len(views) == 1 + len(certain), f"version {step.version}"
        assert views[0] == game.view(step.before, seat)
        if certain == previewed:
            assert views[-1] == game.view(step.after, seat), f"version {step.version}"


def _is_certain(one: Previewed) -> bool:
    return not one.drawn


def test_hidden_state_changes_no_preview(game: Game[Any], setup: Setup) -> None:
    """With all hidden state drawn anew, the seat is told the same events and changes."""
    for step in _players_steps(game, setup):
        seat = step.move.seat
        imagined = game.imagine(step.before, seat, draws(step.version))
        in_truth = _previewed(game, step.before, step.move)

        assert _previewed(game, imagined, step.move) == in_truth, f"version {step.version}"


def _previewed(game: Game[Any], state: Any, move: Any) -> tuple[Any, Any]:
    """Return the events of a preview as the seat sees them, and the views between them."""
    previewed = preview(game, state, move, draws(-1))
    events = [(wire.redact(event, move.seat), drawn) for event, drawn in previewed]
    return events, foreseen(game, state, previewed, move.seat)
