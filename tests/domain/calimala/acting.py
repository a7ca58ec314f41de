"""A seat at its action: what the tests of the nine actions begin with."""

from typing import Any

from domain.calimala.components import Street
from domain.calimala.state import State
from tests.domain.calimala.table import actions_of, activate, legal, refused, table

STREET_OF = {
    "wood": Street.S03,
    "brick": Street.S03,
    "marble": Street.S67,
    "weave": Street.S67,
    "build": Street.S25,
    "ship": Street.S25,
    "artwork": Street.S14,
    "contribute": Street.S14,
    "transport": Street.S78,
}
Parameters = dict[str, Any]


def activating(action: str) -> State:
    """Return a table where seat 1, which has nothing, activates the action's street twice."""
    state = table()
    activate(state, 1, STREET_OF[action], times=2)
    return state


def legal_ways(state: State, action: str) -> list[Parameters]:
    """Return the parameters with which seat 1 may perform the action."""
    ways = [move for move in legal(state, 1, "perform") if move["action"] == action]
    for way in ways:
        del way["action"]
    return ways


def compensable(state: State, action: str) -> bool:
    """Whether seat 1 may draw a card for the action."""
    return action in actions_of(legal(state, 1, "compensate"))


def why_refused(state: State, action: str, **parameters: Any) -> str:
    """Return the rule and code with which seat 1 is refused to perform the action."""
    return refused(state, "perform", 1, action=action, **parameters)
