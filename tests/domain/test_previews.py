"""What a preview tells of the state: every registered game's views between the events of a move."""

from typing import Any

from domain import wire
from domain.game import Game, Setup, foreseen, preview
from domain.wire import HOUSE
from tests.domain.laws import Step, draws, every_setup, walk

pytestmark = every_setup

EVERY = 4  # versions
SEED = 31


def _steps(game: Game[Any], setup: Setup) -> list[tuple[Step, int]]:
    """Return some moves of players in a random match, each with the seat that makes it."""
    found = []
    for step in walk(game, setup, SEED):
        awaited = game.actors(step.before)
        if step.version % EVERY == 0 and awaited != (HOUSE,):
            found.append((step._replace(after=step.after.copy()), step.move.seat))
    return found


def test_views_are_foreseen_up_to_the_first_draw(game: Game[Any], setup: Setup) -> None:
    """There is a view before all and after each event up to the first draw; without a draw it ends as the move does."""
    for step, seat in _steps(game, setup):
        previewed = preview(game, step.before, step.move, draws(-1))
        views = foreseen(game, step.before, previewed, seat)
        drawn = [bool(names) for _, names in previewed]
        known = drawn.index(True) if any(drawn) else len(drawn)
        assert len(views) == 1 + known, f"version {step.version}"
        assert views[0] == game.view(step.before, seat)
        if not any(drawn):
            assert views[-1] == game.view(step.after, seat), f"version {step.version}"


def test_what_is_hidden_changes_no_preview(game: Game[Any], setup: Setup) -> None:
    """With all that the seat cannot see drawn anew, it is told the same events and sees the same changes."""
    for step, seat in _steps(game, setup):
        imagined = game.imagine(step.before, seat, draws(step.version))
        told = []
        for state in (step.before, imagined):
            previewed = preview(game, state, step.move, draws(-1))
            events = [(wire.redact(event, seat), drawn) for event, drawn in previewed]
            told.append((events, foreseen(game, state, previewed, seat)))
        assert told[0] == told[1], f"version {step.version}"
