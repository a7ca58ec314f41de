"""What tests of processes share: each has a forkserver of its own."""

import multiprocessing
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import forkserver
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def own_forkserver() -> Iterator[None]:
    """Leave no forkserver to the next test: its socket lies in a directory of this one."""
    yield
    process: Any = multiprocessing.current_process()
    process._config.pop("tempdir", None)

    running: Any = forkserver._forkserver
    with suppress(FileNotFoundError, ChildProcessError):
        running._stop()
    running._forkserver_address = None
