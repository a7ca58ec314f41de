"""Calimala's prospects: weights that change as the discs run out, and doubt that shrinks."""

import pytest

from domain.calimala.bot.search_hooks import MOMENTS, doubt, expected_points, shares_of_moments
from tests.domain.calimala.table import deliver, table


@pytest.mark.parametrize("moment", range(len(MOMENTS)))
def test_at_a_moment_its_own_weights_count(moment: int) -> None:
    """And no others."""
    shares = shares_of_moments(MOMENTS[moment])
    assert shares == [float(number == moment) for number in range(len(MOMENTS))]


def test_between_two_moments_the_weights_change_evenly() -> None:
    """Half way between them each counts a half."""
    half_way = (MOMENTS[1] + MOMENTS[2]) / 2
    assert shares_of_moments(half_way) == pytest.approx([0, 0.5, 0.5])
    assert shares_of_moments(MOMENTS[1] / 4) == pytest.approx([0.75, 0.25, 0])


def test_points_count_for_themselves() -> None:
    """A point more now is a point more in the end, for that seat alone."""
    state = table()
    before = expected_points(state)
    state.players[1].points += 5

    assert expected_points(state) == pytest.approx([before[0], before[1] + 5, before[2]])


def test_who_leads_where_a_tile_is_next_has_better_prospects() -> None:
    """The weights have learned what scorings are for (C35)."""
    state = table()
    next_tile = state.council[0]
    assert next_tile < len(state.cloth), "the first tile of the table is a city"
    before = expected_points(state)
    deliver(state, next_tile, 3)
    after = expected_points(state)

    assert after[0] - before[0] > 1
    assert after[1] <= before[1]


def test_doubt_shrinks_as_discs_are_placed() -> None:
    """In the end little is left open; whoever has most discs left tells how much."""
    state = table()
    doubts = [doubt(state)]
    for player in state.players:
        player.discs = 1
        doubts.append(doubt(state))

    assert doubts[0] == doubts[1] == doubts[2] > doubts[3] > 0
