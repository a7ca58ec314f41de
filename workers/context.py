"""What every worker process works with, opened at first use and kept."""

import os
from functools import cache

from service.bootstrap import open_desk
from service.config import Config
from service.jobs.queues import Queues
from service.matches.desk import Desk


@cache
def config() -> Config:
    """Return the configuration that the environment gives."""
    return Config.load(os.environ, connected=True)


@cache
def _opened() -> tuple[Desk, Queues]:
    return open_desk(config())


def desk() -> Desk:
    """Return this process's desk."""
    return _opened()[0]


def queues() -> Queues:
    """Return this process's queues."""
    return _opened()[1]
