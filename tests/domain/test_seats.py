"""How a history names those who act."""

import pytest

from domain.seats import HOUSE_ACTOR, INVITATION, OWNER, PUBLIC, SPECTATOR, seat_actor, seat_of


@pytest.mark.parametrize("seat", [0, 1, 15])
def test_the_holder_of_a_seat_is_named_by_its_number(seat: int) -> None:
    """The name leads back to the number."""
    actor = seat_actor(seat)

    assert actor == f"seat:{seat}"
    assert seat_of(actor) == seat


@pytest.mark.parametrize("actor", [HOUSE_ACTOR, OWNER, PUBLIC, SPECTATOR, INVITATION])
def test_others_have_no_seat(actor: str) -> None:
    """Whoever holds no seat has no number."""
    assert seat_of(actor) is None
