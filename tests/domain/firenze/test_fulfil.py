"""Commissions, level tiles, balconies, church cards and Personnel (F21-F23, F26-F31, F37, F38)."""

from typing import Any

import pytest

from domain.firenze import GAME
from domain.firenze.commands import Fulfil
from domain.firenze.components import NO_BRICKS, Card, Colour
from domain.firenze.events import CommissionFulfilled
from domain.firenze.state import State
from tests.domain.firenze.table import (
    BLUE,
    GREEN,
    PURPLE,
    RED,
    WHITE,
    YELLOW,
    deal,
    do,
    holding,
    move_kinds,
    only,
    open_church,
    play,
    raise_tower,
    refused,
    set_step,
    table,
    tags,
)


def fulfilling(*built: tuple[Colour, int], seats: int = 2) -> State:
    """Seat 0 has built these towers and is to fulfil."""
    state = table(seats, "fulfil")
    for colour, height in built:
        raise_tower(state, 0, colour, height)
    return state


def delivered(
    state: State, tower: int, colour: Colour, height: int, seat: int = 0
) -> CommissionFulfilled:
    """Deliver the tower to a commission and return the resulting event."""
    events = do(state, "fulfil", seat, tower=tower, colour=colour.wire, height=height)
    fulfilled: CommissionFulfilled = only(events, CommissionFulfilled)
    return fulfilled


# ---- commissions (F21, F22) ------------------------------------------------------------------


NOT_FULFILLED: list[Any] = [
    pytest.param(0, "red", 4, "F21 wrong_height", id="F21-one-too-many"),
    pytest.param(0, "red", 6, "F21 wrong_height", id="F21-one-too-few"),
    pytest.param(0, "blue", 5, "F21 wrong_colour", id="F21-other-colour"),
    pytest.param(4, "red", 5, "F21 no_such_tower", id="F21-no-such-tower"),
    pytest.param(1, "green", 3, "F21 not_open", id="F21-neutral-seal"),
    pytest.param(1, "green", 2, "F21 not_open", id="F21-no-such-commission"),
    pytest.param(0, "red", None, "F21 no_commission", id="F21-no-height-named"),
    pytest.param(0, None, None, "F21 no_commission", id="F21-nothing-named"),
    pytest.param(0, "red", 7, "F22 not_open", id="F22-balcony-not-yet-due"),
]


@pytest.mark.parametrize(("tower", "colour", "height", "why"), NOT_FULFILLED)
def test_unfulfillable_commissions_are_refused(
    tower: int, colour: str | None, height: int | None, why: str
) -> None:
    """F21, F22: a tower fulfils only an open commission of exactly its height and its colour."""
    state = fulfilling((RED, 5), (GREEN, 3))
    assert refused(state, "fulfil", tower=tower, colour=colour, height=height) == why


def test_without_a_seal_nothing_is_fulfilled() -> None:
    """F21: an unused seal is needed, and nothing is listed without one."""
    state = fulfilling((RED, 5))
    state.players[0].seals = 0
    assert refused(state, "fulfil", tower=0, colour="red", height=5) == "F21 no_seal"
    assert move_kinds(state, 0) == ["end_turn"]


def test_balconies_come_in_order() -> None:
    """F22: II is closed until I is fulfilled, then open at once, in the same turn.

    The points of a balcony replace the printed ones.
    """
    state = fulfilling((WHITE, 6), (BLUE, 3))
    assert refused(state, "fulfil", tower=0, colour="white", height=6) == "F22 not_open"

    assert delivered(state, 1, BLUE, 3).points == 6
    assert delivered(state, 0, WHITE, 6).points == 8
    assert state.next_balcony == 2


def test_a_sealed_balcony_is_closed_by_its_seal() -> None:
    """F21, not F22: a balcony that was fulfilled is a commission fulfilled."""
    state = fulfilling((BLUE, 3), (BLUE, 3))
    delivered(state, 0, BLUE, 3)
    assert refused(state, "fulfil", tower=1, colour="blue", height=3) == "F21 not_open"


# ---- level tiles (F23) -----------------------------------------------------------------------

LEVELS = [
    pytest.param(PURPLE, BLUE, 5, 2, id="F23-5"),
    pytest.param(PURPLE, BLUE, 6, 3, id="F23-6"),
    pytest.param(PURPLE, BLUE, 7, 4, id="F23-7"),
    pytest.param(RED, WHITE, 8, 5, id="F23-8"),
]


