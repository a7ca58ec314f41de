"""Giornale: an event-sourced game log service."""

import os

from flask import Flask

from service.config import Config


def create_app(config: Config | None = None) -> Flask:
    """Return the web application; without a configuration it is read from the environment."""
    from service import api  # the workers, who import this package, need no Flask
    from service.api.clients import Proxies
    from service.api.guard import Guard
    from service.api.limits import RateLimit, RateLimits, Slots
    from service.compose import open_desk
    from service.journal.wakes import Wakes
    from service.surroundings import Surroundings

    config = config or Config.load(os.environ)
    app = Flask(__name__, static_folder=None)
    app.config["GIORNALE"] = config
    app.config["MAX_CONTENT_LENGTH"] = config.max_body
    app.extensions["desk"], app.extensions["queues"] = open_desk(config)
    app.extensions["surroundings"] = Surroundings(
        app.extensions["desk"].journal, app.extensions["queues"], config.data
    )
    app.extensions["proxies"] = Proxies(config.trusted_proxies)
    app.extensions["guard"] = Guard(config)
    app.extensions["wakes"] = Wakes(config.journal_url)
    app.extensions["slots"] = Slots(config.streams, config.streams_each)
    app.extensions["rate_limit"] = RateLimits(
        app.extensions["queues"].redis, config.rate_limit, config.address_limit
    )
    app.extensions["openings"] = (
        RateLimit(app.extensions["queues"].redis, config.openings, "openings")
        if config.openings
        else None
    )
    api.init(app)
    return app
