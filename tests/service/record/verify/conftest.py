"""The toy game is registered, with open hands and hidden ones, and every test has a context."""

import pytest

from service.matches.context import Context
from tests import toy
from tests.service.toy_matches import new_context


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is registered. Records of its open hands can be checked, too."""
    toy.install(monkeypatch, toy.OPEN_HANDED, toy.TOY)


@pytest.fixture
def ctx() -> Context:
    """A context. Each reading of its clock advances it by a second."""
    return new_context()
