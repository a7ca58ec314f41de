"""The service's own secret."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE

import pytest

from service.base.config import Config
from service.bootstrap import make_secret, prepare_data
from service.store.keys.secret import secret_of

STARTS = 32  # with a data directory for each


def settings(directory: Path, secret: str = "") -> Config:
    """Return the settings with this data directory."""
    return Config.load({"GIORNALE_DATA": str(directory), "GIORNALE_SECRET": secret})


def test_file_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    """The first start makes the file, readable by nobody else. The next finds the same secret.

    A secret in the settings takes precedence over the file.
    """
    directory = tmp_path / "new"
    first = secret_of(settings(directory))

    assert len(first) >= 32
    assert secret_of(settings(directory)) == first
    assert (directory / "secret").stat().st_mode & 0o777 == 0o600

    assert secret_of(settings(tmp_path / "other", "s" * 32)) == b"s" * 32
    assert not (tmp_path / "other" / "secret").exists()


# Prints the secrets of some data directories, once a line of input has come.
START = """
import sys
from service.base.config import Config
from service.store.keys.secret import secret_of
print("ready", flush=True)
sys.stdin.readline()
for directory in sys.argv[1:]:
    print(secret_of(Config.load({"GIORNALE_DATA": directory})).decode())
"""


@pytest.mark.whole
def test_processes_that_start_together_agree(tmp_path: Path) -> None:
    """All processes use the secret of the first, and no draft is left behind."""
    directories = [tmp_path / str(number) for number in range(STARTS)]
    command = [sys.executable, "-c", START, *map(str, directories)]
    with ExitStack() as running:
        processes = [
            running.enter_context(subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True))
            for _ in range(4)
        ]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        outputs = [process.communicate()[0].split() for process in processes]

    assert len(set(outputs[0])) == STARTS
    assert outputs == [outputs[0]] * 4
    for directory in directories:
        assert [path.name for path in directory.iterdir()] == ["secret"]


def test_drafts_of_killed_processes_go(tmp_path: Path) -> None:
    """A start removes drafts of secret and keys that killed processes left."""
    for name in ("secret", "keys.json"):
        (tmp_path / f".{name}.77.0123abcd").write_bytes(b"a half")

    prepare_data(settings(tmp_path))
    assert list(tmp_path.glob(".*")) == []


def test_no_key_is_lost_after_the_start_of_a_worker(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The keys are made before the secret, so a secret without keys shows that keys were lost."""
    make_secret(settings(tmp_path))
    prepare_data(settings(tmp_path))
    assert "keys were lost" not in caplog.text

    (tmp_path / "keys.json").unlink()
    prepare_data(settings(tmp_path))
    assert "keys were lost" in caplog.text
