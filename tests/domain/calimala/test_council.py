"""The fourth disc: seats in the council and the exchange of white discs (C31-C34, C38)."""

from typing import Any

import pytest

from domain.calimala import GAME
from domain.calimala.agenda import Turn
from domain.calimala.components import Category
from domain.calimala.state import State, initial
from domain.game import HOUSE, Setup
from tests.domain.calimala.pieces import discs
from tests.domain.calimala.table import (
    BRICK_WOOD,
    MARBLE_WEAVE,
    WEAVE_TRANSPORT,
    WHITE,
    do,
    legal,
    refused,
    table,
    tags,
)
from tests.domain.laws import walk

EDITIONS = ("english", "hungarian", "german")


def promote(state: State, *stack: int, disc: str = "coloured") -> list[Any]:
    """Let seat 0 place on brick-wood above the stack and everybody carry his actions out; return the last events."""
    state.streets[BRICK_WOOD] = list(stack)
    events = do(state, "place_disc", 0, street="0-3", disc=disc)
    while state.agenda[-1].tag == "activation":
        (seat,) = GAME.actors(state)
        move = legal(state, seat, "perform")[0]
        events = do(state, "perform", seat, action=move["action"])
    return events


def broke(edition: str = "english") -> State:
    """A table where seat 0 has one coloured disc in reserve, to be placed now."""
    state = table(edition=edition)
    state.players[0].discs = 1
    return state


def council(state: State) -> list[int]:
    return state.council_seats


def test_three_discs_stay() -> None:
    """C31: only a fourth disc leaves."""
    state = table()
    promote(state, 1, 2)
    assert state.streets[BRICK_WOOD] == [1, 2, 0]
    assert GAME.actors(state) == (1,)


def test_the_bottom_disc_takes_a_seat() -> None:
    """C31: after the activations, on the next tile, which is scored now."""
    state = table()
    state.council_seats, state.scored = [WHITE], 1
    events = promote(state, 2, 1, 1)
    assert tags(events)[-2:] == ["activation_ended", "disc_promoted"]
    assert (events[-1].seat, events[-1].tile) == (2, Category.LISBON)
    assert state.streets[BRICK_WOOD] == [1, 1, 0]
    assert council(state) == [WHITE, 2]
    (scored,) = do(state, "score")
    assert scored.category is Category.LISBON
    assert GAME.actors(state) == (1,)


def test_nobody_moves_while_the_house_must_score() -> None:
    """C38: from the disc's arrival until the scoring is recorded; one score settles one tile."""
    state = table()
    assert refused(state, "score") == "C38 house_not_awaited"
    promote(state, 2, 1, 1)
    assert GAME.actors(state) == (HOUSE,)
    assert GAME.legal_moves(state, HOUSE)[0].tag == "score"
    for seat in range(3):
        assert (
            refused(state, "place_disc", seat, street="0-1", disc="coloured")
            == "C38 house_must_act"
        )
    assert tags(do(state, "score")) == ["tile_scored"]
    assert refused(state, "score") == "C38 house_not_awaited"


def test_the_new_seat_counts_in_ties() -> None:
    """C31: seat 2 wins the tie by the seat it has just taken."""
    state = table()
    state.cloth[0] = [1, 1, 1]
    promote(state, 2, 1, 1)
    (scored,) = do(state, "score")
    assert scored.order[0] == 2
    assert scored.points[2] == 3


def test_a_white_disc_is_exchanged_with_the_reserve() -> None:
    """C32: the active player's coloured disc takes the seat, the white one joins his reserve."""
    state = table()
    events = promote(state, WHITE, 1, 2)
    assert tags(events)[-1] == "white_disc_exchanged"
    assert council(state) == [0]
    assert state.streets[BRICK_WOOD] == [1, 2, 0]
    assert (state.players[0].discs, state.players[0].whites) == (10, 4)


EXCHANGES: list[Any] = [
    pytest.param(
        "english", ["6-7 1"], "6-7", [2, WHITE], [1, WHITE, 0], id="C33-english-single-is-taken"
    ),
    pytest.param(
        "hungarian",
        ["6-7 1", "0-3 2"],
        "0-3",
        [2, 0],
        [1, WHITE, WHITE],
        id="C33-hungarian-this-one-too",
    ),
    pytest.param(
        "hungarian",
        ["6-7 1", "0-3 2"],
        "6-7",
        [2, WHITE],
        [1, WHITE, 0],
        id="C33-hungarian-another",
    ),
    pytest.param(
        "german", ["6-7 1", "0-3 2"], "0-3", [2, 0], [1, WHITE], id="C33-german-this-one-too"
    ),
    pytest.param("german", ["6-7 1", "0-3 2"], "6-7", [2], [1, WHITE, 0], id="C33-german-another"),
]


