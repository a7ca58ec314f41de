"""Personnel cards (F26-F31)."""

from typing import Any

import pytest

from domain.firenze import GAME
from domain.firenze import events as ev
from domain.firenze.cards import Card
from tests.domain.firenze.table import (
    BLUE,
    PURPLE,
    RED,
    WHITE,
    YELLOW,
    deal,
    do,
    holding,
    offer,
    only,
    play,
    raise_tower,
    refused,
    stock,
    store,
    table,
    towers,
)


def test_any_number_but_no_two_of_a_name() -> None:
    """F26: a second Alchemist waits for the next turn; another card may follow; played cards are discarded."""
    state = holding(Card.ALCHEMIST, Card.ALCHEMIST, Card.PRINCESS)
    play(state, Card.ALCHEMIST, take="white", give="red")
    assert (
        refused(state, "play_personnel", card="alchemist", take="green", give="blue")
        == "F26 already_played"
    )
    play(state, Card.PRINCESS)
    assert (state.discards[Card.ALCHEMIST], state.discards[Card.PRINCESS]) == (1, 1)
    do(state, "take_card", slot=0)
    do(state, "end_turn")
    do(state, "take_card", 1, slot=0)
    do(state, "end_turn", 1)
    play(state, Card.ALCHEMIST, take="green", give="blue")


