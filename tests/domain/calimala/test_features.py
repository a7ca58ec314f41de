"""What Calimala's prospects are guessed from: each number stands under its name."""

import pytest

from domain.calimala.bot.search_hooks import NAMES, features
from domain.calimala.components import Action, Category, City
from domain.calimala.state import State
from tests.domain.calimala.table import ARTWORK_SHIP, deal, deliver, give, table


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
