"""The programs that commands of the service start. The service does not import these programs."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, NoReturn

if TYPE_CHECKING:
    from service.api.http.context import AppServices
    from service.api.wsgi import App
    from service.base.config import Config

MakeApp = Callable[["Config", "AppServices"], "App"]
"""Returns the application of a web process."""

LoadApp = Callable[[], MakeApp]
"""Loads the code of a web process."""

LoadWorker = Callable[[], Callable[[str], int]]
"""Loads the code of a worker. Returns a function that runs a worker of a kind.

A kind is a queue or "scheduler". The function returns the exit code.
"""


class Programs(NamedTuple):
    """The functions of the program `giornale` for its commands.

    become_worker: replaces this process by a worker of a kind.
    """

    load_app: LoadApp
    load_worker: LoadWorker
    become_worker: Callable[[str], NoReturn]
