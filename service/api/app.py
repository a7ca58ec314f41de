"""The web application: its parts, its routes, and the layers around it."""

import os
from dataclasses import replace
from functools import partial

from flask import Flask

from service import tracing
from service.api import hooks, observing
from service.api.again import Again
from service.api.express import Express
from service.api.guard import Guard
from service.api.http import converters
from service.api.http.clients import Proxies
from service.api.http.keeping import Keeper
from service.api.http.rate_limits import RateLimit, RateLimits
from service.api.http.slots import Slots
from service.api.problems import mapping
from service.api.routes import (
    advice,
    audit,
    games,
    health,
    history,
    lobby,
    matches,
    moves,
    pages,
    records,
    shells,
    states,
    stories,
    streams,
    thoughts,
    tokens,
)
from service.api.wsgi.compression import Compression
from service.api.wsgi.long_bodies import LongBodies
from service.api.wsgi.middleware import App, CommonHeaders
from service.api.wsgi.mount import Mount
from service.bootstrap import open_desk
from service.config import Config
from service.health import readiness
from service.health.checks.subject import Subject
from service.health.readiness import Recent
from service.health.surroundings import Surroundings
from service.jobs.waking import Waker
from service.journal.wakes import Wakes

_BLUEPRINTS = (
    games.games,
    matches.matches,
    lobby.lobby,
    tokens.tokens,
    states.states,
    moves.moves,
    history.history,
    stories.stories,
    thoughts.thoughts,
    streams.streams,
    records.records,
    audit.audit,
    advice.advice,
    pages.pages,
    shells.shells,
    health.health,
)


def create_app(config: Config | None = None) -> Flask:
    """Return the web application; without a configuration it is read from the environment."""
    config = config or Config.load(os.environ)
    app = Flask("service", static_folder=None)
    app.config["GIORNALE"] = config
    app.config["MAX_CONTENT_LENGTH"] = config.max_body
    app.config["MAX_DEPTH"] = config.max_depth

    _open_parts(app, config)
    converters.init(app)
    hooks.init(app)
    mapping.init(app)
    for blueprint in _BLUEPRINTS:
        app.register_blueprint(blueprint)

    app.wsgi_app = _with_layers(app, config)  # type: ignore[method-assign,assignment]
    return app


def _open_parts(app: Flask, config: Config) -> None:
    """Open what requests work with, and keep it on the application."""
    desk, queues = open_desk(config)
    waker = Waker(queues.wake)
    desk = replace(desk, wake=waker.wake)

    parts = app.extensions
    parts["desk"] = desk
    parts["waker"] = waker
    parts["queues"] = queues
    subject = Subject(desk, queues, config.data)
    parts["readiness"] = Recent(partial(readiness.look, subject))
    parts["readable"] = Recent(partial(readiness.look_for_reading, subject))
    parts["surroundings"] = Surroundings(desk.journal, queues, config.data)
    parts["wakes"] = Wakes(config.journal_url, config.partitions)

    parts["say"] = observing.say_at_once
    parts["proxies"] = Proxies(config.trusted_proxies)
    parts["guard"] = Guard(config)
    parts["slots"] = Slots(config.streams, config.streams_each)
    parts["keeper"] = Keeper()
    parts["rate_limit"] = RateLimits(queues, config.rate_limit, config.address_limit)
    parts["openings"] = None
    if config.openings:
        parts["openings"] = RateLimit(queues, config.openings, "openings")


def _with_layers(app: Flask, config: Config) -> App:
    """Return the application within its layers, put around it from the innermost outwards."""
    layered: App = Compression(app.wsgi_app)
    layered = Express(layered, app.extensions, config)
    layered = Again(layered, app.extensions)
    if config.path_prefix:
        layered = Mount(layered, config.path_prefix)
    layered = CommonHeaders(layered)
    layered = LongBodies(layered, app.extensions, config.path_prefix)
    if tracing.is_on():
        proxies: Proxies = app.extensions["proxies"]
        layered = tracing.Door(layered, proxies.trusts)
    return layered
