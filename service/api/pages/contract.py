"""The contract in the forms in which it is served."""

from dataclasses import dataclass
from pathlib import Path

import orjson
from flask import current_app, render_template

from service.api import links
from service.api.contract.openapi.document import document
from service.api.contract.openapi.short import shortened
from service.api.pages.rulebook import rulebooks
from service.api.problems.kinds import KINDS
from service.page.assets import tree

# The module of the documentation, by which one finds something in it.
SEARCH = "docs/search.js"

_PACKAGE = Path(__file__).parents[1]
_REPOSITORY = Path(__file__).parents[3]
# Where openapi.yaml lies: in the installed package, where the build puts it, or in the repository.
_FILES = (_PACKAGE / "openapi.yaml", _REPOSITORY / "openapi.yaml")


@dataclass(frozen=True, slots=True)
class Contract:
    """The contract in its forms, as bytes."""

    # As JSON.
    whole: bytes
    # As JSON without examples and descriptions.
    short: bytes
    # The file of the repository, to the byte.
    yaml: bytes
    # As HTML, for people.
    page: bytes


def contract() -> Contract:
    """Return the contract of the application, made at the first request for it."""
    made: Contract | None = current_app.extensions.get("contract")
    if made is None:
        made = _make()
        current_app.extensions["contract"] = made
    return made


def _make() -> Contract:
    specification = document(current_app)
    whole = orjson.dumps(specification)
    page = render_template(
        "docs.html",
        spec=specification,
        rules=rulebooks(),
        kinds=KINDS.values(),
        modules=tree().modules(SEARCH),
    )

    # Under a prefix the file would name another server. JSON is YAML 1.2, too.
    as_file = _file() if links.home() == "/" else None
    return Contract(
        whole=whole,
        short=orjson.dumps(shortened(specification)),
        yaml=as_file or whole,
        page=page.encode(),
    )


def _file() -> bytes | None:
    """Return openapi.yaml; None if it was not installed."""
    for file in _FILES:
        if file.is_file():
            return file.read_bytes()
    return None