@pytest.mark.parametrize(("colour", "another", "height", "points"), LEVELS)
def test_the_first_of_a_height_takes_the_level_tile(
    colour: Colour, another: Colour, height: int, points: int
) -> None:
    """F23: a level tile goes to the first tower of its height. Neutral seals take none."""
    state = fulfilling((colour, height))
    assert delivered(state, 0, colour, height).level == points

    raise_tower(state, 1, another, height)
    set_step(state, "fulfil", seat=1)
    assert delivered(state, 0, another, height, seat=1).level == 0
    assert state.levels[height - 5] == 0


# ---- privileges (F37) ------------------------------------------------------------------------

PRIVILEGES = [
    pytest.param(Card.MINOR_PRIVILEGE, 5, 2, id="F37-minor-privilege"),
    pytest.param(Card.PRIVILEGE, 6, 3, id="F37-privilege"),
    pytest.param(Card.MAJOR_PRIVILEGE, 7, 4, id="F37-major-privilege"),
]


@pytest.mark.parametrize(("card", "height", "points"), PRIVILEGES)
def test_privileges(card: Card, height: int, points: int) -> None:
    """The next commission of exactly this height brings more points. Then the card is discarded."""
    state = table(step="fulfil")
    open_church(state, card)

    lower = raise_tower(state, 0, PURPLE, height - 1)
    delivered(state, lower, PURPLE, height - 1)

    assert state.church == [card]

    exact = raise_tower(state, 0, BLUE, height)
    assert delivered(state, exact, BLUE, height).privilege == points
    assert state.church == []
    assert state.discards[card] == 1


# ---- the Campanile (F38) ---------------------------------------------------------------------


def campanile() -> State:
    """The Campanile is open. Seat 0 has a red 3, a white 3 and a yellow 5."""
    state = table(step="fulfil")
    open_church(state, Card.CAMPANILE)
    for colour, height in ((RED, 3), (WHITE, 3), (YELLOW, 5)):
        raise_tower(state, 0, colour, height)
    return state


def test_the_bell_tower_comes_first() -> None:
    """F38: before the bell tower nothing else may be fulfilled, not even with its own tower."""
    state = campanile()
    listed = [move for move in GAME.legal_moves(state, 0) if isinstance(move, Fulfil)]
    assert listed == [Fulfil(0, 1, campanile=True)]
    assert refused(state, "fulfil", tower=0, colour="red", height=3) == "F38 campanile_first"
    assert refused(state, "fulfil", tower=1, colour="white", height=3) == "F38 campanile_first"


def test_the_bell_tower_is_three_white_levels() -> None:
    """F38: no other tower will do, and no commission is named beside it."""
    state = campanile()
    assert refused(state, "fulfil", tower=0, campanile=True) == "F38 wrong_tower"
    assert refused(state, "fulfil", tower=1, campanile=True, height=3) == "F38 two_commissions"


@pytest.mark.parametrize("height", [1, 2, 4, 5])
def test_a_bell_tower_of_another_height_is_refused(height: int) -> None:
    """F38: a higher tower will not do either."""
    state = campanile()
    tower = raise_tower(state, 0, WHITE, height)
    assert refused(state, "fulfil", tower=tower, campanile=True) == "F38 wrong_tower"


def test_the_architect_does_not_help_the_bell_tower() -> None:
    """F28, F38: two white levels are not three."""
    state = campanile()
    deal(state, 0, Card.ARCHITECT)
    low = raise_tower(state, 0, WHITE, 2)

    play(state, Card.ARCHITECT, tower=low, by=1)
    assert refused(state, "fulfil", tower=low, campanile=True) == "F38 wrong_tower"


def test_the_campanile_goes_when_all_have_delivered() -> None:
    """F38: with the last delivery the Campanile is discarded, and nobody has a bell tower."""
    state = campanile()
    do(state, "fulfil", tower=1, campanile=True)

    assert state.church == [Card.CAMPANILE]

    state.players[0].bell_tower = False
    state.players[1].bell_tower = True
    second = raise_tower(state, 0, WHITE, 3)
    events = do(state, "fulfil", tower=second, campanile=True)

    assert tags(events) == ["bell_tower_delivered", "church_closed"]
    assert state.church == []
    assert state.discards[Card.CAMPANILE] == 1
    assert not any(player.bell_tower for player in state.players)


# ---- what may be played (F26) ----------------------------------------------------------------


