"""The end, the final scoring and the outcome (F39-F43, F45)."""

from typing import Any

import pytest

from domain.errors import BadOption
from domain.firenze import GAME
from domain.firenze.agenda import Step, Task
from domain.firenze.components import Card, Colour, End
from domain.firenze.events import CardSpent, EndTileTaken, FinalScored, PlayEnded, RowShortened
from domain.firenze.state import State
from domain.game import Outcome
from domain.seats import HOUSE
from tests.domain.firenze.table import (
    BLUE,
    PURPLE,
    RED,
    WHITE,
    YELLOW,
    deal,
    do,
    only,
    raise_tower,
    refused,
    seal,
    set_step,
    table,
    tags,
)

# ---- the end (F40, F45) ----------------------------------------------------------------------


def last_seals(seats: int, *, seals: int = 1) -> State:
    """Seat 1 is to fulfil with a red tower of 5 levels and has so many seals left."""
    state = table(seats, "fulfil")
    do(state, "end_turn")
    raise_tower(state, 1, RED, 5)
    set_step(state, "fulfil", seat=1)
    state.players[1].seals = seals
    return state


def fulfil(state: State) -> list[Any]:
    """Let seat 1 deliver its red tower."""
    return do(state, "fulfil", 1, tower=0, colour="red", height=5)


def play_turn(state: State, seat: int) -> list[Any]:
    """Take the free card and end the turn."""
    do(state, "take_card", seat, slot=0)
    while state.agenda[-1].step in (Step.ANSWER, Step.RESOLVE):
        GAME.evolve(state, CardSpent(seat, state.taken or Card.BOTCH))
        GAME.evolve(state, RowShortened())
    return do(state, "end_turn", seat)


@pytest.mark.parametrize(
    ("seats", "followers"),
    [
        pytest.param(2, [0], id="F40-two"),
        pytest.param(3, [2, 0], id="F40-three"),
        pytest.param(4, [2, 3, 0], id="F40-four"),
    ],
)
def test_the_last_seal_ends_the_match(seats: int, followers: list[int]) -> None:
    """F40: the last seal brings 5 points. Its owner ends the turn, all others have one more."""
    state = last_seals(seats)

    assert only(fulfil(state), EndTileTaken).points == 5
    assert state.players[1].points == 5 + 2 + 5

    events = do(state, "end_turn", 1)
    for seat in followers:
        assert GAME.actors(state) == (seat,)
        events = play_turn(state, seat)

    assert only(events, PlayEnded).reason is End.LAST_SEAL
    assert GAME.actors(state) == (HOUSE,)


def test_the_end_tile_is_taken_once() -> None:
    """F40: a player who places a last seal after another gets no tile, and no points for it."""
    state = last_seals(2)
    state.players[0].seals = 1
    fulfil(state)
    do(state, "end_turn", 1)
    raise_tower(state, 0, RED, 6)
    set_step(state, "fulfil", seat=0)

    events = do(state, "fulfil", 0, tower=0, colour="red", height=6)

    assert "end_tile_taken" not in tags(events)
    assert state.end_seat == 1


def test_the_turn_limit() -> None:
    """F45: after so many turns of every player the match goes to the final scoring."""
    state = table(3, turn_limit=10)
    state.turn = 28
    state.active = 1
    set_step(state, "fulfil", seat=1)

    assert tags(do(state, "end_turn", 1)) == ["turn_began"]

    events = play_turn(state, 2)
    assert only(events, PlayEnded).reason is End.TURN_LIMIT


def test_last_turns_once_begun_are_played_out() -> None:
    """F45: the end tile taken in the very last turn still gives the others their turn."""
    state = last_seals(2)
    state.turn = 2 * state.turn_limit - 1
    fulfil(state)
    assert tags(do(state, "end_turn", 1)) == ["turn_began"]
    assert only(play_turn(state, 0), PlayEnded).reason is End.LAST_SEAL


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param(9, id="F45-least"),
        pytest.param(501, id="F45-most"),
        pytest.param(True, id="F45-number"),
    ],
)
def test_the_turn_limit_has_bounds(limit: Any) -> None:
    """F45: the limit is 10 to 500 turns a player."""
    with pytest.raises(BadOption, match="from 10 to 500"):
        GAME.read_options({"turn_limit": limit})


# ---- the final scoring and the outcome (F39, F41-F43) --------------------------------------------

Places = list[tuple[Colour, int]]


def ended(seats: int = 2) -> State:
    """Return a match after its last turn."""
    state = table(seats)
    state.agenda = [Task(Step.SCORE, HOUSE)]
    return state


