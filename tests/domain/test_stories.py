"""The laws of stories: how every registered game tells its events, in every setup."""

from collections.abc import Iterator, Sequence
from typing import Any

from domain import wire
from domain.chance import Chance
from domain.game import HOUSE, Game, Message, Setup, decide, preview
from domain.story import Sentence
from tests.domain.laws import draws, every_setup, walk
from tests.domain.stories import NAMES, check, moments

pytestmark = every_setup

SEED = 31
EVERY = 4  # versions


def test_every_event_is_told_in_sentences(game: Game[Any], setup: Setup) -> None:
    """They are plain English with full stops, for whoever reads them; the rules are on the page."""
    names = NAMES[: setup.seats]
    for state, event in moments(game, setup, SEED):
        kept = wire.dump(state)
        for reader in (None, *range(setup.seats)):
            check(_told(game, state, event, reader, names), game.key)
        assert wire.dump(state) == kept, "telling changes nothing"


def test_what_is_hidden_changes_no_story(game: Game[Any], setup: Setup) -> None:
    """Two worlds differ only in what a reader cannot see: the reader is told the same."""
    names = NAMES[: setup.seats]
    for step in walk(game, setup, SEED):
        seat = step.version % setup.seats
        imagined = game.imagine(step.before, seat, draws(step.version))
        in_truth = list(_told_to_two(game, step.before, step.events, seat, names))
        told = list(_told_to_two(game, imagined, step.events, seat, names))

        assert told == in_truth, f"version {step.version}"


def _told_to_two(
    game: Game[Any], state: Any, events: list[Message], seat: int, names: Sequence[str]
) -> Iterator[tuple[Sentence, Sentence]]:
    """Yield each event as the seat reads it, and as the public does; the state changes."""
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


def test_what_chance_decides_changes_no_story_of_a_preview(game: Game[Any], setup: Setup) -> None:
    """With other draws, and with all drawn anew that the seat cannot see, it is told the same."""
    names = NAMES[: setup.seats]
    for step in walk(game, setup, SEED):
        if step.version % EVERY or game.actors(step.before) == (HOUSE,):
            continue

        seat = step.move.seat
        imagined = game.imagine(step.before, seat, draws(step.version))
        in_truth = _foretold(game, step.before.copy(), step.move, draws(-1), names)
        told = _foretold(game, imagined, step.move, draws(-2), names)

        assert told == in_truth, f"version {step.version}"
        for sentence in told:
            check(sentence, game.key)


def _foretold(
    game: Game[Any], state: Any, move: Any, chance: Chance, names: Sequence[str]
) -> list[Sentence]:
    """Return what a seat is told of the events of its move, each without its draws.

    The state changes as the draws say.
    """
    previewed = preview(game, state, move, chance)
    decided = decide(game, state, move, chance)
    sentences = []
    for undrawn, event in zip(previewed, decided, strict=True):
        shown = wire.redact(undrawn.event, move.seat)
        sentences.append(game.story(state, shown, names))
        game.evolve(state, event)
    return sentences