def test_no_two_of_a_name_in_a_turn() -> None:
    """F26: another card may follow. A second Alchemist waits for the next turn."""
    state = holding(Card.ALCHEMIST, Card.ALCHEMIST, Card.PRINCESS)
    play(state, Card.ALCHEMIST, take="white", give="red")

    again: Any = {"card": "alchemist", "take": "green", "give": "blue"}

    assert refused(state, "play_personnel", **again) == "F26 already_played"
    play(state, Card.PRINCESS)

    for seat in (0, 1):
        do(state, "take_card", seat, slot=0)
        do(state, "end_turn", seat)
    play(state, Card.ALCHEMIST, take="green", give="blue")


TRADE_WITH_ONESELF = {"target": 0, "take": "blue", "give": "red"}
TRADE_OF_EQUALS = {"target": 1, "take": "green", "give": "green"}
TRADE_FOR_NOTHING = {"target": 1, "take": "red", "give": "blue"}

NOT_PLAYED: list[Any] = [
    pytest.param(
        Card.ALCHEMIST, {"take": "red", "give": "red"}, "F26 no_effect", id="F26-equal-colours"
    ),
    pytest.param(Card.SMUGGLER, TRADE_OF_EQUALS, "F26 no_effect", id="F26-smuggler"),
    pytest.param(Card.WHOLESALER, {"slot": 5}, "F26 no_effect", id="F26-wholesaler-without-bricks"),
    pytest.param(Card.WHOLESALER, {}, "F26 no_effect", id="F26-wholesaler-without-a-slot"),
    pytest.param(Card.FAME, {}, "F26 not_personnel", id="F26-a-celebration"),
    pytest.param(Card.PRINCESS, {"slot": 1}, "F26 superfluous_field", id="F26-superfluous-field"),
    pytest.param(
        Card.SABOTEUR, {"target": 1, "tower": 4}, "F30 no_such_tower", id="F30-no-such-tower"
    ),
    pytest.param(
        Card.SABOTEUR, {"target": 0, "tower": 0}, "F30 no_such_tower", id="F30-not-ones-own"
    ),
    pytest.param(Card.SMUGGLER, TRADE_WITH_ONESELF, "F30 no_such_seat", id="F30-oneself"),
    pytest.param(Card.SMUGGLER, {"take": "green"}, "F30 no_such_seat", id="F30-nobody"),
    pytest.param(Card.SMUGGLER, TRADE_FOR_NOTHING, "F30 no_such_brick", id="F30-not-there"),
    pytest.param(
        Card.ALCHEMIST, {"take": "white", "give": "green"}, "F27 no_such_brick", id="F27-not-held"
    ),
    pytest.param(Card.ALCHEMIST, {"give": "red"}, "F27 no_such_brick", id="F27-nothing-named"),
    pytest.param(Card.MASON, {}, "F29 wrong_phase", id="F29-mason-before-choosing"),
    pytest.param(Card.ARCHITECT, {}, "F28 wrong_phase", id="F28-architect-before-building"),
    pytest.param(Card.PATRICIAN, {"discard": "patrician"}, "F31 no_such_card", id="F31-not-itself"),
    pytest.param(
        Card.PATRICIAN, {"discard": "workshop"}, "F31 no_such_card", id="F31-not-a-building"
    ),
]


@pytest.mark.parametrize(("card", "fields", "why"), NOT_PLAYED)
def test_illegal_uses_of_personnel_are_refused(
    card: Card, fields: dict[str, Any], why: str
) -> None:
    """A card without any effect, without its target or out of its phase may not be played."""
    state = holding(card, Card.WORKSHOP)
    state.row[5].bricks = [*NO_BRICKS]
    assert refused(state, "play_personnel", card=card.wire, **fields) == why


def test_a_card_must_be_in_the_hand() -> None:
    """F26: a card in another's hand cannot be played."""
    state = holding()
    deal(state, 1, Card.PRINCESS)
    assert refused(state, "play_personnel", card="princess") == "F26 card_not_held"


# ---- Mason, Princess, Wholesaler (F29) -------------------------------------------------------


def test_the_mason_works_no_longer_than_this_turn() -> None:
    """F29: in the next turn 4 bricks cost 3 again."""
    state = holding(Card.MASON, step="build")
    play(state, Card.MASON)
    do(state, "end_turn")
    do(state, "take_card", 1, slot=0)
    assert GAME.view(state, 1)["build"]["cost"] == [0, 0, 0, 1, 3, 6, 10]


# ---- when they may be played (F26-F31) -------------------------------------------------------

