"""URLs of the service in its answers, under its mount path.

The `source` in a record's lines has no prefix, so a record is the same for any mount path.
"""

import re
from typing import Any, TypeVar
from urllib.parse import urlencode

from flask import request

from service.api.http.context import config
from service.api.page.assets import tree

Example = TypeVar("Example")  # a JSON value

# The address for agents, by the Model Context Protocol.
MCP = "/mcp"

# The beginning of a URL of the service in a recorded example, also in the header Link.
_OURS = re.compile(r"<?/(v1|problems|rules)/")


def to(path: str) -> str:
    """Return the URL of a path of the service."""
    return config().path_prefix + path


def home() -> str:
    """Return the base URL of the contract's paths."""
    return to("") or "/"


def next_page(headers: dict[str, str], **position: object) -> str:
    """Return the URL of the next page of the requested list, and name it in the header Link.

    position: parameters for the beginning of that page. All other parameters are those of the
        request, without `wait`, since there may be something to read already.
    """
    parameters = {name: value for name, value in request.args.items() if name != "wait"}
    url = f"{to(request.path)}?{urlencode({**parameters, **position})}"
    headers["Link"] = f'<{url}>; rel="next"'
    return url


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


def problem(kind: str) -> str:
    """Return the URL of the page of a kind of problem. It is the `type` of such problems."""
    return to(f"/problems/{kind}")


def problems() -> str:
    """Return the URL of the page of all kinds of problems."""
    return to("/problems")


def rules(key: str, rule: str = "") -> str:
    """Return the URL of a game's rules, or of one rule."""
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


def docs(part: str = "") -> str:
    """Return the URL of the documentation, or of a part of it."""
    return to(f"/docs/{part}" if part else "/docs")


def contract() -> str:
    """Return the URL of the contract."""
    return to("/openapi.json")


def mounted(example: Example) -> Example:
    """Return a recorded example with the URLs in it under the prefix."""
    prefix = config().path_prefix
    return _with_prefix(prefix, example) if prefix else example


def _with_prefix(prefix: str, example: Any) -> Any:
    """Return a JSON value with a prefix before every URL of the service."""
    if isinstance(example, dict):
        return {name: _with_prefix(prefix, value) for name, value in example.items()}
    if isinstance(example, list):
        return [_with_prefix(prefix, value) for value in example]
    if isinstance(example, str) and _OURS.match(example):
        return example.replace("/", f"{prefix}/", 1)
    return example