NO_EFFECT: list[Any] = [
    pytest.param(
        Card.ALCHEMIST, {"take": "red", "give": "red"}, "F26 no_effect", id="F26-equal-colours"
    ),
    pytest.param(
        Card.SMUGGLER,
        {"target": 1, "take": "green", "give": "green"},
        "F26 no_effect",
        id="F26-smuggler",
    ),
    pytest.param(Card.WHOLESALER, {"slot": 5}, "F26 no_effect", id="F26-wholesaler-without-bricks"),
    pytest.param(Card.FAME, {}, "F26 not_personnel", id="F26-a-celebration"),
    pytest.param(Card.PRINCESS, {"slot": 1}, "F26 superfluous_field", id="F26-superfluous-field"),
    pytest.param(
        Card.SABOTEUR, {"target": 1, "tower": 4}, "F30 no_such_tower", id="F30-no-such-tower"
    ),
    pytest.param(
        Card.SABOTEUR, {"target": 0, "tower": 0}, "F30 no_such_tower", id="F30-not-ones-own"
    ),
    pytest.param(
        Card.SMUGGLER,
        {"target": 0, "take": "blue", "give": "red"},
        "F30 no_such_seat",
        id="F30-oneself",
    ),
    pytest.param(
        Card.SMUGGLER,
        {"target": 1, "take": "red", "give": "blue"},
        "F30 no_such_brick",
        id="F30-not-there",
    ),
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


@pytest.mark.parametrize(("card", "fields", "why"), NO_EFFECT)
def test_what_personnel_cannot_do(card: Card, fields: dict[str, Any], why: str) -> None:
    """A card without any effect, without its target or out of its phase may not be played."""
    state = holding(card, Card.WORKSHOP)
    state.pouch = [have + back for have, back in zip(state.pouch, state.row[5].bricks, strict=True)]
    state.row[5].bricks = [0] * 6
    assert refused(state, "play_personnel", card=card.wire, **fields) == why


def test_a_card_must_be_in_the_hand() -> None:
    """F26: not in another's."""
    state = holding()
    deal(state, 1, Card.PRINCESS)
    assert refused(state, "play_personnel", card="princess") == "F26 card_not_held"


def test_the_alchemist_swaps_with_the_pouch() -> None:
    """F27: one of a colour that is in the pouch, at any time of the turn; give may be left out (F25)."""
    for step in ("choose", "build", "fulfil"):
        state = holding(Card.ALCHEMIST, step=step)
        play(state, Card.ALCHEMIST, take="purple")
        assert stock(state, 0) == {"red": 1, "purple": 1}, (
            "the red tower is being built, so blue goes"
        )
    state.pouch[PURPLE] = 0
    deal(state, 0, Card.ALCHEMIST)
    assert not [
        move for move in GAME.legal_moves(state, 0) if getattr(move, "take", None) is PURPLE
    ]


def test_the_architect_needs_a_tower() -> None:
    """F26: without an own tower it has no effect."""
    state = holding(Card.ARCHITECT, step="fulfil")
    state.pouch[RED] += 2
    state.players[0].towers.clear()
    assert refused(state, "play_personnel", card="architect") == "F26 no_effect"


ARCHITECT: list[Any] = [
    pytest.param(YELLOW, 5, {}, 6, True, id="F28-one-more"),
    pytest.param(RED, 2, {}, 3, True, id="F28-two-as-three"),
    pytest.param(WHITE, 9, {}, 8, True, id="F28-nine-as-eight"),
    pytest.param(RED, 5, {}, 5, True, id="F28-true-height"),
    pytest.param(RED, 4, {}, 6, False, id="F28-only-one-level"),
    pytest.param(RED, 4, {"by": 1}, 5, True, id="F28-bound-up"),
    pytest.param(RED, 4, {"by": 1}, 3, False, id="F28-bound-not-down"),
    pytest.param(RED, 4, {"by": -1}, 4, True, id="F28-bound-true-height"),
]


@pytest.mark.parametrize(("colour", "height", "bound", "commission", "fits"), ARCHITECT)
def test_the_architect(
    colour: Any, height: int, bound: dict[str, int], commission: int, fits: bool
) -> None:
    """One level more or less; the commission's height decides level tile and points, all real bricks go."""
    state = holding(Card.ARCHITECT, step="fulfil")
    number = raise_tower(state, 0, colour, height)
    play(state, Card.ARCHITECT, **({"tower": number, **bound} if bound else {}))
    order = {"tower": number, "colour": colour.wire, "height": commission}
    if not fits:
        assert refused(state, "fulfil", **order) == "F28 wrong_height"
        return
    pouch = state.pouch[colour]
    event = only(do(state, "fulfil", **order), ev.CommissionFulfilled)
    assert (event.height, event.bricks, event.architect) == (
        commission,
        height,
        height != commission,
    )
    assert event.level == {5: 2, 6: 3, 7: 4, 8: 5}.get(commission, 0)
    assert state.pouch[colour] == pouch + height


def test_the_architect_is_listed() -> None:
    """F28: to play it free or bound, and then the commissions one level off its tower beside its true height."""
    state = holding(Card.ARCHITECT, step="fulfil")
    number = raise_tower(state, 0, RED, 4)
    moves: Any = GAME.legal_moves(state, 0)
    plays = [(move.tower, move.by) for move in moves if hasattr(move, "by")]
    assert plays == [(None, None), (0, 1), (0, -1), (number, 1), (number, -1)]
    play(state, Card.ARCHITECT)
    moves = GAME.legal_moves(state, 0)
    orders = [(move.tower, move.height) for move in moves if hasattr(move, "height")]
    assert sorted(orders) == [(0, 3), (number, 3), (number, 4), (number, 5)]


def test_the_architect_serves_once_and_only_its_tower() -> None:
    """F28: the first fulfilment one level off uses it up; bound to another tower it does not help; not next turn."""
    state = holding(Card.ARCHITECT, step="fulfil")
    raise_tower(state, 0, RED, 4)
    other = raise_tower(state, 0, YELLOW, 6)
    bound = state.copy()
    play(state, Card.ARCHITECT)
    do(state, "fulfil", tower=1, colour="red", height=5)
    assert refused(state, "fulfil", tower=other, colour="yellow", height=7) == "F21 wrong_height"
    play(bound, Card.ARCHITECT, tower=1, by=1)
    assert refused(bound, "fulfil", tower=other, colour="yellow", height=7) == "F28 wrong_height"
    do(bound, "end_turn")
    assert bound.architect is None


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param({"tower": 0, "by": 2}, "F28 wrong_level", id="F28-one-level"),
        pytest.param({"tower": 0}, "F28 wrong_level", id="F28-tower-and-by"),
        pytest.param({"tower": 7, "by": 1}, "F28 no_such_tower", id="F28-no-such-tower"),
    ],
)
def test_how_the_architect_is_bound(fields: dict[str, int], why: str) -> None:
    """A tower of one's own and +1 or -1."""
    assert (
        refused(
            holding(Card.ARCHITECT, step="fulfil"), "play_personnel", card="architect", **fields
        )
        == why
    )


