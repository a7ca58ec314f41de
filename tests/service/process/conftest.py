"""What tests of processes share: a forkserver, as long as its directory is there."""

import multiprocessing
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import pytest


def stop_forkserver() -> None:
    """Stop the process that children are forked from; the next start brings another one."""
    process: Any = multiprocessing.current_process()
    process._config.pop("tempdir", None)

    running: Any = forkserver._forkserver
    with suppress(FileNotFoundError, ChildProcessError):
        running._stop()
    running._forkserver_address = None


@pytest.fixture(autouse=True)
def _forkserver_with_its_directory() -> Iterator[None]:
    """Leave no forkserver to the next test whose socket has gone with a directory of this one."""
    yield
    process: Any = multiprocessing.current_process()
    directory = process._config.get("tempdir")
    if directory is not None and not Path(directory).is_dir():
        stop_forkserver()


@pytest.fixture(scope="module", autouse=True)
def _forkserver_of_the_module() -> Iterator[None]:
    """Leave none to the next module either."""
    yield
    stop_forkserver()
