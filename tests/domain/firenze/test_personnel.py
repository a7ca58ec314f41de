"""Personnel cards but the Architect (F26, F27, F29-F31)."""

from typing import Any

import pytest

from domain.firenze import GAME
from domain.firenze.components import NO_BRICKS, Card
from domain.firenze.events import CardTaken, SlotRestocked
from tests.domain.firenze.table import (
    BLUE,
    PURPLE,
    RED,
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

# ---- what may be played (F26) ----------------------------------------------------------------


def test_no_two_of_a_name_in_a_turn() -> None:
    """F26: another card may follow; a second Alchemist waits for the next turn."""
    state = holding(Card.ALCHEMIST, Card.ALCHEMIST, Card.PRINCESS)
    play(state, Card.ALCHEMIST, take="white", give="red")

    again: Any = {"card": "alchemist", "take": "green", "give": "blue"}
    assert refused(state, "play_personnel", **again) == "F26 already_played"
    play(state, Card.PRINCESS)

    for seat in (0, 1):
        do(state, "take_card", seat, slot=0)
        do(state, "end_turn", seat)
    play(state, Card.ALCHEMIST, take="green", give="blue")


def test_played_cards_are_discarded() -> None:
    """F26: also those that only say what holds for the turn."""
    state = holding(Card.ALCHEMIST, Card.PRINCESS)
    play(state, Card.ALCHEMIST, take="white", give="red")
    play(state, Card.PRINCESS)
    assert sum(state.players[0].cards) == 0
    assert state.discards[Card.ALCHEMIST] == 1
    assert state.discards[Card.PRINCESS] == 1


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
def test_what_personnel_cannot_do(card: Card, fields: dict[str, Any], why: str) -> None:
    """A card without any effect, without its target or out of its phase may not be played."""
    state = holding(card, Card.WORKSHOP)
    state.row[5].bricks = [*NO_BRICKS]
    assert refused(state, "play_personnel", card=card.wire, **fields) == why


def test_a_card_must_be_in_the_hand() -> None:
    """F26: not in another's."""
    state = holding()
    deal(state, 1, Card.PRINCESS)
    assert refused(state, "play_personnel", card="princess") == "F26 card_not_held"


# ---- Alchemist, Smuggler, Saboteur (F27, F30) ------------------------------------------------


@pytest.mark.parametrize("step", ["choose", "build", "fulfil"])
def test_the_alchemist_swaps_with_the_pouch(step: str) -> None:
    """F27: at any time of the turn; a red tower is being built, so by F25 blue goes."""
    state = holding(Card.ALCHEMIST, step=step)
    play(state, Card.ALCHEMIST, take="purple")
    assert stock(state, 0) == {"red": 1, "purple": 1}


def test_the_alchemist_takes_only_what_is_in_the_pouch() -> None:
    """F27: a colour that is not there is not listed, and refused."""
    state = holding(Card.ALCHEMIST)
    state.pouch[PURPLE] = 0
    taken = {getattr(move, "take", None) for move in GAME.legal_moves(state, 0)}
    assert RED in taken
    assert PURPLE not in taken

    fields: Any = {"card": "alchemist", "take": "purple", "give": "red"}
    assert refused(state, "play_personnel", **fields) == "F27 no_such_brick"


def test_the_smuggler_trades_storehouse_bricks() -> None:
    """F30: one against one, both of choice."""
    state = holding(Card.SMUGGLER)
    play(state, Card.SMUGGLER, target=1, take="green", give="blue")
    assert stock(state, 0) == {"red": 1, "green": 1}
    assert stock(state, 1) == {"blue": 1}


def test_the_saboteur_takes_a_brick() -> None:
    """F30: off another player's tower."""
    state = holding(Card.SABOTEUR)
    play(state, Card.SABOTEUR, target=1, tower=0)
    assert towers(state, 1) == [(BLUE, 2)]


def test_a_tower_vanishes_with_its_last_brick() -> None:
    """F30: the Saboteur can make it."""
    state = holding(Card.SABOTEUR)
    small = raise_tower(state, 1, RED, 1)
    play(state, Card.SABOTEUR, target=1, tower=small)
    assert towers(state, 1) == [(BLUE, 3)]


# ---- Mason, Princess, Wholesaler (F29) -------------------------------------------------------


def test_the_mason_works_this_turn() -> None:
    """F29: 4 bricks cost nothing."""
    state = holding(Card.MASON, step="build")
    store(state, 0, red=4)
    play(state, Card.MASON)

    do(state, "build", lay=[{"colour": "red", "bricks": 4, "tower": 0}])
    assert towers(state, 0) == [(RED, 6)]


def test_the_mason_works_no_longer_than_this_turn() -> None:
    """F29: in the next turn 4 bricks cost 3 again."""
    state = holding(Card.MASON, step="build")
    play(state, Card.MASON)
    do(state, "end_turn")
    do(state, "take_card", 1, slot=0)
    assert GAME.view(state, 1)["build"]["cost"] == [0, 0, 0, 1, 3, 6, 10]


def test_the_mason_is_too_late_after_building() -> None:
    """F29: it is played before."""
    state = holding(Card.MASON, step="fulfil")
    assert refused(state, "play_personnel", card="mason") == "F29 wrong_phase"


def test_the_princess_makes_the_card_free() -> None:
    """F29: slot 5 for nothing; nothing is put onto the other cards."""
    state = table()
    deal(state, 0, Card.PRINCESS)
    play(state, Card.PRINCESS)
    assert only(do(state, "take_card", slot=5), CardTaken).payment == ()


def test_the_princess_is_too_late_after_choosing() -> None:
    """F29: it is played before."""
    state = holding(Card.PRINCESS, step="build")
    assert refused(state, "play_personnel", card="princess") == "F29 wrong_phase"


@pytest.mark.parametrize("step", [pytest.param(s, id=f"F29-{s}") for s in ("choose", "build")])
def test_the_wholesaler_restocks_a_card(step: str) -> None:
    """F29: as many bricks as lay there, random ones out of the pouch; any card of the row."""
    offered = (RED, RED, BLUE, BLUE, BLUE, PURPLE)
    state = holding(Card.WHOLESALER, step=step)
    offer(state, 3, Card.FAME, *offered)

    events = play(state, Card.WHOLESALER, slot=3)

    restocked = only(events, SlotRestocked)
    assert restocked.gone == offered
    assert len(restocked.bricks) == 6
    assert sum(state.row[3].bricks) == 6


def test_the_wholesaler_is_too_late_after_building() -> None:
    """F29: in the phases of choosing and exchanging."""
    state = holding(Card.WHOLESALER, step="fulfil")
    assert refused(state, "play_personnel", card="wholesaler", slot=0) == "F29 wrong_phase"


# ---- Patrician (F31) -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step", [pytest.param(step, id=f"F31-{step}") for step in ("choose", "build", "fulfil")]
)
def test_the_patrician_discards_a_card_of_the_hand(step: str) -> None:
    """F31 (b): at any time, also a Celebration."""
    state = holding(Card.PATRICIAN, Card.SCANDAL, step=step)
    play(state, Card.PATRICIAN, discard="scandal")
    assert sum(state.players[0].cards) == 0
    assert state.discards[Card.SCANDAL] == 1
