"""The web application without capabilities: its services, routes, and the layers around it.

A request passes from the outside in: the request scope, the response cache, Flask. If traces are
configured, their layer is around the request scope. A web process adds the admission around all
(`service.api.wsgi.admission`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType, ModuleType
from typing import NamedTuple

from flask import Blueprint, Flask

from service.api import error_handlers, links
from service.api.access_log import AccessLog
from service.api.health import checks
from service.api.health.checks import Recent, Subject
from service.api.health.surroundings import Surroundings
from service.api.http import requests
from service.api.http.context import Application, AppServices, operation_of
from service.api.http.limits import Proxies, RateLimit, RateLimits, StreamLimit
from service.api.http.responses import Response
from service.api.request_scope import RequestScope
from service.api.response_cache import ResponseCache
from service.api.routes import (
    games,
    health,
    history,
    lobby,
    matches,
    moves,
    pages,
    records,
    root,
    states,
    stories,
    streams,
)
from service.api.wsgi import App
from service.base import tracing
from service.base.config import Config
from service.bootstrap import open_context
from service.store.jobs.queues import EnqueueThread
from service.store.journal.notifications import Notifications

_BLUEPRINTS = (
    root.root,
    games.games,
    matches.matches,
    lobby.lobby,
    states.states,
    moves.moves,
    history.history,
    stories.stories,
    streams.streams,
    records.records,
    pages.pages,
    health.health,
)


class Mounted(NamedTuple):
    """The parts of a capability in the application.

    routes: the capability's blueprint.
    contract: modules with the types of its bodies: subclasses of Schema for requests, typed
        dictionaries for answers.
    root_links: the capability's paths in `GET /v1`, by name.
    """

    routes: Blueprint
    contract: Sequence[ModuleType] = ()
    root_links: Mapping[str, str] = MappingProxyType({})


def make_app(services: AppServices, capabilities: Sequence[Mounted]) -> Flask:
    """Return the web application with capabilities."""
    contract = tuple(module for one in capabilities for module in one.contract)
    root_links = {name: path for one in capabilities for name, path in one.root_links.items()}
    app = Application(services, contract, root_links)
    app.response_class = Response
    app.context_processor(_links)
    requests.install(app)
    error_handlers.install(app)
    for blueprint in (*_BLUEPRINTS, *(one.routes for one in capabilities)):
        app.register_blueprint(blueprint)

    layered: App = ResponseCache(app.wsgi_app, services)
    layered = RequestScope(layered, services)
    if tracing.is_on():
        layered = tracing.Door(layered, services.proxies.trusts, operation_of)
    app.wsgi_app = layered  # type: ignore[method-assign]
    return app


def _links() -> dict[str, ModuleType]:
    """Let the templates build URLs."""
    return {"links": links}


def open_services(config: Config) -> AppServices:
    """Open the services of an application. Other servers are connected at first use."""
    ctx, queues = open_context(config)
    enqueuer = EnqueueThread(queues.enqueue)
    ctx = replace(ctx, enqueue=enqueuer.enqueue)
    subject = Subject(ctx, queues, config.data, config.durable_journal)
    return AppServices(
        config=config,
        ctx=ctx,
        queues=queues,
        enqueuer=enqueuer,
        notifications=Notifications(config.journal_url, config.partitions),
        readiness=Recent(partial(checks.look, subject)),
        readable=Recent(partial(checks.look_for_reading, subject)),
        surroundings=Surroundings(ctx.journal, queues, config.data),
        access_log=AccessLog(),
        proxies=Proxies(config.trusted_proxies),
        rate_limits=RateLimits(queues, config.rate_limit, config.address_limit),
        openings=RateLimit(queues, config.openings, "openings") if config.openings else None,
        stream_limit=StreamLimit(config.streams, config.streams_each),
    )
