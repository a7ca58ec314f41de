"""What tests of whole services are watched with leaves nothing behind, whatever fails."""

from pathlib import Path

import pytest

from tests import running
from tests.running import RunningService, running_service

# It says something, but never where it serves, and does not end at SIGTERM.
STUBBORN = ("sh", "-c", 'trap "" TERM; echo hello; exec sleep 1000')


def test_a_service_that_never_starts_leaves_neither_process_nor_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An open pipe would be blamed on whatever test runs when Python finds it."""
    started: list[RunningService] = []

    class Noted(RunningService):
        """A service that the test can look at after its end."""

        def wait_for_line(self, beginning: str) -> str:
            """Note the service, and wait as usual."""
            started.append(self)
            return super().wait_for_line(beginning)

    monkeypatch.setattr(running, "PATIENCE", 1.0)
    monkeypatch.setattr(running, "RunningService", Noted)
    with pytest.raises(Exception) as failed, running_service(tmp_path, STUBBORN):
        pass

    [service] = started
    assert service.process.returncode == -9
    assert service.process.stdout is not None
    assert service.process.stdout.closed
    assert "hello" in str(failed.value.__context__)
