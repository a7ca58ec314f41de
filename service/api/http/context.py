"""What a request works with: the application's parts, opened once by the composition root."""

from flask import current_app

from service.config import Config
from service.jobs.queues import Queues
from service.matches.context import Context


def ctx() -> Context:
    """Return the context of the application that serves this request."""
    found: Context = current_app.extensions["ctx"]
    return found


def config() -> Config:
    """Return the configuration of the application that serves this request."""
    found: Config = current_app.config["GIORNALE"]
    return found


def queues() -> Queues:
    """Return the queues of the application that serves this request."""
    found: Queues = current_app.extensions["queues"]
    return found
