"""What a search is given of Calimala: features, expected points, weights."""

import pytest

from domain.calimala.bot.search_hooks import (
    MOMENTS,
    NAMES,
    doubt,
    expected_points,
    features,
    shares_of_moments,
)
from domain.calimala.bot.weights import BY_HAND, STEPS_BY_HAND, TUNED, Steps, Weights
from domain.calimala.components import ACTIONS, Action, Category, City
from domain.calimala.state import State
from tests.domain.calimala.table import ARTWORK_SHIP, deal, deliver, give, table

# ---- features ------------------------------------------------------------------------------------


def numbers_of(state: State, seat: int) -> dict[str, float]:
    """Return the features of a seat by their names."""
    return dict(zip(NAMES, features(state)[seat], strict=True))


def test_engines_are_counted_one_by_one() -> None:
    """Each is worth something else, so each has its own number (C24)."""
    state = table()
    player = state.players[0]
    player.ships = 2
    player.houses = [1, 0, 0]
    player.cloth = (0, 0)
    numbers = numbers_of(state, 0)

    assert [numbers[f"{which} ship"] for which in ("first", "second", "third")] == [1, 1, 0]
    assert (numbers["first trade house"], numbers["second trade house"]) == (1, 0)
    assert (numbers["second workshop"], numbers["third workshop"]) == (1, 0)
    assert numbers_of(state, 1)["first ship"] == 0


def test_goods_are_counted_from_the_first_on() -> None:
    """The first cube, the first two, and all of them: each further one may be worth less."""
    state = table()
    give(state, 0, wood=3, brick=1, cloth=2)
    deal(state, 0, Action.WEAVE, Action.WEAVE)
    numbers = numbers_of(state, 0)

    assert (numbers["first wood"], numbers["second wood"], numbers["all wood"]) == (1, 2, 3)
    assert (numbers["first brick"], numbers["second brick"], numbers["all brick"]) == (1, 1, 1)
    assert numbers["all marble"] == 0
    assert (numbers["cloth"], numbers["any cloth"]) == (2, 1)
    assert (numbers["action cards"], numbers["any action card"]) == (2, 1)


def test_discs_tell_how_much_is_left() -> None:
    """All of them at first; each one placed takes its share (C10)."""
    state = table()
    player = state.players[0]
    before = numbers_of(state, 0)
    player.discs -= 1
    after = numbers_of(state, 0)

    assert before["time left"] == 1
    assert (before["coloured discs"], before["white discs"]) == (player.discs + 1, player.whites)
    assert after["coloured discs"] == before["coloured discs"] - 1
    assert after["time left"] < 1


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (0, "next tiles"),
        (1, "next tiles"),
        (2, "tiles soon"),
        (5, "tiles soon"),
        (6, "tiles later"),
    ],
)
def test_a_lead_counts_with_its_tile(place: int, name: str) -> None:
    """The sooner the tile is scored, the surer are its points (C34)."""
    state = table()
    city = Category.HAMBURG
    others = [tile for tile in state.council if tile != city]
    state.council = (*others[:place], city, *others[place:])
    before = numbers_of(state, 0)
    deliver(state, city, 3)
    after = numbers_of(state, 0)

    assert after[name] > before[name] == 0


def test_final_cards_are_those_that_the_seat_may_know() -> None:
    """What it has kept itself counts, what another seat has kept does not (C12)."""
    state = table()  # seat 0 has kept Barcelona
    deliver(state, City.BARCELONA, 2, 3)

    assert numbers_of(state, 0)["final cards"] > 0
    assert numbers_of(state, 1)["final cards"] == 0


def test_discs_on_a_street_may_act_again() -> None:
    """They count for both actions of their street, and for nobody else (C16)."""
    state = table()
    streets = list(state.streets)
    streets[ARTWORK_SHIP] = (0,)
    state.streets = streets
    numbers = numbers_of(state, 0)

    assert numbers["ship to come"] == numbers["artwork to come"] > 0
    assert numbers["weave to come"] == 0
    assert numbers_of(state, 1)["ship to come"] == 0


def test_there_is_a_number_for_every_name() -> None:
    """At every number of seats, and no name stands twice."""
    assert len(set(NAMES)) == len(NAMES)
    for seats in (3, 4, 5):
        assert [len(numbers) for numbers in features(table(seats))] == [len(NAMES)] * seats


# ---- expected points -----------------------------------------------------------------------------


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


def test_who_leads_where_a_tile_is_next_has_more_to_expect() -> None:
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
    """In the end little is left open; the player with most discs left says how much."""
    state = table()
    doubts = [doubt(state)]
    for player in state.players:
        player.discs = 1
        doubts.append(doubt(state))

    assert doubts[0] == doubts[1] == doubts[2] > doubts[3] > 0


# ---- weights -------------------------------------------------------------------------------------


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