def scored(state: State) -> FinalScored:
    """Let the house score and return the event."""
    event: FinalScored = only(do(state, "score", None), FinalScored)
    return event


# ---- majorities (F41) ------------------------------------------------------------------------

MAJORITIES: list[Any] = [
    pytest.param([(PURPLE, 3), (PURPLE, 4)], [(PURPLE, 7)], 0, id="F41-most-seals"),
    pytest.param(
        [(PURPLE, 3), (PURPLE, 6)], [(PURPLE, 4), (PURPLE, 5)], 0, id="F41-tie-highest-seal"
    ),
    pytest.param([(PURPLE, 3)], [(PURPLE, 4)], 1, id="F41-tie-of-one-each"),
    pytest.param([], [], None, id="F41-no-seal-no-bonus"),
]


@pytest.mark.parametrize(("own", "others", "winner"), MAJORITIES)
def test_the_majority_bonus(own: Places, others: Places, winner: int | None) -> None:
    """F41: most seals on a colour win, in a tie the highest seal. Neutral seals do not count."""
    state = ended()
    seal(state, 0, *own)
    seal(state, 1, *others)

    purple = scored(state).majorities[PURPLE]

    assert purple.seat == winner
    assert purple.points == 7
    assert purple.seals == (len(own), len(others))
    points = [player.points for player in state.players]
    assert points == [7 * (winner == 0), 7 * (winner == 1)]


def test_the_highest_seal_counts_among_the_tied_only() -> None:
    """F41: seat 2 has the highest seal, but fewer seals than the tied seats."""
    state = ended(3)
    seal(state, 0, (RED, 3), (RED, 7))
    seal(state, 1, (RED, 4), (RED, 6))
    seal(state, 2, (RED, 8))

    event = scored(state)

    red = event.majorities[RED]

    assert red.seat == 0
    assert red.tied == (0, 1)
    assert red.highest == (7, 6, 0)


# ---- Celebration cards (F39) -----------------------------------------------------------------

CELEBRATIONS = [
    pytest.param(Card.FAME, 2, 6, id="F39-fame"),
    pytest.param(Card.MONUMENT, 1, 3, id="F39-monument"),
    pytest.param(Card.DISGRACE, 2, -4, id="F39-disgrace"),
    pytest.param(Card.SCANDAL, 2, -6, id="F39-scandal"),
    pytest.param(Card.RECOGNITION, 1, 3, id="F39-recognition"),
    pytest.param(Card.RECOGNITION, 2, 6, id="F39-recognition-twice"),
]


@pytest.mark.parametrize(("card", "copies", "points"), CELEBRATIONS)
def test_celebration_cards(card: Card, copies: int, points: int) -> None:
    """F39: Recognition counts own commissions of 3 or 4 levels, also those with a balcony.

    Personnel brings nothing.
    """
    state = ended()
    own = [(WHITE, 3), (WHITE, 4), (BLUE, 3), (PURPLE, 5)]
    seal(state, 0, *own)
    seal(state, 1, (YELLOW, 5))
    deal(state, 0, Card.MASON, Card.WORKSHOP)
    deal(state, 0, *[card] * copies)

    event = scored(state)

    (celebrated,) = event.celebrations

    assert celebrated.seat == 0
    assert celebrated.card is card
    assert celebrated.copies == copies
    assert celebrated.points == points

    white, blue, purple = 2, 6, 7
    assert event.points[0] == white + blue + purple + points


# ---- the outcome (F42, F43) ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "ranks"),
    [
        pytest.param((3, -2, 5), (2, 3, 1), id="F42-most-points-win"),
        pytest.param((5, -2, 5), (1, 3, 1), id="F42-shared-victory"),
        pytest.param((-1, -1, -4), (1, 1, 3), id="F42-negative"),
    ],
)
def test_the_outcome(points: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    """Points may be negative. A tie is a shared victory."""
    state = ended(3)
    for player, own in zip(state.players, points, strict=True):
        player.points = own
    assert GAME.outcome(state) is None

    scored(state)
    assert GAME.outcome(state) == Outcome(points, ranks)


def test_after_the_scoring_the_match_is_over() -> None:
    """F43: the match is over for the house as well."""
    state = ended()
    scored(state)
    assert GAME.actors(state) == ()
    assert GAME.legal_moves(state, HOUSE) == []
    assert refused(state, "end_turn") == "F43 match_over"
    assert refused(state, "score", None) == "F43 match_over"
