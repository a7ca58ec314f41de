"""What every worker process works with, opened at first use and kept."""

import os
from functools import cache

from service.bootstrap import open_context
from service.config import Config
from service.jobs.queues import Queues
from service.matches.context import Context


@cache
def config() -> Config:
    """Return the configuration that the environment gives."""
    return Config.load(os.environ, connected=True)


def ctx() -> Context:
    """Return this process's desk."""
    shared_ctx, _queues = _context_and_queues()
    return shared_ctx


def queues() -> Queues:
    """Return this process's queues."""
    _ctx, shared_queues = _context_and_queues()
    return shared_queues


@cache
def _context_and_queues() -> tuple[Context, Queues]:
    return open_context(config())
