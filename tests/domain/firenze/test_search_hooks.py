"""What a search is given of Firenze: features and weights."""

import pytest

from domain.firenze.bot.search_hooks import NAMES, features, sure_points
from domain.firenze.bot.weights import BY_HAND, NUMBERS_BY_HAND, TUNED, Numbers, Weights
from domain.firenze.components import BUILDINGS, CELEBRATION_POINTS, PERSONNEL, Card
from domain.firenze.state import State
from tests.domain.firenze.table import (
    BLUE,
    GREEN,
    RED,
    WHITE,
    YELLOW,
    deal,
    raise_tower,
    seal,
    store,
    table,
)

# ---- features ------------------------------------------------------------------------------------


def numbers_of(state: State, seat: int) -> dict[str, float]:
    """Return the features of a seat by their names."""
    return dict(zip(NAMES, features(state, seat), strict=True))


def test_what_a_seat_owns_stands_under_its_name() -> None:
    """Bricks by colour, cards by how much of the match lies ahead, which is all of it."""
    state = table()
    store(state, 0, red=7, blue=5)
    deal(state, 0, Card.MASON, Card.WORKSHOP, Card.ALCHEMIST, Card.ALCHEMIST, Card.PRINCESS)
    numbers = numbers_of(state, 0)

    assert (numbers["red bricks"], numbers["blue bricks"], numbers["white bricks"]) == (7, 5, 0)
    assert numbers["bricks above the limit"] == 2
    assert (numbers["alchemist"], numbers["workshop"], numbers["saboteur"]) == (2, 1, 0)
    assert numbers["cards at the limit"] == 1


def test_towers_are_told_in_all_and_the_best() -> None:
    """A second tower adds to the sum; bricks of a colour without a tower are hoarded."""
    state = table()
    store(state, 0, green=3)
    raise_tower(state, 0, RED, 4)
    one = numbers_of(state, 0)
    raise_tower(state, 0, BLUE, 3)
    two = numbers_of(state, 0)

    assert one["towers"] == one["best tower"] > 0
    assert two["towers"] > two["best tower"] >= one["best tower"]
    assert numbers_of(state, 1)["towers"] == 0

    assert two["hoarded bricks"] > 0
    raise_tower(state, 0, GREEN, 2)
    assert numbers_of(state, 0)["hoarded bricks"] == 0


def test_seals_are_those_of_the_seat_and_the_fewest_of_the_others() -> None:
    """Their squares stand beside them, since the end comes faster than seals go."""
    state = table(seats=3)
    for seat, seals in enumerate((5, 4, 2)):
        state.players[seat].seals = seals
    numbers = numbers_of(state, 0)

    assert (numbers["seals"], numbers["seals squared"]) == (5, 25)
    assert (numbers["fewest seals of the others"], numbers["these squared"]) == (2, 4)
    assert numbers_of(state, 2)["fewest seals of the others"] == 4


def test_majorities_are_led_alone_or_shared() -> None:
    """Each counts its bonus; who has no seal on a colour shares nothing (F41)."""
    state = table()
    seal(state, 0, (RED, 3), (RED, 4), (GREEN, 4))
    seal(state, 1, (RED, 5), (GREEN, 5), (BLUE, 4))
    bonus = state.board.majority

    first = numbers_of(state, 0)
    second = numbers_of(state, 1)
    assert (first["majorities"], first["shared majorities"]) == (bonus[RED], bonus[GREEN])
    assert (second["majorities"], second["shared majorities"]) == (bonus[BLUE], bonus[GREEN])


def test_recognition_counts_small_commissions_for_each_copy() -> None:
    """Without the card they bring nothing (F39)."""
    state = table()
    seal(state, 0, (WHITE, 3), (YELLOW, 5))
    assert numbers_of(state, 0)["recognised commissions"] == 0

    deal(state, 0, Card.RECOGNITION)
    with_one = numbers_of(state, 0)["recognised commissions"]
    seal(state, 0, (WHITE, 4))
    assert with_one > 0
    assert numbers_of(state, 0)["recognised commissions"] == with_one + 1


def test_turns_to_wait_are_counted_round_the_table() -> None:
    """The seat whose turn it is waits for none."""
    state = table(seats=4)
    assert [numbers_of(state, seat)["turns to wait"] for seat in range(4)] == [0, 1, 2, 3]


def test_points_that_are_sure_hold_those_of_celebrations() -> None:
    """They are the seat's already, though they count in the end (F39)."""
    state = table()
    state.players[0].points = 12
    card, points = next(iter(CELEBRATION_POINTS.items()))
    deal(state, 0, card)

    assert sure_points(state.players[0]) == 12 + points


# ---- weights -------------------------------------------------------------------------------------


in_both_sets = pytest.mark.parametrize("weights", [BY_HAND, TUNED], ids=["by hand", "tuned"])


def test_waiting_takes_its_share_for_every_two_bricks() -> None:
    """A tower that lacks one or two bricks is a turn away, one that lacks three is two."""
    assert BY_HAND.waiting[:5] == pytest.approx((1, 0.85, 0.85, 0.85**2, 0.85**2))


def test_cards_are_found_by_their_names() -> None:
    """Each number stands for the card that the notes beside it name."""
    assert BY_HAND.cards[Card.ALCHEMIST] == 0.9
    assert BY_HAND.cards[Card.WHOLESALER] == 0.1
    assert BY_HAND.cards[Card.BRIDGE] == 1.0
    assert BY_HAND.cards[Card.WORKSHOP] == 3.0


@in_both_sets
def test_every_card_that_is_kept_has_its_worth(weights: Weights) -> None:
    """Personnel and Buildings can be kept."""
    assert set(weights.cards) == {*PERSONNEL, *BUILDINGS}
    assert min(weights.cards.values()) > 0


@in_both_sets
def test_shares_are_between_nothing_and_all(weights: Weights) -> None:
    """What waits is worth less, and no brick is sure."""
    assert list(weights.waiting) == sorted(weights.waiting, reverse=True)
    shares = (*weights.waiting[1:], weights.faith, weights.hoard, weights.luck.most)
    assert all(0 < share < 1 for share in shares)


def test_each_number_has_its_place() -> None:
    """A change of any one number changes the weights."""
    for name, row in NUMBERS_BY_HAND.items():
        for place in range(len(row)):
            assert Weights.of(with_one_changed(name, place)) != BY_HAND, (name, place)


def with_one_changed(name: str, place: int) -> Numbers:
    """Return the numbers set by hand, one of them a little larger."""
    row = list(NUMBERS_BY_HAND[name])
    row[place] *= 1.1
    return {**NUMBERS_BY_HAND, name: row}
