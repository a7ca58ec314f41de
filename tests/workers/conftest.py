"""What tests of workers share: jobs that are done in the tests' own process."""

import signal
from collections.abc import Iterator

import pytest

HANDLED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)


@pytest.fixture
def _handlers_put_back() -> Iterator[None]:
    """The signal handlers that a worker takes are put back afterwards."""
    handlers = {number: signal.getsignal(number) for number in HANDLED_SIGNALS}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)
