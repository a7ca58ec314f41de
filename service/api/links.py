"""Every URL that the service writes into an answer, under the path that it is mounted at.

What is stored has no prefix: the `source` of a record's lines names the match wherever it is
served.
"""

import re
from typing import Any, TypeVar
from urllib.parse import urlencode

from flask import request

from service.api.http.context import config
from service.api.page.assets import tree

Example = TypeVar("Example")  # a JSON value

# The address for agents, which speak the Model Context Protocol.
MCP = "/mcp"

# How a URL of the service begins in a recorded example, also as a value of the header Link.
_OURS = re.compile(r"<?/(v1|problems|rules)/")


def to(path: str) -> str:
    """Return the URL of a path of the service."""
    return config().path_prefix + path


def home() -> str:
    """Return the URL under which the contract's paths lie."""
    return to("") or "/"


def here(**query: object) -> str:
    """Return the URL of the request's own path with another query."""
    return f"{to(request.path)}?{urlencode(query)}"


def related(relation: str, **query: object) -> str:
    """Return one value of the header Link (RFC 8288): this path with another query."""
    return f'<{here(**query)}>; rel="{relation}"'


def match(match_id: str) -> str:
    """Return the URL of a match."""
    return to(f"/v1/matches/{match_id}")


def commit(match_id: str, version: int) -> str:
    """Return the URL of one commit of a match."""
    return to(f"/v1/matches/{match_id}/commits/{version}")


def commits(match_id: str, after: int) -> str:
    """Return the URL of a match's commits after a version."""
    return to(f"/v1/matches/{match_id}/commits?after={after}")


def moves(match_id: str) -> str:
    """Return the URL of a match's legal moves."""
    return to(f"/v1/matches/{match_id}/moves")


def audit(match_id: str, version: int) -> str:
    """Return the URL of the audit of a match up to a version."""
    return to(f"/v1/matches/{match_id}/audit/{version}")


def problem(kind: str) -> str:
    """Return the URL of the page of a kind of problem, which is the `type` of such problems."""
    return to(f"/problems/{kind}")


def problems() -> str:
    """Return the URL of the page of all kinds of problems."""
    return to("/problems")


def rules(key: str, rule: str = "") -> str:
    """Return the URL of a game's rules, or of one of them."""
    fragment = f"#{rule}" if rule else ""
    return to(f"/rules/{key}{fragment}")


def all_rules() -> str:
    """Return the URL of the list of all rules."""
    return to("/rules")


def lobby() -> str:
    """Return the URL of the page that lists the matches."""
    return to("/")


def ladder() -> str:
    """Return the URL of the page with the ladders of the games."""
    return to("/ladder")


def table(match_id: str) -> str:
    """Return the URL of the page of a match."""
    return to(f"/matches/{match_id}")


def asset(path: str) -> str:
    """Return the URL of a static file of the pages."""
    return to(tree().address(path))


def docs() -> str:
    """Return the URL of the documentation."""
    return to("/docs")


def contract() -> str:
    """Return the URL of the contract."""
    return to("/openapi.json")


def mounted(example: Example) -> Example:
    """Return a recorded example with the URLs in it under the prefix."""
    prefix = config().path_prefix
    return _with_prefix(prefix, example) if prefix else example


def _with_prefix(prefix: str, example: Any) -> Any:
    """Return a JSON value in which every URL of the service begins with a prefix."""
    if isinstance(example, dict):
        return {name: _with_prefix(prefix, value) for name, value in example.items()}
    if isinstance(example, list):
        return [_with_prefix(prefix, value) for value in example]
    if isinstance(example, str) and _OURS.match(example):
        return example.replace("/", f"{prefix}/", 1)
    return example
