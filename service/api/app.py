"""The web application: its parts, its routes, and the layers around it."""

import os
from dataclasses import replace
from functools import partial

from flask import Flask

from service import tracing
from service.api import access_log, hooks, problems
from service.api.express import Express
from service.api.guard import Guard
from service.api.http import requests
from service.api.http.concurrency import Slots
from service.api.http.rate_limits import Proxies, RateLimit, RateLimits
from service.api.http.responses import Keeper
from service.api.response_cache import Again
from service.api.routes import (
    audit,
    bots,
    games,
    health,
    history,
    lobby,
    matches,
    moves,
    pages,
    records,
    states,
    stories,
    streams,
    tokens,
)
from service.api.wsgi.compression import Compression
from service.api.wsgi.long_bodies import LongBodies
from service.api.wsgi.middleware import App, CommonHeaders, Mount
from service.bootstrap import open_context
from service.config import Config
from service.health import checks
from service.health.checks import Recent, Subject
from service.health.surroundings import Surroundings
from service.jobs.queues import Waker
from service.journal.notifications import Notifications

_BLUEPRINTS = (
    games.games,
    matches.matches,
    lobby.lobby,
    tokens.tokens,
    states.states,
    moves.moves,
    history.history,
    stories.stories,
    bots.thoughts,
    streams.streams,
    records.records,
    audit.audit,
    bots.advice,
    pages.pages,
    pages.page_shells,
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
    requests.init(app)
    hooks.init(app)
    problems.init(app)
    for blueprint in _BLUEPRINTS:
        app.register_blueprint(blueprint)

    app.wsgi_app = _with_layers(app, config)  # type: ignore[method-assign,assignment]
    return app


def _open_parts(app: Flask, config: Config) -> None:
    """Open what requests work with, and keep it on the application."""
    ctx, queues = open_context(config)
    waker = Waker(queues.wake)
    ctx = replace(ctx, wake=waker.wake)

    parts = app.extensions
    parts["ctx"] = ctx
    parts["waker"] = waker
    parts["queues"] = queues
    subject = Subject(ctx, queues, config.data)
    parts["readiness"] = Recent(partial(checks.look, subject))
    parts["readable"] = Recent(partial(checks.look_for_reading, subject))
    parts["surroundings"] = Surroundings(ctx.journal, queues, config.data)
    parts["wakes"] = Notifications(config.journal_url, config.partitions)

    parts["say"] = access_log.say_at_once
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
