"""The campaign of `make attack`, short.

Forgeries of real records are found, except for facts that no record can prove.
"""

import pytest

from tests.attacks.mutations import Share, campaign


@pytest.mark.whole
@pytest.mark.parametrize(("game", "number"), [("calimala", 25), ("firenze", 35), ("toy", 150)])
def test_no_forgery_survives_but_those_with_a_name(game: str, number: int) -> None:
    """Every survivor is of a kind named in docs/explanation/fairness.md.

    A receipt for the last commit finds it, too.
    """
    table, holes = campaign(Share(game, seed=0, numbers=range(number)))

    assert holes == []
    assert table.total() == number
