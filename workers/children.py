"""What the children of `giornale serve` run, loaded once in the process that forks them.

The supervisor names this file, which stands above it. Nothing here may start a thread: a fork has
only the one that called it.
"""

from service.process import web
from workers import __main__ as processes, jobs

__all__ = ["jobs", "processes", "web"]
