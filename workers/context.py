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


def desk() -> Desk:
    """Return this process's desk."""
    shared_desk, _queues = _desk_and_queues()
    return shared_desk


def queues() -> Queues:
    """Return this process's queues."""
    _desk, shared_queues = _desk_and_queues()
    return shared_queues


@cache
def _desk_and_queues() -> tuple[Desk, Queues]:
    return open_desk(config())
