"""What a stone brings, and how a match comes out (P7, P9, P10)."""

from domain.game import Draft, Outcome
from domain.kit import competition_ranks
from examples.ponte.components import KEYSTONE, POINTS_BY_STEPS
from examples.ponte.events import BridgeFinished
from examples.ponte.state import State


def points_for(stone: int, last_stone: int) -> int:
    """Return what a stone brings at the end of a row, after the last one there (P7)."""
    steps = abs(stone - last_stone)
    return POINTS_BY_STEPS.get(steps, 0)


def finish(draft: Draft[State], seat: int) -> None:
    """Count the keystone for the seat that laid it, and rank the players (P9, P10)."""
    points = [player.points for player in draft.state.players]
    points[seat] += KEYSTONE

    ranks = competition_ranks(points)
    draft.emit(BridgeFinished(seat, tuple(points), ranks))


def outcome(state: State) -> Outcome | None:
    """Return the outcome once the bridge is finished (P10)."""
    if not state.ranks:
        return None
    points = tuple(player.points for player in state.players)
    return Outcome(points, tuple(state.ranks))