@pytest.mark.parametrize(("edition", "may", "street", "there", "here"), EXCHANGES)
def test_a_white_disc_without_a_reserve(
    edition: str, may: list[str], street: str, there: list[int], here: list[int]
) -> None:
    """C33: a disc on a street takes the seat; the white one goes on its stack (or, German, out of the game)."""
    state = broke(edition)
    state.streets[MARBLE_WEAVE] = [2, 0]
    total = discs(state) + 3
    events = promote(state, WHITE, 1, WHITE)
    if len(may) > 1:
        choices = [
            f"{move['street']} {move['position']}" for move in legal(state, 0, "give_up_disc")
        ]
        assert choices == may
        events = do(
            state,
            "give_up_disc",
            0,
            street=street,
            position=int(dict(each.split() for each in may)[street]),
        )
    assert tags(events)[-1] == "disc_given_up"
    assert council(state) == [0]
    assert GAME.actors(state) == (HOUSE,)
    assert state.streets[MARBLE_WEAVE] == there
    assert state.streets[BRICK_WOOD] == here
    assert discs(state) == total - (edition == "german")


def test_english_rules_spare_the_stack_itself() -> None:
    """C33: with discs on two other streets, this one is no choice; positions count from the bottom."""
    state = broke()
    state.streets[MARBLE_WEAVE] = [0, 2, 0]
    state.streets[WEAVE_TRANSPORT] = [0]
    promote(state, WHITE, 0, 0)
    assert [(move["street"], move["position"]) for move in legal(state, 0, "give_up_disc")] == [
        *(("6-7", 0), ("6-7", 2)),
        ("7-8", 0),
    ]
    assert (
        refused(state, "give_up_disc", 0, street="0-3", position=0) == "C33 disc_not_yours_to_give"
    )
    assert refused(state, "give_up_disc", 1, street="6-7", position=0) == "C33 not_your_turn"
    do(state, "give_up_disc", 0, street="6-7", position=0)
    assert state.streets[MARBLE_WEAVE] == [2, 0, WHITE]


@pytest.mark.parametrize(
    ("street", "position"),
    [
        pytest.param("6-7", 1, id="C33-another-players"),
        pytest.param("6-7", 3, id="C33-above-the-stack"),
        pytest.param("6-7", -1, id="C33-below-the-stack"),
        pytest.param("0-1", 0, id="C33-empty-street"),
    ],
)
def test_a_disc_given_up_must_be_ones_own(street: str, position: int) -> None:
    """C33: one of the active player's coloured discs."""
    state = broke()
    state.streets[MARBLE_WEAVE] = [0, 2, 0]
    promote(state, WHITE, 1, 2)
    assert (
        refused(state, "give_up_disc", 0, street=street, position=position)
        == "C33 disc_not_yours_to_give"
    )


@pytest.mark.parametrize(
    "edition", [pytest.param(name, id=f"C34-{name}") for name in ("english", "hungarian", "german")]
)
def test_without_a_disc_to_take_the_seat_stays_empty(edition: str) -> None:
    """C34: the tile is scored all the same and the white disc leaves the game."""
    state = broke(edition)
    state.players[0].discs = 0
    total = discs(state) + 3
    events = promote(state, WHITE, 1, 2, disc="white")
    assert tags(events)[-2:] == ["white_disc_lifted", "seat_left_empty"]
    assert council(state) == [WHITE]
    assert discs(state) == total - 1
    assert do(state, "score")[0].category is Category.BARCELONA


def test_the_english_rule_ignores_a_disc_in_this_stack() -> None:
    """C33, C34: the disc just placed is the last one, and it lies here: the seat stays empty."""
    state = broke()
    assert tags(promote(state, WHITE, 1, 2))[-1] == "seat_left_empty"


def test_whites_are_exchanged_by_whoever_is_active() -> None:
    """C32: a white disc has no owner; seat 1 exchanges the one that seat 0 placed."""
    state = table()
    promote(state, disc="white")
    state.agenda = [Turn(1)]
    state.streets[BRICK_WOOD] += [2, 2]
    do(state, "place_disc", 1, street="0-3", disc="coloured")
    for seat in (1, 2, 2):
        do(state, "perform", seat, action="brick")
        events = do(state, "perform", seat, action="wood")
    assert (events[-1].tag, events[-1].seat) == ("white_disc_exchanged", 1)
    assert (state.players[0].whites, state.players[1].whites) == (2, 4)


LEAVING = {"disc_removed", "seat_left_empty"}


@pytest.mark.parametrize("edition", [pytest.param(name, id=f"C33-{name}") for name in EDITIONS])
def test_no_disc_is_lost_or_made(edition: str) -> None:
    """C31-C34, C40: over whole matches, discs leave the game only where an event says so."""
    for seed in range(8):
        left = discs(initial(Setup(5, {"edition": edition, "layout": "random"})))
        for step in walk(GAME, Setup(5, {"edition": edition, "layout": "random"}), seed):
            left -= sum(
                event.tag in LEAVING or getattr(event, "white_stays", True) is False
                for event in step.events
            )
            assert discs(step.after) == left
