"""Every URL that the service writes into an answer, under the path that it is mounted at.

What is stored has no prefix: the `source` of a record's lines names the match wherever it is served.
"""

import re
from typing import Any
from urllib.parse import urlencode

from flask import request

from service.api.http.context import config

_OURS = re.compile(r"<?/(v1|problems|rules)/")


def to(path: str) -> str:
    """Return the URL of a path of the service."""
    return config().path_prefix + path


def home() -> str:
    """Return the URL under which the contract's paths lie."""
    return to("") or "/"


def here(**query: Any) -> str:
    """Return the URL of the request's own path with another query."""
    return f"{to(request.path)}?{urlencode(query)}"


def match(name: str) -> str:
    """Return the URL of a match."""
    return to(f"/v1/matches/{name}")


def commit(name: str, version: int) -> str:
    """Return the URL of one commit of a match."""
    return f"{match(name)}/commits/{version}"


def commits(name: str, after: int) -> str:
    """Return the URL of a match's commits after a version."""
    return f"{match(name)}/commits?after={after}"


def moves(name: str) -> str:
    """Return the URL of a match's legal moves."""
    return f"{match(name)}/moves"


def audit(name: str, version: int) -> str:
    """Return the URL of the audit of a match up to a version."""
    return f"{match(name)}/audit/{version}"


def problem(kind: str) -> str:
    """Return the URL of the page of a kind of problem, which is the `type` of such problems."""
    return to(f"/problems/{kind}")


def problems() -> str:
    """Return the URL of the page of all kinds of problems."""
    return to("/problems")


def rules(key: str, rule: str = "") -> str:
    """Return the URL of a game's rules, or of one of them."""
    return to(f"/rules/{key}#{rule}" if rule else f"/rules/{key}")


def docs() -> str:
    """Return the URL of the documentation."""
    return to("/docs")


def style() -> str:
    """Return the URL of the style of all pages."""
    return to("/docs/style.css")


def contract() -> str:
    """Return the URL of the contract."""
    return to("/openapi.json")


def mounted(example: Any) -> Any:
    """Return a recorded example with the URLs in it under the prefix."""
    prefix = config().path_prefix
    return _mounted(example, prefix) if prefix else example


def _mounted(example: Any, prefix: str) -> Any:
    if isinstance(example, dict):
        return {name: _mounted(value, prefix) for name, value in example.items()}
    if isinstance(example, list):
        return [_mounted(value, prefix) for value in example]
    if isinstance(example, str) and _OURS.match(example):
        return example.replace("/", f"{prefix}/", 1)
    return example
