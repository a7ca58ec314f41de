"""Where the product meets chance, time and sizes that are not ports: replaced for one run.

Ids, secrets, nonces and salts come from the seed; what is measured in real time is measured in
virtual time.
"""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from service.matches import automation, following, repository
from tests import toy
from tests.simulation.kernel import SECOND, Kernel
from tests.simulation.plan import Sizes


@contextmanager
def silence() -> Iterator[None]:
    """Return a block in which nothing is logged: faults by the thousand would be."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def draw_from(patch: pytest.MonkeyPatch, random: Random) -> None:
    """Let the product draw its ids, secrets, nonces and salts from the seed; add the toy."""
    toy.install(patch)
    patch.setattr(secrets, "token_bytes", random.randbytes)
    patch.setattr(secrets, "token_hex", lambda count: random.randbytes(count).hex())


def set_sizes(patch: pytest.MonkeyPatch, sizes: Sizes) -> None:
    """Let the product have the sizes of the plan."""
    patch.setattr(repository, "PIECE", sizes.piece)
    patch.setattr(repository, "SNAPSHOT_EVERY", sizes.snapshot)
    patch.setattr(following, "PIECE", sizes.piece)
    patch.setattr(automation, "MOVES_A_JOB", sizes.moves)


def set_time(patch: pytest.MonkeyPatch, kernel: Kernel) -> None:
    """Let those who follow a match count the seconds of the kernel."""
    watch: Any = SimpleNamespace(monotonic=lambda: kernel.now / SECOND)
    patch.setattr(following, "time", watch)
