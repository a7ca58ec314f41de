"""What the attacks start from."""

import pytest

from service.matches.desk import Desk
from tests.service.audit.conftest import new_desk


@pytest.fixture
def desk() -> Desk:
    """A desk of its own over a journal in memory."""
    return new_desk()
