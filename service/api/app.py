"""The web application: its parts, and everything mounted on it."""

import os

from flask import Flask

from service.api import hooks
from service.api.guard import Guard
from service.api.http.clients import Proxies
from service.api.http.limits import RateLimit, RateLimits, Slots
from service.api.problems import mapping
from service.api.routes import (
    audit,
    common,
    games,
    health,
    history,
    lobby,
    matches,
    moves,
    pages,
    states,
    streams,
)
from service.api.wsgi import compression
from service.bootstrap import open_desk
from service.config import Config
from service.health.surroundings import Surroundings
from service.journal.wakes import Wakes

_BLUEPRINTS = (
    games.games,
    matches.matches,
    lobby.lobby,
    states.states,
    moves.moves,
    history.history,
    streams.streams,
    audit.audit,
    pages.pages,
    health.health,
)


def create_app(config: Config | None = None) -> Flask:
    """Return the web application; without a configuration it is read from the environment."""
    config = config or Config.load(os.environ)
    app = Flask("service", static_folder=None)
    _open_parts(app, config)

    common.init(app)
    compression.init(app)  # before the hooks, whose layer is around it
    hooks.init(app)
    mapping.init(app)
    for blueprint in _BLUEPRINTS:
        app.register_blueprint(blueprint)
    return app


def _open_parts(app: Flask, config: Config) -> None:
    """Open what requests work with, and keep it on the application."""
    desk, queues = open_desk(config)
    app.config["GIORNALE"] = config
    app.config["MAX_CONTENT_LENGTH"] = config.max_body

    app.extensions["desk"] = desk
    app.extensions["queues"] = queues
    app.extensions["surroundings"] = Surroundings(desk.journal, queues, config.data)
    app.extensions["proxies"] = Proxies(config.trusted_proxies)
    app.extensions["guard"] = Guard(config)
    app.extensions["wakes"] = Wakes(config.journal_url)
    app.extensions["slots"] = Slots(config.streams, config.streams_each)
    app.extensions["rate_limit"] = RateLimits(queues.redis, config.rate_limit, config.address_limit)
    app.extensions["openings"] = (
        RateLimit(queues.redis, config.openings, "openings") if config.openings else None
    )
