"""The composition root of the web: the routes of the kernel and of each capability."""

import os

from flask import Flask

from service.api.app import Mounted, make_app, open_services
from service.api.http.context import AppServices
from service.base.config import Config
from service.capabilities.advice import answers as advice_answers, routes as advice_routes
from service.capabilities.agents import (
    answers as agent_answers,
    routes as agent_routes,
    schemas as agent_schemas,
)
from service.capabilities.audits import answers as audit_answers, routes as audit_routes
from service.capabilities.curve import answers as curve_answers, routes as curve_routes
from service.capabilities.documentation import routes as documentation_routes
from service.capabilities.lines import routes as line_routes, schemas as line_schemas
from service.capabilities.log import answers as log_answers, routes as log_routes
from service.capabilities.my_matches import routes as my_match_routes
from service.capabilities.players import answers as player_answers, routes as player_routes
from service.capabilities.rematch import (
    answers as rematch_answers,
    routes as rematch_routes,
    schemas as rematch_schemas,
)
from service.capabilities.single_file import routes as single_file_routes
from service.capabilities.thoughts import answers as thought_answers, routes as thought_routes
from service.capabilities.webhooks import (
    answers as webhook_answers,
    routes as webhook_routes,
    schemas as webhook_schemas,
)

CAPABILITIES = (
    Mounted(advice_routes.advice, (advice_answers,)),
    Mounted(agent_routes.mcp, (agent_schemas, agent_answers)),
    Mounted(audit_routes.audits, (audit_answers,)),
    Mounted(curve_routes.curve, (curve_answers,)),
    Mounted(
        documentation_routes.documentation,
        root_links={"contract": "/openapi.json", "core": "/openapi/core.json", "docs": "/docs"},
    ),
    Mounted(line_routes.lines, (line_schemas,)),
    Mounted(log_routes.log, (log_answers,), {"commits": "/v1/commits"}),
    Mounted(my_match_routes.mine, root_links={"my_matches": "/v1/me/stream"}),
    Mounted(player_routes.players, (player_answers,)),
    Mounted(rematch_routes.rematch, (rematch_schemas, rematch_answers)),
    Mounted(single_file_routes.single_file),
    Mounted(thought_routes.thoughts, (thought_answers,)),
    Mounted(webhook_routes.webhooks, (webhook_schemas, webhook_answers)),
)


def create_app(config: Config | None = None, services: AppServices | None = None) -> Flask:
    """Return the web application.

    Without `services`, they are opened with `config`, by default from the environment.
    """
    if services is None:
        services = open_services(config or Config.load(os.environ))
    return make_app(services, CAPABILITIES)
