"""One running service for all tests that only ask and play, since its start is costly."""

from collections.abc import Iterator

import pytest

from tests.running import RunningService, running_service


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The whole service on its own directory."""
    directory = tmp_path_factory.mktemp("data")
    settings = {"GIORNALE_ALLOW_SEED": "true", "GIORNALE_OPENINGS": "0"}
    with running_service(directory, **settings) as started:
        yield started
