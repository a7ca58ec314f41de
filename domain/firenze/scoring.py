"""The final scoring (F39, F41-F43)."""

from domain.firenze import events as ev
from domain.firenze.components import (
    CELEBRATION_POINTS,
    CELEBRATIONS,
    COLOURS,
    HEIGHTS,
    LOWEST,
    Card,
    Colour,
)
from domain.firenze.state import State, sealed_by
from domain.game import Draft, Outcome

RECOGNISED = (3, 4)


def score(draft: Draft[State]) -> None:
    """Majorities, then Celebration cards (F41)."""
    state = draft.state
    majorities = tuple(majority(state, colour) for colour in COLOURS)
    celebrations = tuple(
        found for seat in range(len(state.players)) for found in celebrated(state, seat)
    )
    before = tuple(player.points for player in state.players)
    points = list(before)
    for entry in majorities:
        if entry.seat is not None:
            points[entry.seat] += entry.points
    for card in celebrations:
        points[card.seat] += card.points
    draft.emit(ev.FinalScored(majorities, celebrations, before, tuple(points), ranks(points)))


def majority(state: State, colour: Colour) -> ev.Majority:
    """Most seals on a tower; tie: the highest seal among the tied; nobody's without a player's seal (F41)."""
    column = state.seals[colour * len(HEIGHTS) : (colour + 1) * len(HEIGHTS)]
    seats = range(len(state.players))
    seals = tuple(column.count(seat) for seat in seats)
    most = max(seals)
    tied = tuple(seat for seat in seats if seals[seat] == most) if most else ()
    highest = tuple(_highest(column, seat) if seat in tied else 0 for seat in seats)
    winner = max(tied, key=highest.__getitem__, default=None)
    return ev.Majority(colour, state.board.majority[colour], seals, tied, highest, winner)


def _highest(column: list[int], seat: int) -> int:
    return max(LOWEST + place for place, owner in enumerate(column) if owner == seat)


def celebrated(state: State, seat: int) -> list[ev.Celebrated]:
    """Recognition: 1 for each own commission of 3 or 4 levels; Fame, Monument +3, Disgrace -2, Scandal -3 (F39)."""
    held = state.players[seat].cards
    small = sum(LOWEST + index % len(HEIGHTS) in RECOGNISED for index in sealed_by(state, seat))
    points = {**CELEBRATION_POINTS, Card.RECOGNITION: small}
    return [
        ev.Celebrated(seat, card, held[card], held[card] * points[card])
        for card in CELEBRATIONS
        if held[card]
    ]


def ranks(points: list[int]) -> tuple[int, ...]:
    """Most points wins; a tie is shared (F42)."""
    return tuple(1 + sum(other > own for other in points) for own in points)


def outcome(state: State) -> Outcome | None:
    """Return points and ranks once the final scoring is recorded (F43)."""
    if state.agenda:
        return None
    return Outcome(tuple(player.points for player in state.players), state.ranks)
