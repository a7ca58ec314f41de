"""The numbers by which positions are guessed: steps that add up, in both sets the same ones."""

import pytest

from domain.calimala.bot.weights import BY_HAND, STEPS_BY_HAND, TUNED, Steps, Weights
from domain.calimala.components import ACTIONS


def test_steps_add_up() -> None:
    """Nothing is worth nothing; each further one adds its step."""
    assert BY_HAND.ships == pytest.approx((0, 2.2, 3.6, 4.4))
    assert BY_HAND.goods[2] == pytest.approx((0, 0.6, 1.1, 1.4, 1.6))


def test_the_workshop_that_everybody_has_counts_nothing() -> None:
    """So the second one is the first that is worth something."""
    assert BY_HAND.workshops[:2] == (0, 0)
    assert BY_HAND.workshops[2] > 0


@pytest.mark.parametrize("weights", [BY_HAND, TUNED], ids=["by hand", "tuned"])
def test_more_is_never_worth_less(weights: Weights) -> None:
    """Whoever owns one more of something is never thought to be worse off."""
    owned = (weights.ships, weights.houses, weights.workshops, *weights.goods)
    for values in owned:
        assert list(values) == sorted(values)
    assert len(weights.actions) == len(ACTIONS)
    assert min(weights.actions) > 0


def test_each_step_has_its_place() -> None:
    """A change of any one number of the steps changes the weights."""
    for name, numbers in STEPS_BY_HAND.items():
        for place in range(len(numbers)):
            assert Weights.of(with_one_changed(name, place)) != BY_HAND, (name, place)


def with_one_changed(name: str, place: int) -> Steps:
    """Return the steps set by hand, one of them a little larger."""
    numbers = list(STEPS_BY_HAND[name])
    numbers[place] *= 1.1
    return {**STEPS_BY_HAND, name: numbers}
