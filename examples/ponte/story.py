"""What happened, told in English: one sentence for each event."""

from collections.abc import Callable, Sequence
from typing import Any

from domain.kit import one_for_each, winners
from domain.story import Heading, Part, Sentence, counted, listed
from examples.ponte import events
from examples.ponte.components import KEYSTONE
from examples.ponte.state import State

Names = Sequence[str]


def tell(state: State, event: Any, names: Names) -> Sentence:
    """Return what an event says happened, as a sentence; the state is the one before it."""
    return _TELLERS[type(event)](state, event, names)


def _row_begun(_state: State, event: events.RowBegun, _names: Names) -> Sentence:
    stone = "a stone" if event.stone is None else f"a stone of height {event.stone}"
    return Sentence(f"The house lays {stone} on the {event.bank.wire} bank.", rules=("P5",))


def _stone_drawn(_state: State, event: events.StoneDrawn, names: Names) -> Sentence:
    stone = "a stone" if event.stone is None else f"a stone of height {event.stone}"
    return Sentence(f"{names[event.seat]} draws {stone} from the yard.")


def _building_begun(_state: State, _event: events.BuildingBegun, names: Names) -> Sentence:
    return Sentence(f"All stones are dealt, and {names[0]} begins.", rules=("P1",))


def _stone_laid(state: State, event: events.StoneLaid, names: Names) -> Sentence:
    name = names[event.seat]
    worth = counted(event.points, "point")
    text = f"{name} lays a {event.stone} on the {event.bank.wire} row: {worth}."

    # One stone of each row was there before the first turn.
    turn = sum(len(row) for row in state.rows) - len(state.rows) + 1
    heading = Heading(Part.TURN, f"Turn {turn}: {name}")
    return Sentence(text, rules=("P7",), heading=heading)


def _bridge_finished(_state: State, event: events.BridgeFinished, names: Names) -> Sentence:
    first = listed(winners(event.ranks, names))
    best = max(event.points)
    return Sentence(
        f"The bridge is finished: {names[event.seat]} has {KEYSTONE} points for the keystone, "
        f"and {first} {'win' if event.ranks.count(1) > 1 else 'wins'} with {best}.",
        rules=("P9", "P10"),
        heading=Heading(Part.END, "The end"),
    )


_TELLERS: dict[type, Callable[[State, Any, Names], Sentence]] = one_for_each(
    events.EVENTS,
    {
        events.RowBegun: _row_begun,
        events.StoneDrawn: _stone_drawn,
        events.BuildingBegun: _building_begun,
        events.StoneLaid: _stone_laid,
        events.BridgeFinished: _bridge_finished,
    },
)
