"""Faults planted in the product are found, each by one of the first seeds."""

import pytest

from tests.simulation.planted import PLANTS
from tests.simulation.report import first_seed_that_finds


def test_ten_faults_are_planted() -> None:
    """There are ten at least, each of its own kind."""
    texts = {plant.text for plant in PLANTS.values()}
    assert len(texts) == len(PLANTS) >= 10


@pytest.mark.parametrize("name", PLANTS)
def test_planted_fault_is_found(name: str) -> None:
    """A seed fails with the fault and holds without it."""
    assert first_seed_that_finds(name) is not None, PLANTS[name].text
