"""What tests of the commands about records start from: the toy game, and a desk to play it at."""

import pytest

from service.matches.desk import Desk
from tests import toy
from tests.service.toy_matches import new_desk


@pytest.fixture
def toy_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is registered."""
    toy.install(monkeypatch)


@pytest.fixture
def desk(toy_game: None) -> Desk:
    """A desk of its own, whose clock ticks a second at every look."""
    return new_desk()
