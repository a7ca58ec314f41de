"""Thoughts of bots in positions of golden records, as approved.

`python -m tests.records.test_bots` writes the file for approval.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from domain import wire
from domain.chance import FastChance
from domain.game import HOUSE, Game, SearchHooks
from domain.games import GAMES
from tests.records import make, views

KEYS = ("calimala", "firenze")
APPROVED = Path(__file__).with_name("bots.txt")
NUMBER = 7  # of the golden records with the positions
FIRST_VERSION = 8
EVERY_NTH_VERSION = 11


def golden_positions(path: Path) -> Iterator[tuple[int, Any, int]]:
    """Yield version, state and seat to act of some versions of a golden record."""
    versions = enumerate(views.matches(path))

    for version, match in islice(versions, FIRST_VERSION, None, EVERY_NTH_VERSION):
        if match.state is None:
            continue
        actors = match.game.actors(match.state)
        if actors and actors[0] != HOUSE:
            yield version, match.state.copy(), actors[0]


def thoughts(game: Game[Any], state: Any, seat: int) -> str:
    """Return the moves of the greedy bot and of the search, and each seat's expected points."""
    hooks: SearchHooks[Any] | None = game.search_hooks
    assert hooks is not None

    imagined = game.imagine(state, seat, FastChance(1))
    greedy = game.advise(imagined, seat, FastChance(1))
    candidates = hooks.candidates(state, seat, FastChance(1))
    parts = [
        f"seat {seat}",
        f"greedy {wire.encode(greedy)}",
        f"first of {len(candidates)}",
        f"{wire.encode(candidates[0])}",
    ]

    if hooks.turn_begins(state):
        expected = [f"{points:.3f}" for points in hooks.expected_points(state)]
        doubt = hooks.doubt(state)
        parts.append(f"expected {', '.join(expected)}, doubt {doubt:.3f}")

    return "; ".join(parts)


def all_thoughts() -> list[str]:
    """Return a line for each position."""
    lines = []
    for key in KEYS:
        game = GAMES[key]
        for seats in game.seats:
            path = make.name_of(game, seats, NUMBER).path
            for version, state, seat in golden_positions(path):
                thought = thoughts(game, state, seat)
                lines.append(f"{views.name_of(path)} at {version}: {thought}")

    return lines


def test_bots_think_as_approved() -> None:
    """A change of weights or of the weighed moves shows in moves and expected points."""
    assert all_thoughts() == APPROVED.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    APPROVED.write_text("".join(f"{line}\n" for line in all_thoughts()), encoding="utf-8")
