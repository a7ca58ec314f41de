"""The programs that stand above the service: its commands start them, and import none of them."""

from collections.abc import Callable
from typing import NamedTuple, NoReturn


class Programs(NamedTuple):
    """The functions that the program `giornale` hands to its commands.

    load_worker: loads all that a worker runs, and returns the function that runs a worker of a
        kind, a queue or "scheduler", and returns its exit code.
    become_worker: replaces this process by a worker of a kind.
    """

    load_worker: Callable[[], Callable[[str], int]]
    become_worker: Callable[[str], NoReturn]
