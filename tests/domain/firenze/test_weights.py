"""The numbers by which the greedy bot weighs: in both sets the same ones, and in their bounds."""

import pytest

from domain.firenze.bot.weights import (
    BY_HAND,
    NUMBERS_BY_HAND,
    TUNED,
    Numbers,
    Weights,
)
from domain.firenze.components import BUILDINGS, PERSONNEL, Card

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
