"""Pages for people: the contract, the documentation, the problems, the rules."""

import orjson
from flask import Blueprint, Response, current_app

from service.api.openapi import document

pages = Blueprint("pages", __name__)


@pages.get("/openapi.json")
def contract() -> Response:
    """Answer the contract."""
    return Response(orjson.dumps(document(current_app._get_current_object())), mimetype="application/json")  # type: ignore[attr-defined]