PHASES = [
    pytest.param(Card.ALCHEMIST, "choose build fulfil", id="F27-alchemist"),
    pytest.param(Card.ARCHITECT, "fulfil", id="F28-architect"),
    pytest.param(Card.MASON, "build", id="F29-mason"),
    pytest.param(Card.PRINCESS, "choose", id="F29-princess"),
    pytest.param(Card.WHOLESALER, "choose build", id="F29-wholesaler"),
    pytest.param(Card.SABOTEUR, "choose build fulfil", id="F30-saboteur"),
    pytest.param(Card.SMUGGLER, "choose build fulfil", id="F30-smuggler"),
    pytest.param(Card.PATRICIAN, "choose build fulfil", id="F31-patrician"),
]


@pytest.mark.parametrize(("card", "steps"), PHASES)
def test_when_personnel_may_be_played(card: Card, steps: str) -> None:
    """Each card has its steps of the own turn."""
    result = [
        step
        for step in ("choose", "build", "fulfil")
        if "play_personnel" in move_kinds(holding(card, Card.FAME, step=step), 0)
    ]
    assert result == steps.split()


# ---- the Architect (F28) -------------------------------------------------------------------------


def with_architect() -> State:
    """Seat 0 is to fulfil and holds an Architect. Its tower 0 is red, of 2 levels."""
    return holding(Card.ARCHITECT, step="fulfil")


def test_the_architect_needs_a_tower() -> None:
    """F26: without an own tower it has no effect."""
    state = with_architect()
    state.players[0].towers.clear()
    assert refused(state, "play_personnel", card="architect") == "F26 no_effect"


@pytest.mark.parametrize(
    ("bound", "commission"),
    [
        pytest.param(None, 3, id="F28-free-one-down"),
        pytest.param(None, 5, id="F28-free-one-up"),
        pytest.param(-1, 3, id="F28-bound-down"),
        pytest.param(1, 5, id="F28-bound-up"),
    ],
)
def test_one_level_off(bound: int | None, commission: int) -> None:
    """F28: a red tower of 4 levels is delivered as a 3 or a 5, and the event tells it."""
    state = with_architect()
    number = raise_tower(state, 0, RED, 4)
    _play(state, number, bound)

    events = do(state, "fulfil", tower=number, colour="red", height=commission)

    fulfilled = only(events, CommissionFulfilled)
    assert (fulfilled.height, fulfilled.bricks, fulfilled.architect) == (commission, 4, True)


NOT_FITTING: list[Any] = [
    pytest.param(None, 6, id="F28-only-one-level"),
    pytest.param(1, 3, id="F28-bound-not-down"),
]


@pytest.mark.parametrize(("bound", "commission"), NOT_FITTING)
def test_no_other_level(bound: int | None, commission: int) -> None:
    """A red tower of 4 levels is no 6, and no 3 when the Architect is bound to +1."""
    state = with_architect()
    number = raise_tower(state, 0, RED, 4)
    _play(state, number, bound)

    order: Any = {"tower": number, "colour": "red", "height": commission}
    assert refused(state, "fulfil", **order) == "F28 wrong_height"


def _play(state: State, tower: int, bound: int | None) -> None:
    """Play the Architect bound to the tower and so many levels, or to nothing."""
    if bound is None:
        play(state, Card.ARCHITECT)
    else:
        play(state, Card.ARCHITECT, tower=tower, by=bound)


def test_a_bound_architect_serves_only_its_tower() -> None:
    """F28: a bound Architect serves only its tower, and not in the next turn."""
    state = with_architect()
    low = raise_tower(state, 0, RED, 4)
    other = raise_tower(state, 0, YELLOW, 6)
    play(state, Card.ARCHITECT, tower=low, by=1)

    assert refused(state, "fulfil", tower=other, colour="yellow", height=7) == "F28 wrong_height"

    do(state, "end_turn")
    assert state.architect is None


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param({"tower": 0, "by": 2}, "F28 wrong_level", id="F28-one-level"),
        pytest.param({"tower": 0}, "F28 wrong_level", id="F28-tower-and-by"),
        pytest.param({"tower": 7, "by": 1}, "F28 no_such_tower", id="F28-no-such-tower"),
    ],
)
def test_how_the_architect_is_bound(fields: dict[str, int], why: str) -> None:
    """F28: the Architect is bound to an own tower and +1 or -1."""
    assert refused(with_architect(), "play_personnel", card="architect", **fields) == why
