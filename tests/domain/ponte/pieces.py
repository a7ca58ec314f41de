"""Ponte's part in the laws of games: what is conserved, and how commands are spelled."""

from typing import Any

from examples.ponte.components import HEIGHTS
from examples.ponte.state import State


def conserved(state: State) -> list[int]:
    """Count the stones of each height, wherever they are."""
    hands = [player.hand for player in state.players]
    in_yard_and_hands = [sum(counts) for counts in zip(state.yard, *hands, strict=True)]

    laid = [stone for row in state.rows for stone in row]
    counts = zip(HEIGHTS, in_yard_and_hands, strict=True)
    return [count + laid.count(height) for height, count in counts]


def spelled(command: Any) -> Any:
    """Each command has one spelling."""
    return command


def unlisted(_state: State, _command: Any) -> bool:
    """Every legal command is listed."""
    return False
