"""The programs that stand above the service: its commands start them, and import none of them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, NoReturn

if TYPE_CHECKING:
    from service.api.http.context import AppServices
    from service.api.wsgi import App
    from service.base.config import Config

MakeApp = Callable[["Config", "AppServices"], "App"]
"""Returns the application of a web process."""

LoadApp = Callable[[], MakeApp]
"""Loads all that a web process runs."""

LoadWorker = Callable[[], Callable[[str], int]]
"""Loads all that a worker runs. Returns the function that runs a worker of a kind.

A kind is a queue or "scheduler". The function returns the exit code.
"""


class Programs(NamedTuple):
    """The functions that the program `giornale` hands to its commands.

    become_worker: replaces this process by a worker of a kind.
    """

    load_app: LoadApp
    load_worker: LoadWorker
    become_worker: Callable[[str], NoReturn]
