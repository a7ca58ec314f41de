"""The toy game is registered, and every test has a desk of its own."""

import pytest

from service.matches.context import Context
from tests import toy
from tests.service.toy_matches import new_context


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is registered."""
    toy.install(monkeypatch)


@pytest.fixture
def ctx() -> Context:
    """A desk of its own, whose clock ticks a second at every look."""
    return new_context()