def test_the_mason_works_this_turn_only_and_before_building() -> None:
    """F29: 4 bricks cost nothing; once built it comes too late."""
    state = holding(Card.MASON, Card.MASON, step="build")
    store(state, 0, red=4)
    play(state, Card.MASON)
    do(state, "build", lay=[{"colour": "red", "bricks": 4, "tower": 0}])
    assert towers(state, 0) == [(RED, 6)]
    assert refused(state, "play_personnel", card="mason") == "F26 already_played"
    state.played.clear()
    assert refused(state, "play_personnel", card="mason") == "F29 wrong_phase"


def test_the_princess_makes_the_card_free() -> None:
    """F29: slot 5 for nothing; nothing is put onto the other cards; after choosing it is too late."""
    state = table()
    offer(state, 4, Card.FAME)
    deal(state, 0, Card.PRINCESS, Card.PRINCESS)
    play(state, Card.PRINCESS)
    assert only(do(state, "take_card", slot=5), ev.CardTaken).payment == ()
    state.played.clear()
    assert refused(state, "play_personnel", card="princess") == "F29 wrong_phase"


@pytest.mark.parametrize("step", [pytest.param(s, id=f"F29-{s}") for s in ("choose", "build")])
def test_the_wholesaler_restocks_a_card(step: str) -> None:
    """F29: as many bricks as lay there, random ones out of the pouch; any card of the row."""
    state = holding(Card.WHOLESALER, step=step)
    offer(state, 3, Card.FAME, RED, RED, BLUE, BLUE, BLUE, PURPLE)
    event = only(play(state, Card.WHOLESALER, slot=3), ev.SlotRestocked)
    assert event.gone == (RED, RED, BLUE, BLUE, BLUE, PURPLE)
    assert (len(event.bricks), sum(state.row[3].bricks)) == (6, 6)


def test_the_wholesaler_is_too_late_after_building() -> None:
    """F29: in the phases of choosing and exchanging."""
    state = holding(Card.WHOLESALER, step="fulfil")
    assert refused(state, "play_personnel", card="wholesaler", slot=0) == "F29 wrong_phase"


def test_the_saboteur_takes_a_brick() -> None:
    """F30: into the pouch; the tower vanishes with its last brick."""
    state = holding(Card.SABOTEUR)
    small = raise_tower(state, 1, RED, 1)
    other = state.copy()
    play(state, Card.SABOTEUR, target=1, tower=0)
    assert towers(state, 1) == [(BLUE, 2), (RED, 1)]
    play(other, Card.SABOTEUR, target=1, tower=small)
    assert towers(other, 1) == [(BLUE, 3)]


def test_the_smuggler_trades_storehouse_bricks() -> None:
    """F30: one against one, both of choice."""
    state = holding(Card.SMUGGLER)
    play(state, Card.SMUGGLER, target=1, take="green", give="blue")
    assert (stock(state, 0), stock(state, 1)) == ({"red": 1, "green": 1}, {"blue": 1})


# ---- Patrician (F31) -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step", [pytest.param(s, id=f"F31-{s}") for s in ("choose", "build", "fulfil")]
)
def test_the_patrician_discards_a_card_of_the_hand(step: str) -> None:
    """F31 (b): at any time, also a Celebration."""
    state = holding(Card.PATRICIAN, Card.SCANDAL, step=step)
    play(state, Card.PATRICIAN, discard="scandal")
    assert (sum(state.players[0].cards), state.discards[Card.SCANDAL]) == (0, 1)
