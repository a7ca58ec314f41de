"""Views of released rules never change: neither the public one nor any seat's."""

from pathlib import Path

import pytest

from tests.records import views


@pytest.mark.parametrize("path", views.chosen(), ids=views.name_of)
def test_every_seat_still_sees_the_same_bytes(path: Path) -> None:
    """At every version of a golden record each view has the digest it was released with."""
    name = views.name_of(path)

    assert views.digests(path) == views.held()[name]
