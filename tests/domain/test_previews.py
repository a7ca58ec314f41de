"""What a preview tells of the state: every registered game's views between the events of a move."""

from itertools import takewhile
from typing import Any

from domain import wire
from domain.game import HOUSE, Game, Previewed, Setup, foreseen, preview
from tests.domain.laws import Step, draws, every_setup, walk

pytestmark = every_setup

EVERY = 4  # versions
SEED = 31


def _players_steps(game: Game[Any], setup: Setup) -> list[Step]:
    """Return some moves of players in a random match."""
    return [
        step._replace(after=step.after.copy())
        for step in walk(game, setup, SEED)
        if step.version % EVERY == 0 and game.actors(step.before) != (HOUSE,)
    ]


def test_views_are_foreseen_up_to_the_first_draw(game: Game[Any], setup: Setup) -> None:
    """There is a view before all, and one after each event up to the first that chance decides.

    Where chance decides none of them, the last view is the one after the move.
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


def test_what_is_hidden_changes_no_preview(game: Game[Any], setup: Setup) -> None:
    """With all drawn anew that the seat cannot see, it is told the same events and changes."""
    for step in _players_steps(game, setup):
        seat = step.move.seat
        imagined = game.imagine(step.before, seat, draws(step.version))
        in_truth = _told(game, step.before, step.move)

        assert _told(game, imagined, step.move) == in_truth, f"version {step.version}"


def _told(game: Game[Any], state: Any, move: Any) -> tuple[Any, Any]:
    """Return the events of a preview as the seat sees them, and the views between them."""
    previewed = preview(game, state, move, draws(-1))
    events = [(wire.redact(event, move.seat), drawn) for event, drawn in previewed]
    return events, foreseen(game, state, previewed, move.seat)
